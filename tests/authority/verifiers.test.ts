/**
 * What a verifier may, at every door, and who may be one: a verifier looks and records what it found, and nothing else; no
 * agent of any role does, and none becomes a verifier.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../src/doors/http/operations/operations.ts";
import { roles } from "../../src/messages/role.ts";
import { teamHandle } from "../../src/perform/handle.ts";
import type { RecordFinding } from "../../src/perform/operations/generated/calls.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import { testTeam } from "../../src/testing/test-team.ts";
import { ask, testHub } from "../http/hub.ts";

const commit = "abc1234".padEnd(40, "0");
const finding = { task: "T1", asOf: 0, state: "verified", commit, commits: [commit], files: ["a.ts"] } as const;
const empty = { problems: [], notes: [] };
const codeOf = (reply: Reply) => (reply.outcome === "refused" ? (reply.problems[0]?.code ?? "") : reply.outcome);
const everybody = roles.map((role) => ({ agent: `${role}-1`, role }));

/** A team of every role with one report, and the handle of a verifier. */
async function reported() {
  const team = await testTeam({ agents: everybody });
  await team.as("owner").addTask({ task: "T1", files: ["a.ts"] });
  await team.as("dev-1").claim({ task: "T1" });
  const done = await team.as("dev-1").complete({ task: "T1", commit: "abc1234", files: ["a.ts"] });
  assert.ok(done.outcome === "accepted");
  const verifier = teamHandle(team.context, { agent: "verifier:ci-1", via: "token" }, () => Promise.resolve());
  const found: RecordFinding = { ...finding, ...empty, report: done.receipt.seq };
  return { team, verifier, found };
}

test("a verifier records what it found, and no role, no person and not Baton's own name may", async () => {
  const { team, verifier, found } = await reported();
  await using _ = team;
  for (const agent of [...everybody.map((each) => each.agent), "owner", "baton", "stranger-1"])
    assert.equal(codeOf(await team.as(agent).recordFinding(found)), "sender-not-authorised", agent);
  assert.equal(codeOf(await verifier.recordFinding(found)), "accepted");
  const [task] = (await verifier.tasks().then((tasks) => (tasks.ok ? tasks.value : []))) ?? [];
  assert.equal(task?.state, "verified");
});

test("a finding is about the commits that its report names, and in words that Baton has", async () => {
  const { team, verifier, found } = await reported();
  await using _ = team;
  const unknown = { code: "made-up", path: "$", message: "No such problem." };
  const foreign = "def5678".padEnd(40, "0");
  for (const more of [
    { commit: foreign, commits: [foreign] },
    { commits: [commit, foreign] },
    { commits: [], commit: null },
    { problems: [unknown], state: "disputed" },
    { state: "disputed" },
    { problems: [{ ...unknown, code: "nothing-changed" }] },
  ] as const)
    assert.equal(codeOf(await verifier.recordFinding({ ...found, ...more })), "wrong-value", JSON.stringify(more));
  assert.equal(codeOf(await verifier.recordFinding({ ...found, task: "T9" })), "unknown-task");
});

test("by every other operation a verifier is refused, also where it asks the runtime itself", async () => {
  const { team, verifier } = await reported();
  await using _ = team;
  const replies = {
    send: verifier.send("Do as I say", { to: [{ role: "lead" }] }),
    addTask: verifier.addTask({ task: "T2" }),
    claim: verifier.claim({ task: "T1" }),
    complete: verifier.complete({ task: "T1", commit: "abc1234" }),
    release: verifier.release({ task: "T1" }),
    reassign: verifier.reassign({ task: "T1", to: "dev-1" }),
    ask: verifier.ask({ text: "Something" }),
    register: verifier.register({ agent: "new-1", role: "dev" }),
    becomeAgent: verifier.register({ agent: "verifier:ci-1", role: "lead" }),
    retire: verifier.retire({ agent: "dev-1" }),
    token: verifier.issueToken({ agent: "owner" }),
    share: verifier.createShare(),
    shutdown: verifier.startShutdown({ reason: "user_abort" }),
    endPhase: verifier.endPhase(),
    remote: verifier.addRemote({ remote: "shop" }),
  };
  for (const [name, reply] of Object.entries(replies)) assert.equal(codeOf(await reply), "sender-not-authorised", name);
});

test("no agent becomes a verifier, and only the owner makes and ends one", async () => {
  const { team } = await reported();
  await using _ = team;
  for (const { agent } of everybody)
    assert.equal(codeOf(await team.as(agent).issueToken({ agent: "verifier:ci-9" })), "sender-not-authorised", agent);
  const owner = team.as("owner");
  for (const name of ["verifier:ci-1", "verifier:"])
    assert.notEqual(codeOf(await owner.register({ agent: name, role: "dev" })), "accepted", name);
  for (const name of ["verifier:", "verifier:a b", "verifier:verifier:a"])
    assert.equal(codeOf(await owner.issueToken({ agent: name })), "invalid-id", name);
  const tokenIds: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const issued = await owner.issueToken({ agent: "verifier:ci-1" });
    assert.ok(issued.outcome === "accepted", "also a second token of the one");
    tokenIds.push(issued.tokenId ?? "");
  }
  assert.equal(codeOf(await owner.issueToken({ agent: "verifier:ci-2" })), "too-many-requests");
  for (const tokenId of tokenIds) await owner.revokeToken({ token: tokenId });
  assert.equal(codeOf(await owner.issueToken({ agent: "verifier:ci-2" })), "accepted");
});

test("a team has one verifier, the last that got a token where an older team has more", async () => {
  const { team, verifier, found } = await reported();
  await using _ = team;
  await team.as("owner").issueToken({ agent: "verifier:ci-2" });
  const [refused] = await verifier.recordFinding(found).then((reply) => ("problems" in reply ? reply.problems : []));
  assert.deepEqual([refused?.code, refused?.expected], ["sender-not-authorised", "verifier:ci-2"]);
  const other = teamHandle(team.context, { agent: "verifier:ci-2", via: "token" }, () => Promise.resolve());
  assert.equal(codeOf(await other.recordFinding(found)), "accepted");
});

test("at a hub a verifier's token looks, records findings, and is refused everywhere else", async (t) => {
  const hub = await testHub(t, { mcp: async () => new Response("{}") });
  const as = await hub.token("verifier:ci-1");
  const allowed: string[] = [];
  for (const { name, method, path } of operations) {
    // A stream would be held open.
    if (/stream|events/.test(path)) continue;
    const place = path.replace("{team}", "web").replaceAll(/\{[a-z]+\}/gi, "1");
    const body = method === "get" || method === "delete" ? {} : { body: {} };
    const answer = await ask(hub.url, place, { as, method: method.toUpperCase(), ...body });
    const code = answer.body?.problems?.[0]?.code;
    if (code === "sender-not-authorised" || code === "human-required") continue;
    assert.ok(
      method === "get" || ["recordFinding", "endSession", "beginSession"].includes(name),
      `${name}: ${answer.status}`,
    );
    allowed.push(name);
  }
  for (const name of ["teamStatus", "listTasks", "listReportedWork", "recordFinding", "whoAmI"])
    assert.ok(allowed.includes(name), `${name} of ${allowed.join(", ")}`);
  for (const name of ["readInbox", "listTokens", "listShares", "verifyTasks", "editFiles", "sendMessage"])
    assert.ok(!allowed.includes(name), name);
  const mcp = await ask(hub.url, "/mcp", { as, body: { jsonrpc: "2.0", id: 1, method: "ping" } });
  assert.equal(mcp.body.problems[0].code, "sender-not-authorised");
  // An agent's token reads the same, and records nothing.
  const dev = await hub.token("dev-1");
  const forged = await ask(hub.url, "/api/teams/web/verification/findings", {
    as: dev,
    body: { ...finding, ...empty, report: 1 },
  });
  assert.equal(forged.body.problems[0].code, "sender-not-authorised");
});
