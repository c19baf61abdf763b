/** What nobody committed is in the certificate of a shutdown round: by agent, in every work tree, recorded once. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { uncommittedIn, uncommittedWork } from "../../src/evidence/decide/uncommitted.ts";
import { keepLeft, leftRef } from "../../src/evidence/git/left-work.ts";
import { sharedOut } from "../../src/shutdown/services/shutdown-inspection.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { testTeam } from "../../src/testing/test-team.ts";
import { git, testEnvironment } from "../evidence/history.ts";
import { madeRepository, tree } from "../evidence/place.ts";

const environment = testEnvironment;

/** A repository with three files checked out, and a work tree that was made for dev-2. */
async function place() {
  const files = tree({ "src/a.ts": "a\n", "src/b.ts": "b\n", "docs/c.md": "c\n", "docs/d.md": "d\n" });
  const made = await madeRepository({ commits: [{ tree: files, parents: [] }], references: { "refs/heads/main": 0 } });
  git(made.directory, "checkout", "-q", "-f", "main");
  git(made.directory, "worktree", "add", "-q", "-b", "work/dev-2", join(made.folder, "elsewhere"));
  return made;
}

async function filesOf(directory: string) {
  const found = await uncommittedWork(directory, { environment });
  assert.ok(found.ok, JSON.stringify(found));
  return found.value.map(({ isMain, names, files }) => ({ isMain, names, files }));
}

test("staged, changed, deleted, new files and links are uncommitted; what was only touched, and what is ignored, is not", async () => {
  await using made = await place();
  const at = (path: string) => join(made.directory, path);
  assert.deepEqual(
    (await filesOf(made.directory)).map(({ files }) => files),
    [[], []],
    "a clean repository",
  );
  writeFileSync(at("src/a.ts"), "A\n");
  utimesSync(at("src/b.ts"), 1, 1);
  rmSync(at("docs/c.md"));
  rmSync(at("docs/d.md"));
  symlinkSync("elsewhere", at("docs/d.md"));
  mkdirSync(at(".git/info"), { recursive: true });
  writeFileSync(at(".git/info/exclude"), "ignored\n");
  writeFileSync(at("ignored"), "x");
  writeFileSync(at("new file"), "x");
  writeFileSync(at("staged.ts"), "x");
  git(made.directory, "add", "staged.ts");
  writeFileSync(join(made.folder, "elsewhere/src/b.ts"), "B\n");
  assert.deepEqual(await filesOf(made.directory), [
    {
      isMain: true,
      names: ["repository", "main"],
      files: ["docs/c.md", "docs/d.md", "new file", "src/a.ts", "staged.ts"],
    },
    { isMain: false, names: ["elsewhere", "dev-2"], files: ["src/b.ts"] },
  ]);
});

test("who asks about some files reads of those alone, whatever else is changed", async () => {
  await using made = await place();
  for (const path of ["src/a.ts", "src/b.ts", "new file", "src/[a].ts"])
    writeFileSync(join(made.directory, path), "changed\n");
  const found = await uncommittedIn(made.directory, { environment }, ["src/[a].ts", "src/b.ts", "docs/c.md"]);
  assert.deepEqual(found, { ok: true, value: ["src/[a].ts", "src/b.ts"] });
});

test("what is read of all files together has a bound: beyond it, a file that was only touched counts as changed", async () => {
  await using made = await place();
  const paths = ["docs/c.md", "docs/d.md", "src/a.ts", "src/b.ts"];
  for (const path of paths) utimesSync(join(made.directory, path), 1, 1);
  const found = async (bytesMax?: number) => await uncommittedIn(made.directory, { environment }, [], bytesMax);
  assert.deepEqual(await found(), { ok: true, value: [] });
  // Each has two bytes.
  assert.deepEqual(await found(8), { ok: true, value: [] });
  assert.deepEqual(await found(7), { ok: true, value: paths.slice(3) });
  assert.deepEqual(await found(4), { ok: true, value: paths.slice(2) });
  assert.deepEqual(await found(0), { ok: true, value: paths });
});

test("reading large files holds no turn of the event loop", async () => {
  await using made = await place();
  const id = git(made.directory, "rev-parse", "HEAD:src/a.ts").trim();
  const names = ["big-1", "big-2"];
  for (const name of names) {
    // The index knows it by another size, so that it is read; a hole costs no space on the disk.
    git(made.directory, "update-index", "--add", "--cacheinfo", `100644,${id},${name}`);
    writeFileSync(join(made.directory, name), "");
    truncateSync(join(made.directory, name), 60 * 1024 * 1024);
  }
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const watch = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(watch);
  };
  await filesOf(made.directory);
  before = process.threadCpuUsage();
  setImmediate(watch);
  const found = await filesOf(made.directory);
  isOver = true;
  assert.deepEqual(found[0]?.files, names);
  before = process.threadCpuUsage();
  createHash("sha1")
    .update(Buffer.alloc(120 * 1024 * 1024))
    .digest();
  const { user, system } = process.threadCpuUsage(before);
  const whole = (user + system) / 1000;
  assert.ok(longest < whole / 4, `one turn took ${longest} ms of this thread, and both files at once ${whole} ms`);
});

test("a filter that the repository's own configuration names is not started", async () => {
  await using made = await place();
  const trap = join(made.folder, "trap");
  const script = join(made.folder, "filter");
  writeFileSync(script, `#!/bin/sh\ntouch ${trap}\ncat\n`);
  chmodSync(script, 0o755);
  git(made.directory, "config", "filter.evil.clean", script);
  mkdirSync(join(made.directory, ".git/info"), { recursive: true });
  writeFileSync(join(made.directory, ".git/info/attributes"), "* filter=evil\n");
  writeFileSync(join(made.directory, "src/a.ts"), "A\n");
  writeFileSync(join(made.directory, "new"), "x\n");
  assert.deepEqual((await filesOf(made.directory))[0]?.files, ["new", "src/a.ts"]);
  assert.throws(() => rmSync(trap), "the filter did not run");
  // Control: a git that is asked without this care starts it.
  git(made.directory, "diff", "--stat");
  rmSync(trap);
});

test("what an agent's tree has not committed is kept as it lies there; tree, index and branch stay, and no filter runs", async () => {
  await using made = await place();
  const own = join(made.folder, "elsewhere");
  const at = (path: string) => join(own, path);
  const trap = join(made.folder, "trap");
  writeFileSync(join(made.folder, "filter"), `#!/bin/sh\ntouch ${trap}\ncat\n`, { mode: 0o755 });
  git(made.directory, "config", "filter.evil.clean", join(made.folder, "filter"));
  mkdirSync(join(made.directory, ".git/info"), { recursive: true });
  writeFileSync(join(made.directory, ".git/info/attributes"), "* filter=evil text=auto\n");
  writeFileSync(join(made.directory, ".git/info/exclude"), "ignored\n");
  writeFileSync(at("ignored"), "x");
  writeFileSync(at("src/a.ts"), "A\r\n");
  rmSync(at("src/b.ts"));
  mkdirSync(at("src/b.ts"));
  writeFileSync(at("src/b.ts/new\nline"), "n");
  rmSync(at("docs/c.md"));
  symlinkSync("elsewhere", at("docs/c.md"));
  writeFileSync(at("tool"), "#!/bin/sh\n", { mode: 0o755 });
  git(own, "update-index", "--add", "--cacheinfo", `100644,${git(own, "rev-parse", "HEAD:docs/d.md").trim()},staged`);
  mkdirSync(at("nested"));
  git(at("nested"), "init", "-q");
  rmSync(trap, { force: true });
  const files = (await filesOf(made.directory))[1]?.files ?? [];
  const indexFile = git(own, "rev-parse", "--path-format=absolute", "--git-path", "index").trim();
  const before = [readFileSync(indexFile, "latin1"), git(own, "rev-parse", "HEAD")];
  const keep = () => keepLeft({ directory: own, files, agent: "dev-2" }, { environment });
  const kept = await keep();
  assert.ok(kept.ok, JSON.stringify(kept));
  assert.deepEqual([readFileSync(indexFile, "latin1"), git(own, "rev-parse", "HEAD")], before);
  assert.throws(() => rmSync(trap), "the filter did not run");
  assert.equal(git(own, "rev-parse", leftRef("dev-2")).trim(), kept.value);
  assert.equal(
    git(own, "log", "-1", "--format=%an: %s, on %P", leftRef("dev-2")).trim(),
    `Baton: Left by dev-2, on ${before[1]?.trim()}`,
  );
  const listed = git(own, "ls-tree", "-r", "-z", leftRef("dev-2"))
    .split("\0")
    .map((line) => line.replace(/ blob [0-9a-f]+/, ""));
  assert.deepEqual(listed.slice(0, -1), [
    "120000\tdocs/c.md",
    "100644\tdocs/d.md",
    "100644\tsrc/a.ts",
    "100644\tsrc/b.ts/new\nline",
    "100755\ttool",
  ]);
  assert.equal(git(own, "cat-file", "blob", `${leftRef("dev-2")}:src/a.ts`), "A\r\n");
  assert.equal(git(own, "cat-file", "blob", `${leftRef("dev-2")}:docs/c.md`), "elsewhere");
  assert.deepEqual(await keep(), kept, "the same again is the same commit");
  writeFileSync(at("src/a.ts"), "AA\n");
  const later = await keep();
  assert.ok(later.ok && later.value !== kept.value);
  assert.equal(git(own, "rev-parse", `${leftRef("dev-2")}@{1}`).trim(), kept.value, "nothing is lost");
});

test("the certificate names each agent's uncommitted files and those of nobody, once", async () => {
  await using made = await place();
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
    ],
  });
  const lead = team.as("lead-1");
  await lead.addTask({ task: "1-1-T1", plan: "1-1", files: ["src/"] });
  assert.equal((await team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted");
  writeFileSync(join(made.directory, "src/a.ts"), "A\n");
  writeFileSync(join(made.directory, "docs/c.md"), "C\n");
  writeFileSync(join(made.folder, "elsewhere/src/b.ts"), "B\n");
  const inspect = () => team.as("owner").inspectRounds({ directory: made.directory, environment });
  const certificate = async () => {
    const found = await lead.shutdowns({ round: "shut-1" });
    assert.ok(found.ok);
    return found.value[0];
  };
  await lead.startShutdown({ reason: "phase_complete" }, { id: "shut-1" });
  assert.deepEqual(await inspect(), { ok: true, value: 0 }, "agents still work");
  for (const agent of ["dev-1", "dev-2"]) {
    const yes = typedMessage("shutdown_response", { request_id: "shut-1" });
    assert.equal((await team.as(agent).send(JSON.stringify(yes))).outcome, "accepted");
  }
  assert.equal((await certificate())?.uncommitted, null, "nobody has looked");
  const left = () => git(made.directory, "rev-parse", leftRef("dev-2")).trim();
  assert.deepEqual(await inspect(), { ok: true, value: 1 });
  assert.deepEqual(await inspect(), { ok: true, value: 0 }, "the certificate stands");
  const round = await certificate();
  assert.deepEqual(
    [...(round?.agents ?? []).map(({ agent, uncommitted }) => [agent, uncommitted]), ["nobody", round?.uncommitted]],
    [
      ["dev-1", { count: 1, files: ["src/a.ts"] }],
      ["dev-2", { count: 1, files: ["elsewhere:src/b.ts"], kept: left() }],
      ["nobody", { count: 1, files: ["docs/c.md"] }],
    ],
  );
});

test("who has a work tree has nothing in the person's, whatever its tasks cover", () => {
  const trees = [
    { directory: "/shop", isMain: true, names: ["shop", "main"], files: ["docs/c.md", "src/a.ts"] },
    { directory: "/shop/.baton/trees/dev-1", isMain: false, names: ["dev-1"], files: [] },
  ];
  const hands = [
    { agent: "dev-1", globs: ["docs/c.md"] },
    { agent: "dev-2", globs: ["src/a.ts"] },
  ];
  const { agents, others } = sharedOut(trees, hands);
  assert.deepEqual([Object.keys(agents), others.files], [["dev-2"], ["docs/c.md"]]);
});
