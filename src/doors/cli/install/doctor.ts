/** `baton doctor`: what a first look at a machine that does not work should find. */
import { visible } from "../../../base/text.ts";
import { hookPrograms } from "../../../message/program-hooks.ts";
import { packageFacts } from "../../../workspace/package-root.ts";
import type { Call, Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { examine } from "./examination.ts";
import { type Check, installedHooks } from "./examined-programs.ts";
import { proveHooks } from "./hook-proof.ts";
import { nearestProject } from "./settings-file.ts";

const marks = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

export const command: Command = {
  isLocal: true,
  globals: ["journal"],
  description:
    "Looks at Node, the Node that came along, SQLite, the place, the team file, the journal and its directory, and at\n" +
    "the agent programs that are set up in this project. Says for each whether it is in order and, where it is not, what\n" +
    "to do. Changes nothing. Exits 2 when something fails.",
  options: [
    { name: "hooks", kind: "flag", summary: "also ask each installed hook by its own line, in a scratch team" },
  ],
  examples: [
    { line: "baton doctor", meaning: "the nearest .baton/" },
    { line: "baton doctor --hooks", meaning: "and ask each hook of the agent programs by its own line" },
    { line: "baton doctor --json", meaning: "a line of JSON a check, for a report" },
  ],
  next: "Do what the failing lines say, then run it again.",
  run: async (call) => {
    const { output } = call;
    const paint = output.paint.stdout;
    const colours = { ok: paint.good, warn: paint.warn, fail: paint.bad };
    const checks = [...(await examine(call)), ...(call.given.flag("hooks") ? await proofChecks(call) : [])];
    for (const check of checks) output.result(check, () => checkText(check, colours[check.state]));
    return checks.some(({ state }) => state === "fail") ? exitCodes.refused : exitCodes.done;
  },
};

/** Whether each hook of the programs that are set up answers as it must, by its own line. */
async function proofChecks({ config }: Call): Promise<readonly Check[]> {
  const root = nearestProject(config.directory);
  const checks: Check[] = [];
  for (const program of root === null ? [] : hookPrograms) {
    const installed = installedHooks(config, root ?? "", program);
    if (installed.hooks.length === 0) continue;
    const { state, finding } = await proveHooks(config, installed);
    const advice = state === "ok" ? null : `run: baton install ${program}`;
    checks.push({ check: `${program} hooks`, state, finding, advice });
  }
  return checks;
}

function checkText(check: Check, colour: (text: string) => string): string {
  const line = `${colour(marks[check.state])}  ${check.check.padEnd(12)}  ${visible(check.finding)}`;
  return check.advice === null ? line : `${line}\n${" ".repeat(20)}${visible(check.advice)}`;
}

/* `baton version`: which Baton this is, and on what it runs. */

export const versionCommand: Command = {
  description: "Prints the version, as --version does; with --json also that of Node and where Baton lies.",
  isLocal: true,
  globals: [],
  examples: [
    { line: "baton version", meaning: "the version alone" },
    { line: "baton version --json", meaning: '{"version","node","folder"} on one line' },
  ],
  next: "baton doctor checks the machine, the journal and the team file.",
  run({ output }) {
    const { version, root } = packageFacts();
    output.result({ version, node: process.versions.node, folder: root }, () => version);
    return Promise.resolve(exitCodes.done);
  },
};
