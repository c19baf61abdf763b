/**
 * `baton reference`: what messages look like, for people (what each says, who sends it to whom, its fields and an
 * example) or as JSON Schema 2020-12.
 */
import { invariant } from "../../base/invariant.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Definition, type Dialect, envelopeFor, type FieldFacts } from "../../messages/dialects/dialect.ts";
import { dialectIds } from "../../messages/dialects/registry.ts";
import { type RuleName, rules } from "../../messages/dialects/rules/rules.ts";
import { ownSchemaOf } from "../../perform/own-schemas.ts";
import { ownDefinitions } from "../../perform/team-dialects.ts";
import { asJson, publishedJson } from "../../perform/workspace/package-root.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import { failUnknown, type KnownMessages, knownMessages, nameInTeam } from "./dialect-choice.ts";

export const command: Command = {
  isLocal: true,
  description:
    "Alone, lists the dialects. With a dialect, prints who sends what to whom; with DIALECT/TYPE, the page of that message:\n" +
    "its fields, other spellings that are understood and an example. The team's custom message types have pages, too.\n" +
    "In a team's folder TYPE alone is that of the team's first dialect that has it. With --schema the same for programs, as\n" +
    "JSON Schema (2020-12): alone every DIALECT/TYPE, one a line; of a dialect one schema that holds all its messages; of a\n" +
    "message its own, the whole envelope included.",
  positionals: [{ name: "DIALECT[/TYPE]", summary: "such as vbw/2, or vbw/2/qa_verdict; in a team also qa_verdict" }],
  options: [{ name: "schema", kind: "flag", summary: "as JSON Schema" }],
  examples: [
    { line: "baton reference vbw/2", meaning: "who sends what to whom" },
    { line: "baton reference vbw/2/qa_verdict", meaning: "one message, whole" },
    { line: "baton reference vbw/2/plan_contract --schema", meaning: "the schema of one" },
    { line: "baton reference yolo/2 --schema", meaning: "the schema of them all" },
  ],
  next: "baton validate FILE judges a message and says how to repair it.",
  run: async (call) => print(call, await knownMessages(call)),
};

function print(call: Call, known: KnownMessages): ExitCode {
  const { output } = call;
  const written = call.given.word("DIALECT[/TYPE]");
  const asSchema = call.given.flag("schema");
  if (written === undefined) {
    if (asSchema) for (const name of known.names) output.result(name, () => name);
    else
      for (const { id, definitions } of known.dialects) {
        const types = [...definitions.keys()];
        output.result({ dialect: id, types }, () => `${id}  ${types.join(", ")}`);
      }
    output.problems(known.problems);
    return exitCodes.done;
  }
  const asked = nameInTeam(call, known, written);
  const dialect = known.dialects.find(({ id }) => asked === id || asked.startsWith(`${id}/`));
  const type = dialect === undefined ? "" : asked.slice(dialect.id.length + 1);
  if (dialect !== undefined && type === "") {
    if (!asSchema) return printPage(call, dialect, "matrix", matrixOf(dialect, known));
    output.problems(known.problems);
    return printJson(call, bundleFor(dialect, known.team));
  }
  if (dialect?.definitions.has(type)) {
    if (!asSchema) return printPage(call, dialect, type, pageOf(dialect, type));
    const own = ownSchemaOf(known.team, asked);
    return printJson(call, own === null ? publishedJson(`schemas/${asked}.json`) : asJson(own));
  }
  const names = [...dialectIds, ...known.names];
  return failUnknown(call, asked, {
    what: "dialect or message",
    names,
    lister: "baton reference",
    problems: known.problems,
  });
}

function printPage(call: Call, { id }: Dialect, page: string, text: string): ExitCode {
  call.output.result({ dialect: id, page, text }, () => text);
  return exitCodes.done;
}

/** Who sends what to whom in a dialect; the team's own types come after those that exist. */
function matrixOf(dialect: Dialect, { team }: KnownMessages): string {
  const own = ownDefinitions(team, dialect);
  return [
    `# ${dialect.id}: who sends what to whom`,
    "A message from another role is refused, or under the policy `observe` delivered without effect.",
    matrixTable([...dialect.definitions.values()].filter(({ type }) => !own.some((each) => each.type === type))),
    ...(own.length === 0 ? [] : ["The team's own:", matrixTable(own)]),
  ].join("\n\n");
}

function matrixTable(definitions: readonly Definition[]): string {
  const rows = definitions.map(({ type, wire, senders, receivers, summary }) => [
    type,
    wire === "internal" ? "Baton" : senders.join(", "),
    wire === "internal" ? "nobody" : receivers.join(", "),
    summary,
  ]);
  return table(["Message", "Senders", "Receivers", "What it says"], rows);
}

function pageOf(dialect: Dialect, type: string): string {
  const definition = dialect.definitions.get(type);
  invariant(definition !== undefined, "a page is of a type that the dialect has");
  return messagePage(definition, dialect);
}

function printJson(call: Call, { text, value }: { readonly text: string; readonly value: unknown }): ExitCode {
  call.output.result(value, () => text);
  return exitCodes.done;
}

/*
 * The documents of a whole dialect as a team has them: what the package publishes, with the custom message types among
 * the others. Without such types they are the published files verbatim.
 */

/** A document: its text for people, its value for programs. */
type Document = ReturnType<typeof asJson>;

/** Every message of `dialect` as one JSON Schema. */
function bundleFor(dialect: Dialect, team: TeamDefinition | null): Document {
  const published = publishedJson(`schemas/${dialect.id}/bundle.json`);
  const own = ownSchemas(dialect, team);
  if (own.length === 0) return published;
  const bundle = objectOf(published.value);
  const { anyOf, $defs } = bundle;
  invariant(isJsonList(anyOf), "a bundle lists its messages");
  return written({
    ...bundle,
    anyOf: [...anyOf, ...own.map(({ schema }) => ({ $ref: schema.$id ?? "" }))],
    $defs: {
      ...objectOf($defs),
      ...Object.fromEntries(own.map(({ definition, schema }) => [definition.type, schema])),
    },
  });
}

interface OwnSchema {
  readonly definition: Definition;
  readonly schema: JsonObject;
}

function ownSchemas(dialect: Dialect, team: TeamDefinition | null): readonly OwnSchema[] {
  return ownDefinitions(team, dialect).map((definition) => {
    const text = ownSchemaOf(team, `${dialect.id}/${definition.type}`);
    invariant(text !== null, "a type of the team's own has a schema");
    return { definition, schema: objectOf(asJson(text).value) };
  });
}

function written(document: JsonObject): Document {
  return asJson(JSON.stringify(document, null, 2));
}

/** A part of a document that the generator wrote as an object. */
function objectOf(value: unknown): JsonObject {
  const json = value as Json | undefined; // What the package publishes is JSON.
  invariant(isJsonObject(json), "the package's documents are objects");
  return json;
}

/* A type as a page for people. */

/** What a page is made from; rules and an empty task learn where there are such. */
type PageDefinition = Definition & { readonly rules?: readonly RuleName[] };

/** The page of one message, without a line feed at its end. */
function messagePage(definition: PageDefinition, dialect: Pick<Dialect, "id" | "form" | "envelope">): string {
  return [
    `# ${definition.type} (${dialect.id})`,
    definition.summary,
    ...routeWords(definition),
    fieldsHead[dialect.form],
    fieldsTable(definition.fields),
    ...rulesPart(definition),
    ...aliasesPart(definition),
    ...(dialect.form === "typed" ? ["## Envelope", envelopeTable(definition, dialect.envelope), withoutEnvelope] : []),
    "Fields that are not listed are kept, passed on and noted; `--strict` refuses them.",
    "## Example",
    `\`\`\`json\n${JSON.stringify(definition.example, null, 2)}\n\`\`\``,
    `\`baton reference ${dialect.id}/${definition.type} --schema\` prints the JSON Schema.`,
  ].join("\n\n");
}

function rulesPart({ rules: names = [] }: PageDefinition): readonly string[] {
  if (names.length === 0) return [];
  return ["Rules between fields:", names.map((rule) => `- ${rules[rule].words}`).join("\n")];
}

function envelopeTable(definition: PageDefinition, envelope: readonly FieldFacts[]): string {
  return fieldsTable(envelopeFor(definition, envelope));
}

const fieldsHead = {
  typed: "## Payload",
  structured: "## Fields next to `type`",
  document: "## Sections of `handoff`",
};

/** Who sends it to whom, and when. */
function routeWords({ wire, routing, senders, receivers }: PageDefinition): readonly string[] {
  const { direction, across, mode, addressedBy } = routing;
  if (wire === "internal") {
    return ["Baton writes it; it is never sent, and an agent that sends one is refused."];
  }
  return [
    `Senders: ${senders.join(", ")}. Receivers: ${receivers.join(", ")}.`,
    ...(mode === undefined ? [] : ["Used only where the team's mode is `teammate`."]),
    ...(direction === undefined ? [] : [directions[direction]]),
    ...(addressedBy === undefined ? [] : [`Without a named receiver it goes to whom \`${addressedBy}\` names.`]),
    ...(across === undefined
      ? []
      : [
          `Used only when several departments are active: from ${across.senders.join(" or ")} to ${across.receivers.join(", ")}.`,
        ]),
  ];
}

const directions = {
  up: "It goes up the chain, one level at a time.",
  down: "It goes down the chain only, to those below its sender.",
  both: "It goes both ways: either end may begin.",
};

/** What is read although it is spelled otherwise. */
function aliasesPart({ aliases }: PageDefinition): readonly string[] {
  const rows = [
    ...Object.entries(aliases.names).map(([written, meant]) => [`\`${written}\``, `\`${meant}\``]),
    ...Object.entries(aliases.words).flatMap(([field, meanings]) =>
      Object.entries(meanings).map(([written, meant]) => [`\`${field}\`: ${written}`, `\`${field}\`: ${meant}`]),
    ),
  ];
  if (rows.length === 0) return [];
  return [
    "## Also understood",
    "Baton reads these spellings as what they mean and notes each; it never writes them, and `--strict` refuses them.",
    table(["Written", "Read as"], rows),
  ];
}

const withoutEnvelope =
  "A message may also come as `type` and `payload` alone, or with its fields next to `type`. Baton then fills in the envelope from the connection, notes it, and names in `assumed` what it filled in. `--strict` refuses this.";

function fieldsTable(fields: readonly FieldFacts[]): string {
  const rows = fields.map(({ name, required, form, summary }) => [
    `\`${name}\``,
    required ? "yes" : "no",
    form,
    summary,
  ]);
  return table(["Field", "Required", "Form", "Meaning"], rows);
}

/** A table of Markdown. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), `|${heads.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
