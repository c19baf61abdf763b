/**
 * What `validate-message` seldom needs, so it is loaded only then: the nearest team's own message types, as a script
 * would know them and as Baton reads them, and for `--strict` Baton's own reading.
 */
import type { Dialect } from "../../messages/dialects/dialect.ts";
import type { DropInMessage, DropInTable } from "../../messages/dialects/drop-in-table.ts";
import { dialectOf } from "../../messages/dialects/registry.ts";
import { findCandidate } from "../../messages/intake/decode.ts";
import { judgeCandidate } from "../../messages/intake/read.ts";
import { ownDefinitions, teamDialect } from "../../perform/team-dialects.ts";
import { nearestTeam } from "../../perform/workspace/team-files.ts";

/** A dialect of the drop-in with the own types of a team in it. */
export interface OwnTypes {
  /** The scripts' table with their required fields, senders and receivers. */
  readonly table: DropInTable;
  /** The dialect as Baton reads it; null: it is not in this build. */
  readonly dialect: Dialect | null;
  /** Why the team's files could not be read, where they could not; nothing is then added. */
  readonly problems: readonly string[];
}

/** `dialect`, which the scripts know by `table`, in the team that `directory` is in. */
export async function ownTypes(dialect: string, table: DropInTable, directory: string): Promise<OwnTypes> {
  const found = dialectOf(dialect);
  const team = await nearestTeam(directory);
  if (!team.ok) {
    const problems = team.error.map(({ path, message }) => `${path}: ${message}`);
    return { table, dialect: found, problems };
  }
  if (found === null) return { table, dialect: found, problems: [] };
  const known = teamDialect(team.value, found);
  const own = ownDefinitions(team.value, known);
  const messages = own.map(({ type, fields, senders }): readonly [string, DropInMessage] => {
    return [type, { required: fields.filter(({ required }) => required).map(({ name }) => name), senders }];
  });
  const receives = new Map(table.receives);
  for (const { type, receivers } of own) {
    for (const role of receivers) receives.set(role, [...(receives.get(role) ?? []), type]);
  }
  const extended = { ...table, messages: new Map([...table.messages, ...messages]), receives };
  return { table: extended, dialect: known, problems: [] };
}

/**
 * The problems of the text as Baton reads it, one sentence each; none when the dialect accepts it. `own` is the dialect
 * with a team's own types in it; null: the built-in one.
 */
export function strictErrors(text: string, dialect: string, own: Dialect | null): readonly string[] {
  const known = own ?? dialectOf(dialect);
  if (known === null) return [`strict checks of ${dialect} are not in this build`];
  const candidate = findCandidate(text);
  // A handoff document is no message of the dialects that are judged here, so nobody needs to read its YAML.
  if (candidate.as === "document") return ["not a message: a handoff document"];
  const reading = judgeCandidate(candidate, { dialects: [known], strict: true, senderKnown: true });
  if (reading.outcome === "prose" && reading.problems.length === 0) return ["not a message: plain text"];
  return reading.problems.map(({ code, path, message, hint }) => {
    return `${code} at ${path}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
  });
}
