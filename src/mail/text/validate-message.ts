/**
 * `baton validate-message` as hooks call it: a separate process with nothing loaded that it does not need. Importing
 * this file runs it. It prints one JSON object and exits 0 or 2; also a wrong option answers 2, because a hook takes
 * every other code for "go on".
 */
import { parseArgs } from "node:util";
import { jsonLine } from "../../base/json.ts";
import { commandPage } from "../../doors/cli/kernel/command-page.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { paintFor, problemText } from "../../doors/cli/terminal/output.ts";
import { outputFailed, writeError, writerTo } from "../../doors/cli/terminal/process-streams.ts";
import type { DropInAnswer } from "../../messages/dialects/drop-in.ts";
import { readConfig } from "../../perform/workspace/config.ts";
import {
  answerDropIn,
  command,
  type DropInQuestion,
  notValid,
  readStandardInput,
  summary,
} from "./validate-message-answer.ts";

// Whatever happens before the answer is out, the message does not pass.
process.exitCode = exitCodes.refused;
run().then(finish, (problem: unknown) =>
  finish(notValid(`cannot be judged: ${problem instanceof Error ? problem.message : String(problem)}`)),
);

async function run(): Promise<DropInAnswer | null> {
  const line = process.argv.slice(2);
  const { values, positionals, tokens } = parseArgs({
    args: line[0] === "validate-message" ? line.slice(1) : line,
    options: {
      dialect: { type: "string" },
      strict: { type: "boolean" },
      json: { type: "boolean" },
      "no-color": { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  if (values.help === true) return null;
  for (const token of tokens) {
    if (token.kind === "option" && !["dialect", "strict", "json", "no-color"].includes(token.name)) {
      return notValid(`unknown option: ${token.rawName}`);
    }
  }
  if (values.dialect === true) return notValid("--dialect needs a value");
  if (positionals.length > 1) return notValid("one message at a time: quote it as one argument");
  const text = positionals[0] ?? readStandardInput();
  if (text === null) return notValid("message too large");
  const question: DropInQuestion = {
    text,
    dialect: values.dialect === undefined ? null : String(values.dialect),
    strict: values.strict === true,
  };
  return await answerDropIn(question, readConfig());
}

function finish(answer: DropInAnswer | null): void {
  const text =
    answer === null ? commandPage({ name: "validate-message", summary }, command, paintFor(false)) : jsonLine(answer);
  process.exitCode = answer === null || answer.valid ? exitCodes.done : exitCodes.refused;
  void writerTo("stdout")(`${text}\n`).then((error) => {
    // The reader went away; the exit code still answers.
    if (error === null || error.code === "EPIPE") return;
    process.exitCode = exitCodes.refused;
    writeError(`${problemText(outputFailed(error), paintFor(false))}\n`);
  });
}
