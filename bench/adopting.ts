/** Taking over a project of another tool: everything from the folder on disk to the journal. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bundleCommand } from "../scripts/bundle.ts";
import { makeLookAlike } from "../tests/adopt/look-alike.ts";
import { type Measure, timed } from "./measure.ts";

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
