/** The tips of branches that are recorded with tasks: what those who ask at once share, and what they must not miss. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { committedSince, type EditedFile } from "../../src/evidence/decide/ended-edits.ts";
import { sharedTips } from "../../src/evidence/git/tips.ts";
import { git, testEnvironment } from "./history.ts";
import { madeRepository, tree } from "./place.ts";

test("of a hundred who ask at once all know the commits from before they asked, by two calls of git", async () => {
  await using made = await madeRepository({
    commits: [
      { parents: [], tree: tree({ "a.ts": "1" }) },
      { parents: [0], tree: tree({ "a.ts": "2" }) },
    ],
    references: { "refs/heads/main": 0 },
  });
  const { environment, calls } = countingGit(made.folder);
  const tips = sharedTips(made.directory, { environment });
  const early = tips();
  git(made.directory, "update-ref", "refs/heads/later", made.ids[1] ?? "");
  const all = await Promise.all(Array.from({ length: 99 }, () => tips()));
  assert.ok((await early)?.ids.includes(made.ids[0] ?? ""));
  for (const each of all) assert.deepEqual([...(each?.ids ?? [])].sort(), [...made.ids].sort());
  assert.equal(calls(), 2);
  assert.equal((await tips())?.ids.length, 2);
  assert.equal(calls(), 3);
});

test("where there is no repository, no caller waits or gets tips", async () => {
  const tips = sharedTips("/proc", { environment: testEnvironment });
  assert.deepEqual(await Promise.all([tips(), tips(), tips()]), [null, null, null]);
  assert.equal(await tips(), null);
});

test("branches that point to nothing, to no commit or to no id do not hide the others", async () => {
  await using made = await madeRepository({
    commits: [{ parents: [], tree: tree({ "a.ts": "1" }) }],
    references: { "refs/heads/main": 0 },
  });
  const [commit = ""] = made.ids;
  const folder = git(made.directory, "rev-parse", `${commit}^{tree}`).trim();
  const heads = git(made.directory, "rev-parse", "--path-format=absolute", "--git-path", "refs/heads").trim();
  const tips = sharedTips(made.directory, { environment: testEnvironment });
  for (const [name, content] of [
    ["nothing", "1".repeat(40)],
    ["no-id", "main"],
    ["a-tree", folder],
  ] as const) {
    writeFileSync(join(heads, name), `${content}\n`);
    assert.deepEqual((await tips())?.ids, [commit], name);
  }
});

test("edits that began at the same tips are asked about together, and of several the committed ones are found", async () => {
  const files = Array.from({ length: 8 }, (_, at) => `${at}.ts`);
  const first = tree(Object.fromEntries(files.map((file) => [file, "1"])));
  const second = tree({ ...Object.fromEntries(files.map((file) => [file, "1"])), "5.ts": "2" });
  await using made = await madeRepository({
    commits: [
      { parents: [], tree: first },
      { parents: [0], tree: second },
    ],
    references: { "refs/heads/main": 1 },
  });
  git(made.directory, "reset", "--hard", "--quiet", "main");
  const { environment, calls } = countingGit(made.folder);
  const [old = "", fresh = ""] = made.ids;
  const callsFor = async (edits: readonly EditedFile[], committed: readonly string[]) => {
    const before = calls();
    const found = await committedSince(made.directory, { environment }, edits);
    assert.deepEqual(found.ok ? found.value.map(({ file }) => file) : found, committed);
    return calls() - before;
  };
  const rest = files.filter((file) => file !== "5.ts");
  const one = await callsFor([{ file: "0.ts", before: [old] }], []);
  const seven = rest.map((file) => ({ file, before: [old] }));
  assert.equal(await callsFor(seven, []), one, "seven cost what one costs");
  assert.equal(
    await callsFor(
      files.map((file) => ({ file, before: [fresh] })),
      [],
    ),
    one - 1,
    "nothing is new",
  );
  const all = files.map((file) => ({ file, before: [file < "3.ts" ? fresh : old] }));
  await callsFor(all, ["5.ts"]);
});

/** An environment whose `git` writes a line for each call, and how many there were. */
function countingGit(folder: string) {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const [bin, log] = [join(folder, ".git-counted"), join(folder, ".git-calls")];
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho call >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(join(bin, "git"), 0o755);
  const environment = { ...testEnvironment, PATH: `${bin}:${testEnvironment.PATH}` };
  writeFileSync(log, "");
  return { environment, calls: () => readFileSync(log, "utf8").split("\n").length - 1 };
}
