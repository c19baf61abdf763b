/** What a team's messages say of artifacts, checked against a repository by the runtime. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { testTeam } from "../../src/testing/test-team.ts";
import { file, git, testEnvironment } from "./history.ts";
import { madeRepository } from "./place.ts";
import { report, tasksOf, toldTo } from "./reporting.ts";

const finding = (sev: string) => `${JSON.stringify({ id: "S1", sev, issue: "x" })}\n`;

test("each message that is the last word on an artifact is judged, and what is found is recorded", async () => {
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "security-1", role: "security" },
    ],
    dialects: ["yolo/1"],
  });
  await using made = await madeRepository({
    commits: [{ tree: new Map([["audit.jsonl", file(finding("critical") + finding("minor"))]]), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  const audit = (findings: number, critical: number, artifact = "audit.jsonl") =>
    JSON.stringify({
      type: "security_audit",
      result: "WARN",
      findings,
      critical,
      categories: ["secrets"],
      artifact,
      committed: true,
    });
  const security = team.as("security-1");
  const texts = [audit(1, 0), audit(2, 1)];
  for (const text of texts) assert.equal((await security.send(text)).outcome, "accepted");
  const place = { directory: made.directory, environment: testEnvironment };
  const judged = await team.as("owner").verifyArtifacts(place);
  assert.ok(judged.ok);
  const shown = judged.value.map(({ type, sender, state, problems }) => [
    type,
    sender,
    state,
    ...problems.map(({ code }) => code),
  ]);
  assert.deepEqual(shown, [["security_audit", "security-1", "verified"]]);
  const disputed = async () => {
    const status = await team.as("owner").status();
    return status.ok && status.value.disputedArtifacts.map(({ problems }) => problems.map(({ code }) => code));
  };
  for (const [text, codes] of [
    [audit(3, 1, "nowhere.jsonl"), ["artifact-missing"]],
    [audit(0, 0, "none.jsonl"), ["artifact-missing"]],
  ] as const) {
    assert.equal((await security.send(text)).outcome, "accepted");
    const again = await team.as("owner").verifyArtifacts(place);
    assert.deepEqual(again.ok && again.value.map(({ problems }) => problems.map(({ code }) => code)), [codes]);
    assert.deepEqual(await disputed(), [codes]);
  }
  assert.deepEqual(
    (await toldTo(team, "security-1")).map((text) => text.split("\n", 1)[0]),
    [
      "What security-1's security_audit (entry 5) says of 1 artifact is disputed: the repository does not confirm it.",
      "What security-1's security_audit (entry 7) says of 1 artifact is disputed: the repository does not confirm it.",
    ],
  );
  assert.deepEqual(await toldTo(team, "lead-1"), await toldTo(team, "security-1"), "the reader is told as well");
  // If there is nothing to check, the earlier finding stays.
  const elsewhere = await team.as("owner").verifyArtifacts({ ...place, directory: made.folder });
  assert.deepEqual(elsewhere.ok && elsewhere.value.map(({ state }) => state), ["reported"]);
  assert.deepEqual(await disputed(), [["artifact-missing"]]);
  const said: string[] = [];
  for await (const line of team.as("owner").log({ kinds: ["command"] })) said.push(line.ok ? line.value.summary : "");
  assert.deepEqual(said, [
    "found the artifacts of security-1's security_audit verified",
    "found the artifacts of security-1's security_audit disputed",
    "found the artifacts of security-1's security_audit disputed",
  ]);
  // What somebody decided counts, whatever the repository shows.
  const [settled] = elsewhere.ok ? elsewhere.value : [];
  const { outcome } = await team.as("owner").settleArtifacts({ message: String(settled?.seq) });
  assert.equal(outcome, "accepted");
  const after = await team.as("owner").verifyArtifacts(place);
  assert.deepEqual(after.ok && after.value.map(({ state, problems }) => [state, problems]), [["verified", []]]);
});

test("a disputed artifact holds up its plan's summary until a corrected artifact comes", async () => {
  const [readme, source] = [["README.md", file("x")] as const, ["src/feature.js", file("1")] as const];
  await using made = await madeRepository({
    commits: [
      { tree: new Map([readme]), parents: [] },
      { tree: new Map([readme, source]), parents: [0] },
      { tree: new Map([readme, source, ["plan.jsonl", file("{}\n")]]), parents: [1] },
    ],
    references: { "refs/heads/main": 1, "refs/tags/later": 2 },
  });
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "tester-1", role: "tester" },
      { agent: "senior-1", role: "senior" },
      { agent: "qa-1", role: "qa" },
    ],
    dialects: ["vbw/2", "yolo/1"],
  });
  assert.equal(
    (await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract", { tasks: ["1-1-T1"] })))).outcome,
    "accepted",
  );
  const plan = { type: "test_plan_result", plan_id: "01-01", tasks_tested: 3, tasks_skipped: 0, total_tests: 3 };
  const said = JSON.stringify({ ...plan, all_red: true, artifact: "plan.jsonl", committed: true });
  const sent = await team.as("tester-1").send(said);
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  const place = { directory: made.directory, environment: testEnvironment };
  const look = async (agent: string) => {
    const judged = await team.as(agent).verifyArtifacts(place);
    assert.ok(judged.ok);
    assert.ok((await team.as("owner").verify(place)).ok);
    const [task] = await tasksOf(team);
    const summary = await team.as("owner").summary({ plan: "1-1" });
    assert.ok(summary.ok);
    return [judged.value[0]?.state, task?.state, task?.heldUpBy, summary.value.seq !== null];
  };
  await report(team, made.ids[1] ?? "", ["src/feature.js"]);
  // Who does not answer for the work only looks: nothing is recorded.
  assert.deepEqual(await look("dev-1"), ["disputed", "complete", [], true]);
  assert.deepEqual(await look("qa-1"), ["disputed", "verified", ["plan.jsonl"], false]);
  git(made.directory, "update-ref", "refs/heads/main", made.ids[2] ?? "");
  assert.deepEqual(await look("qa-1"), ["verified", "complete", [], true]);
});
