/** Webhooks of A2A on both bindings: called in order, and never at an address that is not allowed. */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { webhooksIn } from "../../src/main/webhooks.ts";
import { ask } from "../http/hub.ts";
import { webServer } from "../http/line.ts";
import { type door, pushing, said } from "./door.ts";

/** Whatever came. */
type Anything = ReturnType<typeof JSON.parse>;
type Test = Parameters<typeof door>[0];

interface Called {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Anything;
}

/** A receiver of notifications, which answers each path by a list of statuses, 200 behind its end. */
async function receiver(t: Test, statuses: Readonly<Record<string, readonly number[]>> = {}) {
  const calls: Called[] = [];
  const waiting: { readonly isEnough: () => boolean; readonly done: () => void }[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? "";
    const before = calls.filter((each) => each.path === path).length;
    calls.push({ path, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    const status = statuses[path]?.[before] ?? 200;
    response.writeHead(status, status === 302 ? { location: "/secret" } : {}).end();
    for (const { isEnough, done } of waiting) if (isEnough()) done();
  };
  const url = await webServer(t, (request, response) => void serve(request, response));
  const of = (path: string) => calls.filter((each) => each.path === path);
  /** Waits until the path was called so often. */
  const until = (path: string, count: number) =>
    new Promise<void>((done) => {
      const isEnough = () => of(path).length >= count;
      if (isEnough()) return done();
      waiting.push({ isEnough, done });
    });
  return { url, of, until };
}

test("PUSH-CREATE-001 PUSH-CREATE-002 PUSH-GET-001 PUSH-GET-002 PUSH-LIST-001 PUSH-DEL-001 PUSH-DEL-002: webhooks of a task", async (t) => {
  const { hub, folder } = await pushing(t, ["https://hooks.example.com"]);
  const url = "https://hooks.example.com/a2a";
  for (const binding of hub.bindings) {
    const { id: taskId } = (await binding.call(hub.as.scout, "SendMessage", said("Tell me"))).result.task;
    const call = (name: string, params: object, as: string = hub.as.scout) =>
      binding.call(as, `${name}TaskPushNotificationConfig${name === "List" ? "s" : ""}`, { taskId, ...params });
    const secret = { token: "a-secret", authentication: { scheme: "Bearer", credentials: "very-secret" } };
    const made = await call("Create", { id: "one", url, ...secret });
    assert.deepEqual(
      made.result,
      { taskId, id: "one", url, authentication: { scheme: "Bearer" } },
      JSON.stringify(made.body),
    );
    assert.deepEqual((await call("Get", { id: "one" })).result, made.result);
    await call("Create", { id: "two", url });
    const listed = (await call("List", {})).result.configs;
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      ["one", "two"],
    );
    const notFound = binding.name === "JSON-RPC" ? -32001 : 404;
    for (const [name, params, as] of [
      ["Get", { id: "none" }, hub.as.scout],
      ["Get", { id: "one" }, hub.as.other],
      ["List", {}, hub.as.other],
      ["Create", { id: "x", url }, hub.as.other],
      ["Delete", { id: "one" }, hub.as.other],
    ] as const)
      assert.equal((await call(name, params, as)).code, notFound, name);
    assert.equal((await call("Delete", { id: "one" })).code, null);
    assert.equal((await call("Delete", { id: "one" })).code, null, "twice the same");
    assert.equal((await call("Get", { id: "one" })).code, notFound);
    for (let number = 3; number <= 9; number += 1) await call("Create", { id: `${number}`, url });
    assert.equal((await call("Create", { id: "ninth", url })).reason, "RESOURCE_EXHAUSTED");
    const hostile = [
      { url: "https://evil.example.com/" },
      { url: "http://hooks.example.com/" },
      { url: "https://hooks.example.com:8443/" },
      { url: "https://hooks.example.com@127.0.0.1/" },
      { url: "http://127.0.0.1:1/" },
      { url: 7 },
      { url, token: "a\r\nHost: evil" },
      { url, authentication: { scheme: "Bearer", credentials: "a\nb" } },
      { url, authentication: { scheme: "Bearer x", credentials: "a" } },
      { url, id: "../x" },
    ];
    for (const params of hostile)
      assert.equal(
        (await call("Create", params)).code,
        binding.name === "JSON-RPC" ? -32602 : 400,
        JSON.stringify(params),
      );
  }
  const kept = join(folder, "webhooks.json");
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  assert.ok(!readFileSync(join(folder, "journal.db")).includes("very-secret"));
  const { capabilities } = (await (await fetch(`${hub.base}/.well-known/agent-card.json`)).json()) as Anything;
  assert.equal(capabilities.pushNotifications, true);
  // A webhook that is refused leaves no task behind.
  const before = (await hub.bindings[0].call(hub.as.scout, "ListTasks", {})).result.totalSize;
  const bad = said("x", {}, { taskPushNotificationConfig: { url: "http://10.0.0.1/" } });
  assert.equal((await hub.bindings[0].call(hub.as.scout, "SendMessage", bad)).code, -32602);
  assert.equal((await hub.bindings[0].call(hub.as.scout, "ListTasks", {})).result.totalSize, before);
});

test("PUSH-DELIVER-001 PUSH-DELIVER-002 PUSH-DELIVER-003 BATON-A2A-5: a webhook is called in order, tried again, and no redirect is followed", async (t) => {
  const to = await receiver(t, { "/hook": [503, 429], "/away": [302] });
  const { hub, folder, start } = await pushing(t, [to.url]);
  const [binding] = hub.bindings;
  const wish = (path: string) => ({
    returnImmediately: true,
    taskPushNotificationConfig: {
      url: `${to.url}${path}`,
      token: "known",
      authentication: { scheme: "Bearer", credentials: "very secret" },
    },
  });
  const { id } = (await binding.call(hub.as.scout, "SendMessage", said("Tell me", {}, wish("/hook")))).result.task;
  const away = (await binding.call(hub.as.scout, "SendMessage", said("And me", {}, wish("/away")))).result.task.id;
  // A webhook begins with the task as it is, at the hub that set it and at one that comes later.
  const second = await start();
  await to.until("/hook", 1);
  assert.equal(to.of("/hook")[0]?.body.task.id, id, "PUSH-DELIVER-003: a StreamResponse");
  await to.until("/hook", 3);
  await hub.act("lead", `/tasks/${id}/discuss`, { text: "Gross or net?", question: true });
  const isAsked = () =>
    to.of("/hook").some(({ body }) => body.statusUpdate?.status.state === "TASK_STATE_INPUT_REQUIRED");
  for (let count = 4; !isAsked(); count += 1) await to.until("/hook", count);
  const [{ headers } = assert.fail("it was called")] = to.of("/hook");
  assert.deepEqual(
    [
      headers.authorization,
      headers["x-a2a-notification-token"],
      headers["a2a-notification-token"],
      headers["a2a-version"],
    ],
    ["Bearer very secret", "known", "known", "1.0"],
  );
  assert.equal(headers["content-type"], "application/a2a+json");
  await to.until("/away", 1);
  assert.equal(to.of("/secret").length, 0);
  await hub.act("lead", `/tasks/${away}/end`, { outcome: "refused", reason: "No" });
  // The end is the last notification, and a webhook ends with its task.
  await hub.act("lead", `/tasks/${id}/end`, { outcome: "refused", reason: "Not ours" });
  const isOver = () => to.of("/hook").some(({ body }) => body.statusUpdate?.status.state === "TASK_STATE_REJECTED");
  for (let count = to.of("/hook").length + 1; !isOver(); count += 1) await to.until("/hook", count);
  const record = await ask(second.url, "/api/teams/web/messages?limit=100", { as: hub.as.lead });
  assert.ok(!JSON.stringify(record.body).includes("very secret"));
  assert.ok(!readFileSync(join(folder, "journal.db")).includes("very secret"));
});

test("hubs of one state folder keep each other's webhooks, and one of them calls all", async (t) => {
  const to = await receiver(t);
  const { hub, folder, start } = await pushing(t, [to.url]);
  const second = await start();
  const wish = (path: string) => ({ returnImmediately: true, taskPushNotificationConfig: { url: `${to.url}${path}` } });
  const paths = { "/first": hub, "/second": second, "/third": hub };
  const tasks: string[] = [];
  for (const [path, { bindings, as }] of Object.entries(paths))
    tasks.push((await bindings[0].call(as.scout, "SendMessage", said(path, {}, wish(path)))).result.task.id);
  const listed = await Promise.all(
    tasks.map(async (taskId) => {
      const list = (at: typeof hub) => at.bindings[0].call(at.as.scout, "ListTaskPushNotificationConfigs", { taskId });
      return [(await list(hub)).result.configs.length, (await list(second)).result.configs.length];
    }),
  );
  assert.deepEqual(
    listed,
    [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
    "each hub knows what the other has set",
  );
  await Promise.all(Object.keys(paths).map((path) => to.until(path, 1)));
  const [one, two] = [webhooksIn(folder, [to.url]), webhooksIn(folder, [to.url])];
  assert.equal(await one.takeCalling(), null, "a hub calls them");
  for (const id of tasks) await hub.act("lead", `/tasks/${id}/end`, { outcome: "refused", reason: "No" });
  await Promise.all(Object.keys(paths).map((path) => to.until(path, 2)));
  for (const path of Object.keys(paths)) {
    const states = to.of(path).map(({ body }) => (body.task ?? body.statusUpdate).status.state);
    assert.deepEqual(states, ["TASK_STATE_SUBMITTED", "TASK_STATE_REJECTED"], "each change once");
  }
  // Ended by one hub, gone at the other; and two that write at once lose nothing.
  const kept = { caller: "scout-1", taskId: "t", setBy: "x", token: null, scheme: null, credentials: null };
  const url = `${to.url}/none`;
  await Promise.all([
    ...["a", "b", "c"].map((id) => one.set({ ...kept, team: "none", id, url })),
    ...["d", "e", "f"].map((id) => two.set({ ...kept, team: "none", id, url })),
  ]);
  const ids = (at: typeof one) =>
    at
      .of("none", "scout-1", "t")
      .map(({ id }) => id)
      .toSorted()
      .join("");
  assert.deepEqual([ids(one), ids(two)], ["abcdef", "abcdef"]);
  assert.equal(await one.set({ ...kept, team: "none", id: "g", url }), null);
  assert.equal(await two.set({ ...kept, team: "none", id: "h", url }), null);
  assert.equal((await two.set({ ...kept, team: "none", id: "i", url }))?.code, "too-many-requests");
  await one.remove({ ...kept, team: "none", id: "a" });
  assert.equal(ids(two), "bcdefgh");
});

test("the right to call webhooks goes to another hub when its holder ends", async (t) => {
  const { folder } = await pushing(t, []);
  const [one, two] = [webhooksIn(folder, []), webhooksIn(folder, [])];
  const held = await one.takeCalling();
  assert.notEqual(held, null);
  assert.equal(await two.takeCalling(), null);
  held?.[Symbol.dispose]();
  const next = await two.takeCalling();
  assert.notEqual(next, null);
  next?.[Symbol.dispose]();
});
