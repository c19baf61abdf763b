/** Artifacts, judged by two hubs whose clones differ: the one that knows less takes back nothing that the other found. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { verifyArtifacts } from "../../src/evidence/decide/artifacts.ts";
import { teamHandle } from "../../src/perform/handle.ts";
import { testTeam } from "../../src/testing/test-team.ts";
import { file, git, testEnvironment } from "./history.ts";
import { madeRepository, tree } from "./place.ts";
import { toldTo } from "./reporting.ts";

const rows = (count: number) => `${JSON.stringify({ id: "S1", sev: "minor", issue: "x" })}\n`.repeat(count);
const broken = "{\n";

/** A team whose security-1 names an artifact, and two clones: one at each of the commits. */
async function stageOf(states: readonly (Readonly<Record<string, string>> | null)[], more = { committed: true }) {
  const commits = states.map((files, at) => ({
    tree: tree({ base: "1", ...files }),
    parents: at === 0 ? [] : [at - 1],
  }));
  const made = await madeRepository({ commits, references: { "refs/heads/main": 0, "refs/keep": states.length - 1 } });
  const behind = join(made.folder, "behind");
  git(made.folder, "clone", "--quiet", "--no-local", "--single-branch", `file://${made.directory}`, behind);
  const team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "security-1", role: "security" },
    ],
    dialects: ["yolo/1"],
  });
  const audit = { type: "security_audit", result: "WARN", findings: 2, critical: 0, categories: ["secrets"] };
  const said = await team.as("security-1").send(JSON.stringify({ ...audit, artifact: "audit.jsonl", ...more }));
  assert.equal(said.outcome, "accepted");
  const place = (directory: string) => ({ directory, environment: testEnvironment });
  const owner = team.as("owner");
  const look = async (directory: string, handle: Pick<typeof owner, "verifyArtifacts"> = owner) => {
    const judged = await handle.verifyArtifacts(place(directory));
    assert.ok(judged.ok);
    return [judged.value[0]?.state, ...(judged.value[0]?.problems.map(({ code }) => code) ?? [])].join(" ");
  };
  const context = { ...team.context, isOnlyClone: true };
  const alone = teamHandle(context, { agent: "owner", via: "launcher" }, () => Promise.resolve());
  return {
    has: () => look(made.directory),
    lacks: () => look(behind),
    alone: () => look(behind, alone),
    put: (at: number) => git(made.directory, "update-ref", "refs/heads/main", made.ids[at] ?? ""),
    pull: () => git(behind, "pull", "--quiet", "--ff-only"),
    directory: made.directory,
    behind,
    told: async () => (await toldTo(team, "security-1")).map((text) => text.split("\n", 1)[0]),
    async recorded() {
      const status = await owner.status();
      assert.ok(status.ok);
      return status.value.head.seq;
    },
    disputed: async () => {
      const status = await owner.status();
      return status.ok && status.value.disputedArtifacts.flatMap(({ problems }) => problems.map(({ code }) => code));
    },
    [Symbol.asyncDispose]: async () => {
      await team[Symbol.asyncDispose]();
      await made[Symbol.asyncDispose]();
    },
  };
}

test("an artifact that one clone does not have yet stays verified, and is judged there after a pull", async () => {
  await using stage = await stageOf([null, { "audit.jsonl": rows(2) }, null]);
  stage.put(1);
  assert.equal(await stage.has(), "verified");
  const head = await stage.recorded();
  for (let round = 0; round < 2; round++) {
    assert.equal(await stage.lacks(), "reported artifact-missing");
    assert.equal(await stage.has(), "verified");
  }
  assert.deepEqual([await stage.recorded(), await stage.told()], [head, []], "nothing was recorded");
  stage.pull();
  assert.equal(await stage.lacks(), "verified");
  stage.put(2);
  assert.equal(await stage.has(), "disputed artifact-missing", "it was here, and is on no branch");
  assert.equal(await stage.lacks(), "reported artifact-missing", "this clone does not know that it was removed");
  assert.deepEqual(await stage.disputed(), ["artifact-missing"]);
  assert.equal((await stage.told()).length, 1);
});

test("an artifact that nobody has seen is disputed until a clone has it", async () => {
  await using stage = await stageOf([null, { "audit.jsonl": rows(2) }]);
  stage.put(1);
  assert.equal(await stage.lacks(), "disputed artifact-missing");
  assert.equal(await stage.has(), "verified");
  assert.equal(await stage.lacks(), "reported artifact-missing");
  assert.deepEqual([await stage.disputed(), (await stage.told()).length], [[], 2]);
});

test("an older version in another clone says nothing against, or for, what a newer one showed", async () => {
  await using stage = await stageOf([
    { "audit.jsonl": rows(2) },
    { "audit.jsonl": broken },
    { "audit.jsonl": rows(2) },
  ]);
  assert.equal(await stage.lacks(), "verified");
  stage.put(1);
  assert.equal(await stage.has(), "disputed artifact-unreadable");
  const head = await stage.recorded();
  assert.equal(await stage.lacks(), "reported artifact-missing");
  assert.equal(await stage.has(), "disputed artifact-unreadable");
  assert.equal(await stage.recorded(), head);
  stage.put(2);
  stage.pull();
  assert.equal(await stage.lacks(), "verified", "it is corrected, and both have seen how");
  assert.equal(await stage.has(), "verified");
  assert.deepEqual(await stage.disputed(), []);
});

test("a file that only one working tree has is not missed by the other clone", async () => {
  await using stage = await stageOf([null], { committed: false });
  const written = join(stage.directory, "audit.jsonl");
  writeFileSync(written, rows(2));
  assert.equal(await stage.has(), "verified");
  const head = await stage.recorded();
  assert.equal(await stage.lacks(), "reported artifact-missing");
  assert.equal(await stage.recorded(), head);
  writeFileSync(written, broken);
  assert.equal(await stage.has(), "disputed artifact-unreadable");
  writeFileSync(written, rows(2));
  assert.equal(await stage.has(), "verified");
  rmSync(written);
  assert.equal(await stage.alone(), "disputed artifact-missing", "where there is no other clone, it is gone");
});

test("with more branches than are looked at, an artifact on none of these is undecided", async () => {
  const count = 201;
  await using made = await madeRepository({
    commits: Array.from({ length: count }, (_, at) => ({
      tree: new Map([["base", file(String(at))], ...(at === 0 ? [["audit.jsonl", file(rows(2))] as const] : [])]),
      parents: [],
    })),
    references: Object.fromEntries(Array.from({ length: count }, (_, at) => [`refs/heads/b${at}`, at])),
  });

  const body = { artifact: "audit.jsonl", committed: true, findings: 2, critical: 0 };
  const look = async () =>
    (await verifyArtifacts(made.repository, { kind: "security-audit", body })).map(({ code }) => code);
  assert.deepEqual(await look(), ["too-large"]);
  git(made.directory, "update-ref", "-d", "refs/heads/b7");
  assert.deepEqual(await look(), []);
});
