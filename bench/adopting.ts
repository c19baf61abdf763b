/** Taking over a project of another tool: everything from the folder on disk to the journal. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleCommand } from "../scripts/bundle.ts";
import { makeLookAlike } from "../tests/adopt/look-alike.ts";
import { type Measure, timed } from "./measure.ts";
import { openFolder } from "./verbs.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");

/** 10 phases of 30 plans with some three tasks each, most of them done. */
const plansIn = Array.from({ length: 10 }, () => 30);
/** Lines of the event log. */
const events = 1_000;

export const adoptProject: Measure = {
  name: "Adopting a project of 3,000 records",
  subject: "baton adopt as a whole process: 300 plans, 900 tasks and their reports, 1,000 lines of the log, no commits",
  yardstick: "three seconds",
  target: { of: "time", atMost: 1 },
  rounds: 5,
  async open(folder) {
    const [project, bundle] = [join(folder, "project"), join(folder, "bundle")];
    mkdirSync(project);
    await bundleCommand(bundle);
    makeLookAlike(project, { family: "vbw-later", seed: 1, plansIn, events, withoutCommits: true });
    const run = (...words: string[]): string => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(bundle, "main.cjs"), "adopt", ...words, "--json"],
        {
          cwd: project,
          encoding: "utf8",
          maxBuffer: 64 * 1024 * 1024,
        },
      );
      if (status !== 0) throw new Error(stderr);
      return stdout;
    };
    let isAdopted = false;
    return {
      yardstick: () => 3_000,
      subject() {
        if (isAdopted) run("--undo");
        isAdopted = true;
        return timed(1, () => {
          const { imported } = JSON.parse(run());
          const { plans, tasks, reports, history } = imported;
          if (plans + tasks + reports + history < 3_000) throw new Error(`only ${JSON.stringify(imported)}`);
        });
      },
    };
  },
};

/** A script that takes and keeps a claim, which opens the team and records: on a team of ten, by one of its developers. */
const claimingScript: Measure = {
  name: "A script that takes a claim, as a whole process",
  subject: "baton shim lease-lock -- acquire bench-1, in a team of ten, its journal in the repository",
  yardstick: "node -e 0",
  target: { of: "time", atMost: 2.5 },
  rounds: 40,
  async open(folder) {
    openFolder(folder);
    mkdirSync(join(folder, ".vbw-planning"));
    writeFileSync(join(folder, ".vbw-planning/config.json"), '{"lease_locks":true}');
    return {
      yardstick: () => processMs(folder, ["-e", "0"]),
      subject: () => processMs(folder, [launcher, "shim", "lease-lock", "--", "acquire", "bench-1"], "dev-1"),
    };
  },
};

/** A script that Baton answers, as a whole process: one that reads a file of the folder, and one that writes there. */
const fileScripts: readonly Measure[] = [
  { name: "A script that reads", words: ["validate-plan", "--", "plan.jsonl"], atMost: 1.6 },
  { name: "A script that writes", words: ["log-event", "--", "plan_start", "1", "2", "role=dev"], atMost: 2.5 },
].map(
  ({ name, words, atMost }): Measure => ({
    name: `${name}, as a whole process`,
    subject: `baton shim ${words.join(" ")}`,
    yardstick: "node -e 0",
    target: { of: "time", atMost },
    rounds: 60,
    async open(folder) {
      mkdirSync(join(folder, ".vbw-planning"));
      writeFileSync(join(folder, ".vbw-planning/config.json"), '{"lease_locks":true}');
      const rows = [
        { p: "01", n: "01", t: "Plan", w: 1, d: [], mh: {} },
        { id: "T1", a: "do" },
      ];
      writeFileSync(join(folder, "plan.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
      return {
        yardstick: () => processMs(folder, ["-e", "0"]),
        subject: () => processMs(folder, [launcher, "shim", ...words]),
      };
    },
  }),
);

/** Every measure of scripts. */
export const shimProcesses: readonly Measure[] = [...fileScripts, claimingScript];

function processMs(folder: string, words: readonly string[], agent?: string): number {
  const env = agent === undefined ? process.env : { ...process.env, BATON_AGENT: agent };
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8", env });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - start;
}
