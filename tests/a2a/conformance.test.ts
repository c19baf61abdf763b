/**
 * The requirements of A2A 1.0, each under the id that its conformance kit gives it, on both bindings against one hub. An id
 * of `BATON-A2A` is a rule of docs/protocol/doors.md, sections 15 and 16.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../http/hub.ts";
import { approval, type Binding, type Door, door, said } from "./door.ts";

type Case = (place: { readonly hub: Door; readonly binding: Binding; readonly scout: string }) => Promise<void>;

/** Sends words as scout-1 and answers the task. */
async function asked({ binding, scout }: Parameters<Case>[0], more: object = {}, configuration?: object) {
  const { result, body } = await binding.call(scout, "SendMessage", said("Add the tax", more, configuration));
  assert.ok(result?.task, JSON.stringify(body));
  return result.task;
}

const refused = (binding: Binding, rpc: number, http: number) => (binding.name === "JSON-RPC" ? rpc : http);

async function done({ hub }: Parameters<Case>[0], id: string): Promise<void> {
  // Work without files counts as done when it is reported; all other work once the repository shows it.
  await hub.act("lead", "/tasks", { task: id, files: "none" });
  await hub.act("dev", `/tasks/${id}/claim`, {});
  await hub.act("dev", `/tasks/${id}/complete`, { evidence: "npm test: 3 passed" });
}

const cases: Readonly<Record<string, Case>> = {
  "CORE-SEND-001 DM-TASK-001 DM-STATUS-001 DM-SERIAL-001 DM-SERIAL-002: words become a task": async (place) => {
    const task = await asked(place);
    assert.match(task.id, /^ask-[0-9a-f]{20}$/);
    assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
    assert.match(task.status.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.ok(task.contextId.length > 0);
  },
  "CORE-SEND-002 CORE-CANCEL-002 STREAM-SUB-003: an ended task takes no message, no cancellation and no stream": async (
    place,
  ) => {
    const { binding, scout } = place;
    const { id } = await asked(place);
    const ended = await binding.call(scout, "CancelTask", { id });
    assert.equal(ended.result.status.state, "TASK_STATE_CANCELED", "CORE-CANCEL-001");
    const codes = [];
    for (const [method, params] of [
      ["SendMessage", said("More", { taskId: id })],
      ["CancelTask", { id }],
      ["SubscribeToTask", { id }],
    ] as const)
      codes.push((await binding.call(scout, method, params)).reason);
    assert.deepEqual(codes, ["UNSUPPORTED_OPERATION", "TASK_NOT_CANCELABLE", "UNSUPPORTED_OPERATION"]);
  },
  "DM-TASK-002 DM-MSG-002 DM-SERIAL-003 DM-SERIAL-004 DM-SERIAL-005: names, times and required fields, and unknown fields are ignored":
    async ({ binding, scout }) => {
      const sent = said("Add the tax", { message_id: "ignored", reference_task_ids: [], unknown: { deep: [1] } });
      const { result } = await binding.call(scout, "SendMessage", { ...sent, another: 7 });
      const { task } = result;
      assert.deepEqual(Object.keys(result), ["task"]);
      assert.deepEqual(new Set(Object.keys(task)), new Set(["id", "contextId", "status", "history"]));
      assert.match(task.status.state, /^TASK_STATE_[A-Z_]+$/);
      assert.match(task.status.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
      const [{ messageId, role, parts, ...rest }] = task.history;
      assert.deepEqual([messageId, role, parts], [sent.message.messageId, "ROLE_USER", [{ text: "Add the tax" }]]);
      assert.deepEqual(rest, { contextId: task.contextId, taskId: task.id });
      const snake = { message: sent.message, configuration: { return_immediately: true, history_length: 0 } };
      assert.ok(!("history" in (await binding.call(scout, "SendMessage", snake)).result.task));
    },
  "CORE-SEND-003: content that the team does not take": async ({ binding, scout }) => {
    for (const part of [
      { raw: "QQ==" },
      { url: "https://example.com/a" },
      { data: { a: 1 } },
      { text: "x", mediaType: "image/png" },
    ]) {
      const answer = await binding.call(scout, "SendMessage", said("", { parts: [part] }));
      assert.deepEqual([answer.code, answer.reason], [refused(binding, -32005, 400), "CONTENT_TYPE_NOT_SUPPORTED"]);
    }
  },
  "CORE-GET-001 DM-ART-001 BATON-A2A-3: a task is completed once its work counts as done, with the work as artifact":
    async (place) => {
      const reported = await asked(place);
      await place.hub.act("dev", `/tasks/${reported.id}/complete`, { commit: "abc1234" });
      const waits = (await place.binding.call(place.scout, "GetTask", { id: reported.id })).result;
      assert.deepEqual(
        [waits.status.state, waits.artifacts],
        ["TASK_STATE_WORKING", undefined],
        "nothing has verified it",
      );
      const { id } = await asked(place);
      await done(place, id);
      const { result } = await place.binding.call(place.scout, "GetTask", { id });
      assert.equal(result.status.state, "TASK_STATE_COMPLETED");
      const [{ artifactId, parts }] = result.artifacts;
      assert.deepEqual(
        [artifactId, parts[0].data.task, parts[0].data.reporter, parts[0].data.evidence],
        ["work", id, "dev-1", "npm test: 3 passed"],
      );
    },
  "CORE-GET-002 CORE-CANCEL-003 STREAM-SUB-004 AUTH-SCOPE-001 AUTH-SCOPE-002 AUTH-SCOPE-003: another's task is as unknown as none":
    async (place) => {
      const { binding, hub } = place;
      const { id } = await asked(place);
      const bodies = new Set<string>();
      for (const [method, params] of [
        ["GetTask", { id }],
        ["GetTask", { id: "ask-00000000000000000000" }],
        ["GetTask", { id: "1-1-T1" }],
        ["CancelTask", { id }],
        ["SubscribeToTask", { id }],
        ["SendMessage", said("Mine", { taskId: id })],
      ] as const) {
        const { code, body } = await binding.call(hub.as.other, method, params);
        assert.equal(code, refused(binding, -32001, 404), method);
        bodies.add(JSON.stringify(body.error));
      }
      assert.equal(bodies.size, 1, "all are refused in the same words");
    },
  "CORE-LIST-001 CORE-LIST-002 CORE-LIST-003 CORE-LIST-004 CORE-LIST-005: own tasks only, in pages, the newest status first":
    async (place) => {
      const { binding, hub } = place;
      const caller = hub.as.other;
      const contextId = `list-${binding.name === "JSON-RPC" ? "a" : "b"}`;
      const ids: string[] = [];
      for (let number = 0; number < 3; number += 1) {
        const { result } = await binding.call(caller, "SendMessage", said("Mine", { contextId }));
        ids.push(result.task.id);
      }
      await done(place, ids[0] ?? "");
      const first = (await binding.call(caller, "ListTasks", { contextId, pageSize: 2 })).result;
      assert.deepEqual([first.tasks.length, first.totalSize, first.pageSize, first.tasks[0].id], [2, 3, 2, ids[0]]);
      assert.ok(first.tasks.every((each: object) => !("artifacts" in each) && !("history" in each)));
      const second = (
        await binding.call(caller, "ListTasks", { contextId, pageSize: 2, pageToken: first.nextPageToken })
      ).result;
      assert.deepEqual([second.tasks.length, second.nextPageToken], [1, ""]);
      const listed = [...first.tasks, ...second.tasks].map(({ id }) => id);
      assert.deepEqual(new Set(listed), new Set(ids));
      const state = "TASK_STATE_COMPLETED";
      const finished = (await binding.call(caller, "ListTasks", { contextId, status: state, includeArtifacts: true }))
        .result;
      assert.deepEqual([finished.tasks.length, finished.tasks[0].artifacts.length], [1, 1]);
      assert.equal((await binding.call(place.scout, "ListTasks", { contextId })).result.totalSize, 0);
      const since = async (statusTimestampAfter: string) =>
        (await binding.call(caller, "ListTasks", { contextId, statusTimestampAfter })).result.totalSize;
      assert.equal(await since(first.tasks[0].status.timestamp), 1, "only what has changed since");
      assert.equal(await since("2999-01-01T00:00:00Z"), 0);
      for (const wrong of [
        { pageToken: "next" },
        { pageSize: 0 },
        { pageSize: 101 },
        { historyLength: -1 },
        { status: "DONE" },
      ]) {
        assert.equal(
          (await binding.call(caller, "ListTasks", wrong)).code,
          refused(binding, -32602, 400),
          JSON.stringify(wrong),
        );
      }
    },
  "CORE-EXECUTION-MODE-001 CORE-EXECUTION-MODE-002: a send waits until the task is over, unless it shall not": async (
    place,
  ) => {
    const { binding, scout, hub } = place;
    const sent = said("Wait for it", {}, {});
    const waiting = binding.call(scout, "SendMessage", sent);
    const { id } = (await binding.call(scout, "SendMessage", { ...sent, configuration: { returnImmediately: true } }))
      .result.task;
    await hub.act("lead", `/tasks/${id}/end`, { outcome: "refused", reason: "Not ours" });
    const { task } = (await waiting).result;
    assert.deepEqual(
      [task.id, task.status.state, task.status.message.parts[0].text],
      [id, "TASK_STATE_REJECTED", "Not ours"],
    );
  },
  "CORE-ERR-001 CORE-ERR-002 DM-MSG-001 DM-PART-001: a wrong field is named": async ({ binding, scout }) => {
    const wrong: readonly (readonly [object, string])[] = [
      [{}, "message"],
      [{ message: "hi" }, "message"],
      [said("x", { messageId: undefined }), "message.messageId"],
      [said("x", { messageId: "m".repeat(200) }), "message.messageId"],
      [said("x", { role: "ROLE_AGENT" }), "message.role"],
      [said("x", { parts: [] }), "message.parts"],
      [said("x", { parts: [{}] }), "message.parts[0]"],
      [said("x", { parts: [{ text: "a", data: 1 }] }), "message.parts[0]"],
      [said("x", { parts: [{ text: 7 }] }), "message.parts[0].text"],
      [said("x", { contextId: "with blanks" }), "arguments.context"],
      [said(" "), "arguments.text"],
      [said("x", {}, { historyLength: -1 }), "configuration.historyLength"],
    ];
    for (const [params, field] of wrong) {
      const { code, body } = await binding.call(scout, "SendMessage", params);
      const [, violations] = body.error.data ?? body.error.details;
      assert.deepEqual([code, violations?.fieldViolations[0].field], [refused(binding, -32602, 400), field]);
    }
  },
  "CORE-CAP-001 PUSH-CREATE-001: push notifications are not offered, and say so": async ({ binding, scout }) => {
    const config = { taskId: "ask-1", id: "c", url: "https://example.com/hook" };
    for (const method of ["CreateTask", "GetTask", "ListTask", "DeleteTask"]) {
      const name = `${method}PushNotificationConfig${method === "ListTask" ? "s" : ""}`;
      assert.equal((await binding.call(scout, name, config)).reason, "PUSH_NOTIFICATION_NOT_SUPPORTED", name);
    }
    const withPush = said("x", {}, { taskPushNotificationConfig: { url: "https://example.com/hook" } });
    assert.equal((await binding.call(scout, "SendMessage", withPush)).reason, "PUSH_NOTIFICATION_NOT_SUPPORTED");
  },
  "CORE-MULTI-001 CORE-MULTI-001a CORE-MULTI-002 CORE-MULTI-002a: a context is kept as it was given, else made": async (
    place,
  ) => {
    assert.equal((await asked(place, { contextId: "sale:7" })).contextId, "sale:7");
    const made = await asked(place);
    assert.equal(made.contextId, made.id);
  },
  "CORE-MULTI-003 CORE-MULTI-004 CORE-MULTI-005 CORE-MULTI-006: a message about a task is of its context": async (
    place,
  ) => {
    const { binding, scout } = place;
    const { id, contextId } = await asked(place, { contextId: "sale:8" });
    const { result } = await binding.call(scout, "SendMessage", said("Also the fees", { taskId: id }));
    assert.deepEqual([result.task.id, result.task.contextId], [id, contextId]);
    const other = await binding.call(scout, "SendMessage", said("x", { taskId: id, contextId: "sale:9" }));
    assert.equal(other.code, refused(binding, -32602, 400));
    const unknown = await binding.call(scout, "SendMessage", said("x", { taskId: "ask-none" }));
    assert.equal(unknown.code, refused(binding, -32001, 404));
  },
  "CORE-HIST-001 CORE-HIST-002 CORE-HIST-003 CORE-HIST-004 CORE-HIST-005 CORE-HIST-006: history in order, and never more than asked":
    async (place) => {
      const { binding, scout } = place;
      const { id } = await asked(place, { messageId: `first-${place.binding.name}` });
      await binding.call(scout, "SendMessage", said("Second", { taskId: id }));
      const full = (await binding.call(scout, "GetTask", { id })).result.history;
      assert.deepEqual(
        full.map((each: { role: string; parts: [{ text: string }] }) => [each.role, each.parts[0].text]),
        [
          ["ROLE_USER", "Add the tax"],
          ["ROLE_USER", "Second"],
        ],
      );
      const last = (await binding.call(scout, "GetTask", { id, historyLength: 1 })).result.history;
      assert.deepEqual(
        last.map(({ parts }: { parts: [{ text: string }] }) => parts[0].text),
        ["Second"],
      );
      assert.equal("history" in (await binding.call(scout, "GetTask", { id, historyLength: 0 })).result, false);
      assert.equal("history" in (await asked(place, {}, { historyLength: 0, returnImmediately: true })), false);
    },
  "BATON-A2A-1 BATON-A2A-2: a repeated messageId has one effect, and an ask is one entry": async (place) => {
    const { binding, scout } = place;
    const sent = said("Once", { messageId: `once ${binding.name}\n` });
    const before = await headOf(place.hub);
    const answers = await Promise.all(Array.from({ length: 5 }, () => binding.call(scout, "SendMessage", sent)));
    assert.equal(new Set(answers.map(({ result }) => result.task.id)).size, 1);
    assert.equal(await headOf(place.hub), before + 1);
    const other = { ...sent, message: { ...sent.message, parts: [{ text: "Twice" }] } };
    const conflict = await binding.call(scout, "SendMessage", other);
    assert.deepEqual([conflict.code, conflict.reason], [refused(binding, -32602, 409), "ID_CONFLICT"]);
  },
  "CORE-STREAM-001 CORE-STREAM-003 STREAM-ORDER-001 STREAM-ORDER-002 STREAM-SUB-001 STREAM-SUB-002: the task first, then its changes, then the end":
    async (place) => {
      const { binding, scout, hub } = place;
      const sent = said("Stream it", {}, {});
      const stream = await binding.stream(scout, "SendStreamingMessage", sent);
      assert.equal(stream.answer.headers.get("content-type"), "text/event-stream");
      const { task } = await stream.next();
      assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
      const other = await binding.stream(scout, "SubscribeToTask", { id: task.id });
      assert.equal((await other.next()).task.id, task.id);
      const third = await binding.stream(scout, "SubscribeToTask", { id: task.id });
      await third.next();
      await third.close();
      await hub.act("lead", "/tasks", { task: task.id, files: "none" });
      await hub.act("dev", `/tasks/${task.id}/claim`, {});
      assert.equal((await stream.next()).statusUpdate.status.state, "TASK_STATE_WORKING");
      await hub.act("dev", `/tasks/${task.id}/complete`, {});
      const events = await stream.rest();
      assert.deepEqual(
        events.map((each) => Object.keys(each)[0]),
        ["artifactUpdate", "statusUpdate"],
      );
      assert.equal(events.at(-1).statusUpdate.status.state, "TASK_STATE_COMPLETED");
      const same = await other.rest();
      assert.deepEqual(same.at(-1), events.at(-1), "STREAM-ORDER-003 STREAM-ORDER-004: every stream says the same");
    },
  "CORE-STREAM-002: what only informs is a stream of one message": async ({ binding, hub }) => {
    const typed = approval(`informs-${binding.name === "JSON-RPC" ? "a" : "b"}`);
    const message = { parts: [{ data: typed }], extensions: ["urn:baton:a2a:typed:1"] };
    const events = await (await binding.stream(hub.as.dev, "SendStreamingMessage", said("", message))).rest();
    assert.deepEqual(
      events.map((each) => Object.keys(each)),
      [["message"]],
    );
  },
  "AUTH-SERVER-002: every request is authenticated": async ({ binding }) => {
    for (const method of ["SendMessage", "GetTask", "ListTasks", "GetExtendedAgentCard", "SubscribeToTask"]) {
      const { status, headers, code } = await binding.call("baton_wrong", method, { id: "ask-1" });
      assert.deepEqual([status, code], [401, refused(binding, -32000, 401)], method);
      assert.match(headers.get("www-authenticate") ?? "", /^Bearer/);
    }
  },
  "VER-SERVER-001 VER-SERVER-002 VER-SERVER-003: only 1.0 is spoken, and its patch number does not count": async ({
    binding,
    scout,
  }) => {
    for (const version of ["0.3", "1.1", "", "2.0", "1.0.x"]) {
      const { reason } = await binding.call(scout, "ListTasks", {}, { "a2a-version": version });
      assert.equal(reason, "VERSION_NOT_SUPPORTED", version);
    }
    assert.equal((await binding.call(scout, "ListTasks", {}, { "a2a-version": "1.0.1" })).code, null);
  },
  "CARD-EXT-001 CARD-EXT-002: the extended card names the messages that its caller may send": async ({
    binding,
    hub,
  }) => {
    const of = async (token: string) =>
      (await binding.call(token, "GetExtendedAgentCard")).result.skills.map(({ id }: { id: string }) => id);
    const [lead, scout] = [await of(hub.as.lead), await of(hub.as.scout)];
    assert.ok(lead.includes("vbw/2/plan_contract") && !scout.includes("vbw/2/plan_contract"));
    assert.equal(scout[0], "ask");
  },
};

test("CARD-DISC-001 CARD-STRUCT-001 CARD-PROTO-001 CARD-PROTO-002 BIND-FIELD-001 CARD-CACHE-001 CARD-CACHE-002 CARD-CACHE-003: the card", async (t) => {
  const hub = await door(t);
  const answer = await fetch(`${hub.base}/.well-known/agent-card.json`);
  const card = (await answer.json()) as { [field: string]: unknown };
  const needed =
    "name description version capabilities supportedInterfaces defaultInputModes defaultOutputModes skills";
  for (const field of needed.split(" ")) assert.ok(card[field] !== undefined, field);
  assert.deepEqual(card.supportedInterfaces, [
    { url: `${hub.base}/jsonrpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: hub.base, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
  ]);
  assert.match(answer.headers.get("cache-control") ?? "", /max-age=\d+/);
  assert.ok(answer.headers.get("last-modified"));
  const etag = answer.headers.get("etag") ?? "";
  const again = await fetch(`${hub.url}/.well-known/agent-card.json`, { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304, "the hub's own team has its card at the root, too");
  assert.ok(!JSON.stringify(card).includes("lead-1"), "nobody of the team is in it");
  assert.equal((await fetch(`${hub.url}/a2a/other/.well-known/agent-card.json`)).status, 404);
});

test("BATON-A2A-4 BATON-A2A-6: a second hub on the journal shows the same, and no token is in answers or entries", async (t) => {
  const hub = await door(t);
  const [binding] = hub.bindings;
  const sent = said("Once, at two hubs");
  const { task } = (await binding.call(hub.as.scout, "SendMessage", sent)).result;
  const second = await door(t, { folder: hub.folder });
  const [other] = second.bindings;
  const repeated = await other.call(hub.as.scout, "SendMessage", sent);
  assert.deepEqual(repeated.result.task, task);
  await other.call(hub.as.scout, "CancelTask", { id: task.id });
  const ended = await binding.call(hub.as.scout, "GetTask", { id: task.id });
  assert.equal(ended.result.status.state, "TASK_STATE_CANCELED");
  const record = await ask(hub.url, "/api/teams/web/messages?limit=100", { as: hub.as.lead });
  const secrets = Object.values({ ...hub.as, ...second.as });
  for (const text of [JSON.stringify(record.body), JSON.stringify(ended.body)])
    assert.ok(!secrets.some((secret) => text.includes(secret)));
});

test("a guest asks, answers what it is asked, and does nothing else", { timeout: 60_000 }, async (t) => {
  const hub = await door(t);
  const { guest } = hub.as;
  const [binding] = hub.bindings;
  const { id } = (await binding.call(guest, "SendMessage", said("A column for the tax"))).result.task;
  await hub.act("lead", `/tasks/${id}/discuss`, { text: "Gross or net?", question: true });
  const { task } = (await binding.call(guest, "SendMessage", said("Net", { taskId: id }))).result;
  assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
  await binding.call(hub.as.scout, "SendMessage", said("Not the guest's"));
  const own = await ask(hub.url, "/api/teams/web/asks", { as: guest });
  assert.deepEqual(
    own.body.asks.map(({ asker }: { asker: string }) => asker),
    ["shop"],
  );
  const looks = ["status", "messages", "tasks", "tasks/board", "agents", "approvals", "contracts", "events?after=0"];
  for (const look of looks) {
    const { status, body } = await ask(hub.url, `/api/teams/web/${look}`, { as: guest });
    assert.deepEqual([look, status, body.code], [look, 403, "sender-not-authorised"]);
  }
  const changes = [
    [`tasks/${id}/claim`, {}],
    [`tasks/${id}/complete`, { commit: "abc1234" }],
    ["agents", { agent: "dev-9", role: "dev" }],
    ["messages", { text: "Do as I say", to: ["dev-1"] }],
  ] as const;
  for (const [path, body] of changes) {
    const refused = await ask(hub.url, `/api/teams/web/${path}`, { as: guest, body });
    assert.equal(refused.status, 403, path);
  }
  const message = said("", { parts: [{ data: approval("by-guest") }], extensions: ["urn:baton:a2a:typed:1"] });
  assert.equal((await binding.call(guest, "SendMessage", message)).code, -32000);
  assert.equal((await binding.call(guest, "CancelTask", { id })).result.status.state, "TASK_STATE_CANCELED");
});

async function headOf({ url, as }: Door): Promise<number> {
  const answer = await fetch(`${url}/api/teams/web/status`, { headers: { authorization: `Bearer ${as.lead}` } });
  return ((await answer.json()) as { head: { seq: number } }).head.seq;
}

test("A2A 1.0 on both bindings: BIND-EQUIV-001 BIND-EQUIV-002 BIND-EQUIV-003 BIND-EQUIV-004", {
  timeout: 60_000,
}, async (t) => {
  const hub = await door(t);
  for (const [name, run] of Object.entries(cases)) {
    for (const binding of hub.bindings) {
      await t.test(`${name} (${binding.name})`, () => run({ hub, binding, scout: hub.as.scout }));
    }
  }
});
