/** Baton's own files: no glob, whatever it matches, gives a right to change them, at any place where work is judged. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { judgeByPermissions, judgeWriting, type WorkInHand } from "../../src/evidence/decide/gate.ts";
import { judgeChanges } from "../../src/evidence/decide/scope-judgement.ts";
import type { ChangedPath } from "../../src/evidence/git/changes.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { testTeam } from "../../src/testing/test-team.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { git, testEnvironment } from "./history.ts";

/** Each matches `.baton/team.yaml`, or is read so by some program. */
const wide = ["**", "*/team.yaml", "**/*.yaml", "*/**", "?baton/**"];
const aimed = [".b?ton/**", ".*/**", ".*", ".[b]aton/**", "{.baton,src}/**", ".{baton,git}/**", ".B?TON/team.yaml"];
const kept = [".baton/team.yaml", ".Baton/team.yaml", ".baton/messages/x.json", "src/.baton/team.yaml"];

const changed = (path: string): ChangedPath => ({
  path,
  change: "modified",
  mode: { before: "100644", after: "100644" },
  content: { before: "a", after: "b" },
  isText: true,
});

test("whatever glob a claim and a contract hold, no edit, no commit and no report changes .baton", async () => {
  for (const pattern of [...wide, ...aimed]) {
    const scope = { allowed: [pattern], forbidden: [] };
    const task: WorkInHand = { task: "1-1-T1", scope, claimed: [pattern] };
    for (const mustClaim of [true, false]) {
      const permissions = { agent: "dev-1", mustClaim, tasks: [task], others: [] };
      const judged = [
        await judgeWriting(kept, permissions),
        await judgeByPermissions(kept.map(changed), permissions, null),
        await judgeChanges(kept.map(changed), { contract: scope, claim: [pattern] }, null),
      ];
      for (const answer of judged) {
        const told = answer.map(({ code, path }) => `${code} ${path}`);
        assert.deepEqual(
          told,
          kept.map((path) => `invalid-path ${path}`),
          pattern,
        );
      }
    }
  }
});

test("a file of .baton is the same one problem of a report, whatever bounds the work", async () => {
  const scope = { allowed: ["**"], forbidden: [] };
  const attributes = ".baton/.gitattributes";
  const all = [...kept, attributes].map(changed);
  const told: (readonly string[])[] = [];
  for (const contract of [null, scope])
    for (const claim of [null, ["**"], ["src/"]]) {
      const judged = await judgeChanges(all, { contract, claim }, null);
      told.push(judged.map((each) => JSON.stringify(each)));
    }
  assert.equal(told[0]?.length, all.length);
  for (const each of told) assert.deepEqual(each, told[0]);
  // The control: other files are each bound's to judge.
  const other = await judgeChanges([changed("docs/a.md")], { contract: scope, claim: ["src/"] }, null);
  assert.deepEqual(
    other.map(({ code }) => code),
    ["outside-claim"],
  );
});

async function crew() {
  return await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
}

test("a pattern that was written for .baton is refused where it is asked for", async () => {
  await using team = await crew();
  const [lead, dev] = [team.as("lead-1"), team.as("dev-1")];
  assert.equal(
    (await lead.send(JSON.stringify(typedMessage("plan_contract", { allowed_paths: ["**"] })))).outcome,
    "accepted",
  );
  for (const [index, pattern] of aimed.entries()) {
    const contract = typedMessage("plan_contract", { allowed_paths: ["src/", pattern] }, { id: `wider-${index}` });
    const progress = typedMessage(
      "execution_update",
      { files_modified: ["src/a"], files: [pattern] },
      { id: `p-${index}` },
    );
    const answers = [
      await dev.claim({ task: "1-1-T1", files: ["src/", pattern] }),
      await lead.addTask({ task: `1-1-T9${index}`, title: "x", files: [pattern] }),
      await lead.send(JSON.stringify(contract)),
      await dev.send(JSON.stringify(progress)),
    ];
    for (const [place, answer] of answers.entries()) {
      const text = JSON.stringify(answer);
      assert.ok(text.includes('"invalid-path"'), `${pattern} ${place}: ${text}`);
      assert.ok(!text.includes('"accepted"'), `${pattern} ${place}: ${text}`);
    }
  }
  // Forbidding them is no request, and what only includes them is none either.
  const forbidding = typedMessage(
    "plan_contract",
    { plan_id: "1-2", task_ids: ["1-2-T1"], allowed_paths: ["**"], forbidden_paths: aimed },
    { id: "forbids" },
  );
  const sent = await lead.send(JSON.stringify(forbidding));
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  assert.equal((await dev.claim({ task: "1-1-T1", files: wide.slice(0, 4) })).outcome, "accepted");
});

test("who holds ** commits and edits what it covers, and nothing in .baton", async () => {
  await using team = await crew();
  using folder = temporaryFolder("memory");
  const [lead, dev] = [team.as("lead-1"), team.as("dev-1")];
  assert.equal(
    (await lead.send(JSON.stringify(typedMessage("plan_contract", { allowed_paths: ["**"] })))).outcome,
    "accepted",
  );
  assert.equal((await dev.claim({ task: "1-1-T1", files: ["**"] })).outcome, "accepted");
  const place = { directory: folder.path, environment: testEnvironment };
  git(folder.path, "init", "--quiet", "-b", "main");
  mkdirSync(join(folder.path, ".baton"));
  for (const path of [".baton/team.yaml", "config.yaml"]) writeFileSync(join(folder.path, path), "x");
  git(folder.path, "add", "--force", "--", ".baton/team.yaml", "config.yaml");
  const staged = await dev.judgeStaged(place, "dev-1");
  const edited = await dev.editFiles([".baton/team.yaml", "config.yaml"]);
  for (const answer of [staged, edited]) {
    assert.ok(answer.ok, JSON.stringify(answer));
    const told = answer.value.problems.map(({ code, path }) => `${code} ${path}`);
    assert.deepEqual(told, ["invalid-path .baton/team.yaml"]);
  }
});
