/** A hub follows tasks of remotes by their streams, and looks at them where a stream fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { a2aDoor } from "../../src/doors/a2a/server.ts";
import { ask } from "../http/hub.ts";
import { endless, remote, type ScriptedStream, stateOf } from "./scripted-remote.ts";
import { askedUntil, cardOf, introduce, seenUntil, side } from "./two-hubs.ts";

const streaming = { capabilities: { streaming: true } };
const status = (state: string, text?: string) => {
  const task = stateOf(state);
  const message = text === undefined ? {} : { message: { parts: [{ text }] } };
  return { statusUpdate: { taskId: task.id, status: { ...task.status, ...message } } };
};

test("two hubs: every change comes by the stream, and the task is never asked for", { timeout: 60_000 }, async (t) => {
  const methods: string[] = [];
  const counting: typeof a2aDoor = {
    ...a2aDoor,
    call(asked) {
      methods.push(JSON.parse(Buffer.from(asked.body ?? "{}").toString()).method);
      return a2aDoor.call(asked);
    },
  };
  const [one, two] = [await side(t), await side(t, counting)];
  await introduce(one, "other", cardOf(two), await two.token("shop"));
  const [dev, lead] = [await one.as("dev-1"), await two.as("lead-1")];
  await dev.askRemote({ remote: "other", text: "Write the tax, please" });
  const taken = await askedUntil(dev, ({ state }) => state === "submitted");
  const task = taken.remoteTask ?? "";
  await lead.discuss({ task, text: "Gross or net?", question: true });
  const asked = await askedUntil(dev, ({ state }) => state === "input-required");
  assert.equal(asked.words, "Gross or net?");
  await dev.send("Net", { to: [{ remote: "other", ask: asked.ask }] });
  await askedUntil(dev, ({ state }) => state === "submitted");
  await lead.discuss({ task, text: "Gross or net?", question: true });
  await askedUntil(dev, ({ state }) => state === "input-required");
  await lead.endTask({ task, reason: "Not ours" });
  const over = await askedUntil(dev, ({ state }) => state === "rejected");
  assert.equal(over.words, "Not ours");
  // A message ends the stream, and the next one begins with what the task is after it.
  assert.deepEqual(methods, ["SendMessage", "SubscribeToTask", "SendMessage", "SubscribeToTask"]);
});

test("a stream that lies, breaks or is refused leaves the task to be looked at", { timeout: 60_000 }, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const broken: Readonly<Record<string, object | "dies" | ((stream: ScriptedStream) => void)>> = {
    "an-endless-event": ({ response }) => endless(response),
    "a-large-event": ({ event }) => event({ task: stateOf("WORKING", { metadata: "x".repeat(2 ** 21) }) }),
    "a-foreign-id": ({ event }) => event({ task: { ...stateOf("COMPLETED"), id: "t-2" } }),
    "an-early-end": ({ event, response }) => {
      event({ task: stateOf("WORKING") });
      response.end();
    },
    refused: { error: { code: -32004, message: "No streams" } },
    "no-answer": "dies",
  };
  for (const [name, told] of Object.entries(broken)) {
    const shop = await remote(
      t,
      (method) => {
        if (method === "SubscribeToTask") return told;
        return { result: method === "SendMessage" ? { task: stateOf("WORKING") } : stateOf("COMPLETED") };
      },
      streaming,
    );
    await introduce(one, name, `${shop.url}/card.json`, null);
    await dev.askRemote({ remote: name, text: "Add the tax" });
    await askedUntil(dev, (each) => each.remote === name && each.state === "completed");
    const methods = shop.sent.map(({ method }) => method);
    assert.deepEqual(methods, ["card", "SendMessage", "SubscribeToTask", "GetTask"], name);
  }
  const remotes = await dev.remotes();
  assert.ok(
    remotes.ok && remotes.value.every(({ fault }) => fault === null),
    "a broken stream is no remote that is away",
  );
});

test("a remote without streams is looked at", { timeout: 60_000 }, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const shop = await remote(t, (method) => ({
    result: method === "SendMessage" ? { task: stateOf("WORKING") } : stateOf("COMPLETED"),
  }));
  await introduce(one, "shop", `${shop.url}/card.json`, null);
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  await askedUntil(dev, ({ state }) => state === "completed");
  assert.deepEqual(
    shop.sent.map(({ method }) => method),
    ["card", "SendMessage", "GetTask"],
  );
});

/** A remote whose tasks are streams that the test writes. */
async function streamingRemote(t: Parameters<typeof remote>[0]) {
  const streams: ScriptedStream[] = [];
  const opened: ((stream: ScriptedStream) => void)[] = [];
  let made = 0;
  const shop = await remote(
    t,
    (method, params) => {
      if (method === "SubscribeToTask")
        return (stream) => {
          stream.event({ task: { ...stateOf("WORKING"), id: params.id } });
          streams.push(stream);
          opened.shift()?.(stream);
        };
      if (method === "CancelTask") return { result: { ...stateOf("CANCELED"), id: params.id } };
      if (method === "GetTask") return { result: { ...stateOf("COMPLETED"), id: params.id } };
      made += 1;
      return { result: { task: { ...stateOf("SUBMITTED"), id: `t-${made}` } } };
    },
    streaming,
  );
  /** The next stream that is opened. */
  const next = () => new Promise<ScriptedStream>((resolve) => opened.push(resolve));
  return { ...shop, streams, next };
}

const closed = ({ response }: ScriptedStream) =>
  new Promise<void>((resolve) => (response.destroyed ? resolve() : response.on("close", () => resolve())));

test("a question that a remote repeats reaches the asker each time, and a burst is recorded as its end", {
  timeout: 60_000,
}, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const shop = await streamingRemote(t);
  await introduce(one, "shop", `${shop.url}/card.json`, null);
  const opening = shop.next();
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  const { event } = await opening;
  for (let turn = 0; turn < 2; turn += 1) {
    await askedUntil(dev, ({ state }) => state === "working");
    event(status("INPUT_REQUIRED", "Gross or net?"));
    await askedUntil(dev, ({ state }) => state === "input-required");
    event(status("WORKING"));
  }
  const inbox = await dev.inbox();
  assert.ok(inbox.ok);
  assert.equal(JSON.stringify(inbox.value).split("Gross or net?").length - 1, 2);
  await askedUntil(dev, ({ state }) => state === "working");
  const before = await headOf(one);
  for (let at = 0; at < 500; at += 1) event(status("WORKING", `Line ${at}`));
  event(status("COMPLETED", "Done"));
  const done = await askedUntil(dev, ({ state }) => state === "completed");
  assert.equal(done.words, "Done");
  assert.ok((await headOf(one)) - before <= 25, "one entry for each half second at most");
});

async function headOf({ url, cookie }: { readonly url: string; readonly cookie: string }): Promise<number> {
  const { body } = await ask(url, "/api/teams/web/status", { as: cookie });
  return body.head.seq;
}

test("there are at most eight streams of a remote, and the other tasks are looked at", {
  timeout: 60_000,
}, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const shop = await streamingRemote(t);
  await introduce(one, "shop", `${shop.url}/card.json`, null);
  for (let at = 0; at < 10; at += 1) await dev.askRemote({ remote: "shop", text: `Add the tax ${at}` });
  // Two find no place, and are over by the first look.
  await seenUntil(dev, async () => {
    const remotes = await dev.remotes();
    const states = remotes.ok ? remotes.value.flatMap(({ asks }) => asks.map(({ state }) => state)) : [];
    return states.filter((each) => each === "completed").length === 2 ? true : null;
  });
  assert.equal(shop.streams.length, 8);
});

test("a withdrawal, a remote that is removed and the end of the hub each end the stream", {
  timeout: 30_000,
}, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const shop = await streamingRemote(t);
  const follow = async (name: string) => {
    await introduce(one, name, `${shop.url}/card.json`, null);
    const opening = shop.next();
    await dev.askRemote({ remote: name, text: "Add the tax" });
    const stream = await opening;
    const { ask: id } = await askedUntil(dev, (each) => each.remote === name && each.state === "working");
    return { stream, id };
  };
  const [first, second, third] = [await follow("one"), await follow("two"), await follow("three")];
  assert.equal((await dev.withdrawRemote({ ask: first.id })).outcome, "accepted");
  await closed(first.stream);
  await askedUntil(dev, (each) => each.ask === first.id && each.state === "canceled");
  const removed = await ask(one.url, "/api/teams/web/remotes/two/remove", { as: one.cookie, body: {} });
  assert.equal(removed.status, 201, JSON.stringify(removed.body));
  await closed(second.stream);
  assert.ok(!third.stream.response.destroyed);
  await one.hub.stop();
  await closed(third.stream);
});
