/** What a team's record says, held against a repository by the runtime. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../../src/testing/test-team.ts";
import { file, testEnvironment } from "./history.ts";
import { madeRepository } from "./place.ts";

const finding = (sev: string) => `${JSON.stringify({ id: "S1", sev, issue: "x" })}\n`;

test("each message that names an artifact is judged; of several about one only the last by its numbers", async () => {
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
  const texts = [audit(1, 0), audit(2, 1), audit(0, 0, "none.jsonl")];
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
  assert.deepEqual(shown, [
    ["security_audit", "security-1", "verified"],
    ["security_audit", "security-1", "verified"],
    ["security_audit", "security-1", "disputed", "artifact-missing"],
  ]);
  assert.equal((await security.send(audit(3, 1))).outcome, "accepted");
  const again = await team.as("owner").verifyArtifacts(place);
  assert.deepEqual(again.ok && again.value.at(-1)?.problems.map(({ code }) => code), ["counts-differ"]);
  const elsewhere = await team.as("owner").verifyArtifacts({ ...place, directory: made.folder });
  assert.deepEqual(elsewhere.ok && elsewhere.value.map(({ state }) => state), Array(4).fill("reported"));
});
