/** `baton validate-message`: the drop-in for today's scripts. The launcher takes a shorter way to the same answer. */
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { answerDropIn, dropInDialects, notValid, readStandardInput } from "./validate-message-answer.ts";

export const summary = "drop-in for scripts: one JSON answer, exit 0 or 2";

export const command: Command = {
  isLocal: true,
  globals: [],
  description:
    "Judges a message as today's shell scripts do (presence of fields, roles, files) and prints one JSON object,\n" +
    '{"valid":…,"errors":[…]}; exit 0 or 2. The planning directory decides the dialect: .yolo-planning means yolo/2, else vbw/2.\n' +
    'Where its config.json says "v2_typed_protocol": false, everything is valid.',
  positionals: [{ name: "JSON", summary: "the message; without it standard input is read" }],
  options: [
    { name: "dialect", kind: "text", value: "DIALECT", choices: dropInDialects, summary: "judge by this dialect" },
    { name: "strict", kind: "flag", summary: "add Baton's own checks" },
  ],
  examples: [
    { line: "baton validate-message < message.json", meaning: "from standard input" },
    { line: `baton validate-message --dialect yolo/2 '{"type":"plan_contract"}'`, meaning: "as an argument" },
  ],
  next: "baton validate tells more: paths, what was expected, how to repair it.",
  run: async (call) => {
    const { given, config, output } = call;
    const text = given.word("JSON") ?? (process.stdin.isTTY ? "" : readStandardInput());
    const question = { dialect: given.text("dialect") ?? null, strict: given.flag("strict") };
    const answer = text === null ? notValid("message too large") : await answerDropIn({ text, ...question }, config);
    output.result(answer, () => JSON.stringify(answer));
    // A hook takes every code but this one for "go on".
    const isTold = (await output.written()) === null;
    return answer.valid && isTold ? exitCodes.done : exitCodes.refused;
  },
};
