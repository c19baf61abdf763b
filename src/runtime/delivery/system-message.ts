/**
 * What Baton writes itself. In an agent's name it uses the agent's own type of message, so that what it says names the
 * words of the agent's dialect. Where no dialect has a message for it, it is prose: every reader gets it unchanged,
 * through any door, so it names no command, route or tool; what it asks for has the same name at each (claim, resolve,
 * issue). No line of it begins with others' words.
 */

import { visibleLines } from "../../base/text.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { FactKind } from "../../message/facts.ts";
import type { Message } from "../../message/message.ts";
import type { TeamDefinition } from "../../team/definition.ts";
import type { Context } from "../context.ts";
import type { TeamState } from "../state.ts";
import { teamDialectOf } from "../team/team-dialects.ts";

/** The type that each of these agents has for a fact of that kind and may send; null: one has none, or they have several. */
export function ownType(
  context: Pick<Context, "dialectOf">,
  { team }: TeamState,
  agents: readonly string[],
  kind: FactKind,
): string | null {
  const dialectOf = teamDialectOf(team.definition, context.dialectOf);
  const types = agents.map((agent) => {
    const member = team.roster.get(agent);
    const definition = member === undefined ? null : dialectOf(member.dialect)?.definitionOf(kind);
    return member !== undefined && definition?.senders.includes(member.role) === true ? definition.type : null;
  });
  const [first = null] = types;
  return types.every((type) => type === first) ? first : null;
}

/** The type, with what it must say, by which the agent reports a task as complete; null: it has none. */
export function completingType(context: Pick<Context, "dialectOf">, state: TeamState, agent: string): string | null {
  const member = state.team.roster.get(agent);
  const dialect = member === undefined ? null : context.dialectOf(member.dialect);
  if (dialect === null) return null;
  const kind = progressCompletes(dialect, state.team.definition) ? "progress" : "completion";
  const type = ownType(context, state, [agent], kind);
  return type === null ? null : `${type} with status "complete"`;
}

/*
 * What progress means for a task. Where a dialect has a separate message for completions, and the team's mode is the
 * one it is used in, progress only informs; in all others it completes. Source: docs/protocol/verdicts.md.
 */

/** In which modes a dialect has separate completions; `undefined` stands for every mode. Dialects never change. */
const completionModes = new WeakMap<Dialect, ReadonlySet<string | undefined>>();

/** Whether a task is done when progress in this dialect says so. */
export function progressCompletes(dialect: Dialect | null, definition: TeamDefinition | null): boolean {
  if (dialect === null) return true;
  const modes = completionModes.get(dialect) ?? modesOf(dialect);
  return !modes.has(undefined) && !modes.has(definition?.teamMode ?? "teammate");
}

function modesOf(dialect: Dialect): ReadonlySet<string | undefined> {
  const completions = [...dialect.definitions.values()].filter(({ kind }) => kind === "completion");
  const modes = new Set(completions.map(({ routing }) => routing.mode));
  completionModes.set(dialect, modes);
  return modes;
}

/** A message of these lines. `wireId`: the id that its answer goes by; absent: it has none. */
export function prose(lines: readonly string[], wireId: Message["wireId"] = null): Message {
  return { dialect: null, type: null, rung: "markdown", wireId, text: lines.join("\n"), fact: null };
}

/** A line with another's words; what they say in further lines is indented, so that it looks like no line of Baton's own. */
export function quoted(head: string, words: string): string {
  return `${head}: ${visibleLines(words).replaceAll("\n", "\n  ")}`;
}
