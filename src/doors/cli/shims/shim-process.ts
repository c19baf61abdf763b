/**
 * `baton shim` of scripts that need no team, as prompts and hooks call them: a separate process with nothing loaded that it
 * does not need. Importing this file runs it; the launcher does so for `baton shim NAME -- WORDS`.
 * Rule: docs/protocol/record.md, section 29.
 */
import { systemClock } from "../../../base/clock.ts";
import { problem } from "../../../base/problem.ts";
import { err } from "../../../base/result.ts";
import { visible } from "../../../base/text.ts";
import { readConfig } from "../../../workspace/config.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import { writeError, writerTo } from "../terminal/process-streams.ts";
import type { ScriptAnswer } from "./script.ts";
import { runScript } from "./scripts.ts";

// Whatever happens before the answer is out, a guard allows nothing.
process.exitCode = exitCodes.refused;
run().then(finish, (fault: unknown) =>
  finish({ code: 2, stderr: `no answer: ${fault instanceof Error ? fault.message : String(fault)}\n` }),
);

async function run(): Promise<ScriptAnswer> {
  const [, name = "", , ...words] = process.argv.slice(2);
  const config = readConfig();
  const { directory } = config;
  const answer = await runScript(name, words, {
    directory,
    environment: config.environment(),
    input: async () => (await import("../validate-message/validate-message-answer.ts")).readStandardInput(),
    script: null,
    judge: async () => ({ valid: false, errors: ["another process judges messages"] }),
    nowMs: systemClock.now(),
    openTeam: async () => err([problem("not-found", directory, "These scripts need no team.")]),
    agent: null,
    callers: [],
    wait: (ms) => systemClock.wait(ms, new AbortController().signal),
  });
  return answer ?? { code: 1, stderr: `Baton answers no script ${visible(name)}\n` };
}

function finish({ code, stdout = "", stderr = "" }: ScriptAnswer): void {
  if (stderr !== "") writeError(`${visible(stderr.trimEnd())}\n`);
  const exitCode = code === 0 ? exitCodes.done : code === 1 ? exitCodes.fault : exitCodes.refused;
  if (stdout === "") {
    process.exitCode = exitCode;
    return;
  }
  void writerTo("stdout")(stdout.endsWith("\n") ? stdout : `${stdout}\n`).then((error) => {
    // The reader went away; the exit code still answers.
    process.exitCode = error === null || error.code === "EPIPE" ? exitCode : exitCodes.refused;
  });
}
