/** What it adds to messages that a hub shows them in the planning folder of another tool. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bundleCommand } from "../scripts/bundle.ts";
import { err, type Result } from "../src/base/result.ts";
import { unknownAuthor } from "../src/message/principal.ts";
import { openHub } from "../src/runtime/hub.ts";
import { type LookMemory, syncFolder } from "../src/workspace/planning/folder-sync.ts";
import { makeLookAlike } from "../tests/adopt/look-alike.ts";
import type { Measure } from "./measure.ts";

/** As many as come between two looks of a hub that does nothing else. */
const messages = 500;

export const liveFolder: Measure = {
  name: "A message in a team whose planning folder is kept in step",
  subject: `${messages} reports of progress on 15 of 50 plans, and the look that writes them into the folder, for one message`,
  yardstick: "the reports alone",
  target: { of: "time", atMost: 1.05 },
  rounds: 20,
  async open(folder, opened) {
    const [project, bundle] = [join(folder, "project"), join(folder, "bundle")];
    mkdirSync(project);
    await bundleCommand(bundle);
    makeLookAlike(project, { family: "vbw-later", seed: 7, plansIn: [20, 30], withoutCommits: true });
    const words = [join(bundle, "main.cjs"), "adopt", "--no-verify"];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: project, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    const state = join(project, ".git/baton");
    // Agents write by the hub that looks: a second journal would follow theirs with a folder or without.
    const hub = opened.use(unwrap(await openHub({ journal: join(state, "journal.db") })));
    const [team = ""] = unwrap(await hub.teams());
    const open = (agent: string) => hub.localTeam(team, { agent, via: "launcher" });
    const owner = unwrap(await open("owner"));
    await owner.register({ agent: "dev-01", role: "dev" });
    const dev = unwrap(await open("dev-01"));
    const memory: LookMemory = { last: null };
    const look = async (isQuick: boolean): Promise<void> => {
      const place = { project, folder: ".vbw-planning", state, isStrict: false, isQuick, memory } as const;
      const signal = new AbortController().signal;
      const openAuthor = async () => {
        const author = await open(unknownAuthor);
        return author.ok ? author : err([author.error]);
      };
      unwrap(await syncFolder({ owner, openAuthor }, { ...place, signal }));
    };
    await look(false);
    let sent = 0;
    const send = async (): Promise<void> => {
      for (let count = 0; count < messages; count += 1) {
        sent += 1;
        const plan = `02-${16 + (count % 15)}`;
        const report = {
          type: "execution_update",
          plan_id: plan,
          task_id: `${plan}-T1`,
          status: "partial",
          commit: "",
        };
        const reply = await dev.send(JSON.stringify({ ...report, evidence: `try ${sent}` }));
        if (reply.outcome !== "accepted") throw new Error(JSON.stringify(reply));
      }
    };
    const timedBy = async (act: () => Promise<void>): Promise<number> => {
      const start = performance.now();
      await act();
      return (performance.now() - start) / messages;
    };
    let looked = 0;
    let last = 0;
    return {
      // Both sides are of the same messages: two batches of them differ by more than a look takes.
      async yardstick() {
        last = await timedBy(send);
        looked = await timedBy(() => look(true));
        return last;
      },
      subject: async () => last + looked,
    };
  },
};

function unwrap<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
