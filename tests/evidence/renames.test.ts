/** Renamed files found in contents, against a search that compares every pair, and how much work that takes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangedPath } from "../../src/evidence/git/changed-paths.ts";
import { type RenameOptions, renamedPaths, renameStepsMax, renameTurnSteps } from "../../src/evidence/git/renames.ts";
import type { Repository } from "../../src/evidence/git/repository.ts";
import { compareTrees } from "../../src/evidence/git/tree-comparison.ts";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { type FileState, git, link } from "./history.ts";
import { type Made, madeRepository, tree } from "./place.ts";

type Files = Readonly<Record<string, string | FileState>>;

/** A repository with a commit of each of these trees, and what they differ in. */
async function moved(
  before: Files,
  after: Files,
): Promise<{ readonly made: Made; readonly changed: readonly ChangedPath[] }> {
  const commits = [
    { tree: tree(before), parents: [] },
    { tree: tree(after), parents: [0] },
  ];
  const made = await madeRepository({ commits, references: { "refs/heads/main": 1 } });
  const [old = "", now = ""] = made.ids.map((id) => git(made.directory, "rev-parse", `${id}^{tree}`).trim());
  const compared = await compareTrees(made.repository, [[old, now]]);
  assert.ok(compared.ok, JSON.stringify(compared));
  return { made, changed: compared.value[0] ?? [] };
}

const renames = ({ objects }: Repository, changed: readonly ChangedPath[], options?: RenameOptions) =>
  renamedPaths(
    objects,
    changed.filter(({ change }) => change === "deleted"),
    changed.filter(({ change }) => change === "added"),
    options,
  );

async function found(repository: Repository, changed: readonly ChangedPath[], options?: RenameOptions) {
  const answer = await renames(repository, changed, options);
  assert.ok(answer.ok, JSON.stringify(answer));
  return Object.fromEntries(answer.value);
}

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");

test("a file with the same content, or with half of it, is found again; a link only with the same target", async () => {
  const text = (changed: number) => `${lines(10, (at) => (at < changed ? "#" : `line ${at}`).padEnd(9, "."))}\n`;
  const { made, changed } = await moved(
    {
      same: "a\n",
      twin: "a\n",
      half: text(0),
      less: text(0).toUpperCase(),
      empty: "",
      link: link("x"),
      other: link("y"),
    },
    {
      "new/same": "a\n",
      "new/half": text(5),
      "new/less": text(6).toUpperCase(),
      "new/link": link("x"),
      "new/other": link("z"),
      "new/huge": "huge\n".repeat(300_000),
    },
  );
  await using repository = made;
  const expected = { same: "new/same", half: "new/half", link: "new/link" };
  assert.deepEqual(await found(repository.repository, changed), expected);
});

test("of several files that are alike, those that share most are one", async () => {
  const text = (kept: number, of: string) => lines(100, (at) => (at < kept ? `${of} ${at}` : `new ${at}`));
  const { made, changed } = await moved(
    { a: text(100, "a"), b: text(70, "a") },
    { x: text(60, "a"), y: text(90, "a") },
  );
  await using repository = made;
  assert.deepEqual(await found(repository.repository, changed), { a: "y", b: "x" });
});

const seed = chosenSeed(1516);

/** As promised: the part of the larger content that both share, by pieces of a line, at most 64 bytes each. */
function sharedPart(one: string, other: string): number {
  const pieces = (text: string) => text.match(/[^\n]{64}|[^\n]{0,63}\n|[^\n]{1,63}$/g) ?? [];
  const left: string[] = [...pieces(one)];
  let shared = 0;
  for (const piece of pieces(other)) {
    const at = left.indexOf(piece);
    if (at < 0) continue;
    left.splice(at, 1);
    shared += piece.length;
  }
  return shared / Math.max(one.length, other.length);
}

test(`renames are those of a search that compares every pair (seed ${seed})`, async () => {
  const chance = chanceFrom(seed);
  for (let round = 0; round < 6; round++) {
    const line = () => "ab".charAt(chance.below(2)).repeat(1 + chance.below(3) * 35);
    const text = () =>
      Array.from({ length: 1 + chance.below(12) }, line).join("\n") + (chance.below(2) === 0 ? "\n" : "");
    const olds = Array.from({ length: 8 }, (_, at) => [`old${at}`, text()] as const);
    const news = Array.from({ length: 8 }, (_, at) => [`to${at}`, text()] as const);
    const { made, changed } = await moved(Object.fromEntries(olds), Object.fromEntries(news));
    await using repository = made;
    const expected = new Map<string, string>();
    const used = new Set<string>();
    const pair = (from: string, to: string) => {
      if (expected.has(from) || used.has(to)) return;
      expected.set(from, to);
      used.add(to);
    };
    for (const [from, old] of olds) {
      const same = news.find(([to, now]) => now === old && !used.has(to));
      if (same !== undefined) pair(from, same[0]);
    }
    const pairs = olds.flatMap(([from, old]) => news.map(([to, now]) => ({ from, to, shared: sharedPart(old, now) })));
    for (const { from, to, shared } of pairs.toSorted((a, b) => b.shared - a.shared)) if (shared >= 0.5) pair(from, to);
    const shown = Object.fromEntries(expected);
    assert.deepEqual(await found(repository.repository, changed), shown, `round ${round}`);
  }
});

test("300 files of 200 lines, moved and rewritten, are looked at once each, and others have their turn", async () => {
  const count = 300;
  const files = (folder: string, isNew: boolean) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, file) => [
        `${folder}/${String(file).padStart(3, "0")}`,
        lines(200, (at) => (isNew && at % 3 === 0 ? `new ${file} ${at}` : `${file} ${at}`)),
      ]),
    );
  const { made, changed } = await moved(files("old", false), files("new", true));
  await using repository = made;
  const meter = { steps: 0 };
  let [isOver, last, most] = [false, 0, 0];
  const look = () => {
    most = Math.max(most, meter.steps - last);
    last = meter.steps;
    if (!isOver) setImmediate(look);
  };
  look();
  const renamed = await found(repository.repository, changed, { meter });
  isOver = true;
  assert.equal(Object.keys(renamed).length, count);
  for (const [old, now] of Object.entries(renamed)) assert.equal(now, old.replace("old", "new"));
  // Every pair of them compared would be 18 million pieces.
  assert.ok(meter.steps < 2 * count * 200 * 18, String(meter.steps));
  assert.ok(most > 0 && most <= 3 * renameTurnSteps, String(most));

  const spent = { steps: renameStepsMax };
  assert.deepEqual(
    await found(repository.repository, changed, { meter: spent }),
    {},
    "nothing is left to compare with",
  );
  assert.equal(spent.steps, renameStepsMax);

  const stop = new AbortController();
  const stopped = { steps: 0 };
  const answer = renames(repository.repository, changed, { meter: stopped, signal: stop.signal });
  const stopOnce = () => (stopped.steps > 0 ? stop.abort() : setImmediate(stopOnce));
  stopOnce();
  const given = await answer;
  assert.equal(!given.ok && given.error.code, "interrupted");
  assert.ok(stopped.steps <= 4 * renameTurnSteps, String(stopped.steps));
});
