/**
 * The dialects of one team: the built-in ones, and in those with an envelope the team's custom message types, as its
 * active revision records them. So every process that reads the journal judges alike, whatever files are next to it.
 */

import { plainCopy } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { maySend } from "../messages/authority/receivers.ts";
import type { Definition, Dialect } from "../messages/dialects/dialect.ts";
import { withOwnMessages } from "../messages/dialects/own-messages.ts";
import type { DialectId } from "../messages/message.ts";
import { ownerName } from "../messages/principal.ts";
import type { MessageForm } from "../team/operations/status.ts";
import type { TeamDefinition } from "../team/state/definition.ts";
import type { Actor, Context } from "./context.ts";

/** Definitions are replaced, never changed, so a team's own types are made ready once for each. */
const dialectsOf = new WeakMap<TeamDefinition, Map<DialectId, Dialect>>();

/** `dialect` as the team of `definition` has it. */
export function teamDialect(definition: TeamDefinition | null, dialect: Dialect): Dialect {
  const own = definition?.messages;
  if (definition === null || own === undefined || !definition.dialects.includes(dialect.id)) return dialect;
  const ready = dialectsOf.get(definition) ?? new Map<DialectId, Dialect>();
  const known = ready.get(dialect.id);
  if (known !== undefined) return known;
  const made = withOwnMessages(dialect, own);
  dialectsOf.set(definition, ready.set(dialect.id, made));
  return made;
}

/** The definitions of the team's own types in `dialect`, which has them (`teamDialect`). */
export function ownDefinitions(definition: TeamDefinition | null, dialect: Dialect): readonly Definition[] {
  const own = definition?.messages ?? [];
  return own.flatMap(({ type }) => dialect.definitions.get(type) ?? []);
}

/**
 * The messages that `actor` may send in the team's dialects. Empty: its role sends none, and says
 * what it has to say in prose.
 */
export async function messageForms(
  context: Context,
  { agent }: Actor,
): Promise<Result<readonly MessageForm[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { definition, roster } = folded.value.state.team;
  const role = agent === ownerName ? "owner" : (roster.get(agent)?.role ?? null);
  if (definition === null || role === null) return ok([]);
  const known = definition.dialects.flatMap((id) => teamDialectOf(definition, context.dialectOf)(id) ?? []);
  const sent = known.flatMap(({ definitions }) => [...definitions.values()]).filter((each) => maySend(each, role));
  return ok(plainCopy(sent.map(({ dialect, type, summary, receivers }) => ({ dialect, type, summary, receivers }))));
}

type DialectOf = (id: DialectId) => Dialect | null;

/** One function a definition: what is known of receivers is known by it. */
const lookups = new WeakMap<TeamDefinition, { readonly over: DialectOf; readonly lookup: DialectOf }>();

/** As `dialectOf`, of the team's own types too. The same function for the same definition. */
export function teamDialectOf(definition: TeamDefinition | null, dialectOf: DialectOf): DialectOf {
  if (definition?.messages === undefined) return dialectOf;
  const known = lookups.get(definition);
  if (known?.over === dialectOf) return known.lookup;
  const lookup: DialectOf = (id) => {
    const dialect = dialectOf(id);
    return dialect === null ? null : teamDialect(definition, dialect);
  };
  lookups.set(definition, { over: dialectOf, lookup });
  return lookup;
}
