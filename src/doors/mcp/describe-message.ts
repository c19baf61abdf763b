/** `describe_message`: what an agent needs to write a message: fields, an example, and who may send it. */
import * as z from "zod";
import { makeProblem } from "../../base/problem.ts";
import { nearest } from "../../base/text.ts";
import type { Definition } from "../../messages/dialects/dialect.ts";
import { dialectIds, dialectOf } from "../../messages/dialects/registry.ts";
import type { DialectId } from "../../messages/message.ts";
import type { Role } from "../../messages/role.ts";
import type { Team } from "../../perform/team.ts";
import { teamDialectOf } from "../../perform/team-dialects.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import { looks, refusal, type Tool, type ToolAnswer } from "./tool.ts";

const input = z.strictObject({
  type: z.string().optional(),
  dialect: z.string().optional(),
});

export const describeMessage: Tool<z.infer<typeof input>> = {
  name: "describe_message",
  title: "Describe a message type",
  description: "How to write a message: fields, who may send it to whom, an example. Without type: your team's types.",
  input,
  annotations: looks,
  run: async (given, { team }) => {
    const reader = await readerOf(team);
    const asked = given.dialect;
    if (asked !== undefined && dialectOf(asked) === null) {
      return refusal([
        makeProblem("unknown-dialect", "arguments.dialect", "There is no such dialect.", {
          expected: dialectIds.join(" | "),
          received: asked,
        }),
      ]);
    }
    const definitionsOf = (id: DialectId) => definitionsIn(reader.definition, id);
    const definitions = (asked === undefined ? reader.dialects : dialectIds.filter((id) => id === asked)).flatMap(
      definitionsOf,
    );
    if (given.type === undefined) return typesAnswer(definitions, reader.role);
    const found = find(given.type, definitions) ?? find(given.type, dialectIds.flatMap(definitionsOf));
    return found === null ? unknownType(given.type, definitions) : { data: described(found, reader.role) };
  },
};

interface Reader {
  /** Null: the name is not in the roster, or the team could not be read. */
  readonly role: Role | null;
  /** The reader's own first. */
  readonly dialects: readonly DialectId[];
  /** What the team's own message types are part of; null: none is known. */
  readonly definition: TeamDefinition | null;
}

/** Who asks. Definitions are facts of this build, so they can be described even where the journal cannot be read. */
async function readerOf(team: Team): Promise<Reader> {
  const status = await team.status();
  if (!status.ok) return { role: null, dialects: dialectIds, definition: null };
  const member = status.value.agents.find(({ agent }) => agent === team.actor.agent);
  const { definition } = status.value;
  const ofTeam = definition?.dialects ?? dialectIds;
  const own = member === undefined ? [] : [member.dialect];
  return { role: member?.role ?? null, dialects: [...new Set([...own, ...ofTeam])], definition };
}

/** The definitions of a dialect that agents send, those of the team's own among them. */
function definitionsIn(team: TeamDefinition | null, id: DialectId): readonly Definition[] {
  const dialect = teamDialectOf(team, dialectOf)(id);
  return [...(dialect?.definitions.values() ?? [])].filter(({ wire }) => wire === "sent");
}

function find(name: string, definitions: readonly Definition[]): Definition | null {
  return definitions.find(({ type, dialect }) => name === type || name === `${dialect}/${type}`) ?? null;
}

function mayBeSentBy(role: Role | null, { senders }: Definition): boolean | null {
  return role === null ? null : senders.includes(role);
}

function typesAnswer(definitions: readonly Definition[], role: Role | null): ToolAnswer {
  const types = definitions.map((definition) => ({
    dialect: definition.dialect,
    type: definition.type,
    summary: definition.summary,
    youMaySend: mayBeSentBy(role, definition),
  }));
  return { data: { types } };
}

function described(definition: Definition, role: Role | null): Readonly<Record<string, unknown>> {
  const { dialect, type, summary, senders, receivers, fields, example } = definition;
  return {
    dialect,
    type,
    summary,
    senders,
    receivers,
    youMaySend: mayBeSentBy(role, definition),
    fields: fields.map(({ name, required, form, summary: about }) => ({ name, required, form, summary: about })),
    example,
  };
}

function unknownType(name: string, definitions: readonly Definition[]): ToolAnswer {
  const near = nearest(
    name.split("/").at(-1) ?? name,
    definitions.map(({ type }) => type),
  );
  return refusal([
    makeProblem("not-found", "arguments.type", "There is no message type of this name.", {
      received: name,
      hint: near === null ? "describe_message without arguments lists them" : `did you mean "${near}"?`,
    }),
  ]);
}
