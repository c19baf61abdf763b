/** What a caller must say of itself and of the version, and what ends with its token. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../http/hub.ts";
import { approval, door, said } from "./door.ts";

test("VER-SERVER-002: a request that names no version means 0.3, and the query may name it", async (t) => {
  const hub = await door(t);
  const headers = { authorization: `Bearer ${hub.as.scout}` };
  const list = async (query: string, more: object = {}) =>
    (await fetch(`${hub.base}/tasks${query}`, { headers: { ...headers, ...more } })).status;
  assert.deepEqual([await list(""), await list("?A2A-Version="), await list("?A2A-Version=0.3")], [400, 400, 400]);
  assert.deepEqual([await list("?A2A-Version=1.0"), await list("", { "a2a-version": "1.0" })], [200, 200]);
});

test("AUTH-SERVER-002: a stream ends with its token, before the next change", { timeout: 60_000 }, async (t) => {
  const hub = await door(t);
  for (const binding of hub.bindings) {
    const made = await ask(hub.url, "/api/teams/web/tokens", { as: hub.session, body: { agent: "scout-1" } });
    const { token, tokenId } = made.body;
    const { task } = (await binding.call(token, "SendMessage", said("Add the tax"))).result;
    const [own, other] = [
      await binding.stream(token, "SubscribeToTask", { id: task.id }),
      await binding.stream(hub.as.scout, "SubscribeToTask", { id: task.id }),
    ];
    assert.equal((await own.next()).task.id, task.id);
    assert.equal((await other.next()).task.id, task.id);
    const revoked = await ask(hub.url, `/api/teams/web/tokens/${tokenId}/revoke`, { as: hub.session, body: {} });
    assert.equal(revoked.status, 201, JSON.stringify(revoked.body));
    assert.equal((await binding.call(token, "GetTask", { id: task.id })).status, 401);
    await hub.act("lead", `/tasks/${task.id}/discuss`, { text: "Gross or net?", question: true });
    // The control: another token of the same agent sees the change.
    assert.equal((await other.next()).statusUpdate.status.state, "TASK_STATE_INPUT_REQUIRED");
    assert.equal(await own.next(), null, "the change is not for a token that proves nobody");
    await other.close();
  }
});

test("AUTH-SCOPE-001: an approval is a task of its requester and of who is asked, and of nobody else", async (t) => {
  const hub = await door(t);
  const message = said("", { parts: [{ data: approval("scope") }], extensions: ["urn:baton:a2a:typed:1"] });
  const [binding] = hub.bindings;
  assert.equal((await binding.call(hub.as.dev, "SendMessage", message)).code, null);
  const listed = async (token: string) => (await binding.call(token, "ListTasks", {})).result.tasks;
  const [{ id }] = await listed(hub.as.dev);
  assert.deepEqual(
    (await listed(hub.as.lead)).map((each: { id: string }) => each.id),
    [id],
  );
  for (const stranger of [hub.as.scout, hub.as.guest]) {
    assert.deepEqual(await listed(stranger), []);
    for (const method of ["GetTask", "CancelTask", "SubscribeToTask"])
      assert.equal((await binding.call(stranger, method, { id })).reason, "TASK_NOT_FOUND", method);
  }
});
