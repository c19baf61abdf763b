/** The users that `baton nats permissions` writes, on a server that has them: hubs work, and an agent can only ask. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@nats-io/transport-node";
import { readNatsAddress } from "../../../packages/engines/nats/address.ts";
import { connectTo, type Link } from "../../../packages/engines/nats/connection.ts";
import { openNatsJournal } from "../../../packages/engines/nats/open.ts";
import { askSubject } from "../../../packages/engines/nats/permissions.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { attempt, must, mustRecord, tally } from "../../../src/testing/journal-subject.ts";
import { called } from "../../e2e/called.ts";
import { contract } from "../../e2e/command.ts";
import { ask } from "../../http/hub.ts";
import { startUp, teamFolder } from "../../http/process.ts";
import { alpha, heldIds } from "../held.ts";
import { newFolder, skip, startServer } from "./server.ts";

const password = "only-for-tests";
const teamText = `version: 1
team: web
dialects: [vbw/2]
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
  qa-1: { role: qa }
`;

test("users of several journals on the same servers are written into one file, each journal once", {
  skip,
}, async (t) => {
  const place = teamFolder(t, teamText);
  const [shop, web] = ["nats://127.0.0.1/shop", "nats://127.0.0.1/web"];
  const printed = await called(place, ["nats", "permissions", shop, web]);
  assert.equal(printed.code, 0, printed.said);
  const accounts = printed.stdout.replaceAll(/\$[A-Z0-9_]+_PASSWORD/g, `"${password}"`);
  const server = await startServer(newFolder(), undefined, { accounts });
  t.after(() => server.stop());
  for (const name of ["shop", "web"]) {
    const url = (user: string) =>
      `nats://${user}:${password}@127.0.0.1:${server.port}/${name}?monitor=${server.monitor}`;
    await must(await openNatsJournal(url(`baton-${name}-operator`), tally)).close();
    const hub = must(await openNatsJournal(url(`baton-${name}-hub`), tally));
    t.after(() => hub.close());
    mustRecord(await hub.commit(alpha, attempt({ id: "m-1" })));
  }
  assert.match((await called(place, ["nats", "permissions", shop, web, shop])).said, /wrong-usage/);
});

/** A connection with these credentials, whose answers come to its own inbox prefix, as an agent's must. */
async function connectAs(port: number, user: string): Promise<Link> {
  return must(
    await connectTo(
      must(readNatsAddress(`nats://${user}:${password}@127.0.0.1:${port}/shop`)),
      systemClock.monotonic() + 5_000,
    ),
  );
}

test("hubs write, an operator makes the streams, a reader reads, and an agent that speaks NATS itself can only ask", {
  skip,
}, async (t) => {
  const printed = await called(teamFolder(t, teamText), ["nats", "permissions", "nats://127.0.0.1/shop", "--agents"]);
  assert.equal(printed.code, 0, printed.said);
  const accounts = printed.stdout.replaceAll(/\$[A-Z0-9_]+_PASSWORD/g, `"${password}"`);
  assert.match(accounts, /baton\.shop\.ask\.web\.lead-1\.plan_contract/);
  // The role matrix: a dev sends no contract.
  assert.doesNotMatch(accounts, /ask\.web\.dev-1\.plan_contract/);
  const server = await startServer(newFolder(), undefined, { accounts });
  t.after(() => server.stop());
  const url = (user: string) => `nats://${user}:${password}@127.0.0.1:${server.port}/shop?monitor=${server.monitor}`;
  // The streams are not there yet, and a hub may not make them: who may is named.
  const early = await openNatsJournal(url("baton-shop-hub"), tally, { waitMs: 500 });
  assert.equal(!early.ok && early.error.code, "journal-read-only");
  assert.match((!early.ok && early.error.hint) || "", /^Run the same once as baton-shop-operator, /);
  const operator = must(await openNatsJournal(url("baton-shop-operator"), tally));
  await operator.close();
  const hub = must(await openNatsJournal(url("baton-shop-hub"), tally));
  t.after(() => hub.close());
  const first = mustRecord(await hub.commit(alpha, attempt({ id: "m-1" })));
  must(await hub.mark(alpha, "lead-1", { offered: 1, seen: 1 }));
  must(await hub.heartbeat(alpha, "dev-1", () => 1));
  const reader = must(await openNatsJournal(url("baton-shop-reader"), tally, { create: false, readOnly: true }));
  t.after(() => reader.close());
  assert.equal(must(await reader.read(alpha)).entries.length, 1);
  const writes = must(await openNatsJournal(url("baton-shop-reader"), tally, { create: false, waitMs: 500 }));
  const refused = await writes.commit(alpha, attempt());
  assert.ok(!refused.ok && refused.error.code === "journal-read-only", JSON.stringify(refused));
  await writes.close();

  const hostile = await connectAs(server.port, "baton-shop-web-dev-1");
  t.after(() => hostile.close());
  const names = { log: "BATON_shop_log", side: "BATON_shop_side" };
  const attacks: Readonly<Record<string, () => ReturnType<Link["ask"]>>> = {
    "write an entry": () => hostile.ask("baton.shop.e.alpha", "{}"),
    "halt the stream": () => hostile.ask("baton.shop.e.alpha", "{}", { headers: { "Nats-Expected-Last-Msg-Id": "x" } }),
    "write a mark": () => hostile.ask("baton.shop.s.mark.alpha.x", "{}"),
    "take a turn": () => hostile.ask("baton.shop.turn.alpha", "{}"),
    "delete the log": () => hostile.ask(`$JS.API.STREAM.DELETE.${names.log}`, ""),
    "purge the side": () => hostile.ask(`$JS.API.STREAM.PURGE.${names.side}`, ""),
    "change the log": () => hostile.ask(`$JS.API.STREAM.UPDATE.${names.log}`, JSON.stringify({ name: names.log })),
    "delete a message": () => hostile.ask(`$JS.API.STREAM.MSG.DELETE.${names.log}`, JSON.stringify({ seq: 1 })),
    "read an entry": () => hostile.ask(`$JS.API.STREAM.MSG.GET.${names.log}`, JSON.stringify({ seq: 1 })),
    "make a stream over all": () =>
      hostile.ask("$JS.API.STREAM.CREATE.SPY", JSON.stringify({ name: "SPY", subjects: ["baton.shop.ask.>"] })),
    "make a consumer": () =>
      hostile.ask(
        `$JS.API.CONSUMER.CREATE.${names.log}.spy`,
        JSON.stringify({ stream_name: names.log, config: { name: "spy" } }),
      ),
    "ask as another": () => hostile.ask("baton.shop.ask.web.lead-1.plan_contract", "{}"),
    "ask another team": () => hostile.ask("baton.shop.ask.alpha.dev-1.execution_update", "{}"),
    "ask a type of another role": () => hostile.ask("baton.shop.ask.web.dev-1.plan_contract", "{}"),
  };
  for (const [what, attack] of Object.entries(attacks)) {
    const done = await attack();
    assert.ok(!done.ok, `it could ${what}`);
  }
  // What others are told is not heard, neither answers to a hub nor entries.
  const seen: string[] = [];
  for (const subject of ["_INBOX.>", "baton.shop.>", "$JS.>", ">"])
    hostile.listen(subject, (message) => seen.push(message.subject));
  mustRecord(await hub.commit(alpha, attempt({ id: "m-2" })));
  await systemClock.wait(300);
  assert.deepEqual(seen, []);
  assert.deepEqual(must(await reader.read(alpha, { limit: 1 })).entries, [first]);
  assert.equal((await heldIds(hub)).length, 2);
  // A hub hears the lead ask, and records the contract as the lead's; the same ask again changes nothing.
  const second = await startServer(newFolder(), undefined, { accounts });
  t.after(() => second.stop());
  const at = (user: string) =>
    url(user).replace(`:${server.port}/`, `:${second.port}/`).replace(server.monitor, second.monitor);
  await must(await openNatsJournal(at("baton-shop-operator"), tally)).close();
  const running = await startUp(t, teamFolder(t, teamText), ["--port", "0", "--journal", at("baton-shop-hub")]);
  const name = "baton-shop-web-lead-1";
  const lead = await connect({
    servers: `127.0.0.1:${second.port}`,
    user: name,
    pass: password,
    inboxPrefix: `_INBOX_${name}`,
  });
  t.after(() => lead.close());
  const subject = askSubject({ name: "shop" }, { team: "web", agent: "lead-1", type: "plan_contract" });
  const asked = async (text: string) => JSON.parse((await lead.request(subject, text, { timeout: 10_000 })).string());
  const recorded = await asked(contract());
  assert.deepEqual([recorded.outcome, recorded.receipt.duplicate], ["accepted", false], JSON.stringify(recorded));
  assert.equal((await asked(contract())).receipt.duplicate, true);
  const inbox = await ask(running.url, "/api/teams/web/agents/dev-1/inbox", { as: await running.token("dev-1") });
  assert.match(JSON.stringify(inbox.body), /plan_contract/);
  // Who asks names where the answer goes, and the hub may write what an agent may not: it answers in the inbox only.
  const elsewhere = [
    "baton.shop.e.web",
    "baton.shop.s.mark.web.x",
    "baton.shop.turn.web",
    "_INBOX.of-a-hub",
    "$JS.API.INFO",
  ];
  for (const reply of elsewhere) {
    lead.publish(subject, contract(), { reply });
    assert.equal((await asked(contract())).receipt.duplicate, true);
  }
  const later = { ...JSON.parse(contract()), id: "contract-2" };
  assert.equal((await asked(JSON.stringify(later))).outcome, "accepted", "the log goes on");
  const log = await called(teamFolder(t, teamText), ["journal", "verify", "--journal", at("baton-shop-reader")]);
  assert.equal(log.code, 0, log.said);
  // What is no such message is refused, and so is one that names another author.
  assert.equal((await asked('{"type": "execution_update"}')).problems[0].code, "sender-not-authorised");
  assert.equal((await asked("not JSON")).outcome, "refused");
  const forged = JSON.stringify({ ...JSON.parse(contract()), id: "forged-1", author_role: "qa" });
  assert.equal((await asked(forged)).outcome, "refused");
  // The broker lets a hub answer nowhere else either.
  const asHub = await connectAs(second.port, "baton-shop-hub");
  t.after(() => asHub.close());
  for (const reply of ["_INBOX_other.x", "$JS.API.STREAM.PURGE.BATON_shop_log"])
    assert.ok(!(await asHub.ask(reply, "{}")).ok, reply);
  // The control: each of these attacks reaches its end with the rights of the tests' own user.
  const open = await startServer(newFolder());
  t.after(() => open.stop());
  const all = must(await connectTo(must(readNatsAddress(open.newUrl())), systemClock.monotonic() + 5_000));
  t.after(() => all.close());
  assert.ok((await all.ask("$JS.API.STREAM.CREATE.SPY", JSON.stringify({ name: "SPY", subjects: ["spy.>"] }))).ok);
  assert.ok((await all.ask("spy.e.alpha", "{}")).ok);
  assert.ok((await all.ask("$JS.API.STREAM.PURGE.SPY", "")).ok);
});

function withPasswords({ code, stdout, said }: Awaited<ReturnType<typeof called>>): string {
  assert.equal(code, 0, said);
  return stdout.replaceAll(/\$[A-Z0-9_]+_PASSWORD/g, `"${password}"`);
}

test("an agent that has left the team has no user, and what its old user still asks is refused and not recorded", {
  skip,
}, async (t) => {
  const place = teamFolder(t, teamText);
  const written = await called(place, ["nats", "permissions", "nats://127.0.0.1/shop", "--agents"]);
  const server = await startServer(newFolder(), undefined, { accounts: withPasswords(written) });
  t.after(() => server.stop());
  const url = (user: string) => `nats://${user}:${password}@127.0.0.1:${server.port}/shop?monitor=${server.monitor}`;
  await must(await openNatsJournal(url("baton-shop-operator"), tally)).close();
  const hub = await startUp(t, place, ["--port", "0", "--journal", url("baton-shop-hub")]);
  const name = "baton-shop-web-lead-1";
  const lead = await connect({
    servers: `127.0.0.1:${server.port}`,
    user: name,
    pass: password,
    inboxPrefix: `_INBOX_${name}`,
    reconnect: false,
  });
  t.after(() => lead.close());
  const subject = askSubject({ name: "shop" }, { team: "web", agent: "lead-1", type: "plan_contract" });
  const asked = async (id: string) => {
    const text = JSON.stringify({ ...JSON.parse(contract()), id });
    return JSON.parse((await lead.request(subject, text, { timeout: 10_000 })).string());
  };
  assert.equal((await asked("contract-1")).outcome, "accepted");
  const retired = await called(place, ["agent", "retire", "lead-1", "--journal", url("baton-shop-hub")]);
  assert.equal(retired.code, 0, retired.said);
  const head = async () => (await ask(hub.url, "/api/teams/web/status", { as: hub.session })).body.head.seq;
  const end = await head();
  for (const id of ["contract-2", "contract-3", "contract-3"]) {
    const reply = await asked(id);
    assert.deepEqual([reply.outcome, reply.receipt, reply.problems[0].code], ["refused", null, "retired-agent"]);
  }
  assert.equal(await head(), end);
  const journal = url("baton-shop-hub");
  const after = withPasswords(await called(place, ["nats", "permissions", journal, "--agents", "--journal", journal]));
  assert.match(after, /baton-shop-web-dev-1/);
  assert.doesNotMatch(after, /lead-1/);
  // A reload ends the connection that the old user has.
  server.reload({ accounts: after });
  await lead.closed();
});
