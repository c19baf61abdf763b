/** Which commit an id names: its own digits alone decide, whatever references and tags are called. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { follow } from "../../src/evidence/decide/following.ts";
import { lookingAt } from "../../src/evidence/decide/looking.ts";
import { verifyCompletion } from "../../src/evidence/decide/verdict.ts";
import { commitsWith, findCommit } from "../../src/evidence/git/commits.ts";
import { gitAt } from "../../src/evidence/git/git.ts";
import { look } from "../../src/evidence/git/questions.ts";
import { file, git, testEnvironment } from "./history.ts";
import { madeRepository } from "./place.ts";

/** So many that two ids begin with the same four digits. */
const many = 900;

test("an id is found in any case and length, and one that several commits share is ambiguous", async () => {
  const commits = Array.from({ length: many }, (_, index) => ({
    tree: new Map([["a", file(String(index))]]),
    parents: index === 0 ? [] : [index - 1],
  }));
  await using made = await madeRepository({ commits, references: { "refs/heads/main": many - 1 } });
  const first = made.ids[0] ?? "";
  const found = await findCommit(made.repository, first.slice(0, 12).toUpperCase());
  assert.deepEqual(found, { ok: true, value: first });
  const said = await look(() => commitsWith(made.repository, made.ids.slice(0, 2)));
  assert.ok(said.ok);
  assert.deepEqual(
    said.value.map(({ id, parents, author, subject, tasks }) => [id, parents, author.name, subject, tasks]),
    [
      [first, [], "dev-1", "commit 0", []],
      [made.ids[1], [first], "dev-1", "commit 1", []],
    ],
  );
  const prefixes = made.ids.map((id) => id.slice(0, 4));
  const shared = prefixes.find((prefix, index) => prefixes.indexOf(prefix) !== index);
  assert.ok(shared !== undefined, "900 ids share four digits");
  const ambiguous = await findCommit(made.repository, shared);
  assert.equal(!ambiguous.ok && ambiguous.error.code, "commit-ambiguous");
  assert.match(ambiguous.ok ? "" : (ambiguous.error.hint ?? ""), new RegExp(`${shared}[0-9a-f]{8}`));
});

test("of many commits since the task each is found new, in the order of history, and older ones are told", async () => {
  const commits = Array.from({ length: many }, (_, index) => ({
    tree: new Map([["a", file(String(index))]]),
    parents: index === 0 ? [] : [index - 1],
  }));
  const apart = { tree: new Map([["b", file("1")]]), parents: [] };
  const references = { "refs/heads/main": many - 1, "refs/heads/apart": many };
  await using made = await madeRepository({ commits: [...commits, apart], references });
  const judged = async (...at: readonly number[]) => {
    const recorded = { ids: [made.ids[10] ?? ""], isCut: false };
    const branches = { recorded, isFinishedBefore: false };
    const report = { commits: at.map((each) => made.ids[each] ?? ""), filesModified: null, scope: null, claimed: null };
    const { state, problems, notes, evidence } = await verifyCompletion(made.repository, { ...report, branches });
    const order = evidence?.commits.map((id) => made.ids.indexOf(id));
    return [state, [...problems, ...notes].map(({ code }) => code), order];
  };
  assert.deepEqual(await judged(many - 1, 300), ["verified", [], [300, many - 1]]);
  assert.deepEqual(await judged(500, many - 1, 300), ["verified", [], [300, 500, many - 1]]);
  assert.deepEqual(await judged(many - 1, 5), ["verified", ["commit-before-task"], [many - 1]]);
  assert.deepEqual(await judged(5), ["disputed", ["commit-before-task"], [5]]);
  assert.deepEqual(await judged(many), ["disputed", ["unrelated-history"], [many]]);
  assert.deepEqual(await judged(many, many - 1), ["disputed", ["unrelated-history"], [many - 1, many]]);
});

const after: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "takes its own line out": ["verified", "1\n"],
  "writes the same line again": ["verified", "1\n}\n}\n"],
  "mends its own line": ["verified", "1\n};\n"],
  "takes it out and puts it back": ["disputed", "1\n", "1\n}\n"],
};

for (const [way, [expected, ...contents]] of Object.entries(after))
  test(`work on what was reported before the task was reopened is judged as new: it ${way}`, async () => {
    const commits = ["1\n", "1\n}\n", ...contents].map((content, index) => ({
      tree: new Map([["a", file(content)]]),
      parents: index === 0 ? [] : [index - 1],
    }));
    await using made = await madeRepository({ commits, references: { "refs/heads/main": commits.length - 1 } });
    const [base = "", reported = ""] = made.ids;
    const branches = { recorded: { ids: [base], isCut: false }, isFinishedBefore: false };
    const report = { commits: [made.ids.at(-1) ?? ""], filesModified: null, scope: null, claimed: ["a"] };
    const judged = await verifyCompletion(made.repository, { ...report, branches, reopened: [reported] });
    assert.equal(judged.state, expected, JSON.stringify(judged.problems));
  });

test("judging and following work read no history, however long it is", async () => {
  const commits = Array.from({ length: many }, (_, index) => ({
    tree: new Map([["a", file(String(index))]]),
    parents: index === 0 ? [] : [index - 1],
  }));
  await using made = await madeRepository({ commits, references: { "refs/heads/main": many - 1 } });
  const [before = "", commit = ""] = made.ids.slice(-2);
  const { gitDirectory: directory } = made.repository;
  // Less than the ids of all commits have.
  const small = gitAt({ directory, environment: testEnvironment, own: { GIT_DIR: directory }, bytesMax: 16_384 });
  const repository = { ...made.repository, git: small };
  const looking = lookingAt(repository);
  const report = { commits: [commit], filesModified: null, scope: null, claimed: ["a"] };
  const branches = { recorded: { ids: [before], isCut: false }, isFinishedBefore: false };
  const { state, problems, evidence } = await verifyCompletion(repository, { ...report, branches }, looking);
  assert.deepEqual([state, problems], ["verified", []]);
  assert.ok(evidence !== null);
  const tips = await looking.tips();
  const { place } = await follow(looking, { work: evidence.work, others: [] }, { tips, main: tips });
  assert.equal(place?.at, "landed");
});

test("what is no commit, or no id, is missing; a tag's id is not its commit's", async () => {
  await using made = await madeRepository({
    commits: [{ tree: new Map([["a", file("1")]]), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  const [commit = ""] = made.ids;
  git(made.directory, "tag", "-a", "v1", "-m", "first", commit);
  const tag = git(made.directory, "rev-parse", "v1").trim();
  const tree = git(made.directory, "rev-parse", "main^{tree}").trim();
  for (const id of [tag, tree, "main", "HEAD", "--all", "", "abc", `${commit}0`, `${commit.slice(0, 8)}..`]) {
    const found = await findCommit(made.repository, id);
    assert.equal(!found.ok && found.error.code, "commit-missing", id);
  }
  assert.match(await messageOf(made.repository, tag), /is a tag, not a commit/);
  assert.match(await messageOf(made.repository, tree), /is a tree, not a commit/);
});

async function messageOf(repository: Parameters<typeof findCommit>[0], id: string): Promise<string> {
  const found = await findCommit(repository, id);
  return found.ok ? "" : found.error.message;
}
