/** The owner's sessions and links to read are in the journal: they hold at each of its hubs, and end at each. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { operations } from "../../src/doors/http/operations/operations.ts";
import { scopeRequest } from "../page/phase.ts";
import { ask, testHub } from "./hub.ts";
import { quietPort } from "./quiet-port.ts";

test("a session holds at every hub of the journal and after a restart, and ends at all of them", async (t) => {
  const first = await testHub(t);
  const other = await testHub(t, { folder: first.folder });
  const code = async (hub: typeof first, session: string, method = "GET") =>
    (await ask(hub.url, "/api/session", { as: session, method })).status;
  assert.deepEqual([await code(first, first.session), await code(other, first.session)], [200, 200]);
  assert.equal(await code(other, "baton_guess"), 401);

  await first.hub.stop();
  const again = await testHub(t, { folder: first.folder });
  assert.equal(await code(again, first.session), 200, "after a restart");

  // The record names the operation, and holds nothing that opens a session.
  const status = await ask(again.url, "/api/journal/export", { as: again.session });
  const record = String(status.body);
  assert.ok(record.includes("session-opened"));
  assert.ok(![first, other, again].some(({ session }) => record.includes(session)), "no id is in the record");
  assert.ok(!existsSync(`${first.journal}.sessions`));

  assert.equal(await code(other, first.session, "DELETE"), 200);
  assert.deepEqual(
    [await code(again, first.session), await code(other, first.session)],
    [401, 401],
    "ended everywhere",
  );
  assert.equal(await code(again, other.session), 200, "and no other session with it");
});

test("the owner's link to a public address opens at every hub of the journal, once", async (t) => {
  const publicAddress = async () => ({
    host: "127.0.0.1",
    port: await quietPort(),
    url: "https://baton.example.com",
    others: [],
    tls: null,
  });
  const first = await testHub(t, { publicAddress: await publicAddress() });
  const other = await testHub(t, { folder: first.folder, publicAddress: await publicAddress() });
  const exchanged = async (hub: typeof first, code: string) =>
    (await ask(hub.url, "/api/session", { body: { code }, headers: { origin: hub.url } })).status;
  const newCode = async () => new URL((await first.hub.publicOwnerUrl()) ?? "").hash.replace("#code=", "");
  const code = await newCode();
  assert.equal(await exchanged(other, code), 200);
  assert.deepEqual([await exchanged(first, code), await exchanged(other, code)], [401, 401], "once");
  const raced = await newCode();
  const answers = await Promise.all([other, first, other, first].map((hub) => exchanged(hub, raced)));
  assert.deepEqual(
    answers.toSorted((one, other) => one - other),
    [200, 401, 401, 401],
  );
  const own = new URL(first.hub.ownerUrl()).hash.replace("#code=", "");
  assert.deepEqual([await exchanged(other, own), await exchanged(first, own)], [401, 200], "this machine's own link");
  const status = await ask(other.url, "/api/journal/export", { as: other.session });
  assert.ok(!String(status.body).includes(code));
});

/** Makes a link to read. */
async function share(hub: Awaited<ReturnType<typeof testHub>>, body: object = {}) {
  const made = await ask(hub.url, "/api/teams/web/shares", { as: hub.session, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { secret, shareId } = made.body as { secret: string; shareId: string };
  return { secret, shareId, expiresAt: String(made.body.expiresAt) };
}

/** The operations that whom the owner invites may do in the owner's place. */
const decisions = ["answerApproval", "resolveEscalation", "liftStop", "decideSeveral"];

/** Tries every operation: what only looks is answered, and the others are refused, but for `allowed`. */
async function tryAll(hub: Awaited<ReturnType<typeof testHub>>, secret: string, agent: string, allowed: string[] = []) {
  const parameters: Readonly<Record<string, string>> = { team: "web", agent, view: "status", seq: "1" };
  let [looked, refused] = [0, 0];
  for (const { method, path, access, name } of operations) {
    if (access === "open" || name === "endSession" || name === "followEntries" || allowed.includes(name)) continue;
    const address = path.replaceAll(/\{(\w+)\}/g, (_, each: string) => encodeURIComponent(parameters[each] ?? "x"));
    const body = method === "post" ? { body: {} } : {};
    const { status, body: answer } = await ask(hub.url, address, { as: secret, method: method.toUpperCase(), ...body });
    if (method === "get" && access === "caller") {
      assert.ok(
        ![401, 403, 500].includes(status) || name === "readInbox",
        `${name}: ${status} ${JSON.stringify(answer)}`,
      );
      looked += 1;
    } else {
      assert.ok(status === 403 || status === 422 || status === 400, `${name}: ${status}`);
      refused += 1;
    }
  }
  assert.ok(looked > 20 && refused > 30, `${looked} looked at, ${refused} refused`);
}

test("a link to read lets everybody who has it look at one team and change nothing, by any route", async (t) => {
  const hub = await testHub(t, { mcp: async () => new Response("reached") });
  const { secret, shareId, expiresAt } = await share(hub, { hours: 2, note: "the <b>review</b>" });
  const left = Date.parse(expiresAt) - Date.now();
  assert.ok(left > 7_000_000 && left <= 7_200_000, `${left} ms`);
  const exchanged = await ask(hub.url, "/api/session", { body: { share: secret }, headers: { origin: hub.url } });
  assert.equal(exchanged.status, 200);
  assert.deepEqual(exchanged.body, { agent: `share:${shareId}`, session: secret, expiresAt });
  const session = await ask(hub.url, "/api/session", { as: secret });
  const { agent, role, team, teams, readOnlyUntil } = session.body;
  assert.deepEqual([agent, role, team, teams, readOnlyUntil], [`share:${shareId}`, null, "web", ["web"], expiresAt]);
  assert.equal((await ask(hub.url, "/api/session", { as: hub.session })).body.readOnlyUntil, null);

  // What only looks is answered; everything else is refused, whatever it is, and so is what is the owner's to see.
  const head = async () => (await ask(hub.url, "/api/teams/web/status", { as: hub.session })).body.head.seq;
  const before = await head();
  await tryAll(hub, secret, `share:${shareId}`);
  assert.equal(await head(), before, "nothing was recorded");
  const told = await ask(hub.url, "/api/teams/web/messages", { as: secret, body: { message: "I am dev-1" } });
  assert.deepEqual([told.status, told.body.code], [403, "sender-not-authorised"]);
  assert.equal(
    (await ask(hub.url, "/api/teams/web/shares", { as: secret, body: {} })).status,
    403,
    "no link makes another",
  );
  assert.equal((await ask(hub.url, "/api/teams/web/shares", { as: await hub.token("lead-1"), body: {} })).status, 403);

  // MCP is for agents.
  assert.equal((await ask(hub.url, "/mcp", { as: secret, body: {} })).status, 401);
  assert.equal((await ask(hub.url, "/mcp", { as: await hub.token("lead-1"), body: {} })).body, "reached");

  // The record names the link, and holds nothing that opens it.
  const record = String((await ask(hub.url, "/api/journal/export", { as: hub.session })).body);
  assert.ok(record.includes("share-created") && !record.includes(secret));
});

test("whom the owner invites decides what needs an answer, under their own name, and nothing else", async (t) => {
  const hub = await testHub(t);
  const path = "/api/teams/web/shares";
  for (const [person, code] of [
    ["owner", "invalid-id"],
    ["Every-body", "invalid-id"],
    ["an:na", "invalid-id"],
    ["", "invalid-id"],
    ["dev-1", "already-exists"],
    ["Dev-1", "already-exists"],
  ]) {
    const { body } = await ask(hub.url, path, { as: hub.session, body: { person } });
    assert.equal(body.code, code, person);
  }
  const [anna, bert] = [await share(hub, { person: "anna" }), await share(hub, { person: "bert" })];
  const session = await ask(hub.url, "/api/session", { as: anna.secret });
  const { agent, person, role, readOnlyUntil } = session.body;
  assert.deepEqual([agent, person, role, readOnlyUntil], ["owner:anna", "anna", null, anna.expiresAt]);
  const listed = (await ask(hub.url, path, { as: hub.session })).body.shares as { person: string | null }[];
  assert.deepEqual(
    listed.map((each) => each.person),
    ["anna", "bert"],
  );
  const dev = await hub.token("dev-1");
  const asks = async (id: string) =>
    await ask(hub.url, "/api/teams/web/messages", {
      as: dev,
      body: { message: scopeRequest(id, "May I?", { request_type: "gate_override" }), to: ["lead-1"] },
    });
  await asks("one");
  await tryAll(hub, anna.secret, "owner:anna", decisions);

  // Of several in the same moment one decides, and the others read who did.
  const deciders = { "owner:anna": anna.secret, "owner:bert": bert.secret, owner: hub.session };
  const answers = await Promise.all(
    Object.entries(deciders).map(async ([name, as]) => {
      const body = { approved: name !== "owner:anna", reason: `${name} says so` };
      return [name, await ask(hub.url, "/api/teams/web/approvals/one", { as, body })] as const;
    }),
  );
  const [winner, ...more] = answers.filter(([, { status }]) => status === 201);
  assert.ok(winner !== undefined && more.length === 0, JSON.stringify(answers.map(([, { body }]) => body)));
  for (const [name, { body }] of answers.filter(([each]) => each !== winner[0])) {
    assert.equal(body.code, "already-answered", name);
    assert.ok(JSON.stringify(body).includes(`by ${winner[0]}, at entry`), JSON.stringify(body));
  }
  await asks("two");
  const denied = await ask(hub.url, "/api/teams/web/approvals/two", {
    as: anna.secret,
    body: { approved: false, reason: "Not today" },
  });
  const inbox = await ask(hub.url, "/api/teams/web/agents/dev-1/inbox", { as: dev });
  assert.ok(JSON.stringify(inbox.body).includes('"decided_by":"owner:anna"'), JSON.stringify(inbox.body));
  const entry = await ask(hub.url, `/api/teams/web/messages/${denied.body.receipt.seq}`, { as: dev });
  assert.deepEqual(
    [entry.body.sender, entry.body.person, entry.body.entry?.principal.person],
    ["owner", "anna", "anna"],
    JSON.stringify(entry.body),
  );

  assert.equal(
    (await ask(hub.url, `/api/teams/web/tokens/${anna.shareId}/revoke`, { as: hub.session, body: {} })).status,
    201,
  );
  await asks("three");
  const late = await ask(hub.url, "/api/teams/web/approvals/three", {
    as: anna.secret,
    body: { approved: true, reason: "Still here" },
  });
  assert.equal(late.status, 401);
});

test("a link to read ends when the owner says so or its time is over, at every hub, and is good after a restart", async (t) => {
  const first = await testHub(t);
  const other = await testHub(t, { folder: first.folder });
  const [one, two] = [await share(first), await share(first)];
  const code = async (hub: typeof first, { secret }: { readonly secret: string }) =>
    (await ask(hub.url, "/api/teams/web/status", { as: secret })).status;
  assert.deepEqual([await code(first, one), await code(other, one)], [200, 200]);
  const list = async () =>
    ((await ask(first.url, "/api/teams/web/shares", { as: first.session })).body.shares as { status: string }[]).map(
      ({ status }) => status,
    );
  assert.deepEqual(await list(), ["open", "open"]);
  // One who reads by it signs out alone.
  const out = await ask(other.url, "/api/session", { as: one.secret, method: "DELETE" });
  assert.equal(out.status, 200);
  assert.equal(await code(first, one), 200);
  const path = `/api/teams/web/tokens/${one.shareId}/revoke`;
  assert.equal((await ask(other.url, path, { as: other.session, body: {} })).status, 201);
  assert.deepEqual([await code(first, one), await code(other, one), await code(first, two)], [401, 401, 200]);
  assert.deepEqual(await list(), ["revoked", "open"]);
  for (const secret of [one.secret, `${two.secret}x`, "", two.shareId]) {
    const refused = await ask(first.url, "/api/session", { body: { share: secret }, headers: { origin: first.url } });
    assert.equal(refused.status, 401, secret);
  }
  await first.hub.stop();
  const again = await testHub(t, { folder: first.folder });
  assert.deepEqual([await code(again, one), await code(again, two)], [401, 200], "after a restart");
});
