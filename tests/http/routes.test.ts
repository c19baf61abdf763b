/** Every route of a real hub: what it answers, that it says what its document says, and who may ask. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { problemCodes } from "../../src/base/problem.ts";
import { openApiDocument } from "../../src/doors/http/index.ts";
import { problemStatus } from "../../src/doors/http/server/answers.ts";
import { typedMessage } from "../../src/testing/index.ts";
import { fits } from "./fits.ts";
import { ask, shown, type TestHub, testHub } from "./hub.ts";

const team = "/api/teams/web";

async function contract(hub: TestHub, lead: string, id = "contract-1") {
  return fits(
    "sendMessage",
    await ask(hub.url, `${team}/messages`, { as: lead, body: { message: typedMessage("plan_contract", {}, { id }) } }),
  );
}

test("every problem code has a status, and no other has", () => {
  assert.deepEqual(Object.keys(problemStatus).toSorted(), Object.keys(problemCodes).toSorted());
  for (const [code, status] of Object.entries(problemStatus)) assert.ok(status >= 400 && status < 600, code);
});

test("anybody on this machine may ask how the hub is", async (t) => {
  const hub = await testHub(t);
  const { status, version } = fits("health", await ask(hub.url, "/healthz")).body;
  assert.deepEqual({ status, version }, { status: "ok", version: "0.0.0-test" });
  const ready = fits("readiness", await ask(hub.url, "/readyz"));
  assert.equal(ready.status, 200);
  assert.equal(ready.body.status, "ready");
  const metrics = await ask(hub.url, "/metrics");
  assert.doesNotMatch(metrics.body, /web/, "nobody learns a name without a credential");
  const [, entries] = /^baton_journal_entries (\d+)$/m.exec(metrics.body) ?? [];
  assert.ok(Number(entries) > 0);
  assert.match(metrics.body, /^baton_http_requests_total\{route="\/readyz",method="get",status="200"\} 1$/m);
  assert.match(metrics.body, /^baton_ready 1$/m);
  for (const as of [hub.session, await hub.token("qa-1")]) {
    const named = await ask(hub.url, "/metrics", { as });
    assert.match(named.body, /^baton_journal_head\{team="web"\} \d+$/m);
  }
  assert.deepEqual((await ask(hub.url, "/openapi.json")).body, openApiDocument("0.0.0-test"));
});

test("a message is sent, repeated, refused, listed, shown, delivered, seen and acknowledged", async (t) => {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  const sent = await contract(hub, lead);
  assert.equal(sent.status, 201);
  assert.deepEqual(sent.body.receivers, ["dev-1", "qa-1"]);
  const again = await contract(hub, lead);
  assert.equal(again.status, 200);
  assert.deepEqual(again.body.receipt, { ...sent.body.receipt, duplicate: true });

  const other = typedMessage("plan_contract", { objective: "Another" }, { id: "contract-1" });
  const conflict = fits("sendMessage", await ask(hub.url, `${team}/messages`, { as: lead, body: { message: other } }));
  assert.deepEqual([conflict.status, conflict.body.code], [409, "id-conflict"]);
  assert.equal(typeof conflict.body.receipt.seq, "number");
  assert.equal(conflict.headers.get("content-type"), "application/problem+json; charset=utf-8");

  const invalid = typedMessage("execution_update", { status: "nearly" });
  const refused = fits("sendMessage", await ask(hub.url, `${team}/messages`, { as: dev, body: invalid }));
  assert.equal(refused.status, 422);
  assert.match(JSON.stringify(refused.body.problems), /hint/);
  const forbidden = fits(
    "sendMessage",
    await ask(hub.url, `${team}/messages`, {
      as: dev,
      body: typedMessage("plan_contract", {}, { id: "c-9", author_role: "lead" }),
    }),
  );
  assert.equal(forbidden.status, 403);

  const inbox = fits("readInbox", await ask(hub.url, `${team}/agents/dev-1/inbox`, { as: dev }));
  assert.equal(inbox.body.deliveries[0].message.payload.plan_id, "1-1");
  const { seq } = sent.body.receipt;
  assert.deepEqual(fits("markSeen", await ask(hub.url, `${team}/agents/dev-1/seen`, { as: dev, body: { seq } })).body, {
    seq,
  });
  assert.equal(
    fits("acknowledge", await ask(hub.url, `${team}/agents/dev-1/ack`, { as: dev, body: { seq } })).status,
    201,
  );
  assert.equal(
    fits("acknowledge", await ask(hub.url, `${team}/agents/dev-1/ack`, { as: dev, body: { seq } })).status,
    200,
  );
  const beyond = fits("acknowledge", await ask(hub.url, `${team}/agents/dev-1/ack`, { as: dev, body: { seq: 9_999 } }));
  assert.deepEqual([beyond.status, beyond.body.code], [404, "not-found"]);
  const shown = fits("showEntry", await ask(hub.url, `${team}/messages/contract-1`, { as: dev }));
  assert.deepEqual(shown.body.delivery, [
    { agent: "dev-1", state: "acknowledged" },
    { agent: "qa-1", state: "waiting" },
  ]);
  assert.equal(fits("showEntry", await ask(hub.url, `${team}/messages/nothing`, { as: dev })).status, 404);

  const page = fits("listEntries", await ask(hub.url, `${team}/messages?limit=2`, { as: dev }));
  assert.deepEqual([page.body.entries.length, page.body.next], [2, page.body.entries[1].seq]);
  const newest = fits("listEntries", await ask(hub.url, `${team}/messages?limit=1&order=desc`, { as: dev }));
  assert.equal(newest.body.entries[0].seq, newest.body.head);
  const only = fits(
    "listEntries",
    await ask(hub.url, `${team}/messages?kind=refusal&kind=ack&sender=dev-1`, { as: dev }),
  );
  assert.deepEqual(
    only.body.entries.map((entry: { kind: string }) => entry.kind),
    ["refusal", "refusal", "ack", "refusal"],
  );
  const said = fits("listEntries", await ask(hub.url, `${team}/messages?sender=lead-1`, { as: dev }));
  const all = fits("listEntries", await ask(hub.url, `${team}/messages`, { as: dev }));
  const ofLead = all.body.entries.filter((entry: { sender: string }) => entry.sender === "lead-1");
  assert.ok(ofLead.length > 0 && ofLead.length < all.body.entries.length);
  assert.deepEqual(said.body.entries, ofLead, "one sender's entries, and no other's");
  const nobody = fits("listEntries", await ask(hub.url, `${team}/messages?sender=nobody-1`, { as: dev }));
  assert.deepEqual([nobody.body.entries, nobody.body.next], [[], null]);
  assert.equal(fits("listEntries", await ask(hub.url, `${team}/messages?since=yesterday`, { as: dev })).status, 422);
});

test("a body that is the message itself is kept verbatim", async (t) => {
  const hub = await testHub(t);
  const lead = await hub.token("lead-1");
  const text = `{ "id":"m-1", ${JSON.stringify(typedMessage("plan_contract", {}, { id: "m-1" }))
    .slice(1)
    .replace('"id":"m-1",', "")}`;
  const headers = { "idempotency-key": "key-1" };
  const sent = await ask(hub.url, `${team}/messages?to=dev-1&to=role:qa`, { as: lead, body: text, headers });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  assert.deepEqual(sent.body.receivers.toSorted(), ["dev-1", "qa-1"]);
  assert.equal(sent.body.receipt.id, "key-1");
  assert.equal((await ask(hub.url, `${team}/messages/key-1`, { as: lead })).body.message.text, text);
  const prose = await ask(hub.url, `${team}/messages`, { as: lead, body: { message: "Good morning", to: ["dev-1"] } });
  assert.equal(prose.status, 201);
  const both = await ask(hub.url, `${team}/messages`, {
    as: lead,
    headers,
    body: { message: "Hello", to: ["dev-1"], id: "key-2" },
  });
  assert.deepEqual([both.status, both.body.code], [422, "invalid-id"]);
});

test("a misspelt field of an envelope is named, and nothing is sent", async (t) => {
  const hub = await testHub(t);
  const lead = await hub.token("lead-1");
  const body = { message: "words", too: ["dev-1"] };
  const sent = await ask(hub.url, "/api/teams/web/messages", { as: lead, body });
  assert.equal(sent.status, 422);
  assert.equal(sent.body.code, "unknown-field");
  assert.match(JSON.stringify(sent.body.problems), /too/);
});

test("the record is the owner's: sizes, verification, export, a copy, an accepted loss", async (t) => {
  const hub = await testHub(t);
  const dev = await hub.token("dev-1");
  for (const [method, path] of [
    ["GET", "stats"],
    ["POST", "verify"],
    ["GET", "export"],
    ["GET", "backup"],
  ] as const) {
    const denied = await ask(hub.url, `/api/journal/${path}`, {
      as: dev,
      method,
      ...(method === "POST" ? { body: {} } : {}),
    });
    assert.deepEqual([denied.status, denied.body.code], [403, "human-required"], path);
  }
  const as = hub.session;
  const stats = fits("journalStats", await ask(hub.url, "/api/journal/stats", { as }));
  assert.equal(stats.body.condition, "ready");
  const head = stats.body.teams[0].head.seq;
  assert.equal(fits("verifyJournal", await ask(hub.url, "/api/journal/verify", { as, body: {} })).body.ok, true);
  const exported = await ask(hub.url, "/api/journal/export?team=web", { as });
  assert.equal(exported.body.trim().split("\n").length, head);
  const copy = await fetch(`${hub.url}/api/journal/backup`, { headers: shown(as) });
  assert.equal(
    Buffer.from(await copy.arrayBuffer())
      .subarray(0, 15)
      .toString(),
    "SQLite format 3",
  );
  const nothing = fits(
    "acceptLoss",
    await ask(hub.url, "/api/journal/accept-loss", { as, body: { team: "web", reason: "none" } }),
  );
  assert.ok(nothing.status >= 400);
  assert.equal((await ask(hub.url, "/api/journal/export?team=nobody", { as })).body.code, "unknown-team");
});

test("a route, a method, a parameter that does not exist is said so", async (t) => {
  const hub = await testHub(t);
  const dev = await hub.token("dev-1");
  assert.equal((await ask(hub.url, "/api/nothing")).status, 404);
  const method = await ask(hub.url, `${team}/status`, { as: dev, body: {} });
  assert.deepEqual([method.status, method.headers.get("allow")], [405, "GET"]);
  assert.match(method.body.problems[0].hint, /^Ask with GET;/);
  const since = await ask(hub.url, `${team}/messages?since=yesterday`, { as: dev });
  assert.match(since.body.problems[0].hint, /2026-02-12T10:00:00Z/);
  const unknown = await ask(hub.url, `${team}/messages?limmit=3`, { as: dev });
  assert.deepEqual([unknown.status, unknown.body.code], [422, "unknown-field"]);
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const inherited = await ask(hub.url, `${team}/messages?${name}=1`, { as: dev });
    assert.deepEqual([inherited.status, inherited.body.code], [422, "unknown-field"], name);
  }
  assert.equal((await ask(hub.url, `${team}/messages?limit=0`, { as: dev })).status, 422);
  assert.equal((await ask(hub.url, `${team}/messages?limit=ten`, { as: dev })).body.code, "wrong-type");
  assert.equal((await ask(hub.url, "/api/teams/other/status", { as: hub.session })).body.code, "unknown-team");
});
