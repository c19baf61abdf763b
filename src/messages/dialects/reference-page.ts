/**
 * The reference page of a message as Markdown: who sends it to whom, its fields, what is understood besides, an example.
 * Its words come from the definition, so a custom type has the same page as a built-in one.
 */
import { type Definition, type Dialect, envelopeFor, type FieldFacts } from "./dialect.ts";
import { type RuleName, rules } from "./rules/rules.ts";

/** What a page is made from; rules and an empty task learn where there are such. */
type PageDefinition = Definition & { readonly rules?: readonly RuleName[] };

/** The page of one message, without a line feed at its end. */
export function messagePage(definition: PageDefinition, dialect: Pick<Dialect, "id" | "form" | "envelope">): string {
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
