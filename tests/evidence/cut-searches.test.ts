/** What was not searched to its end speaks neither for work nor against it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { makeProblem } from "../../src/base/problem.ts";
import type { OtherWork } from "../../src/evidence/decide/credit.ts";
import { isUndecided, type ReportedWork, verifyCompletion } from "../../src/evidence/decide/verdict.ts";
import type { Repository } from "../../src/evidence/git/repository.ts";
import { git, link } from "./history.ts";
import { madeRepository, opened, tree } from "./place.ts";

async function judged(repository: Repository, work: Partial<ReportedWork>): Promise<readonly string[]> {
  const bare = { commits: [], filesModified: null, scope: null, claimed: null };
  const { state, problems } = await verifyCompletion(repository, { ...bare, ...work });
  return [state, ...problems.map(({ code }) => code)];
}

test("a search that was cancelled leaves its report undecided", () => {
  assert.ok(isUndecided([makeProblem("interrupted", "commit", "Looking for renamed files was cancelled.")]));
});

test("moved files that are too many or too large to compare dispute nothing, and files that must be gone do", async () => {
  const count = 301;
  const files = (folder: string, from: number, to: number, first: string) =>
    Object.fromEntries(
      Array.from({ length: to - from }, (_, at) => [
        `${folder}/${from + at}`,
        `${first}\n${`${from + at}\n`.repeat(9)}`,
      ]),
    );
  const huge = "line\n".repeat(300_000);
  await using made = await madeRepository({
    commits: [
      { tree: tree(files("old", 0, count, "old")), parents: [] },
      { tree: tree(files("new", 0, count, "new")), parents: [0] },
      { tree: tree(files("old", 0, 2, "old")), parents: [0] },
      { tree: tree({ ...files("old", 0, 1, "old"), "new/1": "1\n" }), parents: [2] },
      { tree: tree({ huge, small: "1\n" }), parents: [] },
      { tree: tree({ small: "1\n", "new/huge": `${huge}more\n` }), parents: [4] },
      { tree: tree({ small: "1\n", other: "2\n" }), parents: [4] },
      { tree: tree({ few: "x" }), parents: [0] },
    ],
    references: Object.fromEntries([1, 3, 5, 6, 7].map((at) => [`refs/heads/b${at}`, at])),
  });
  const say = (commit: number, filesModified: readonly string[]) =>
    judged(made.repository, { commits: [made.ids[commit] ?? ""], filesModified });
  const names = (folder: string) => Array.from({ length: count }, (_, at) => `${folder}/${at}`);
  assert.deepEqual(await say(1, names("new")), ["undecided", "too-large"]);
  assert.deepEqual(await say(1, [...names("new"), ...names("old")]), ["verified"]);
  assert.deepEqual((await say(1, names("new").slice(1)))[0], "disputed", "a new file is left out as well");
  assert.deepEqual(await say(3, ["new/1"]), ["disputed", "files-unlisted"], "it was compared, and is another file");
  assert.deepEqual(await say(5, ["new/huge"]), ["undecided", "too-large"]);
  assert.deepEqual(await say(6, ["other"]), ["disputed", "files-unlisted"], "nothing that is new is half as large");
  assert.equal((await say(7, ["few"]))[0], "disputed", "301 files cannot live on in one");
});

test("a merge is not disputed as seen from one parent while it cannot be looked at from the other", async () => {
  await using made = await madeRepository({
    commits: [
      { tree: tree({ "src/a": "0" }), parents: [] },
      { tree: tree({ "src/a": "0", "src/link": link("a") }), parents: [0] },
      { tree: tree({ "src/a": "0", "docs/x": "1" }), parents: [0] },
    ],
    references: { "refs/heads/main": 0 },
  });
  // The target of the link is lost: no object has this id.
  const lost = "1".repeat(40);
  const folder = (name: string) => git(made.directory, "rev-parse", `${made.ids[2]}:${name}`).trim();
  const treeOf = (rows: readonly string[]) => {
    const done = spawnSync("git", ["mktree", "--missing"], { cwd: made.directory, input: `${rows.join("\n")}\n` });
    return done.stdout.toString().trim();
  };
  const source = git(made.directory, "rev-parse", `${made.ids[0]}:src/a`).trim();
  const src = treeOf([`100644 blob ${source}\ta`, `120000 blob ${lost}\tlink`]);
  const work = treeOf([`040000 tree ${src}\tsrc`]);
  const both = treeOf([`040000 tree ${folder("docs")}\tdocs`, `040000 tree ${src}\tsrc`]);
  const commit = (of: string, ...parents: readonly string[]) =>
    git(made.directory, "commit-tree", of, "-m", "x", ...parents.flatMap((id) => ["-p", id])).trim();
  const [root = "", , main = ""] = made.ids;
  const merge = commit(both, commit(work, root), main);
  git(made.directory, "update-ref", "refs/heads/main", merge);
  const scope = { allowed: ["src/"], forbidden: [] };
  assert.deepEqual(await judged(made.repository, { commits: [merge], scope }), ["undecided", "repository-unreadable"]);
});

test("merges that can be seen in more ways than are looked at are undecided", async () => {
  const merges = 7;
  await using made = await madeRepository({
    commits: Array.from({ length: merges }, (_, at) => [
      { tree: tree({ [`src/${at}`]: "1" }), parents: [] },
      { tree: tree({ [`docs/${at}`]: "1" }), parents: [] },
      { tree: tree({ [`src/${at}`]: "1", [`docs/${at}`]: "1" }), parents: [3 * at, 3 * at + 1] },
    ]).flat(),
    references: Object.fromEntries(Array.from({ length: merges }, (_, at) => [`refs/heads/b${at}`, 3 * at + 2])),
  });
  const commits = made.ids.filter((_, at) => at % 3 === 2);
  const scope = { allowed: ["src/"], forbidden: [] };
  assert.deepEqual(await judged(made.repository, { commits: commits.slice(1), scope }), ["verified"]);
  assert.deepEqual(await judged(made.repository, { commits, scope }), ["undecided", "too-large"]);
});

test("whether work is a copy is open while history does not show whether it builds on the other commit", async () => {
  await using made = await madeRepository({
    commits: ["0", "1", "0", "0", "1"].map((content, at) => ({
      tree: tree({ "src/a": content, ...(at >= 3 ? { other: "1" } : {}) }),
      parents: at === 0 ? [] : [at - 1],
    })),
    references: { "refs/heads/main": 4, "refs/heads/side": 1 },
  });
  const shallow = join(made.folder, "shallow");
  git(made.folder, "clone", "--quiet", "--depth", "2", "--branch", "main", `file://${made.directory}`, shallow);
  git(shallow, "fetch", "--quiet", `file://${made.directory}`, "side:refs/heads/side");
  await using repository = await opened(shallow);
  const files = ["src/a"];
  const credited: OtherWork = { task: "T0", commits: [made.ids[1] ?? ""], claimed: files, files, isCredited: true };
  const work = { commits: [made.ids[4] ?? ""], claimed: files, others: [credited] };
  assert.deepEqual(await judged(made.repository, work), ["verified"]);
  assert.deepEqual(await judged(repository, work), ["undecided", "shallow-clone"]);
});

test("whether work is as it was is open where not all branches were recorded", async () => {
  await using made = await madeRepository({
    commits: ["0", "1", "0"].map((content, at) => ({
      tree: tree({ "src/a": content }),
      parents: at === 0 ? [] : [at - 1],
    })),
    references: { "refs/heads/main": 2 },
  });
  const [first = "", , last = ""] = made.ids;
  const say = (isCut: boolean) => {
    const branches = { recorded: { ids: [first], isCut }, claimed: null, isFinishedBefore: false };
    return judged(made.repository, { commits: [last], branches });
  };
  assert.deepEqual(await say(false), ["disputed", "nothing-changed"]);
  assert.deepEqual(await say(true), ["undecided", "too-large"], "one of them may have held the commit in between");
});
