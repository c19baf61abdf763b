/**
 * `baton shim`: answers in place of a script of VBW or YOLO, with its words and exit codes.
 * Rule: docs/protocol/record.md, section 29.
 */
import { systemClock } from "../../../base/clock.ts";
import { visible } from "../../../base/text.ts";
import { agentsInShell, sessionsFolder, sharedShellProblem } from "../../../workspace/agent-sessions.ts";
import { agentOfShell } from "../../../workspace/config.ts";
import { lookForPlace } from "../../../workspace/place.ts";
import { usageProblem } from "../kernel/arguments.ts";
import type { Call, Command } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-codes.ts";
import type { ScriptPlace } from "./script.ts";
import { runScript, scripts } from "./scripts.ts";

export const command: Command = {
  globals: ["team", "journal", "hub", "token"],
  description:
    "Answers in place of a script of VBW or YOLO: the same words, output, exit codes and files. Something is recorded only\n" +
    "where BATON_AGENT says which agent calls. In a session of Claude Code with several agents the shell does not show that,\n" +
    "and the hook after the command records it. baton adopt --scripts puts such scripts in place.",
  positionals: [
    { name: "SCRIPT", required: true, summary: "the script's name", choices: [...scripts.keys()] },
    { name: "WORD", repeatable: true, isHandedOn: true, summary: "the script's words" },
  ],
  examples: [
    { line: "baton shim compute-dev-count -- --available 7", meaning: "how many developers the tool would start" },
    { line: "baton shim lease-lock -- check 01-02-T1 src/a.ts", meaning: "whether somebody else holds the file" },
  ],
  next: "baton adopt --scripts DIR puts all of them in place, baton adopt --undo takes them back.",
  run: shim,
};

const dropIn = () => import("../validate-message/validate-message-answer.ts");

async function shim(call: Call): Promise<ExitCode> {
  const { given, output, config, signal } = call;
  const name = given.word("SCRIPT") ?? "";
  const answer = await runScript(name, given.words("WORD"), {
    directory: config.directory,
    environment: config.environment(),
    input: async () => (await dropIn()).readStandardInput(),
    script: config.environment().BATON_SCRIPT ?? null,
    judge: async (text, dialect) => await (await dropIn()).answerDropIn({ text, dialect, strict: false }, config),
    nowMs: systemClock.now(),
    openTeam: async () => await (await import("../place/session.ts")).openFor(call),
    ...whoCalls(call),
    wait: (ms) => systemClock.wait(ms, signal),
  });
  if (answer === null)
    return output.fail(usageProblem("SCRIPT", "Baton answers no script of this name.", "baton shim --help", name));
  const { code, stdout = "", stderr = "" } = answer;
  if (stdout !== "") output.raw(stdout.endsWith("\n") ? stdout.slice(0, -1) : stdout);
  if (stderr !== "") output.say(visible(stderr.trimEnd()));
  return code === 0 ? exitCodes.done : code === 1 ? exitCodes.fault : exitCodes.refused;
}

/** The agent of this shell; where several share it, those that a hook has seen to run a command in it now. */
function whoCalls(call: Call): Pick<ScriptPlace, "agent" | "callers"> {
  const agent = agentOfShell(call.config);
  const { session } = call.config;
  if (session === null) return { agent, callers: [] };
  const place = lookForPlace(call);
  if (!place.ok) return { agent: null, callers: [] };
  const folder = sessionsFolder(place.value.journal);
  const isShared = sharedShellProblem(folder, session) !== null;
  return isShared ? { agent: null, callers: agentsInShell(folder, session) } : { agent, callers: [] };
}
