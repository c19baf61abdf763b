/** Several hubs of one journal that know the same remote: each may ask it, and what they ask and record counts once. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { teamName } from "../../src/base/ids.ts";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import { watchRemotes } from "../../src/main/remote-delivery.ts";
import { batonActor } from "../../src/perform/context.ts";
import { openHub } from "../../src/perform/hub.ts";
import { writeRemote } from "../../src/perform/workspace/remotes.ts";
import { ask } from "../http/hub.ts";
import { remote, stateOf } from "./scripted-remote.ts";
import { askedUntil, type Side, side } from "./two-hubs.ts";

const web = teamName("web") ?? assert.fail();

type Test = Parameters<typeof side>[0];

/** A second hub on the journal, with an address of the remote of its own where `card` is given. */
async function another(t: Test, one: Side, card: string | null) {
  const stateFolder = mkdtempSync(join(tmpdir(), "baton-hub-"));
  t.after(() => rmSync(stateFolder, { recursive: true, force: true }));
  if (card !== null)
    assert.ok((await writeRemote(stateFolder, "shop", { card, token: null, isPrivateAllowed: true })).ok);
  const opened = await openHub({ journal: one.journal, create: false, stateFolder });
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

test("two hubs that both ask a remote send one message id, and one answer reaches the asker", {
  timeout: 60_000,
}, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const bothAsk = Promise.withResolvers<void>();
  const shop = await remote(t, async (method) => {
    if (method !== "SendMessage") return { result: stateOf("COMPLETED") };
    if (shop.sent.filter((each) => each.method === method).length > 1) bothAsk.resolve();
    // The first answer waits, so that the other hub finds the message unsent.
    await bothAsk.promise;
    return { result: { task: stateOf("WORKING") } };
  });
  const over = new AbortController();
  const watching = [0, 1].map(async () => {
    await using hub = await another(t, one, `${shop.url}/card.json`);
    await watchRemotes(hub, web, silentLog, over.signal);
  });
  const added = await ask(one.url, "/api/teams/web/remotes", { as: one.session, body: { remote: "shop" } });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  await askedUntil(dev, (each) => each.state === "completed");
  over.abort();
  await Promise.all(watching);
  const sent = shop.sent.filter(({ method }) => method === "SendMessage");
  assert.ok(sent.length > 1);
  assert.equal(new Set(sent.map(({ params }) => params.message.messageId)).size, 1);
  const inbox = await dev.inbox();
  assert.ok(inbox.ok);
  assert.equal(JSON.stringify(inbox.value).split("is completed").length - 1, 1);
});

test("what a look showed before another hub recorded a later state is not recorded", async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  await using hub = await another(t, one, null);
  const added = await ask(one.url, "/api/teams/web/remotes", { as: one.session, body: { remote: "shop" } });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  const team = await hub.localTeam(web, batonActor);
  assert.ok(team.ok);
  const work = await team.value.remoteWork();
  assert.ok(work.ok);
  const [{ ask: asked }] = [work.value[0] ?? assert.fail()];
  const report = { remoteTask: "t-1", remoteContext: "c-1", words: null, work: null } as const;
  await team.value.reportRemote(asked, { ...report, sent: asked.seq, state: "input-required" });
  await team.value.reportRemote(asked, { ...report, sent: null, state: "working" });
  const after = await team.value.remoteWork();
  assert.equal(after.ok && after.value[0]?.ask.state, "input-required");
});
