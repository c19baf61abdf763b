/** Who is authenticated: tokens, the owner's session, and callers with neither. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newSecret } from "../../src/base/new-ids.ts";
import { teamOperations } from "../../src/perform/operations/registry.ts";
import { typedMessage } from "../../src/testing/index.ts";
import { ask, signIn, testHub } from "./hub.ts";

const status = "/api/teams/web/status";

test("a credential is needed for everything but what is open", async (t) => {
  const hub = await testHub(t);
  const document = (await ask(hub.url, "/openapi.json")).body;
  for (const [path, methods] of Object.entries<Record<string, { security: unknown[] }>>(document.paths)) {
    for (const [method, { security }] of Object.entries(methods)) {
      if (security.length === 0) continue;
      const asked = await ask(hub.url, path.replaceAll(/\{\w+\}/g, "web"), {
        method: method.toUpperCase(),
        ...(method === "post" ? { body: {} } : {}),
      });
      assert.deepEqual([asked.status, asked.body.code], [401, "unauthenticated"], `${method} ${path}`);
      assert.match(asked.headers.get("www-authenticate") ?? "", /^Bearer/);
    }
  }
});

test("a wrong, a revoked and a malformed token prove nobody", async (t) => {
  const hub = await testHub(t, { limits: { authFailuresPerMinuteMax: 1_000 } });
  const token = await hub.token("dev-1");
  assert.equal((await ask(hub.url, status, { as: token })).status, 200);
  const [{ tokenId }] = (await ask(hub.url, "/api/teams/web/tokens", { as: hub.session })).body.tokens;
  const revoked = await ask(hub.url, `/api/teams/web/tokens/${tokenId}/revoke`, { as: hub.session, body: {} });
  assert.equal(revoked.status, 201);
  const after = await ask(hub.url, status, { as: token });
  assert.deepEqual([after.status, after.body.code], [401, "token-revoked"]);
  const wrong = [newSecret(), "baton_", `${token}x`, token.slice(0, -1)];
  for (const as of wrong) assert.equal((await ask(hub.url, status, { as })).body.code, "unauthenticated");
  for (const authorization of [
    "",
    "Bearer",
    "Basic b3duZXI6",
    `Bearer ${"a".repeat(5_000)}`,
    `Token ${token}`,
    `Bearer ${token} x`,
  ]) {
    assert.equal((await ask(hub.url, status, { headers: { authorization } })).status, 401, authorization.slice(0, 40));
  }
  assert.equal((await ask(hub.url, `${status}?token=${token}`)).status, 401, "a token in a URL is no credential");
});

test("after ten wrong credentials only valid ones are accepted", async (t) => {
  const hub = await testHub(t);
  const token = await hub.token("dev-1");
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await ask(hub.url, status, { as: newSecret() })).status, 401);
  }
  const held = await ask(hub.url, status, { as: newSecret() });
  assert.deepEqual([held.status, held.body.code], [429, "too-many-requests"]);
  assert.ok(Number(held.headers.get("retry-after")) > 0);
  assert.equal((await ask(hub.url, status)).status, 429, "nor is a request without one");
  assert.equal((await ask(hub.url, "/api/session", { body: { code: newSecret() } })).status, 429);
  assert.equal((await ask(hub.url, status, { as: token })).status, 200);
  assert.equal((await ask(hub.url, status, { as: hub.session })).status, 200);
  assert.equal((await ask(hub.url, "/healthz")).status, 200);
  assert.ok(await signIn(hub.hub), "a right code still buys a session");
  assert.match((await ask(hub.url, "/metrics")).body, /^baton_auth_failures_total 10$/m);
});

test("an agent acts as itself: in its own box, its own team, under its own name", async (t) => {
  const hub = await testHub(t);
  const [dev, lead] = [await hub.token("dev-1"), await hub.token("lead-1")];
  for (const [path, body] of [
    ["inbox", undefined],
    ["seen", { seq: 1 }],
    ["ack", { seq: 1 }],
  ] as const) {
    const asked = await ask(hub.url, `/api/teams/web/agents/lead-1/${path}`, { as: dev, ...(body ? { body } : {}) });
    assert.deepEqual([asked.status, asked.body.code], [403, "identity-mismatch"], path);
  }
  assert.equal((await ask(hub.url, "/api/teams/other/status", { as: dev })).status, 403);
  const claimed = typedMessage("plan_contract", {}, { id: "m-1", author_role: "lead" });
  assert.equal((await ask(hub.url, "/api/teams/web/messages", { as: dev, body: { message: claimed } })).status, 403);
  for (const [path, code] of [
    ["/api/teams/web/tokens", "sender-not-authorised"],
    ["/api/journal/stats", "human-required"],
  ] as const)
    assert.equal((await ask(hub.url, path, { as: lead })).body.code, code, path);
  assert.deepEqual((await ask(hub.url, "/api/session", { as: dev })).body, {
    agent: "dev-1",
    role: "dev",
    person: null,
    via: "token",
    team: "web",
    readOnlyUntil: null,
    teams: ["web"],
    version: "0.0.0-test",
    operations: teamOperations.map(({ name }) => name),
    journal: { condition: "ready" },
  });
  assert.equal((await ask(hub.url, "/api/teams/web/agents/dev-1/retire", { as: lead, body: {} })).status, 201);
  const retired = await ask(hub.url, "/api/teams/web/messages", {
    as: dev,
    body: { message: "Good bye", to: ["lead-1"] },
  });
  assert.equal(retired.status, 403);
});

test("a code is good once, for a while, and a session ends", async (t) => {
  const hub = await testHub(t);
  const code = new URL(hub.hub.ownerUrl()).hash.replace("#code=", "");
  const exchange = (given: string) =>
    ask(hub.url, "/api/session", { body: { code: given }, headers: { origin: hub.url } });
  const bought = await exchange(code);
  assert.equal(bought.body.agent, "owner");
  assert.match(bought.body.session, /^baton_[\w-]{43}$/);
  assert.equal(bought.headers.get("set-cookie"), null);
  assert.deepEqual([(await exchange(code)).status, (await exchange("")).status], [401, 401]);
  const as = bought.body.session;
  assert.equal((await ask(hub.url, "/api/session", { as })).body.via, "launcher");
  assert.equal((await ask(hub.url, "/api/session", { as, method: "DELETE" })).body.ended, true);
  assert.equal((await ask(hub.url, "/api/session", { as })).status, 401);

  const brief = await testHub(t, { limits: { sessionMs: 0 } });
  assert.equal((await ask(brief.url, "/api/session", { as: brief.session })).status, 401, "an expired session");
});

test("the owner's token opens a session where no code is at hand", async (t) => {
  const hub = await testHub(t);
  const owner = await hub.token("owner");
  const opened = await ask(hub.url, "/api/session", { as: owner, body: {} });
  assert.equal(opened.status, 200);
  assert.equal((await ask(hub.url, "/api/session", { as: await hub.token("dev-1"), body: {} })).status, 401);
});

test("access is made only by who signed in lately, or shows the owner's token", async (t) => {
  const hub = await testHub(t, { limits: { freshMs: 0 } });
  const asks = [
    ["tokens", { agent: "owner" }],
    ["shares", {}],
    ["revision/confirm", { proposal: "x" }],
  ] as const;
  for (const [path, body] of asks) {
    const { status, body: said } = await ask(hub.url, `/api/teams/web/${path}`, { as: hub.session, body });
    assert.deepEqual([status, said.code], [403, "human-required"], path);
    assert.match(said.problems[0].hint, /`baton start --link`/);
  }
  assert.equal((await ask(hub.url, "/api/teams/web/agents", { as: hub.session })).status, 200, "it goes on reading");
});
