/** `baton schema`: what messages look like, as JSON Schema 2020-12. */
import { dialectIds } from "../../../dialects/registry.ts";
import { ownSchemaOf } from "../../../runtime/team/team-dialects.ts";
import type { Call, Command } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { bundleFor } from "../team/team-documents.ts";
import { failUnknown, type KnownMessages, knownMessages } from "./known-messages.ts";
import { asJson, publishedJson } from "./published-files.ts";

export const command: Command = {
  isLocal: true,
  globals: [],
  description:
    "Alone, lists every DIALECT/TYPE, one a line; the message types of the team's own in the nearest .baton/ are among them.\n" +
    "With one, prints its JSON Schema (2020-12), the whole envelope included. With --bundle, prints one schema that holds all\n" +
    "messages of a dialect, the team's own among them.",
  positionals: [{ name: "DIALECT/TYPE", summary: "such as vbw/2/plan_contract" }],
  options: [{ name: "bundle", kind: "text", value: "DIALECT", summary: "every message of this dialect in one schema" }],
  examples: [
    { line: "baton schema", meaning: "every message type" },
    { line: "baton schema vbw/2/plan_contract", meaning: "the schema of one" },
    { line: "baton schema --bundle yolo/2", meaning: "the schema of them all" },
  ],
  next: "baton validate FILE judges a message and says how to repair it; baton reference explains it.",
  run: async (call) => {
    const bundle = call.given.text("bundle");
    const known = await knownMessages(call);
    if (bundle === undefined) return printOne(call, known);
    const dialect = known.dialects.find(({ id }) => id === bundle);
    if (dialect !== undefined) {
      call.output.problems(known.faults);
      return printJson(call, bundleFor(dialect, known.team));
    }
    return failUnknown(call, bundle, { what: "dialect", names: dialectIds, lister: "baton reference", faults: [] });
  },
};

function printOne(call: Call, { names, team, faults }: KnownMessages): ExitCode {
  const asked = call.given.word("DIALECT/TYPE");
  if (asked === undefined) {
    for (const name of names) call.output.result(name, () => name);
    call.output.problems(faults);
    return exitCodes.done;
  }
  if (!names.includes(asked))
    return failUnknown(call, asked, { what: "message", names, lister: "baton schema", faults });
  const own = ownSchemaOf(team, asked);
  return printJson(call, own === null ? publishedJson(`schemas/${asked}.json`) : asJson(own));
}

function printJson(call: Call, { text, value }: { readonly text: string; readonly value: unknown }): ExitCode {
  call.output.result(value, () => text);
  return exitCodes.done;
}
