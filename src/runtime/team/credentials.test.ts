import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../../testing/test-team.ts";
import { identifyToken } from "./credentials.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
] as const;

test("a token proves its agent until it is revoked", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  const issued = await owner.issueToken({ agent: "dev-1" });
  assert.ok(issued.token !== null && issued.tokenId !== null, JSON.stringify(issued.reply));
  assert.match(issued.token, /^baton_[A-Za-z0-9_-]{43}$/);
  const known = await identifyToken(team.context, issued.token);
  assert.ok(known.ok);
  assert.equal(known.value.agent, "dev-1");
  assert.equal((await owner.revokeToken({ token: issued.tokenId })).outcome, "accepted");
  const revoked = await identifyToken(team.context, issued.token);
  assert.equal(revoked.ok ? "ok" : revoked.error.code, "token-revoked");
});

test("an unknown token proves nobody", async () => {
  await using team = await testTeam({ agents });
  const unknown = await identifyToken(team.context, "baton_nothing");
  assert.equal(unknown.ok ? "ok" : unknown.error.code, "unauthenticated");
});

test("the journal holds no token, only its hash", async () => {
  await using team = await testTeam({ agents });
  const { token } = await team.as("owner").issueToken({ agent: "dev-1" });
  const page = await team.context.journal.read(team.context.team);
  assert.ok(page.ok && token !== null);
  const stored = JSON.stringify(page.value.entries);
  assert.ok(!stored.includes(token));
  assert.ok(stored.includes("token-issued"));
});

test("only the owner handles tokens, and every refusal is recorded", async () => {
  await using team = await testTeam({ agents });
  const { reply, token } = await team.as("lead-1").issueToken({ agent: "lead-1" });
  assert.equal(token, null);
  assert.ok(reply.outcome === "refused" && reply.receipt !== null);
  assert.equal(reply.problems[0]?.code, "sender-not-authorised");
  const listed = await team.as("lead-1").tokens();
  assert.equal(listed.ok ? "ok" : listed.error.code, "sender-not-authorised");
});

test("a repeated id names the first token without showing it again, and makes no second one", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  const first = await owner.issueToken({ agent: "dev-1" }, { id: "t1" });
  const again = await owner.issueToken({ agent: "dev-1" }, { id: "t1" });
  assert.equal(again.tokenId, first.tokenId);
  assert.equal(again.token, null);
  const other = await owner.issueToken({ agent: "lead-1" }, { id: "t1" });
  assert.equal(other.reply.outcome === "refused" ? other.reply.problems[0]?.code : "", "id-conflict");
  const listed = await owner.tokens();
  assert.ok(listed.ok);
  assert.equal(listed.value.length, 1);
});

test("a token of an earlier session proves nobody, and a retired agent gets none", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  const { token } = await owner.issueToken({ agent: "dev-1" });
  assert.ok(token !== null);
  await owner.retire({ agent: "dev-1" });
  const retired = await identifyToken(team.context, token);
  assert.equal(retired.ok ? "ok" : retired.error.code, "retired-agent", "it proves nobody, and says why");
  assert.equal((await owner.issueToken({ agent: "dev-1" })).reply.outcome, "refused");
  await owner.register({ agent: "dev-1", role: "dev" });
  const old = await identifyToken(team.context, token);
  assert.equal(old.ok ? "ok" : old.error.code, "token-revoked");
});

test("a token for nobody is refused with the name that may have been meant", async () => {
  await using team = await testTeam({ agents });
  const { reply } = await team.as("owner").issueToken({ agent: "dev-2" });
  assert.ok(reply.outcome === "refused");
  assert.equal(reply.problems[0]?.code, "unknown-agent");
  assert.match(reply.problems[0]?.hint ?? "", /dev-1/);
});
