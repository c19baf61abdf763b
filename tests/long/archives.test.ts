/** Runs of `baton journal archive --drop` that are killed at each file that they write. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { nextTurn } from "../../src/base/clock.ts";
import { folder, start } from "../e2e/command.ts";
import { agents, engines, project } from "../engines/archived-project.ts";
import { record } from "./record.ts";

const method =
  "A team that has ended is archived with `--drop`; the command is killed (`kill -9`) as soon as each of its files appears. After each kill the journal is sound and has all entries, or a whole archive has them that it names. The next run finishes, and all entries are put back. Control: an archive that lacks its last page is refused.";

/** What an interrupted run leaves, in the order in which it comes. */
const steps = ["web.db.part", "web.db.new", "web.db"] as const;

const rows: (readonly [string, string])[] = [];
after(() => record("archives", method, rows));

for (const { name, skip, url } of engines.slice(0, 2))
  test(`a run that is killed leaves the team whole, and the next one finishes it, in ${name}`, { skip }, async () => {
    const address = await url();
    const { place, run } = await project(address);
    for (const agent of agents) await run(["agent", "retire", agent]);
    const archives = folder();
    const at = address === null ? [] : ["--journal", address];
    const before = await run(["journal", "export"]);
    let kills = 0;
    for (const step of steps) {
      const child = start(place, ["journal", "archive", "web", "--drop", "--to", archives, ...at]);
      const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
      let isOver = false;
      void ended.then(() => (isOver = true));
      while (!existsSync(join(archives, step)) && !isOver) await nextTurn();
      child.kill("SIGKILL");
      if ((await ended) === "SIGKILL") kills += 1;
      // All of it is here, or all of it is in a whole archive that the journal names.
      assert.match(await run(["journal", "verify"]), /sound/);
      const now = await run(["journal", "export"]);
      if (!now.startsWith(before)) assert.match(await run(["journal", "verify"]), /web.db only/);
    }
    assert.ok(kills > 0, "a run was killed");
    rows.push([`runs that were killed, ${name}`, `${kills} of ${steps.length}`]);
    await run(["journal", "archive", "web", "--drop", "--to", archives]);
    assert.match(await run(["journal", "verify"]), /in the archive web.db only/);
    // The control: an archive that a kill had left in part would not be taken.
    const file = join(archives, "web.db");
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, bytes.length - 4_096));
    assert.match(await run(["journal", "restore", "web", "--from", file], 2), /wrong-value/);
    writeFileSync(file, bytes);
    await run(["journal", "restore", "web", "--from", file]);
    assert.equal((await run(["journal", "export"])).startsWith(before), true);
  });
