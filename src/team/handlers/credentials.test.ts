import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "../../base/canonical.ts";
import type { Accepted, Reply } from "../../perform/operations/reply.ts";
import { manualClock } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";
import { findShare, identifyToken } from "./credentials.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
] as const;

/** The reply, which was accepted. */
async function accepted<More>(reply: Promise<Reply<More>>): Promise<Accepted<More>> {
  const came = await reply;
  assert.ok(came.outcome === "accepted", JSON.stringify(came));
  return came;
}

test("a token proves its agent until it is revoked", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  const issued = await accepted(owner.issueToken({ agent: "dev-1" }));
  assert.ok(issued.token !== null && issued.tokenId !== null);
  assert.match(issued.token, new RegExp(`^baton_[A-Za-z0-9_-]{43}\\.${team.context.team}$`));
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
  const { token } = await accepted(team.as("owner").issueToken({ agent: "dev-1" }));
  const page = await team.context.journal.read(team.context.team);
  assert.ok(page.ok && token !== null);
  const stored = JSON.stringify(page.value.entries);
  assert.ok(!stored.includes(token));
  assert.ok(stored.includes("token-issued"));
});

test("only the owner handles tokens, and every refusal is recorded", async () => {
  await using team = await testTeam({ agents });
  const reply = await team.as("lead-1").issueToken({ agent: "lead-1" });
  assert.ok(reply.outcome === "refused" && reply.receipt !== null);
  assert.equal(reply.problems[0]?.code, "sender-not-authorised");
  const listed = await team.as("lead-1").tokens();
  assert.equal(listed.ok ? "ok" : listed.error.code, "sender-not-authorised");
});

test("a repeated id names the first token without showing it again, and makes no second one", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  const first = await accepted(owner.issueToken({ agent: "dev-1" }, { id: "t1" }));
  const again = await accepted(owner.issueToken({ agent: "dev-1" }, { id: "t1" }));
  assert.equal(again.tokenId, first.tokenId);
  assert.equal(again.token, null);
  const other = await owner.issueToken({ agent: "lead-1" }, { id: "t1" });
  assert.equal(other.outcome === "refused" ? other.problems[0]?.code : "", "id-conflict");
  const listed = await owner.tokens();
  assert.ok(listed.ok);
  assert.equal(listed.value.length, 1);
});

test("a token of an earlier session proves nobody, and a retired agent gets none", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  const { token } = await accepted(owner.issueToken({ agent: "dev-1" }));
  assert.ok(token !== null);
  await owner.retire({ agent: "dev-1" });
  const retired = await identifyToken(team.context, token);
  assert.equal(retired.ok ? "ok" : retired.error.code, "retired-agent", "it proves nobody, and says why");
  assert.equal((await owner.issueToken({ agent: "dev-1" })).outcome, "refused");
  await owner.register({ agent: "dev-1", role: "dev" });
  const old = await identifyToken(team.context, token);
  assert.equal(old.ok ? "ok" : old.error.code, "token-revoked");
});

test("a token for nobody is refused with the name that may have been meant", async () => {
  await using team = await testTeam({ agents });
  const reply = await team.as("owner").issueToken({ agent: "dev-2" });
  assert.ok(reply.outcome === "refused");
  assert.equal(reply.problems[0]?.code, "unknown-agent");
  assert.match(reply.problems[0]?.hint ?? "", /dev-1/);
});

test("a link to read ends by the journal's time, at a hub whose wall clock is another", async () => {
  const clock = manualClock();
  let aheadMs = 0;
  const wall = { ...clock, now: () => clock.now() + aheadMs, steady: () => clock.now() };
  await using team = await testTeam({ agents, clock: wall });
  const owner = team.as("owner");
  const { secret } = await accepted(owner.createShare({ hours: 1 }));
  const look = async () => {
    const [found, listed] = [await findShare(team.context, sha256(secret ?? "")), await owner.shares()];
    assert.ok(found.ok && listed.ok);
    return [found.value !== null, listed.value[0]?.status, Date.parse(listed.value[0]?.expiresAt ?? "") - wall.now()];
  };
  aheadMs = 7_200_000;
  assert.deepEqual(await look(), [true, "open", 3_600_000]);
  aheadMs = -7_200_000;
  clock.advance(3_600_000);
  assert.deepEqual(await look(), [false, "expired", 0]);
});

test("a link to read is good for its hours, once for each id, and never for more than thirty days", async () => {
  const clock = manualClock();
  await using team = await testTeam({ agents, clock });
  const owner = team.as("owner");
  const made = await accepted(owner.createShare({ hours: 2, note: " the review " }, { id: "share-1" }));
  assert.ok(made.secret !== null && made.shareId !== null);
  const again = await accepted(owner.createShare({ hours: 2, note: " the review " }, { id: "share-1" }));
  assert.deepEqual([again.secret, again.shareId, again.expiresAt], [null, made.shareId, made.expiresAt]);
  const isGood = async (secret: string) => {
    const found = await findShare(team.context, sha256(secret));
    return found.ok && found.value !== null;
  };
  const states = async () => {
    const listed = await owner.shares();
    assert.ok(listed.ok);
    return listed.value.map(({ status, note }) => [status, note]);
  };
  assert.ok(await isGood(made.secret));
  assert.ok(!(await isGood(`${made.secret}x`)));
  assert.deepEqual(await states(), [["open", "the review"]]);
  clock.advance(2 * 3_600_000 - 1);
  assert.ok(await isGood(made.secret));
  clock.advance(1);
  assert.ok(!(await isGood(made.secret)));
  assert.deepEqual(await states(), [["expired", "the review"]]);
  const long = await accepted(owner.createShare({ hours: 1_000_000 }));
  assert.equal(Date.parse(long.expiresAt ?? "") - clock.now(), 30 * 86_400_000);
  assert.equal((await team.as("lead-1").createShare({})).outcome, "refused");
  assert.equal((await team.as("lead-1").revokeToken({ token: long.shareId ?? "" })).outcome, "refused");
  assert.equal((await owner.revokeToken({ token: "nothing" })).outcome, "refused");
  assert.equal((await owner.revokeToken({ token: long.shareId ?? "" })).outcome, "accepted");
  assert.ok(!(await isGood(long.secret ?? "")));
  for (let open = 0; open < 64; open += 1) await owner.createShare({});
  const many = await owner.createShare({});
  assert.ok(many.outcome === "refused" && many.problems[0]?.code === "too-many-requests");
});
