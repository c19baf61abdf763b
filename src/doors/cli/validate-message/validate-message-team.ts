/**
 * What `validate-message` asks of the nearest team: its own message types, as a script would know them and as Baton
 * reads them. Loaded only where a team has such types and a message may be of one.
 */
import type { Dialect } from "../../../dialects/dialect.ts";
import type { DropInMessage, DropInTable } from "../../../dialects/drop-in-table.ts";
import { dialectOf } from "../../../dialects/registry.ts";
import { ownDefinitions, teamDialect } from "../../../runtime/team/team-dialects.ts";
import { nearestTeam } from "../../../workspace/team-files.ts";

/** A dialect of the drop-in with the own types of a team in it. */
export interface OwnTypes {
  /** The scripts' table with their required fields, senders and receivers. */
  readonly table: DropInTable;
  /** The dialect as Baton reads it; null: it is not in this build. */
  readonly dialect: Dialect | null;
  /** Why the team's files could not be read, where they could not; nothing is then added. */
  readonly faults: readonly string[];
}

/** `dialect`, which the scripts know by `table`, in the team that `directory` is in. */
export async function ownTypes(dialect: string, table: DropInTable, directory: string): Promise<OwnTypes> {
  const standing = dialectOf(dialect);
  const team = await nearestTeam(directory);
  if (!team.ok) {
    const faults = team.error.map(({ path, message }) => `${path}: ${message}`);
    return { table, dialect: standing, faults };
  }
  if (standing === null) return { table, dialect: standing, faults: [] };
  const known = teamDialect(team.value, standing);
  const own = ownDefinitions(team.value, known);
  const messages = own.map(({ type, fields, senders }): readonly [string, DropInMessage] => {
    return [type, { required: fields.filter(({ required }) => required).map(({ name }) => name), senders }];
  });
  const receives = new Map(table.receives);
  for (const { type, receivers } of own) {
    for (const role of receivers) receives.set(role, [...(receives.get(role) ?? []), type]);
  }
  const extended = { ...table, messages: new Map([...table.messages, ...messages]), receives };
  return { table: extended, dialect: known, faults: [] };
}
