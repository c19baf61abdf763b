/** The effect of an answer is what the decider and the state say, before anybody answers; nothing is recorded by looking. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";

test("paths that a request names are compared with contract and claims, and both answers are foreseen", async () => {
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
    ],
  });
  const [owner, lead, one, two] = [team.as("owner"), team.as("lead-1"), team.as("dev-1"), team.as("dev-2")];
  assert.equal((await lead.send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  assert.equal((await lead.addTask({ task: "2-1-T1", plan: "2-1", files: ["lib/money.ts"] })).outcome, "accepted");
  assert.equal(
    (await lead.addTask({ task: "1-1-T9", plan: "1-1", files: ["src/z.ts"], dependsOn: ["1-1-T1"] })).outcome,
    "accepted",
  );
  assert.equal((await two.claim({ task: "2-1-T1" })).outcome, "accepted");
  const ask = (id: string, words: object) =>
    one.send(JSON.stringify(typedMessage("approval_request", { ...words }, { id })), { to: ["lead-1"] });
  assert.equal((await ask("before", { subject: "May I touch docs/?" })).outcome, "accepted");
  assert.equal((await owner.answer({ request: "before", approved: false, reason: "later" })).outcome, "accepted");
  const words = {
    subject: "Change lib/money.ts, src/a.ts, src/secrets/key.txt of src/secrets",
    evidence: "the contract leaves lib/ and docs/ out, it is e.g. needed",
  };
  assert.equal((await ask("now", words)).outcome, "accepted");
  assert.equal((await one.claim({ task: "1-1-T1", files: ["src/a.ts"] })).outcome, "accepted");
  const status = await owner.status();
  const effect = await owner.effect({ request: "now" });
  assert.ok(effect.ok && status.ok, JSON.stringify(effect));
  const { paths, approve, deny, mayAnswer, blocks, leaseUntil, contract, similar, ifSeq, seq } = effect.value;
  assert.deepEqual(
    paths.map(({ path, contract: ruling, holder }) => [path, ruling, holder?.agent ?? null, holder?.task ?? null]),
    [
      ["lib/money.ts", "outside", "dev-2", "2-1-T1"],
      ["src/a.ts", "allowed", null, null],
      ["src/secrets/key.txt", "forbidden", null, null],
    ],
  );
  assert.deepEqual([contract?.plan, contract?.revision, mayAnswer], ["1-1", 1, ["owner", "lead-1"]]);
  assert.deepEqual(
    [blocks, leaseUntil !== null, ifSeq, seq],
    [["1-1-T9"], true, status.value.head.seq, status.value.head.seq],
  );
  assert.deepEqual(
    [approve.isAccepted, approve.says],
    [
      true,
      [
        "dev-1, lead-1 get the answer.",
        "The contract of plan 1-1 allows lib/money.ts (revision 2). It still forbids src/secrets/key.txt.",
        "dev-1 still cannot claim lib/money.ts while dev-2 holds it for 2-1-T1.",
      ],
    ],
  );
  const edited = await owner.effect({ request: "now", modifications: ["docs/", "lib/money.ts"] });
  assert.ok(edited.ok && edited.value.paths.length === 3, "what was asked for is still shown");
  assert.equal(edited.value.approve.says[1], "The contract of plan 1-1 allows docs/, lib/money.ts (revision 2).");
  assert.deepEqual(deny, { isAccepted: true, problems: [], says: ["dev-1 gets the answer."] });
  assert.deepEqual(
    similar.map(({ request, status, decidedBy, reason }) => [request, status, decidedBy, reason]),
    [["before", "denied", "owner", "later"]],
  );
  const over = await owner.effect({ request: "before" });
  assert.ok(over.ok && !over.value.approve.isAccepted);
  assert.equal(over.value.approve.problems[0]?.code, "already-answered");
  const nobody = await owner.effect({ request: "nobody" });
  assert.ok(!nobody.ok && nobody.error.code === "unknown-request");
  const after = await owner.status();
  assert.ok(after.ok && after.value.head.seq === seq, "looking records nothing");
});
