/**
 * The dialects of one team: the built-in ones, and in those with an envelope the team's custom message types, as its
 * active revision records them. So every process that reads the journal judges alike, whatever files are next to it.
 */
import { maySend } from "../../authority/receivers.ts";
import { isJsonObject, plainCopy } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Definition, Dialect } from "../../dialects/dialect.ts";
import { factsForOwnMessages, ownSchema, withOwnMessages } from "../../dialects/own-messages.ts";
import { dialectIds, dialects } from "../../dialects/registry.ts";
import type { DialectId } from "../../message/message.ts";
import { ownerName } from "../../message/principal.ts";
import type { MessageForm } from "../../operations/status.ts";
import type { TeamDefinition } from "../../team/definition.ts";
import type { OwnMessageFile } from "../../team/own-messages.ts";
import type { Actor, Context } from "../context.ts";

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

/** The JSON Schema of `name` (`dialect/type`) as text, where that is a message type of the team's own; else null. */
export function ownSchemaOf(definition: TeamDefinition | null, name: string): string | null {
  for (const dialect of dialects.filter(({ id }) => name.startsWith(`${id}/`))) {
    const known = teamDialect(definition, dialect);
    const own = definition?.messages?.find(({ type }) => `${dialect.id}/${type}` === name);
    if (own !== undefined && known.definitions.has(own.type)) return JSON.stringify(ownSchema(own, known), null, 2);
  }
  return null;
}

/**
 * The messages that `actor` may send in the team's dialects, as forms to fill in. Empty: its role sends none, and says
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
  return ok(plainCopy(sent.map(formOf)));
}

function formOf({ dialect, type, summary, receivers, fields, example }: Definition): MessageForm {
  const { payload } = example;
  const values = isJsonObject(payload ?? null) ? { ...example, ...(payload as typeof example) } : example;
  return {
    dialect,
    type,
    summary,
    receivers,
    fields: fields.map(({ name, required, summary: says, form, value }) => ({
      name,
      required,
      summary: says,
      form,
      value,
      example: values[name] ?? null,
    })),
  };
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

/* What the files of a team say together: `.baton/team.yaml`, and the message types next to it. */

/** The text of `.baton/team.yaml` and where it is, with the files of `.baton/messages/`. */
export interface TeamFileText {
  readonly path: string;
  readonly text: string;
  /** Absent: the team has no custom message types. */
  readonly messages?: readonly OwnMessageFile[];
  /** Remembers what these files define; absent: they are read. */
  readonly memory?: TeamFileMemory;
}

/**
 * Remembers what a team's files define, for the next command: reading YAML takes a third of the time of a short command.
 * A memory grants nothing: the definition is compared with the one in force, as if it had been read.
 */
export interface TeamFileMemory {
  /** The definition of these files; null: not known. */
  recall(): TeamDefinition | null;
  /** Called with the definition of files that have no errors. Never throws. */
  keep(definition: TeamDefinition): void;
}

/** The definition that a team's files say; null for none. Problems: `team-file`, with line and column or JSON path. */
export async function teamOfFile(
  file: TeamFileText | null,
): Promise<Result<TeamDefinition | null, readonly Problem[]>> {
  if (file === null) return ok(null);
  const known = file.memory?.recall() ?? null;
  if (known !== null) return ok(known);
  const read = await readFiles(file);
  if (read.ok) file.memory?.keep(read.value);
  return read;
}

async function readFiles(file: TeamFileText): Promise<Result<TeamDefinition, readonly Problem[]>> {
  const { readTeamFile } = await import("../../team/team-file.ts");
  const team = await readTeamFile(file.text, { dialects: dialectIds, path: file.path });
  if (!team.ok || file.messages === undefined) return team;
  const { readOwnMessages } = await import("../../team/own-messages.ts");
  const messages = readOwnMessages(file.messages, team.value.dialects, factsForOwnMessages(dialects));
  if (!messages.ok) return messages;
  return ok(messages.value.length === 0 ? team.value : { ...team.value, messages: messages.value });
}
