/** One story that uses every tool and resource; each client tells it over each wire and must hear the same. */
import assert from "node:assert/strict";
import { contract, message, update } from "../e2e/command.ts";
import type { Answered, Driver } from "./clients.ts";

/** The tools that exist, in the order in which clients show them. */
export const toolNames = ["send_message", "read_inbox", "wait", "task", "handoff", "team_status", "describe_message"];

/** Tells the story with a lead and a developer on one fresh team. */
export async function everyTool(lead: Driver, dev: Driver): Promise<void> {
  const tools = await dev.tools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    toolNames,
  );
  for (const tool of tools) {
    assert.equal(tool.annotations?.idempotentHint, true, tool.name);
    assert.equal(tool.inputSchema.type, "object", tool.name);
    assert.ok((tool.description ?? "").length < 2048, tool.name);
  }
  const status = await good(dev.call("team_status"));
  assert.equal(status.data.you, "dev-1");
  assert.equal(status.data.journal, "ready");
  assert.match(String(status.data.editing), /^Your first edit of a file takes it/);
  await describes(dev);

  const twoTasks = contract().replace('["1-1-T1"]', '["1-1-T1","1-1-T2"]');
  const sent = await good(lead.call("send_message", { message: JSON.parse(twoTasks) }));
  assert.deepEqual(sent.data.receivers, ["dev-1", "qa-1", "scout-1"]);
  const seq = receiptOf(sent).seq;
  await inboxKeepsUntilAck(dev, seq);
  await refusalsTeach(dev);
  await claims(lead, dev);

  // Sent as text it stays verbatim, down to its spaces.
  const verbatim = update().replace('{"id"', '{  "id"');
  await good(dev.call("send_message", { message: verbatim, id: "report-1" }));
  const again = await good(dev.call("send_message", { message: verbatim, id: "report-1" }));
  assert.equal(receiptOf(again).duplicate, true);
  const reported = await good(lead.call("read_inbox"));
  assert.equal(messagesOf(reported).length, 1, "a repeated id is one message");

  await waits(lead, dev);
  await plans(lead, dev);
  await handsOver(lead, dev);
  await decides(lead, dev);
}

async function describes(dev: Driver): Promise<void> {
  const types = await good(dev.call("describe_message"));
  assert.ok((types.data.types as { type: string; youMaySend: boolean }[]).some((each) => each.youMaySend));
  const one = await good(dev.call("describe_message", { type: "vbw/2/execution_update" }));
  assert.equal(one.data.youMaySend, true);
  assert.ok((one.data.fields as unknown[]).length > 0);
  const none = await dev.call("describe_message", { type: "execution_updat" });
  assert.ok(none.isError && none.text.includes('did you mean \\"execution_update\\"'));
}

async function inboxKeepsUntilAck(dev: Driver, seq: number): Promise<void> {
  const first = await good(dev.call("read_inbox"));
  assert.deepEqual(
    messagesOf(first).map((message) => message.seq),
    [seq],
  );
  const second = await good(dev.call("read_inbox", { seen: seq }));
  assert.equal(messagesOf(second).length, 1, "seen is not acknowledged");
  const third = await good(dev.call("read_inbox", { ack: seq }));
  assert.deepEqual([messagesOf(third).length, third.data.acknowledged], [0, seq]);
  const fourth = await good(dev.call("read_inbox", { ack: seq }));
  assert.equal(fourth.data.acknowledged, seq, "the same ack again changes nothing");
}

async function refusalsTeach(dev: Driver): Promise<void> {
  const faulty = await dev.call("send_message", {
    message: JSON.parse(
      update(["src/feature.js"], {
        payload: { plan_id: "1-1", task_id: "1-1-T1", status: "complet", commit: "abc1234" },
      }),
    ),
  });
  assert.ok(faulty.isError);
  assert.equal(faulty.data.outcome, "refused");
  const [problem] = faulty.data.problems as { code: string; path: string; hint?: string }[];
  assert.deepEqual([problem?.code, problem?.path], ["wrong-value", "$.payload.status"]);
  assert.match(faulty.text, /did you mean \\"complete\\"/);
  const misspelled = await dev.call("send_message", { message: "hello", too: ["lead-1"], id: "x" });
  assert.ok(misspelled.isError && misspelled.text.includes('did you mean \\"to\\"'));
  const nameless = await good(dev.call("send_message", { message: "hello", to: ["owner"] }));
  const { id: made } = nameless.data.receipt as { id: string };
  assert.match(made, /^[0-9a-f-]{36}$/, "an id is made, as at every other door");
  const stranger = await dev.call("send_message", { message: "hello", to: ["nobody-9"], id: "x" });
  assert.deepEqual(codesOf(stranger), ["unknown-receiver"]);
  const beyond = await dev.call("read_inbox", { ack: 100_000 });
  assert.deepEqual(codesOf(beyond), ["not-found"]);
}

async function plans(lead: Driver, dev: Driver): Promise<void> {
  const add = { action: "add", task: "9-1-T1", plan: "9-1", title: "Look around", files: "none", id: "add-1" };
  await good(lead.call("task", add));
  assert.equal(receiptOf(await good(lead.call("task", add))).duplicate, true);
  await good(
    lead.call("task", { action: "add", task: "9-1-T2", plan: "9-1", files: ["src/later/"], dependsOn: ["9-1-T1"] }),
  );
  const { available } = (await good(dev.call("task", { action: "available" }))).data;
  const free = (available as { task: string; title?: string; files: string[] }[]).map(({ task, title, files }) => {
    return [task, title, files];
  });
  assert.deepEqual(free.at(-1), ["9-1-T1", "Look around", []], "the second waits for the first");
  assert.deepEqual(codesOf(await dev.call("task", { ...add, id: "add-2" })), ["sender-not-authorised"]);
  await good(lead.call("task", { action: "claim", task: "9-1-T1" }));
  const everything = await lead.call("task", { action: "claim", task: "9-1-T2", files: "none" });
  assert.deepEqual(codesOf(everything), ["wrong-type"], "only a task is added without files");
}

async function claims(lead: Driver, dev: Driver): Promise<void> {
  const board = await good(dev.call("task", { action: "available" }));
  assert.deepEqual([board.data.outcome, board.data.advisedDevelopers, board.data.yours], ["board", 2, []]);
  const claim = { action: "claim", task: "1-1-T1", files: ["src/feature.js"], id: "claim-1" };
  const granted = await good(dev.call("task", claim));
  const { token } = granted.data;
  assert.ok(granted.data.outcome === "granted" && typeof token === "number");
  assert.deepEqual(Object.keys(receiptOf(granted)), ["seq"], "a model reads no digests");
  const again = await good(dev.call("task", claim));
  assert.deepEqual(
    [again.data.token, receiptOf(again).duplicate],
    [token, true],
    "the same claim again is the same grant",
  );
  assert.match(again.text, /"duplicate":true/);
  const text = await good(dev.call("task", { ...claim, files: '["src/feature.js"]' }));
  assert.deepEqual([text.data.token, receiptOf(text).duplicate], [token, true], "a list as text is that list");
  const [note] = text.data.notes as readonly { path: string; message: string }[];
  assert.equal(note?.path, "arguments.files");
  assert.match(note?.message ?? "", /\["src\/feature\.js"\]/);
  const denied = await good(lead.call("task", { ...claim, id: "claim-2" }));
  const { outcome, reason, holder, paths } = denied.data;
  assert.deepEqual([outcome, reason, holder, paths], ["denied", "held", "dev-1", ["src/feature.js"]]);
  assert.match(denied.text, /"code":"task-held".*"hint":/);
  const [mine] = (await good(dev.call("task", { action: "available" }))).data.yours as {
    task: string;
    token: number;
  }[];
  assert.deepEqual([mine?.task, mine?.token], ["1-1-T1", token], "who forgot its token is told");
  const foreign = await lead.call("task", { action: "complete", task: "1-1-T1", commit: "abc1234" });
  assert.deepEqual(codesOf(foreign), ["not-holder"]);
  assert.deepEqual(codesOf(await dev.call("task", { action: "release" })), ["missing-field"]);
  const toNobody = await lead.call("task", { action: "reassign", task: "1-1-T1" });
  assert.deepEqual(codesOf(toNobody), ["missing-field"], "the flat schema leaves it open; the definition does not");
  const byHolder = await dev.call("task", { action: "reassign", task: "1-1-T1", to: "lead-1" });
  assert.deepEqual(codesOf(byHolder), ["sender-not-authorised"]);
  await good(lead.call("task", { action: "reassign", task: "1-1-T1", to: "dev-1", reason: "It is yours" }));
  const report = { action: "complete", task: "1-1-T1", token, status: "partial", id: "half-done" };
  await good(dev.call("task", report));
  assert.equal(receiptOf(await good(dev.call("task", report))).duplicate, true);
  await good(dev.call("task", { action: "release", task: "1-1-T1", token }));
  const done = {
    action: "complete",
    task: "1-1-T1",
    commit: "abc1234",
    deviations: ["No names"],
    evidence: "12 of 12 passed",
  };
  await good(dev.call("task", { ...done, id: "done" }));
  const { reported } = (await good(dev.call("task", { action: "available" }))).data;
  assert.deepEqual(reported, [{ task: "1-1-T1", state: "reported", commit: "abc1234" }]);
}

/** The team speaks vbw/2 alone, so no document can be issued here; what is, is tried in `handoffs.test.ts`. */
async function handsOver(lead: Driver, dev: Driver): Promise<void> {
  const none = await good(lead.call("handoff", { action: "list" }));
  assert.deepEqual(none.data, { outcome: "handoffs", handoffs: [] });
  assert.deepEqual(codesOf(await dev.call("handoff", { action: "accept" })), ["missing-field"]);
  for (const action of ["show", "accept", "reject", "complete"])
    assert.deepEqual(codesOf(await dev.call("handoff", { action, handoff: "h-9", reasons: ["x"] })), [
      "unknown-request",
    ]);
}

/** The complete escalation is tested in `escalations.test.ts`. */
async function decides(lead: Driver, dev: Driver): Promise<void> {
  const payload = { plan_id: "1-1", task_id: "1-1-T2", blocker: "No names yet", needs: "Names" };
  await good(dev.call("send_message", { message: JSON.parse(message("blocker_report", "dev", payload)) }));
  assert.equal((await good(dev.call("task", { action: "available" }))).data.escalations, undefined);
  const [waiting] = (await good(lead.call("task", { action: "available" }))).data.escalations as {
    escalation: string;
  }[];
  const decide = { action: "resolve", task: waiting?.escalation, decision: "Use our own", id: "decide-1" };
  const decided = await good(lead.call("task", decide));
  assert.deepEqual(decided.data.receivers, ["dev-1"]);
  assert.equal(receiptOf(await good(lead.call("task", decide))).duplicate, true);
}

async function waits(lead: Driver, dev: Driver): Promise<void> {
  const vain = await good(dev.call("wait", { seconds: 0.05 }));
  assert.deepEqual(vain.data.messages, []);
  // The first heartbeat says that the server is waiting; only then is something sent.
  const { promise: waiting, resolve } = Promise.withResolvers<void>();
  const waited = dev.call("wait", { seconds: 60 }, () => resolve());
  await waiting;
  await good(lead.call("send_message", { message: "Lunch at noon?", to: ["role:dev"], id: "lunch-1" }));
  const [message] = messagesOf(await good(waited));
  assert.deepEqual([message?.message, message?.type, message?.sender], ["Lunch at noon?", null, "lead-1"]);
}

/** The answer, which must be a good one. */
export async function good(asked: Promise<Answered>): Promise<Answered> {
  const answer = await asked;
  assert.equal(answer.isError, false, answer.text);
  return answer;
}

export function receiptOf({ data }: Answered): {
  readonly seq: number;
  readonly id: string;
  readonly duplicate: boolean;
} {
  return data.receipt as { seq: number; id: string; duplicate: boolean }; // as documented
}

export interface Read {
  readonly seq: number;
  readonly id: string;
  readonly type: string | null;
  readonly sender: string;
  readonly message: unknown;
}

export function messagesOf({ data }: Answered): readonly Read[] {
  return data.messages as Read[]; // as documented
}

export function codesOf({ isError, data }: Answered): readonly string[] {
  assert.equal(isError, true);
  return (data.problems as { code: string }[]).map(({ code }) => code);
}
