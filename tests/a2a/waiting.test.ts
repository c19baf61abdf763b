/**
 * What waits for a caller is a task that requires its input: a question about what it asked for, an approval that is
 * addressed to it, and an escalation at its level. On both bindings against one hub.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { approval, type Binding, blocker, type Door, door, said } from "./door.ts";

type Case = (place: { readonly hub: Door; readonly binding: Binding; readonly scout: string }) => Promise<void>;

/** Sends words as scout-1 and answers the task. */
async function asked({ binding, scout }: Parameters<Case>[0], more: object = {}, configuration?: object) {
  const { result, body } = await binding.call(scout, "SendMessage", said("Add the tax", more, configuration));
  assert.ok(result?.task, JSON.stringify(body));
  return result.task;
}

const refused = (binding: Binding, rpc: number, http: number) => (binding.name === "JSON-RPC" ? rpc : http);

const cases: Readonly<Record<string, Case>> = {
  "a question of the team waits for the caller's answer with no need of in-task authorisation": async (place) => {
    const { binding, scout, hub } = place;
    const { id } = await asked(place);
    await hub.act("lead", `/tasks/${id}/discuss`, { text: "Gross or net?", question: true });
    const { status } = (await binding.call(scout, "GetTask", { id })).result;
    assert.deepEqual(
      [status.state, status.message.role, status.message.parts[0].text],
      ["TASK_STATE_INPUT_REQUIRED", "ROLE_AGENT", "Gross or net?"],
    );
    const { result } = await binding.call(scout, "SendMessage", said("Net", { taskId: id }));
    assert.equal(result.task.status.state, "TASK_STATE_SUBMITTED");
  },
  "an approval waits for its addressee, whose data part decides it, once": async ({ binding, hub }) => {
    const typed = approval(`request-${binding.name === "JSON-RPC" ? "a" : "b"}`);
    const extension = { "a2a-extensions": "urn:baton:a2a:typed:1" };
    const sent = await binding.call(hub.as.dev, "SendMessage", said("", { parts: [{ data: typed }] }), extension);
    assert.match(sent.result?.message?.parts[0].text ?? JSON.stringify(sent.body), /^Recorded as entry \d+\.$/);
    assert.equal(sent.headers.get("a2a-extensions"), "urn:baton:a2a:typed:1");
    const own = (await binding.call(hub.as.dev, "ListTasks", { status: "TASK_STATE_WORKING" })).result.tasks;
    const asked = (await binding.call(hub.as.lead, "ListTasks", { status: "TASK_STATE_INPUT_REQUIRED" })).result.tasks;
    assert.deepEqual([own.length, asked.length, own[0]?.id], [1, 1, asked[0]?.id]);
    const [{ id }] = asked;
    const unclear = await binding.call(hub.as.lead, "SendMessage", said("Yes", { taskId: id }));
    assert.equal(unclear.code, refused(binding, -32602, 400));
    const yes = { taskId: id, parts: [{ data: { approved: true, reason: "It is needed" } }] };
    const byAsker = await binding.call(hub.as.dev, "SendMessage", said("", yes));
    assert.equal(byAsker.code, refused(binding, -32000, 403));
    const answered = await binding.call(hub.as.lead, "SendMessage", said("", yes));
    assert.equal(answered.result.task.status.state, "TASK_STATE_COMPLETED");
    assert.equal(answered.result.task.artifacts[0].parts[0].data.approved, true);
    assert.equal((await binding.call(hub.as.lead, "SendMessage", said("", yes))).reason, "UNSUPPORTED_OPERATION");
    const seen = (await binding.call(hub.as.dev, "GetTask", { id })).result;
    assert.equal(seen.status.state, "TASK_STATE_COMPLETED");
  },
  "an escalation waits for whoever is at its level, whose words decide it, and comes up again as another task": async ({
    binding,
    hub,
  }) => {
    const task = binding.name === "JSON-RPC" ? "1-1-T8" : "1-1-T9";
    const blocked = async (number: number) => {
      const id = `${binding.name === "JSON-RPC" ? "a" : "b"}-${number}`;
      const message = { parts: [{ data: blocker(id, task) }], extensions: ["urn:baton:a2a:typed:1"] };
      const sent = await binding.call(hub.as.dev, "SendMessage", said("", message));
      assert.ok(sent.result?.message, JSON.stringify(sent.body));
      return (await binding.call(hub.as.lead, "ListTasks", { status: "TASK_STATE_INPUT_REQUIRED" })).result.tasks;
    };
    const [{ id, status }, more] = await blocked(1);
    assert.equal(more, undefined);
    assert.match(status.message.parts[0].text, /^dev-1 cannot go on .*: The rate is missing$/);
    assert.deepEqual(status.message.parts[1].data.originators, ["dev-1"]);
    const own = (await binding.call(hub.as.dev, "GetTask", { id })).result;
    assert.deepEqual([own.status.state, own.history[0].role], ["TASK_STATE_WORKING", "ROLE_USER"]);
    assert.equal((await binding.call(hub.as.scout, "GetTask", { id })).reason, "TASK_NOT_FOUND");
    const followed = await binding.stream(hub.as.dev, "SubscribeToTask", { id });
    await followed.next();
    for (const [as, parts, code] of [
      ["lead", [{ data: { decision: 7 } }], refused(binding, -32602, 400)],
      ["lead", [{ data: { decision: "19 %", option: 1 } }], refused(binding, -32602, 400)],
      ["lead", [{ data: { option: 9 } }], refused(binding, -32602, 400)],
      ["dev", [{ text: "19 %" }], refused(binding, -32000, 403)],
    ] as const)
      assert.equal((await binding.call(hub.as[as], "SendMessage", said("", { taskId: id, parts }))).code, code);
    const words = said("Take 19 %", { taskId: id });
    const decided = (await binding.call(hub.as.lead, "SendMessage", words)).result.task;
    const { decision, decidedBy } = decided.artifacts[0].parts[0].data;
    assert.deepEqual([decided.status.state, decision, decidedBy], ["TASK_STATE_COMPLETED", "Take 19 %", "lead-1"]);
    assert.equal(
      (await binding.call(hub.as.lead, "SendMessage", words)).result.task.id,
      id,
      "a repeat is the same answer",
    );
    assert.equal(
      (await binding.call(hub.as.lead, "SendMessage", said("No", { taskId: id }))).reason,
      "UNSUPPORTED_OPERATION",
    );
    assert.equal((await followed.rest()).at(-1).statusUpdate.status.state, "TASK_STATE_COMPLETED");
    assert.equal((await binding.call(hub.as.dev, "CancelTask", { id })).reason, "TASK_NOT_CANCELABLE");
    const [again] = await blocked(2);
    assert.notEqual(again.id, id, "a task that is over stays over");
    assert.equal((await binding.call(hub.as.lead, "GetTask", { id })).result.status.state, "TASK_STATE_COMPLETED");
    const why = { taskId: again.id, parts: [{ data: { decision: "Ask the office", rationale: "It knows" } }] };
    const last = (await binding.call(hub.as.lead, "SendMessage", said("", why))).result.task;
    assert.equal(last.artifacts[0].parts[0].data.rationale, "It knows");
  },
};

test("what waits for a caller", { timeout: 60_000 }, async (t) => {
  const hub = await door(t);
  for (const [name, run] of Object.entries(cases)) {
    for (const binding of hub.bindings) {
      await t.test(`${name} (${binding.name})`, () => run({ hub, binding, scout: hub.as.scout }));
    }
  }
});
