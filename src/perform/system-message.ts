/**
 * What Baton writes itself in the words of a dialect. In an agent's name it uses the agent's own type of message, so that
 * what it says names the words of the agent's dialect; else it is prose (`prose.ts`).
 */

import { timestampOf } from "../base/clock.ts";
import { visible } from "../base/text.ts";
import { agentsAt } from "../escalations/view.ts";
import type { Dialect } from "../messages/dialects/dialect.ts";
import type { Fact, FactKind } from "../messages/facts.ts";
import type { Message } from "../messages/message.ts";
import { batonName } from "../messages/principal.ts";
import type { TeamDefinition } from "../team/state/definition.ts";
import type { Context } from "./context.ts";
import type { CoordinationEvent } from "./coordination-state.ts";
import type { ApprovalState } from "./deciders.ts";
import type { AnswerApproval } from "./operations/generated/calls.ts";
import { prose, quoted } from "./prose.ts";
import type { TeamState } from "./state.ts";
import { teamDialectOf } from "./team-dialects.ts";

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

/*
 * Answers to requests that Baton writes for somebody who wrote none: the owner at a door, or a deadline that passed. They
 * reach the requester in its own dialect under the role that was asked, and `decided_by` says who really decided; where
 * that dialect has no word for it, as prose.
 * Source: docs/protocol/authority.md, section 8; docs/protocol/asking.md, sections 1 to 4.
 */

/** An answer to an approval request. */
export type Answer = Omit<AnswerApproval, "request" | "ifSeq">;

/** The answer as a neutral fact. `decidedBy` goes into the wire's payload where Baton speaks for somebody. */
export function answerFact(
  request: ApprovalState,
  given: Answer,
  by: { readonly role: string; readonly decidedBy?: string },
): Fact<"approval-response"> {
  return {
    kind: "approval-response",
    head: {
      phase: request.phase ?? 0,
      task: request.task ?? "-",
      authorRole: by.role,
      timestamp: null,
      confidence: "high",
    },
    body: {
      requestId: request.requestId,
      approved: given.approved,
      reason: given.reason,
      ...(given.conditions === undefined ? {} : { conditions: given.conditions }),
      ...(given.modifications === undefined ? {} : { modifications: given.modifications }),
    },
    ...(by.decidedBy === undefined ? {} : { extra: { payload: { decided_by: by.decidedBy } } }),
  };
}

/** The answer as the requester reads it. `id` is the message's own. */
export function spokenAnswer(
  context: Context,
  state: TeamState,
  request: ApprovalState,
  spoken: { readonly id: string; readonly given: Answer; readonly decidedBy: string },
): Message {
  const { id, given, decidedBy } = spoken;
  const requester = state.team.roster.get(request.requester);
  const dialectOf = teamDialectOf(state.team.definition, context.dialectOf);
  const dialect = requester === undefined ? null : dialectOf(requester.dialect);
  const definition = dialect?.definitionOf("approval-response") ?? null;
  if (dialect === null || definition === null) return inProse(request, given, decidedBy, id);
  const askedRoles = request.addressees.map((agent) => state.team.roster.get(agent)?.role);
  const role =
    askedRoles.find((each) => each !== undefined && definition.senders.includes(each)) ??
    definition.senders[0] ??
    "lead";
  const fact = answerFact(request, given, { role, decidedBy });
  const wire = dialect.write(fact, { id, given: { authorRole: role, timestamp: timestampOf(context.clock.now()) } });
  if (wire === null) return inProse(request, given, decidedBy, id);
  return {
    dialect: dialect.id,
    type: definition.type,
    rung: "typed",
    wireId: id,
    text: JSON.stringify(wire),
    fact,
  };
}

/**
 * Who reads an answer besides its requester: where it has revised a contract, the leads of that agent; the holders of tasks
 * that are done by more criteria now.
 */
export function readersOfAnswer(
  state: TeamState,
  events: readonly CoordinationEvent[],
  answerer: string,
): readonly string[] {
  const isAnswer = events.some(({ event }) => event === "approval-answered");
  return events.flatMap((event) => {
    if (isAnswer && event.event === "task-described") {
      const holder = state.coordination.work.tasks.get(event.key)?.claim?.holder ?? answerer;
      return holder === answerer ? [] : [holder];
    }
    if (event.event !== "contract-issued" || event.revision.permit === null) return [];
    const requester = event.revision.permit.split("/")[0] ?? "";
    return agentsAt(state, "lead", requester).filter((lead) => lead !== answerer && lead !== requester);
  });
}

/** What a deadline that passed without an answer says. */
export const expiredAnswer: Answer = {
  approved: false,
  reason: "The deadline passed without an answer, which counts as denied.",
};

function inProse({ requestId }: ApprovalState, given: Answer, decidedBy: string, id: string): Message {
  const verdict = `Request "${visible(requestId)}" was ${given.approved ? "approved" : "denied"}`;
  const who = decidedBy === batonName ? "" : ` by ${decidedBy}`;
  const lines = [
    quoted(`${verdict}${who}`, given.reason),
    ...(given.conditions ?? []).map((condition) => quoted("Condition", condition)),
    ...(given.modifications ?? []).map((modification) => quoted("Modification", modification)),
  ];
  return prose(lines, id);
}
