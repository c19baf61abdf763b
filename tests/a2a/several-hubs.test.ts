/** Several hubs of one journal that know the same remote: one of them works with it at a time. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { teamName } from "../../src/base/ids.ts";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import { openMemoryJournal } from "../../src/journal/memory.ts";
import { watchRemotes } from "../../src/main/remote-delivery.ts";
import { remoteTurns } from "../../src/main/remote-turns.ts";
import { openHub } from "../../src/runtime/hub.ts";
import { attempt, must, tally } from "../../src/testing/journal-subject.ts";
import { writeRemote } from "../../src/workspace/remotes.ts";
import { alpha } from "../engines/held.ts";
import { ask } from "../http/hub.ts";
import { remote, stateOf } from "./scripted-remote.ts";
import { askedUntil, side } from "./two-hubs.ts";

const web = teamName("web") ?? assert.fail();

test("of two hubs with the remote's address one sends, and the other continues when it ends", async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const answered = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  let state = "WORKING";
  const shop = await remote(t, async (method) => {
    if (method !== "SendMessage") return { result: stateOf(state) };
    const count = shop.sent.filter((each) => each.method === method).length;
    if (count > 1) looked.resolve();
    await answered.promise;
    return { result: { task: stateOf(state) } };
  });
  const hubs = [0, 1].map(() => {
    const stateFolder = mkdtempSync(join(tmpdir(), "baton-hub-"));
    t.after(() => rmSync(stateFolder, { recursive: true, force: true }));
    return { stateFolder, over: new AbortController(), isOthers: false };
  });
  const watching = hubs.map(async (each) => {
    const card = `${shop.url}/card.json`;
    assert.ok((await writeRemote(each.stateFolder, "shop", { card, token: null, isPrivateAllowed: true })).ok);
    const opened = await openHub({ journal: one.journal, create: false, stateFolder: each.stateFolder });
    assert.ok(opened.ok, JSON.stringify(opened));
    await using hub = opened.value;
    const debug = (_: object, words: string) => {
      if (!words.includes("another hub works")) return;
      each.isOthers = true;
      looked.resolve();
    };
    await watchRemotes(hub, web, { ...silentLog, debug }, each.over.signal);
  });
  const added = await ask(one.url, "/api/teams/web/remotes", { as: one.cookie, body: { remote: "shop" } });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  await looked.promise;
  answered.resolve();
  await askedUntil(dev, (each) => each.state === "working");
  assert.equal(shop.sent.filter(({ method }) => method === "SendMessage").length, 1);
  // The hub that has sent it ends; the other, which left it alone, finds the task completed.
  state = "COMPLETED";
  hubs.find(({ isOthers }) => !isOthers)?.over.abort();
  await askedUntil(dev, (each) => each.state === "completed");
  assert.equal(shop.sent.filter(({ method }) => method === "SendMessage").length, 1);
  for (const { over } of hubs) over.abort();
  await Promise.all(watching);
});

test("a hub takes the turn of one that was killed after half a minute, and that one has it no longer", async () => {
  let now = 1_000_000;
  await using journal = openMemoryJournal(tally, { clock: { ...systemClock, now: () => now } });
  must(await journal.commit(alpha, attempt()));
  const [one, two] = [remoteTurns(journal, alpha), remoteTurns(journal, alpha)];
  assert.deepEqual(
    [await one.take("shop"), await two.take("shop"), await two.take("bank")],
    ["taken", "others", "taken"],
  );
  now += 20_000;
  assert.deepEqual([await one.take("shop"), await two.take("shop")], ["kept", "others"]);
  now += 29_999;
  assert.equal(await two.take("shop"), "others", "it was prolonged");
  now += 1;
  assert.deepEqual([await two.take("shop"), await one.take("shop")], ["taken", "others"]);
  await one.leave("shop");
  assert.equal(await one.isOthers("shop"), true, "nobody gives back what another has");
  await two.keepOnly(new Set());
  assert.equal(await one.take("shop"), "taken");
});
