/** Trees compared by Baton, against what git itself says of the same trees. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isReached } from "../../src/evidence/git/history-walk.ts";
import { compareTrees } from "../../src/evidence/git/tree-comparison.ts";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { type CommitOrder, type FileState, file, git, link, type Tree } from "./history.ts";
import { madeRepository, tree } from "./place.ts";
import { pick } from "./stories.ts";

const seed = chosenSeed(1515);
const names = ["a", "a.b", "a-b", "b", "é", "deep/a", "deep/a/b", "deep.d/x", "deep/er/and/er", "日本/x"] as const;

/** A tree in which folders, files, links and submodules change places. */
function anyTree(chance: ReturnType<typeof chanceFrom>): Tree {
  const states: readonly FileState[] = [
    file("1"),
    file("2"),
    { mode: "100755", content: "1" },
    link("a"),
    { mode: "160000", content: "1234567890".repeat(4) },
  ];
  const files = new Map<string, FileState>();
  for (const name of names) {
    const isTaken = [...files.keys()].some((path) => name.startsWith(`${path}/`) || path.startsWith(`${name}/`));
    if (!isTaken && chance.below(3) > 0) files.set(name, pick(chance, states));
  }
  return files;
}

test(`two trees differ as git says they do, and only in folders that are asked for (seed ${seed})`, async () => {
  const chance = chanceFrom(seed);
  const commits = Array.from({ length: 40 }, (): CommitOrder => ({ tree: anyTree(chance), parents: [] }));
  const references = Object.fromEntries(commits.map((_, index) => [`refs/heads/b${index}`, index]));
  await using made = await madeRepository({ commits, references });
  const ids = made.ids.map((id) => git(made.directory, "rev-parse", `${id}^{tree}`).trim());
  const pairs = ids.slice(1).map((after, index) => [ids[index] ?? "", after] as const);
  const compared = await compareTrees(made.repository, pairs);
  assert.ok(compared.ok, JSON.stringify(compared));
  for (const [index, pair] of pairs.entries()) {
    const [before, after] = pair;
    const raw = git(made.directory, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", before, after);
    const said = raw.split("\0").slice(0, -1);
    const expected = Array.from({ length: said.length / 2 }, (_, at) => `${said[2 * at]} ${said[2 * at + 1]}`);
    const letters = { added: "A", deleted: "D", modified: "M", "type-changed": "T" } as const;
    const found: readonly string[] = (compared.value[index] ?? []).map(
      ({ path, change, mode, content }) =>
        `:${mode.before} ${mode.after} ${content.before} ${content.after} ${letters[change]} ${path}`,
    );
    assert.deepEqual(found.toSorted(), expected.toSorted());
    const within = await compareTrees(made.repository, [[before, after]], (folder) => folder === "deep");
    const paths: readonly string[] = (compared.value[index] ?? []).map(({ path }) => path);
    assert.deepEqual(
      within.ok && within.value[0]?.map(({ path }) => path),
      paths.filter((path) => !path.slice(0, -1).includes("/") || /^deep\/[^/]*$/.test(path)),
    );
  }
});

test(`a commit is part of the history of others where git says so, whatever their dates (seed ${seed})`, async () => {
  const chance = chanceFrom(seed + 1);
  const commits = Array.from({ length: 60 }, (_, index): CommitOrder => {
    const parents = new Set(Array.from({ length: chance.below(3) }, () => chance.below(Math.max(1, index))));
    return { tree: tree({ a: String(index) }), parents: index === 0 ? [] : [...parents], at: chance.below(1_000) };
  });
  const references = Object.fromEntries(commits.map((_, index) => [`refs/heads/b${index}`, index]));
  await using made = await madeRepository({ commits, references });
  for (let round = 0; round < 120; round++) {
    const commit = pick(chance, made.ids);
    const tips = Array.from({ length: 1 + chance.below(4) }, () => pick(chance, made.ids));
    const found = await isReached(made.repository, commit, tips);
    const listed = git(made.directory, "rev-list", ...tips).split("\n");
    assert.deepEqual(found, { ok: true, value: listed.includes(commit) }, `round ${round}`);
  }
});
