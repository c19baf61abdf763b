/** Teams that have ended go into an archive and come back, in every engine, also where a run was killed. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../src/base/canonical.ts";
import { phaseSteps } from "../../src/phases/state/phase-state.ts";
import { called } from "../e2e/called.ts";
import { folder } from "../e2e/command.ts";
import { agents, engines, project } from "./archived-project.ts";

for (const { name, skip, url, givesUp } of engines)
  test(`a team that has ended is archived, read there and continues, in ${name}`, { skip }, async () => {
    const { run } = await project(await url());
    const archives = folder();
    const file = join(archives, "web.db");
    const archive = ["journal", "archive", "web", "--to", archives];
    assert.match(await run(archive, 2), /not-ready.*\n.*dev-1/);
    assert.equal(existsSync(file), false);
    for (const agent of agents) await run(["agent", "retire", agent]);
    // Another file is left alone.
    writeFileSync(file, "something else");
    await run(archive, 1);
    assert.equal(readFileSync(file, "utf8"), "something else");
    rmSync(file);
    const before = await run(["journal", "export"]);
    const digest = /SHA-256 ([0-9a-f]{64})/.exec(await run(archive))?.[1];
    assert.equal(digest, sha256(readFileSync(file)));
    // Nothing more is recorded, a second run changes nothing, and verifying says where the entries are.
    assert.match(await run(["send", "-", "--as", "owner", "--to", "lead-1"], 2, "late"), /team-archived/);
    const archived = await run(["journal", "export"]);
    assert.equal(archived.startsWith(before), true);
    await run(archive);
    assert.equal(await run(["journal", "export"]), archived);
    assert.match(await run(["journal", "verify"]), new RegExp(`in the archive web.db, SHA-256 ${digest}.*\nsound`));
    if (givesUp) {
      await run([...archive, "--drop"]);
      await run([...archive, "--drop"]);
      assert.match(
        await run(["journal", "verify"]),
        new RegExp(`in the archive web.db only, SHA-256 ${digest}.*\nsound`),
      );
      assert.equal((await run(["journal", "export"])).trim().split("\n").length, 2);
      assert.match(await run(["status"], 2), /team-archived/);
      assert.match(await run(["journal", "restore", "web"], 3), /not-found/);
      // A changed byte, and an archive of something else.
      const other = join(archives, "other.db");
      copyFileSync(file, other);
      const bytes = readFileSync(other);
      writeFileSync(other, bytes.fill(1, bytes.length - 9, bytes.length - 8));
      assert.match(await run(["journal", "restore", "web", "--from", other], 2), /wrong-value/);
    } else assert.match(await run([...archive, "--drop"], 64), /wrong-usage/);
    // The usual commands read the archive, which stays as it is.
    const there = folder();
    const read = await called(there, ["log", "--journal", `sqlite:${file}`]);
    assert.match(read.said, /word 2/);
    assert.equal((await called(there, ["status", "--journal", `sqlite:${file}`])).code, 0);
    assert.equal((await called(there, ["journal", "export", "--journal", `sqlite:${file}`])).stdout, before);
    const late = ["send", "-", "--as", "owner", "--to", "lead-1", "--journal", `sqlite:${file}`];
    assert.match((await called(there, late, "late")).said, /journal-copied.*\n.*is an archive/);
    assert.equal(digest, sha256(readFileSync(file)));
    // So does a copy of the one file without what lies next to it, which then brings the team back.
    const carried = join(folder(), "carried.db");
    copyFileSync(file, carried);
    assert.equal((await called(there, ["log", "--journal", `sqlite:${carried}`])).code, 0);
    assert.match(
      (await called(there, [...late.slice(0, -1), `sqlite:${carried}`], "late")).said,
      /journal-copied.*\n.*is an archive/,
    );
    assert.equal(digest, sha256(readFileSync(carried)));
    await run(["journal", "restore", "web", ...(givesUp ? ["--from", carried] : [])]);
    assert.match(await run(["journal", "restore", "web"], 3), /not-found/);
    assert.equal((await run(["journal", "export"])).startsWith(before), true);
    assert.match(await run(["journal", "verify"]), /in the archive web.db, SHA-256 .*\nsound/);
    await run(["agent", "register", "dev-1", "--role", "dev"]);
    assert.match(await run(["log"]), /let the team continue/);
  });

test("a phase that has ended is archived up to its end, and the team goes on", async () => {
  const { run } = await project(null);
  const file = join(folder(), "phase.db");
  const archive = ["journal", "archive", "web", "--phase", "1", "--to", file];
  assert.match(await run(archive, 2), /phase-open/);
  const [asLead, ofPhase] = [
    ["--as", "lead-1"],
    ["--phase", "1"],
  ];
  for (const step of phaseSteps) await run(["phase", "skip", step, "--reason", "small", ...ofPhase, ...asLead]);
  await run(["phase", "end", ...ofPhase, ...asLead]);
  const before = await run(["journal", "export"]);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], 0, "afterwards");
  await run(archive);
  await run(archive);
  await run([...archive, "--drop"], 64);
  assert.equal((await called(folder(), ["journal", "export", "--journal", `sqlite:${file}`])).stdout, before);
  assert.match(await run(["journal", "verify"]), /in the archive phase.db, SHA-256 .*\nsound/);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], 0, "and more");
  assert.equal((await run(["log"])).split("archived phase 1").length, 2, "it is named once");
});

test("a journal whose entries were given up is copied from the archive on", async () => {
  const { run } = await project(null);
  const archives = folder();
  const at = (name: string) => join(archives, name);
  const [early, late, copy] = [at("early.db"), at("late.db"), at("copy.db")];
  const bringUp = (file: string, code = 0) => run(["journal", "migrate", "--copy", "--to", `sqlite:${file}`], code);
  await bringUp(early);
  for (const agent of agents) await run(["agent", "retire", agent]);
  await bringUp(late);
  await run(["journal", "archive", "web", "--drop", "--to", archives]);
  const exported = await run(["journal", "export"]);
  await bringUp(copy);
  const exportOf = (file: string) => called(folder(), ["journal", "export", "--journal", `sqlite:${file}`]);
  assert.equal((await exportOf(copy)).stdout, exported);
  // A copy that has all of the archive goes on; one that has less says where the rest is, and gets it from there.
  await bringUp(late);
  assert.equal((await exportOf(late)).stdout.endsWith(exported), true);
  assert.match(await bringUp(early, 2), /team-archived.*\n.*only in the archive web.db/);
  const up = [
    "journal",
    "migrate",
    "--copy",
    "--to",
    `sqlite:${early}`,
    "--journal",
    `sqlite:${join(archives, "web.db")}`,
  ];
  assert.equal((await called(folder(), up)).code, 0);
  await bringUp(early);
  assert.equal((await exportOf(early)).stdout, (await exportOf(late)).stdout);
});

test("a team that was restored and has ended again gets a second archive in the same folder", async () => {
  const { run } = await project(null);
  const archives = folder();
  const archive = ["journal", "archive", "--ended", "--to", archives];
  for (const agent of agents) await run(["agent", "retire", agent]);
  assert.match(await run(archive), / in web\.db, /);
  await run(["journal", "restore", "web"]);
  await run(["agent", "register", "dev-1", "--role", "dev"]);
  await run(["agent", "retire", "dev-1"]);
  const second = await run(archive);
  assert.match(second, / in web-\d+\.db, /);
  assert.equal(await run(archive), second);
  const [name = ""] = /web-\d+\.db/.exec(second) ?? [];
  assert.match(await run([...archive, "--drop"]), new RegExp(` in ${name}, .*given them up`));
  assert.match(await run(["journal", "restore", "web", "--from", join(archives, "web.db")], 2), /wrong-value/);
  await run(["journal", "restore", "web", "--from", join(archives, name)]);
  assert.match(await run(["journal", "verify"]), /sound/);
});
