/** Accepted work goes stale when its commit leaves the branches, or when others change its files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { staleProblems } from "../../src/evidence/decide/staleness.ts";
import type { CommitOrder, HistoryOrder } from "./history.ts";
import { madeRepository, tree } from "./place.ts";

const commit = (files: Readonly<Record<string, string>>, ...parents: readonly number[]): CommitOrder => ({
  tree: tree(files),
  parents,
});

/** Work at commit 1 changed `a`; what became of it, by name. `accepted`: other commits that completions name. */
const cases: readonly (HistoryOrder & {
  readonly what: string;
  readonly accepted?: readonly number[];
  /** Absent: `a`. */
  readonly files?: readonly string[];
  readonly codes: readonly string[];
})[] = [
  {
    what: "nothing happened since",
    commits: [commit({ a: "0", b: "0" }), commit({ a: "1", b: "0" }, 0)],
    references: { "refs/heads/main": 1 },
    codes: [],
  },
  {
    what: "other files were changed later",
    commits: [commit({ a: "0", b: "0" }), commit({ a: "1", b: "0" }, 0), commit({ a: "1", b: "2" }, 1)],
    references: { "refs/heads/main": 2 },
    codes: [],
  },
  {
    what: "its file was changed later by a commit that nobody names",
    commits: [commit({ a: "0" }), commit({ a: "1" }, 0), commit({ a: "2" }, 1), commit({ a: "2", c: "" }, 2)],
    references: { "refs/heads/main": 3 },
    codes: ["work-overwritten"],
  },
  {
    what: "its file was changed later by accepted work",
    commits: [commit({ a: "0" }), commit({ a: "1" }, 0), commit({ a: "2" }, 1)],
    references: { "refs/heads/main": 2 },
    accepted: [2],
    codes: [],
  },
  {
    what: "its branch is gone",
    commits: [commit({ a: "0" }), commit({ a: "1" }, 0)],
    references: { "refs/heads/main": 0, "refs/tags/kept": 1 },
    codes: ["commit-unreachable"],
  },
  {
    what: "an earlier commit had its file, and it was pushed only",
    commits: [commit({ a: "0" }), commit({ a: "1" }, 0)],
    references: { "refs/remotes/origin/main": 1, "refs/heads/main": 0 },
    codes: [],
  },
  {
    what: "another branch that never met it changed its file",
    commits: [commit({ a: "0" }), commit({ a: "1" }, 0), commit({ a: "9" }, 0)],
    references: { "refs/heads/main": 1, "refs/heads/other": 2 },
    codes: [],
  },
  {
    what: "a branch that changed its file was merged",
    commits: [commit({ a: "0" }), commit({ a: "1" }, 0), commit({ a: "9" }, 0), commit({ a: "19" }, 1, 2)],
    references: { "refs/heads/main": 3 },
    codes: ["work-overwritten"],
  },
  {
    what: "accepted work on its file was merged with it",
    commits: [commit({ a: "0" }), commit({ a: "1" }, 0), commit({ a: "9" }, 0), commit({ a: "19" }, 1, 2)],
    references: { "refs/heads/main": 3 },
    accepted: [2],
    codes: [],
  },
  {
    what: "a merge changed its file, and accepted work on it is on another branch, or came later",
    commits: [
      commit({ a: "0", b: "0" }),
      commit({ a: "1", b: "0" }, 0),
      commit({ a: "0", b: "2" }, 0),
      commit({ a: "13", b: "0" }, 1),
      commit({ a: "9", b: "2" }, 1, 2),
      commit({ a: "95", b: "2" }, 4),
    ],
    references: { "refs/heads/main": 5, "refs/heads/other": 3 },
    accepted: [3, 5],
    codes: ["work-overwritten"],
  },
  {
    what: "a clean merge brought other files",
    commits: [
      commit({ a: "0", b: "0" }),
      commit({ a: "1", b: "0" }, 0),
      commit({ a: "0", b: "2" }, 0),
      commit({ a: "1", b: "2" }, 2, 1),
    ],
    references: { "refs/heads/main": 3 },
    codes: [],
  },
  {
    what: "a merge threw it away",
    commits: [
      commit({ a: "0", b: "0" }),
      commit({ a: "1", b: "0" }, 0),
      commit({ a: "0", b: "2" }, 0),
      commit({ a: "0", b: "2" }, 1, 2),
    ],
    references: { "refs/heads/main": 3 },
    codes: ["work-overwritten"],
  },
  {
    what: "accepted work put all of its files back",
    commits: [
      commit({ a: "0" }),
      commit({ a: "1", "new/b": "1" }, 0),
      commit({ a: "0" }, 1),
      commit({ a: "0", c: "" }, 2),
    ],
    references: { "refs/heads/main": 3 },
    accepted: [2],
    files: ["a", "new/b"],
    codes: ["work-reverted"],
  },
  {
    what: "accepted work put one of its files back, or all and then brought them again",
    commits: [
      commit({ a: "0" }),
      commit({ a: "1", "new/b": "1" }, 0),
      commit({ a: "0", "new/b": "1" }, 1),
      commit({ a: "0" }, 1),
      commit({ a: "1", "new/b": "1" }, 3),
    ],
    references: { "refs/heads/main": 2, "refs/heads/other": 4 },
    accepted: [2, 3, 4],
    files: ["a", "new/b"],
    codes: [],
  },
];

for (const { what, accepted = [], files = ["a"], codes, ...history } of cases)
  test(`${codes.join() || "it stands"}: ${what}`, async () => {
    await using made = await madeRepository(history);
    const id = made.ids[1] ?? "";
    const named = new Set([1, ...accepted].map((index) => made.ids[index] ?? ""));
    const found = await staleProblems(made.repository, [{ commit: id, files }], named);
    assert.deepEqual(found.ok ? found.value.map((each) => each.map(({ code }) => code)) : found.error, [codes]);
  });

test("of work that was finished before it was recorded, only what came after that counts", async () => {
  await using made = await madeRepository({
    // Finished, changed by others, taken back, and changed again after it was recorded.
    commits: [
      commit({ a: "0" }),
      commit({ a: "1" }, 0),
      commit({ a: "2" }, 1),
      commit({ a: "0" }, 2),
      commit({ a: "4" }, 3),
    ],
    references: { "refs/heads/main": 4 },
  });
  const work = { commit: made.ids[1] ?? "", files: ["a"] };
  const codes = async (past: readonly number[] | null) => {
    const pastTips = past?.map((index) => made.ids[index] ?? "");
    const other = { commit: made.ids[0] ?? "", files: ["b"] };
    const works = [other, { ...work, ...(pastTips === undefined ? {} : { pastTips }) }];
    const found = await staleProblems(made.repository, works, new Set([made.ids[0] ?? "", work.commit]));
    assert.ok(found.ok);
    return found.value[1]?.map(({ code, received }) => `${code} ${made.ids.indexOf(received ?? "")}`);
  };
  assert.deepEqual(await codes([4]), []);
  assert.deepEqual(await codes([3]), ["work-overwritten 4"]);
  assert.deepEqual(await codes([1]), ["work-overwritten 2"]);
  assert.deepEqual(await codes(null), ["work-overwritten 2"]);
  assert.deepEqual(await codes([99]), ["work-overwritten 2"], "a tip that is gone holds nothing");
});

test("many completions are judged in one go, each by its own files", async () => {
  const commits = Array.from({ length: 60 }, (_, index) =>
    commit(
      Object.fromEntries(Array.from({ length: index + 1 }, (_, file) => [`f${file}`, "1"])),
      ...(index === 0 ? [] : [index - 1]),
    ),
  );
  const last = commit(Object.fromEntries(commits.map((_, file) => [`f${file}`, file === 7 ? "2" : "1"])), 59);
  await using made = await madeRepository({ commits: [...commits, last], references: { "refs/heads/main": 60 } });
  const works = commits.map((_, index) => ({ commit: made.ids[index] ?? "", files: [`f${index}`] }));
  const found = await staleProblems(made.repository, works, new Set(works.map(({ commit: id }) => id)));
  assert.ok(found.ok);
  assert.deepEqual(
    found.value.flatMap((each, index) => (each.length > 0 ? [index] : [])),
    [7],
  );
});
