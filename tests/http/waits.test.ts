/**
 * Waiting for mail: a limited number at a time, only while the credential is valid, and nothing is held for callers
 * that left.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hubLimits } from "../../src/doors/http/index.ts";
import { mcpHandler } from "../../src/doors/mcp/index.ts";
import { clients } from "../mcp/clients.ts";
import { type Answer, ask, type TestHub, testHub } from "./hub.ts";

const inbox = "/api/teams/web/agents/dev-1/inbox";
const { waitsPerPrincipalMax, streamsPerPrincipalMax } = hubLimits;

/** Waits until no further one is allowed, which shows that all others are open. */
async function openWaits(hub: TestHub, token: string): Promise<readonly Promise<Answer>[]> {
  const waits = Array.from({ length: waitsPerPrincipalMax + 1 }, () => ask(hub.url, `${inbox}?wait=60`, { as: token }));
  const { status, body } = await Promise.race(waits);
  assert.deepEqual([status, body.code], [429, "too-many-requests"]);
  return waits;
}

async function sendWords(hub: TestHub): Promise<number> {
  const sent = await ask(hub.url, "/api/teams/web/messages", {
    as: await hub.token("lead-1"),
    body: { message: "for dev-1 only", to: ["dev-1"] },
  });
  return sent.body.receipt.seq;
}

function statesOf(hub: TestHub, seq: number): Promise<readonly string[]> {
  return ask(hub.url, `/api/teams/web/messages/${seq}`, { as: hub.session }).then(({ body }) =>
    body.delivery.map(({ state }: { state: string }) => state),
  );
}

test("one principal waits so often at a time, and mail ends every wait", async (t) => {
  const hub = await testHub(t);
  const waits = await openWaits(hub, await hub.token("dev-1"));
  const seq = await sendWords(hub);
  const statuses = (await Promise.all(waits)).map(({ status }) => status);
  const expected = Array.from({ length: waitsPerPrincipalMax + 1 }, (_, index) =>
    index < waitsPerPrincipalMax ? 200 : 429,
  );
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    expected,
  );
  assert.deepEqual(await statesOf(hub, seq), ["offered"]);
});

test("a wait that outlives its token is given no mail", async (t) => {
  const hub = await testHub(t);
  const waits = await openWaits(hub, await hub.token("dev-1"));
  const [{ tokenId }] = (await ask(hub.url, "/api/teams/web/tokens", { as: hub.session })).body.tokens;
  await ask(hub.url, `/api/teams/web/tokens/${tokenId}/revoke`, { as: hub.session, body: {} });
  const seq = await sendWords(hub);
  for (const { status, body } of await Promise.all(waits)) {
    assert.ok(status === 401 || status === 429, JSON.stringify(body));
    assert.equal(body.deliveries, undefined);
  }
  assert.deepEqual(await statesOf(hub, seq), ["waiting"]);
});

test("HEAD of a stream holds no seat", async (t) => {
  const hub = await testHub(t);
  const token = await hub.token("dev-1");
  for (let count = 0; count <= streamsPerPrincipalMax; count += 1) {
    assert.equal((await ask(hub.url, "/api/teams/web/events", { as: token, method: "HEAD" })).status, 200);
  }
  assert.match((await ask(hub.url, "/metrics")).body, /^baton_streams 0$/m);
});

test("a hub that ends says so to everybody who waits, by HTTP and by MCP, and nothing is lost", async (t) => {
  const mcp = mcpHandler({ version: "0.0.0" });
  const hub = await testHub(t, { mcp: (request, team) => mcp.fetch(request, team) });
  const token = await hub.token("dev-1");
  const seq = await sendWords(hub);
  const place = { url: `${hub.url}/mcp`, headers: { authorization: `Bearer ${token}` } };
  const agents = await Promise.all(Object.values(clients).map((connect) => connect(place)));
  // Each shows progress once it waits, which takes a seat.
  const begun = agents.map((agent) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { promise, answer: agent.call("wait", { seconds: 60, after: seq }, () => resolve()) };
  });
  await Promise.all(begun.map(({ promise }) => promise));
  const seen = `${inbox}?wait=60&after=${seq}`;
  const waits = Array.from({ length: waitsPerPrincipalMax - begun.length + 1 }, () =>
    ask(hub.url, seen, { as: token }),
  );
  assert.equal((await Promise.race(waits)).status, 429);
  await hub.hub.stop();
  const answers = (await Promise.all(waits)).filter(({ status }) => status !== 429);
  assert.equal(answers.length, waits.length - 1);
  for (const { status, body, headers } of answers) {
    assert.deepEqual([status, body.code, headers.get("retry-after")], [503, "hub-unreachable", "1"]);
    assert.match(body.problems[0].hint, /^Nothing was lost: ask again once a hub is there/);
  }
  for (const { answer } of begun) {
    const { isError, text } = await answer;
    assert.equal(isError, true, text);
    assert.match(text, /hub-unreachable.*Nothing was lost: ask again once a hub is there/s);
  }
  await mcp.close();
});
