/** `baton status`: who holds what, what waits for whom and since when, and the commands that it prints decide it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { called, calledWithCode } from "./called.ts";
import { contract, jsonLines, message, request, team } from "./command.ts";

interface Waiting {
  readonly target: string;
  readonly decide: readonly (readonly string[])[];
}

/** What needs the person, and the handoffs that wait for somebody who left, in the team at `place`. */
async function open(
  place: string,
): Promise<{ needs: Waiting[]; orphanedHandoffs: { id: string; waitsFor: string[] }[] }> {
  const [status] = jsonLines(await calledWithCode(0, place, ["status", "--json"]));
  return status as never; // as documented
}

const blocker = message("blocker_report", "dev", {
  plan_id: "1-1",
  task_id: "1-1-T1",
  blocker: "No names yet",
  needs: "Plan 1-0",
});

test("what waits is shown with its age, and is gone once the printed command was run", async () => {
  const place = team();
  assert.match((await calledWithCode(0, place, ["status"])).stdout, /\nNothing needs you\.\n$/);
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["task", "add", "1-1-T2", "--plan", "1-1", "--after", "1-1-T1"]);
  await calledWithCode(0, place, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  await calledWithCode(0, place, ["send", "--as", "dev-1"], request());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], request({ id: "second" }));
  await calledWithCode(0, place, ["send", "--as", "dev-1"], blocker);
  await calledWithCode(0, place, ["inbox", "--as", "qa-1"]);
  await calledWithCode(0, place, ["stop", "qa-1", "--no-wait", "--reason", "phase_complete", "--id", "stop-1"]);

  const { needs } = await open(place);
  assert.deepEqual(needs.map(({ target }) => target).toSorted(), ["approval_request-1", "second"]);
  const shown = (await calledWithCode(0, place, ["status"])).stdout;
  assert.match(shown, /In hand\n {2}1-1-T1 {2}dev-1 {2}until \d\d:\d\d:\d\d\n/);
  assert.match(shown, /\n +baton approve second --paths src\/auth\.js\n +baton deny second --reason TEXT\n/);
  for (const { decide } of needs)
    for (const words of decide) assert.ok(shown.includes(`baton ${words.join(" ")}\n`), words.join(" "));
  const [approve, deny] = needs.map(({ decide }) => decide);
  await calledWithCode(0, place, approve?.[0] ?? []);
  await calledWithCode(0, place, deny?.[1] ?? []);
  assert.deepEqual((await open(place)).needs, []);
});

test("the commands are for the team and the agent that were named, and quote what a shell would read", async () => {
  const place = team();
  const hostile = message("approval_request", "dev", JSON.parse(request()).payload, { id: "--json" });
  await calledWithCode(0, place, ["send", "--as", "dev-1"], hostile);
  await calledWithCode(0, place, ["task", "add", "$(id)'s", "--title", "red"]);
  await calledWithCode(0, place, ["task", "add", "later", "--after", "$(id)'s"]);
  const { stdout } = await called(place, ["status", "--as", "lead-1", "--journal", "sqlite:.baton/journal.db"]);
  assert.match(stdout, /\n +baton needs --requests --as lead-1 --journal sqlite:\.baton\/journal\.db\n/);
  assert.doesNotMatch(stdout, /baton approve/);
  assert.doesNotMatch(stdout, /\u001b/);
});

test("a handoff that waits for an agent that has left waits for the issuer and the leads, until it is handed over again", async () => {
  const place = team({ dialects: "vbw/2, bmad/1" });
  const handed = (id: string, target: string, task: string) => {
    const metadata = {
      id,
      source_agent: "qa-1",
      target_agent: target,
      timestamp: "2026-02-12T10:00:00Z",
      task_id: task,
    };
    const parts = { context: {}, instructions: { primary: "Go on" }, dependencies: {}, validation: {} };
    return JSON.stringify({ handoff: { metadata, ...parts } });
  };
  for (const [id, task] of [
    ["h-1", "T1"],
    ["h-2", "T2"],
  ] as const) {
    await calledWithCode(0, place, ["send", "--as", "qa-1", "--to", "dev-1"], handed(id, "dev-1", task));
  }
  assert.deepEqual((await open(place)).orphanedHandoffs, [], "it is there to answer them");
  const retired = await called(place, ["agent", "retire", "dev-1", "--as", "lead-1"]);
  assert.match(retired.said, /handoff h-1 of qa-1 waits for it: qa-1 issues it again .*\(left-open at dev-1\)/);
  const waiting = async () => (await open(place)).orphanedHandoffs.map(({ id, waitsFor }) => [id, waitsFor]);
  const [first, second] = ["h-1", "h-2"].map((id) => [id, ["qa-1", "lead-1"]]);
  assert.deepEqual(await waiting(), [first, second]);
  assert.match(
    (await calledWithCode(0, place, ["status"])).stdout,
    /\nhandoff h-1 of qa-1 for dev-1, who left; .*; waits for qa-1, lead-1\n/,
  );
  await calledWithCode(0, place, ["send", "--as", "qa-1", "--to", "lead-1"], handed("h-3", "lead-1", "T1"));
  assert.deepEqual(await waiting(), [second]);
  await calledWithCode(0, place, ["handoff", "accept", "h-3", "--as", "lead-1"]);
  assert.match(
    (await calledWithCode(0, place, ["status"])).stdout,
    /In hand\n {2}handoff h-3, accepted by lead-1, of qa-1: /,
  );
  await calledWithCode(0, place, ["agent", "retire", "qa-1"]);
  assert.deepEqual((await waiting())[0]?.[1], ["lead-1"]);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  assert.deepEqual(await waiting(), []);
});
