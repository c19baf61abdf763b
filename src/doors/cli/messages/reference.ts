/** `baton reference`: what every message says, who sends it to whom, its fields, examples and errors. */
import type { Dialect } from "../../../dialects/dialect.ts";
import { messagePage, table } from "../../../dialects/reference-page.ts";
import { dialectIds } from "../../../dialects/registry.ts";
import { ownDefinitions } from "../../../runtime/team/team-dialects.ts";
import type { Call, Command } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { asyncApiFor } from "../team/team-documents.ts";
import { failUnknown, type KnownMessages, knownMessages } from "./known-messages.ts";
import { publishedText } from "./published-files.ts";

export const command: Command = {
  isLocal: true,
  description:
    "Alone, lists the dialects. With a dialect, prints who sends what to whom; with DIALECT/TYPE, the page of that message:\n" +
    "its fields, other spellings that are understood, examples and errors. The team's custom message types have pages, too.\n" +
    "With --asyncapi, prints a dialect as AsyncAPI 3: the inboxes of its roles as channels, who sends and who receives as\n" +
    "operations.",
  positionals: [{ name: "DIALECT[/TYPE]", summary: "such as vbw/2, or vbw/2/qa_verdict" }],
  options: [
    { name: "asyncapi", kind: "text", value: "DIALECT", summary: "the AsyncAPI document of this dialect, as JSON" },
  ],
  examples: [
    { line: "baton reference vbw/2", meaning: "who sends what to whom" },
    { line: "baton reference vbw/2/qa_verdict", meaning: "one message, whole" },
    { line: "baton reference --asyncapi vbw/2 > vbw-2.json", meaning: "for tools that read AsyncAPI" },
  ],
  next: "baton schema DIALECT/TYPE prints the JSON Schema; baton validate FILE judges a message.",
  run: async (call) => {
    const described = call.given.text("asyncapi");
    const known = await knownMessages(call);
    return described === undefined ? print(call, known) : printAsyncApi(call, described, known);
  },
};

const lister = "baton reference";

function printAsyncApi(call: Call, asked: string, known: KnownMessages): ExitCode {
  const dialect = known.dialects.find(({ id }) => id === asked);
  if (dialect === undefined) {
    return failUnknown(call, asked, { what: "dialect", names: dialectIds, lister, faults: [] });
  }
  const { text, value } = asyncApiFor(dialect, known.team);
  call.output.problems(known.faults);
  call.output.result(value, () => text);
  return exitCodes.done;
}

function print(call: Call, known: KnownMessages): ExitCode {
  const { output } = call;
  const asked = call.given.word("DIALECT[/TYPE]");
  if (asked === undefined) {
    for (const { id, definitions } of known.dialects) {
      const types = [...definitions.keys()];
      output.result({ dialect: id, types }, () => `${id}  ${types.join(", ")}`);
    }
    output.problems(known.faults);
    return exitCodes.done;
  }
  const dialect = known.dialects.find(({ id }) => asked === id || asked.startsWith(`${id}/`));
  const type = dialect === undefined ? "" : asked.slice(dialect.id.length + 1);
  if (dialect !== undefined && type === "") return printPage(call, dialect, "matrix", matrixOf(dialect, known));
  if (dialect?.definitions.has(type)) return printPage(call, dialect, type, pageOf(dialect, type, known));
  const names = [...dialectIds, ...known.names];
  return failUnknown(call, asked, { what: "dialect or message", names, lister, faults: known.faults });
}

function printPage(call: Call, { id }: Dialect, page: string, text: string): ExitCode {
  call.output.result({ dialect: id, page, text }, () => text);
  return exitCodes.done;
}

/** Who sends what to whom in a dialect; the team's own types come after those that exist. */
function matrixOf(dialect: Dialect, { team }: KnownMessages): string {
  const standing = publishedPage(dialect, "matrix");
  const own = ownDefinitions(team, dialect);
  if (own.length === 0) return standing;
  const rows = own.map(({ type, senders, receivers, summary }) => [
    type,
    senders.join(", "),
    receivers.join(", "),
    summary,
  ]);
  return `${standing}\n\nThe team's own:\n\n${table(["Message", "Senders", "Receivers", "What it says"], rows)}`;
}

function pageOf(dialect: Dialect, type: string, { team }: KnownMessages): string {
  const own = ownDefinitions(team, dialect).find((definition) => definition.type === type);
  if (own === undefined) return publishedPage(dialect, type);
  return messagePage(own, dialect, {
    accepted: [{ title: "Example", message: own.example }],
    refused: [],
    schema: `\`baton schema ${dialect.id}/${type}\` prints the JSON Schema.`,
  });
}

/** A generated page without its mark, and with the words of its links alone: their targets are files of the repository. */
function publishedPage({ id }: Dialect, page: string): string {
  const text = publishedText(`docs/reference/${id}/${page}.md`);
  return text.replace(/^<!--[^>]*-->\s*/, "").replaceAll(/\[([^\]\n]*)\]\([^)\s]*\)/g, "$1");
}
