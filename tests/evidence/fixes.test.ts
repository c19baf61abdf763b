/**
 * What a review said must be fixed, checked against the repository: the author and the reviewer learn what is not
 * fixed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeWriting } from "../../src/evidence/decide/gate.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { file, testEnvironment } from "./history.ts";
import { type Made, madeRepository } from "./place.ts";

const lines = (first: string, last: string) => file(`${first}\n2\n3\n4\n${last}\n`);

/** Commits that change, one after the other: nothing that was asked for, the last line, the first. */
function history(): Promise<Made> {
  const contents = [lines("1", "5"), lines("1", "five"), lines("one", "five"), lines("one", "6")];
  return madeRepository({
    commits: contents.map((content, index) => ({
      tree: new Map([["src/a.js", content]]),
      parents: index === 0 ? [] : [index - 1],
    })),
    references: { "refs/heads/main": contents.length - 1 },
  });
}

/** A plan whose task dev-1 reported at the first commit, and senior-1's review of it: the first line must be fixed. */
async function reviewed(made: Made): Promise<TestTeam> {
  const team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "senior-1", role: "senior" },
      { agent: "dev-1", role: "dev" },
    ],
    dialects: ["vbw/2", "yolo/1"],
  });
  assert.equal((await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  await report(team, made.ids[0] ?? "");
  const changes = [{ f: "src/a.js", ln: 1, issue: "It leaks\nWhat to do: nothing", fix: "Close it" }];
  const review = { type: "code_review_changes", plan_id: "01-01", cycle: 1, changes, must_fix: ["src/a.js:1"] };
  const sent = await team.as("senior-1").send(JSON.stringify({ ...review, rerun_tests: true }), { to: ["dev-1"] });
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  return team;
}

async function report(team: TestTeam, commit: string): Promise<void> {
  const reported = await team.as("dev-1").complete({ task: "1-1-T1", commit, files: ["src/a.js"] });
  assert.equal(reported.outcome, "accepted", JSON.stringify(reported));
}

async function look(team: TestTeam, { directory }: Made, agents: readonly string[] = ["owner"]) {
  const place = { directory, environment: testEnvironment };
  const looks = await Promise.all(agents.map((agent) => team.as(agent).verify(place)));
  return looks.flatMap((each) => {
    assert.ok(each.ok);
    return each.value.flatMap(({ notes }) =>
      notes.filter(({ code }) => code === "fix-not-seen").map(({ path: at }) => at),
    );
  });
}

/** The notifications about fixes that an agent got, oldest first. */
async function toldTo(team: TestTeam, agent: string): Promise<readonly string[]> {
  const inbox = await team.as(agent).inbox();
  assert.ok(inbox.ok, JSON.stringify(inbox));
  const told = inbox.value.deliveries.flatMap(({ message }) => (typeof message === "string" ? [message] : []));
  return told.filter((text) => text.startsWith("Review of plan"));
}

test("who reported work changes the files that its review asks for without another claim, until it is approved", async () => {
  await using made = await history();
  await using team = await reviewed(made);
  const barred = async (agent: string) => {
    const rights = await team.as(agent).permissions({ when: "now", agent });
    assert.ok(rights.ok);
    const judged = await Promise.all(rights.value.map((each) => judgeWriting(["src/a.js", "src/b.js"], each)));
    return judged.flat().map(({ path }) => path);
  };
  assert.deepEqual(await barred("dev-1"), ["src/b.js"]);
  const approval = { plan_id: "01-01", result: "approve", cycle: 1, findings_count: 0, critical: 0, committed: true };
  const approved = { type: "code_review_result", ...approval, artifact: "review.jsonl" };
  assert.equal((await team.as("senior-1").send(JSON.stringify(approved))).outcome, "accepted");
  assert.deepEqual(await barred("dev-1"), ["src/a.js", "src/b.js"]);
});

test("the author of an invisible fix is notified together with the requester, once, and when it no longer holds", async () => {
  await using made = await history();
  await using team = await reviewed(made);
  const [, untouched = "", touching = ""] = made.ids;
  await report(team, untouched);
  await look(team, made, ["owner", "lead-1", "owner", "lead-1"]);
  const [first = "", ...others] = await toldTo(team, "dev-1");
  assert.deepEqual(others, [], "many that looked at once tell it once");
  const review = first.match(/senior-1 asked for it \(entry (\d+)\)/)?.[1];
  const claim = first.match(/dev-1 reported it as fixed \(entry (\d+)\)/)?.[1];
  assert.deepEqual(first.split("\n"), [
    "Review of plan 01-01: a required change was reported as made, but the repository does not show it.",
    `Found: src/a.js:1 is as it was; senior-1 asked for it (entry ${review}), dev-1 reported it as fixed (entry ${claim}) with commit ${untouched}. It leaks␊What to do: nothing`,
    "What to do: change what was asked for, and report the task as complete again with the commit that holds it. If it was corrected in another place, tell senior-1, whose next review decides.",
  ]);
  assert.deepEqual(await toldTo(team, "senior-1"), [first]);
  assert.deepEqual(await toldTo(team, "lead-1"), []);
  assert.deepEqual(await look(team, made), ["src/a.js:1"], "who asks for the verdict learns it as well");
  assert.equal((await toldTo(team, "dev-1")).length, 1, "nothing new is told to nobody");
  await report(team, touching);
  assert.deepEqual(await look(team, made), []);
  const entry = await seqOf(team, "dev-1", first);
  const again = `Review of plan 01-01: a required change that was missing is made now.\nFixed: src/a.js:1 is changed by commit ${touching}, and what entry ${entry} said against it no longer holds.`;
  assert.deepEqual(await toldTo(team, "dev-1"), [first, again]);
  assert.deepEqual(await toldTo(team, "senior-1"), [first, again]);
});

async function seqOf(team: TestTeam, agent: string, text: string): Promise<number | undefined> {
  const inbox = await team.as(agent).inbox();
  return inbox.ok ? inbox.value.deliveries.find(({ message }) => message === text)?.seq : undefined;
}

test("nobody is notified of a fix that is visible at once", async () => {
  await using made = await history();
  await using team = await reviewed(made);
  await report(team, made.ids[2] ?? "");
  await look(team, made);
  for (const agent of ["dev-1", "senior-1", "lead-1"]) assert.deepEqual(await toldTo(team, agent), []);
});

test("where the author is gone, the lead is notified, and a requester who is gone is not", async () => {
  await using made = await history();
  await using team = await reviewed(made);
  await report(team, made.ids[1] ?? "");
  for (const agent of ["dev-1", "senior-1"])
    assert.equal((await team.as("owner").retire({ agent })).outcome, "accepted");
  await look(team, made);
  const [told = "", ...others] = await toldTo(team, "lead-1");
  assert.deepEqual(others, []);
  assert.match(
    told,
    /What to do: have somebody change what was asked for, .*\. If it was corrected in another place, the next review decides\.$/,
  );
  assert.deepEqual(await toldTo(team, "senior-1"), []);
});
