/** A hub looks at open tasks of remotes until they are over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { remote, stateOf } from "./scripted-remote.ts";
import { askedUntil, introduce, side } from "./two-hubs.ts";

test("a task of a remote is looked at until it is over, whatever the remote's card offers", {
  timeout: 60_000,
}, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const shop = await remote(
    t,
    (method) => ({ result: method === "SendMessage" ? { task: stateOf("WORKING") } : stateOf("COMPLETED") }),
    { capabilities: { streaming: true, pushNotifications: true } },
  );
  await introduce(one, "shop", `${shop.url}/card.json`, null);
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  await askedUntil(dev, ({ state }) => state === "completed");
  assert.deepEqual(
    shop.sent.map(({ method }) => method),
    ["card", "SendMessage", "GetTask"],
  );
});

test("a question that a remote repeats reaches the asker each time", { timeout: 60_000 }, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  let task: object = stateOf("WORKING");
  const says = (state: string, text: string) => {
    const next = stateOf(state);
    task = { ...next, status: { ...next.status, message: { parts: [{ text }] } } };
  };
  const shop = await remote(t, (method) => ({ result: method === "SendMessage" ? { task } : task }));
  await introduce(one, "shop", `${shop.url}/card.json`, null);
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  for (let turn = 0; turn < 2; turn += 1) {
    await askedUntil(dev, ({ state }) => state === "working");
    says("INPUT_REQUIRED", "Gross or net?");
    await askedUntil(dev, ({ state }) => state === "input-required");
    task = stateOf("WORKING");
  }
  const inbox = await dev.inbox();
  assert.ok(inbox.ok);
  assert.equal(JSON.stringify(inbox.value).split("Gross or net?").length - 1, 2);
  says("COMPLETED", "Done");
  const done = await askedUntil(dev, ({ state }) => state === "completed");
  assert.equal(done.words, "Done");
});
