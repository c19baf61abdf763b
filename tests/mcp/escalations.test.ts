/** Escalations by MCP: only an agent of the level where it waits sees it, decides it or escalates it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { message, team } from "../e2e/command.ts";
import { type Answered, clients, type Driver, type Place } from "./clients.ts";
import { codesOf, good, receiptOf } from "./every-tool.ts";
import { serve } from "./http-place.ts";

const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");

const blocker = (task: string) =>
  message("blocker_report", "dev", { plan_id: "1-1", task_id: task, blocker: "No names yet", needs: "Plan 1-0" });

interface Shown {
  readonly escalation: string;
  readonly heldUp: readonly string[];
  readonly options?: readonly string[];
  readonly next: string;
}

async function waitingFor(agent: Driver): Promise<readonly Shown[]> {
  const { data } = await good(agent.call("task", { action: "available" }));
  return (data.escalations ?? []) as readonly Shown[]; // as the output schema says; clients checked it
}

/** The text of the last message in the inbox. */
async function lastMail(agent: Driver): Promise<string> {
  const { data } = await good(agent.call("read_inbox"));
  return JSON.stringify((data.messages as readonly unknown[]).at(-1));
}

const act = (agent: Driver, action: string, given: object): Promise<Answered> =>
  agent.call("task", { action, task: "ESC-01-01-T1", ...given });

async function story(place: (agent: string) => Place): Promise<void> {
  const [dev, lead, architect] = await Promise.all(
    ["dev-1", "lead-1", "architect-1"].map(async (agent) => await connect(place(agent))),
  );
  assert.ok(dev !== undefined && lead !== undefined && architect !== undefined);
  assert.deepEqual(await waitingFor(lead), []);
  await good(dev.call("send_message", { message: JSON.parse(blocker("1-1-T1")) }));

  // Only its level is shown it; who is below cannot decide.
  assert.deepEqual([await waitingFor(dev), await waitingFor(architect)], [[], []]);
  const [shown] = await waitingFor(lead);
  assert.deepEqual([shown?.escalation, shown?.heldUp], ["ESC-01-01-T1", ["dev-1"]]);
  assert.equal(
    shown?.next,
    'task with action "resolve", task "ESC-01-01-T1" and decision; action "raise" hands it to architect',
  );
  assert.deepEqual(codesOf(await act(dev, "resolve", { decision: "Go on" })), ["own-request"]);
  assert.deepEqual(codesOf(await act(architect, "raise", {})), ["sender-not-authorised"]);

  const choices = { options: ["Drop the task", "Wait"], recommendation: "Wait", evidence: "Plan 1-0 is late" };
  await good(act(lead, "raise", { ...choices, id: "up-1" }));
  assert.equal(receiptOf(await good(act(lead, "raise", { ...choices, id: "up-1" }))).duplicate, true);
  assert.deepEqual(await waitingFor(lead), []);
  const [raised] = await waitingFor(architect);
  assert.deepEqual(raised?.options, ["Drop the task", "Wait"]);
  assert.match(raised?.next ?? "", /decision, or option with a number; action "raise" hands it to user$/);
  assert.match(
    await lastMail(architect),
    /Evidence: Plan 1-0 is late.*Option 1: Drop the task.*What to do: resolve ESC-01-01-T1 in your own words or by the number/,
  );

  await refusals(architect);
  const decide = { option: 1, reason: "It is not needed", actionItems: ["Tell the user"], id: "decide-1" };
  const decided = await good(act(architect, "resolve", decide));
  assert.deepEqual((decided.data.receivers as string[]).toSorted(), ["dev-1", "lead-1"]);
  assert.equal(receiptOf(await good(act(architect, "resolve", decide))).duplicate, true);
  assert.match(await lastMail(dev), /Drop the task.*It is not needed.*Tell the user/);
  assert.deepEqual(await waitingFor(architect), []);
  assert.deepEqual(codesOf(await act(architect, "resolve", { decision: "Wait" })), ["already-answered"]);
  await Promise.all([dev.close(), lead.close(), architect.close()]);
}

async function refusals(architect: Driver): Promise<void> {
  const none = await act(architect, "resolve", { option: 3 });
  assert.deepEqual(codesOf(none), ["not-found"]);
  assert.match(none.text, /arguments\.option.*`task` with action \\"available\\" shows them; `arguments\.decision`/);
  assert.deepEqual(codesOf(await act(architect, "resolve", {})), ["missing-field"]);
  assert.deepEqual(codesOf(await act(architect, "resolve", { decision: "x", option: 1 })), ["wrong-value"]);
  const blank = await act(architect, "resolve", { decision: " " });
  assert.match(blank.text, /wrong-value","path":"arguments\.decision/);
  const unknown = await act(architect, "resolve", { decision: "x", task: "ESC-9" });
  assert.deepEqual(codesOf(unknown), ["unknown-request"]);
  assert.match(unknown.text, /`task` with action \\"available\\" shows what waits/);
  assert.deepEqual(codesOf(await architect.call("task", { action: "raise" })), ["missing-field"]);
}

test("an escalation goes up and is decided by option, by agents that have MCP alone", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["status"]);
  const server = await serve(directory);
  await story(server.as);
  await calledWithCode(0, directory, ["journal", "verify"]);
});

test("what has come to the person waits for no agent, and an agent that may not decide it learns who may", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["send", "-", "--as", "dev-1"], blocker("1-1-T1"));
  await calledWithCode(0, directory, ["escalation", "raise", "ESC-01-01-T1", "--as", "lead-1"]);
  await calledWithCode(0, directory, ["escalation", "raise", "ESC-01-01-T1", "--as", "architect-1"]);
  const server = await serve(directory);
  const [architect, owner] = [await connect(server.as("architect-1")), await connect(server.as("owner"))];
  assert.deepEqual(await waitingFor(architect), []);
  const refused = await act(architect, "resolve", { decision: "Go on" });
  assert.deepEqual(codesOf(refused), ["human-required"]);
  assert.match(refused.text, /The owner answers with `baton escalation resolve`, or on the page/);
  const [shown] = await waitingFor(owner);
  assert.equal(shown?.next, 'task with action "resolve", task "ESC-01-01-T1" and decision');
  await good(act(owner, "resolve", { decision: "Go on" }));
  await Promise.all([architect.close(), owner.close()]);
});
