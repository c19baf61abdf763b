/** The gate: what is staged and what was committed, against claims and contracts, in a real repository. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { judgeWriting } from "../../src/evidence/decide/gate.ts";
import type { GateAnswer, RepositoryPlace } from "../../src/evidence/services/gate.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { git, testEnvironment } from "./history.ts";

/**
 * A team whose contract allows `src/` and `tests/greet.test.js`, not `src/secrets/`; dev-1 holds `src/greet/`, dev-2
 * `src/other.js`.
 */
async function crew(clock?: Clock): Promise<TestTeam> {
  const team = await testTeam({
    ...(clock === undefined ? {} : { clock }),
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
      { agent: "dev-3", role: "dev" },
    ],
  });
  assert.equal((await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  assert.equal((await team.as("dev-1").claim({ task: "1-1-T1", files: ["src/greet/"] })).outcome, "accepted");
  assert.equal((await team.as("dev-2").claim({ task: "1-1-T2", files: ["src/other.js"] })).outcome, "accepted");
  return team;
}

function repository(folder: string): RepositoryPlace {
  const directory = join(folder, "work");
  mkdirSync(directory);
  git(directory, "init", "--quiet", "-b", "main");
  return { directory, environment: testEnvironment };
}

function stage({ directory }: RepositoryPlace, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  git(directory, "add", "--", ...Object.keys(files));
}

function commitAs({ directory }: RepositoryPlace, author: string, message = "work", date = "now"): void {
  const by = [`--author=${author} <${author}@example.invalid>`, `--date=${date}`];
  const words = ["commit", "--quiet", "--no-verify", "-m", message, ...by];
  const dated = `alias.dated=!f() { GIT_COMMITTER_DATE='${date}' git "$@"; }; f`;
  if (date === "now") git(directory, ...words);
  else git(directory, "-c", dated, "dated", ...words);
}

const told = ({ problems }: GateAnswer): readonly string[] => problems.map(({ code, path }) => `${code} ${path}`);

async function staged(team: TestTeam, place: RepositoryPlace, agent: string): Promise<readonly string[]> {
  const judged = await team.as(agent).judgeStaged(place, agent);
  return judged.ok ? told(judged.value) : [judged.error.code];
}

test("an agent may commit what it has claimed inside its contract", async () => {
  await using team = await crew();
  using folder = temporaryFolder();
  const place = repository(folder.path);
  stage(place, { "src/greet/a.js": "1", "src/greet/größe.js": "2" });
  assert.deepEqual(await staged(team, place, "dev-1"), []);
  assert.deepEqual(await staged(team, place, "dev-2"), [
    "outside-claim src/greet/a.js",
    "outside-claim src/greet/größe.js",
  ]);
  assert.deepEqual(await staged(team, place, "dev-3"), [
    "outside-claim src/greet/a.js",
    "outside-claim src/greet/größe.js",
  ]);
  // Who plans may commit what nobody holds; so may the person.
  assert.deepEqual(await staged(team, place, "lead-1"), [
    "outside-claim src/greet/a.js",
    "outside-claim src/greet/größe.js",
  ]);
  assert.deepEqual(await staged(team, place, "nobody"), ["unknown-agent"]);
});

test("no hint names a claim of a path that nobody can claim", async () => {
  const judged = await judgeWriting([".git/hooks/x", ".baton/journal.db", "src/a"], {
    agent: "dev-1",
    mustClaim: true,
    tasks: [],
    others: [],
  });
  const claims = judged.filter(({ hint }) => hint?.includes("task claim") === true);
  assert.deepEqual([judged.length, claims.map(({ path }) => path)], [3, ["src/a"]]);
});

test("nobody but the owner changes the team's definition, and nobody changes what Baton keeps next to it", async () => {
  await using team = await crew();
  using folder = temporaryFolder("memory");
  const place = repository(folder.path);
  const own = [".baton/.gitignore", ".baton/messages/risk.json", ".baton/receipt.pub", ".baton/team.yaml"];
  const kept = [".BATON/team.yaml", ".baton/journal.db", ".baton/journal.db.sessions", "src/greet/.baton/x"];
  stage(place, Object.fromEntries([...own, ...kept].map((path) => [path, "x"])));
  const judged = async (agent: string) => {
    const answer = await team.as(agent === "owner" ? "owner" : agent).judgeStaged(place, agent);
    assert.ok(answer.ok, JSON.stringify(answer));
    return told(answer.value).toSorted();
  };
  const refused = (paths: readonly string[]) => paths.map((path) => `invalid-path ${path}`).toSorted();
  for (const agent of ["dev-1", "dev-3", "lead-1"])
    assert.deepEqual(await judged(agent), refused([...own, ...kept]), agent);
  assert.deepEqual(await judged("owner"), refused(kept));
  for (const files of [[".baton/team.yaml"], ["src/", ".Baton/**"], ["x/.baton./y"]]) {
    const claimed = await team.as("dev-3").claim({ task: "1-1-T3", files });
    assert.ok(claimed.outcome === "refused", JSON.stringify(claimed));
    assert.ok(JSON.stringify(claimed).includes("invalid-path"), JSON.stringify(claimed));
  }
  const contract = typedMessage("plan_contract", { allowed_paths: ["src/", ".baton/"] }, { id: "wider" });
  const sent = await team.as("lead-1").send(JSON.stringify(contract));
  assert.ok(
    sent.outcome === "refused" && sent.problems.some(({ code }) => code === "invalid-path"),
    JSON.stringify(sent),
  );
});

test("what is staged is judged, not what is in the folder; both sides of a rename are", async () => {
  await using team = await crew();
  using folder = temporaryFolder();
  const place = repository(folder.path);
  stage(place, { "docs/plan.md": "a plan of several lines\n", "src/greet/a.js": "1" });
  commitAs(place, "owner");
  writeFileSync(join(place.directory, "unstaged.txt"), "x");
  writeFileSync(join(place.directory, "docs/plan.md"), "changed and not staged");
  assert.deepEqual(await staged(team, place, "dev-1"), []);
  git(place.directory, "checkout", "--quiet", "docs/plan.md");
  git(place.directory, "mv", "docs/plan.md", "src/greet/plan.md");
  assert.deepEqual(await staged(team, place, "dev-1"), ["outside-contract docs/plan.md", "outside-claim docs/plan.md"]);
  assert.deepEqual(await staged(team, place, "owner"), ["outside-claim src/greet/plan.md"]);
});

test("a staged link, mode and deletion are judged like any change", async () => {
  await using team = await crew();
  using folder = temporaryFolder();
  const place = repository(folder.path);
  stage(place, { "src/greet/a.js": "1", "tool.sh": "x", "gone.txt": "y" });
  commitAs(place, "owner");
  symlinkSync("../../../outside", join(place.directory, "src/greet/link"));
  git(place.directory, "add", "src/greet/link");
  rmSync(join(place.directory, "gone.txt"));
  git(place.directory, "add", "-u");
  git(place.directory, "update-index", "--chmod=+x", "tool.sh");
  assert.deepEqual(await staged(team, place, "dev-1"), [
    "outside-contract gone.txt",
    "outside-claim gone.txt",
    "symlink-escape src/greet/link",
    "outside-contract tool.sh",
    "outside-claim tool.sh",
  ]);
});

test("the index that git tells a hook of is the one that is judged", async () => {
  await using team = await crew();
  using folder = temporaryFolder();
  const place = repository(folder.path);
  stage(place, { "README.md": "1" });
  const indexFile = join(place.directory, ".git", "other-index");
  assert.deepEqual(await staged(team, place, "dev-1"), ["outside-contract README.md", "outside-claim README.md"]);
  assert.deepEqual(await staged(team, { ...place, hook: { indexFile } }, "dev-1"), []);
});

test("the commits of a range are judged each for its author", async () => {
  await using team = await crew();
  using folder = temporaryFolder();
  const place = repository(folder.path);
  stage(place, { "README.md": "1" });
  commitAs(place, "A Person");
  stage(place, { "src/greet/a.js": "1" });
  commitAs(place, "dev-1");
  stage(place, { "src/secrets/key": "1", "src/greet/a.js": "2" });
  commitAs(place, "dev-1");
  const range = async (words: string, as: string | null = null, fallback: string | null = null) => {
    const judged = await team.as("owner").judgeRange(place, words, { as, fallback });
    return judged.ok ? judged.value.map((each) => [each.agent, told(each)]) : judged.error.code;
  };
  const secret = ["outside-contract src/secrets/key", "outside-claim src/secrets/key"];
  assert.deepEqual(await range("HEAD~2..HEAD"), [
    ["dev-1", []],
    ["dev-1", secret],
  ]);
  // What no remote has yet, from the first commit on; a person answers to nobody.
  assert.deepEqual(await range("main"), [
    [null, []],
    ["dev-1", []],
    ["dev-1", secret],
  ]);
  assert.deepEqual(await range(`${"0".repeat(40)}..main`, null, "dev-2"), [
    ["dev-2", ["outside-contract README.md", "outside-claim README.md"]],
    ["dev-1", []],
    ["dev-1", secret],
  ]);
  assert.deepEqual(await range("HEAD~1..HEAD", "dev-2"), [["dev-2", ["outside-claim src/greet/a.js", ...secret]]]);
  assert.equal(await range("--all..HEAD"), "not-found");
  assert.equal(await range("HEAD...main"), "wrong-usage");
  assert.equal(await range("nothing..HEAD"), "not-found");
});

test("a commit of a range is judged by who held its files when it was made", async () => {
  await using team = await crew(systemClock);
  using folder = temporaryFolder();
  const place = repository(folder.path);
  const range = async (words: string, who: { as?: string; fallback?: string } = {}) => {
    const { as = null, fallback = "owner" } = who;
    const judged = await team.as("owner").judgeRange(place, words, { as, fallback });
    return judged.ok ? judged.value.map((each) => [each.agent, told(each)]) : judged.error.code;
  };
  const bad = ["outside-claim src/other.js"];
  stage(place, { "src/other.js": "1" });
  commitAs(place, "lead-1");
  assert.deepEqual(await range("main"), [["lead-1", bad]], "dev-2 holds it");
  // The holder's own commits, by author, by the worktree's name, by the trailer of its task, also later.
  stage(place, { "src/other.js": "2" });
  commitAs(place, "dev-2");
  stage(place, { "src/other.js": "3" });
  commitAs(place, "A Person");
  stage(place, { "src/other.js": "4" });
  commitAs(place, "A Person", "work\n\nBaton-Task: 1-1-T2");
  assert.ok((await team.as("dev-2").release({ task: "1-1-T2" })).outcome === "accepted");
  assert.equal((await team.as("dev-3").claim({ task: "1-1-T2", files: ["src/other.js"] })).outcome, "accepted");
  assert.deepEqual(await range("main"), [
    ["lead-1", bad],
    ["dev-2", []],
    // Nobody knows who made it, so a person may push it; no agent may.
    ["owner", []],
    ["dev-2", []],
  ]);
  assert.deepEqual(await range("HEAD~2..HEAD~1", { fallback: "lead-1" }), [["lead-1", bad]]);
  // What was there before anybody held it is nobody's.
  stage(place, { "src/other.js": "5" });
  commitAs(place, "lead-1", "work", "2001-01-01T00:00:00Z");
  assert.deepEqual(await range("HEAD~1..HEAD"), [["lead-1", []]]);
});

test("a conflict in the index is judged too", async () => {
  await using team = await crew();
  using folder = temporaryFolder();
  const place = repository(folder.path);
  stage(place, { "src/greet/a.js": "1" });
  commitAs(place, "owner");
  git(place.directory, "checkout", "--quiet", "-b", "side");
  stage(place, { "src/greet/a.js": "2" });
  commitAs(place, "dev-1");
  git(place.directory, "checkout", "--quiet", "main");
  stage(place, { "src/greet/a.js": "3" });
  commitAs(place, "dev-1");
  assert.throws(() => git(place.directory, "merge", "--quiet", "side"));
  assert.deepEqual(await staged(team, place, "dev-1"), []);
});
