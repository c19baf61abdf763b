/** Streams: in order, each once, resumable; slow readers are let go and nobody else notices. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { createHubApp, hubLimits, openHub } from "../../src/doors/http/index.ts";
import { newFeeds } from "../../src/doors/http/server/feed.ts";
import { ask, type TestHub, testHub } from "./hub.ts";
import { readStream } from "./stream-reader.ts";

const path = "/api/teams/web/messages";

async function send(hub: TestHub, token: string, words: string): Promise<number> {
  const sent = await ask(hub.url, path, { as: token, body: { message: words, to: ["dev-1"] } });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  return sent.body.receipt.seq;
}

test("a stream begins at the head, or after the entry that the reader had", async (t) => {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  const first = await send(hub, lead, "one");
  const live = await readStream(hub.url, dev);
  const all = await readStream(hub.url, dev, { after: 0 });
  const second = await send(hub, lead, "two");
  assert.equal(Number((await live.next()).id), second);
  await all.next(({ id }) => Number(id) === second);
  assert.deepEqual(
    all.seqs(),
    Array.from({ length: second }, (_, index) => index + 1),
  );
  const line = JSON.parse(all.events[first - 1]?.data ?? "");
  assert.deepEqual([line.seq, line.sender, line.summary], [first, "lead-1", "one"]);

  const resumed = await readStream(hub.url, dev, { after: 0, lastEventId: first });
  assert.equal(Number((await resumed.next()).id), second, "Last-Event-ID counts more than the address");
  for (const reader of [live, all, resumed]) reader.close();
});

test("long catching up and new entries meet without a gap or a repeat", async (t) => {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => send(hub, lead, `before ${round}/${index}`)));
  }
  // Those that come at about the same time share what is read, wherever each begins.
  const starts = [0, 0, 0, 700, 700, 1, 127, 1400];
  const readers = await Promise.all(starts.map((after) => readStream(hub.url, dev, { after })));
  let last = 0;
  for (let round = 0; round < 50; round += 1) last = await send(hub, lead, `meanwhile ${round}`);
  for (const [index, reader] of readers.entries()) {
    await reader.next(({ id }) => Number(id) === last);
    const start = starts[index] ?? 0;
    assert.deepEqual(
      reader.seqs(),
      Array.from({ length: last - start }, (_, offset) => start + offset + 1),
    );
    reader.close();
  }
});

test("a quiet stream shows heartbeats", async (t) => {
  const hub = await testHub(t, { limits: { heartbeatMs: 20 } });
  const reader = await readStream(hub.url, await hub.token("dev-1"));
  while (reader.comments() < 3) await ask(hub.url, "/healthz");
  reader.close();
});

test("a principal has eight streams at a time, and a closed one makes room", async (t) => {
  const hub = await testHub(t);
  const [dev, qa] = [await hub.token("dev-1"), await hub.token("qa-1")];
  const readers = await Promise.all(Array.from({ length: 8 }, () => readStream(hub.url, dev)));
  const ninth = await ask(hub.url, "/api/teams/web/events", { as: dev });
  assert.deepEqual([ninth.status, ninth.body.code], [429, "too-many-requests"]);
  (await readStream(hub.url, qa)).close();
  readers[0]?.close();
  for (;;) {
    const [line] = /^baton_streams \d+$/m.exec((await ask(hub.url, "/metrics")).body) ?? [];
    if (line === "baton_streams 7") break;
  }
  readers.push(await readStream(hub.url, dev));
  for (const reader of readers) reader.close();
});

test("a stream ends when its token is revoked, its session is over, or the hub stops", async (t) => {
  const hub = await testHub(t, { limits: { heartbeatMs: 20 } });
  const [dev, qa] = [await hub.token("dev-1"), await hub.token("qa-1")];
  const [revoked, valid] = [await readStream(hub.url, dev), await readStream(hub.url, qa)];
  const [{ tokenId }] = (await ask(hub.url, "/api/teams/web/tokens", { as: hub.session })).body.tokens;
  await ask(hub.url, `/api/teams/web/tokens/${tokenId}/revoke`, { as: hub.session, body: {} });
  await revoked.ended;
  await valid.next();
  await hub.hub.stop();
  await valid.ended;
});

test("a reader that falls a MiB behind learns its place, is disconnected, and resumes", async (t) => {
  const hub = await testHub(t);
  const dev = await hub.token("dev-1");
  // Without a socket, whose own buffers differ from machine to machine, the bound can be seen.
  await using opened = must(await openHub({ journal: hub.journal }));
  const app = createHubApp({ hub: opened, version: "0", port: () => hub.port });
  t.after(() => app.stop());
  const open = async (more: object) => {
    const headers = { host: `127.0.0.1:${hub.port}`, authorization: `Bearer ${dev}`, ...more };
    const answer = await app.fetch(new Request(`${hub.url}/api/teams/web/events`, { headers }));
    const reader = answer.body?.getReader() ?? assert.fail("a stream has a body");
    assert.equal(new TextDecoder().decode((await reader.read()).value), "retry: 1000\n\n");
    return reader;
  };
  // Each has a separate bound, so what all of them hold together is bounded too.
  const slow = await Promise.all(Array.from({ length: 3 }, () => open({})));
  const team = must(await opened.team("web", { agent: "lead-1", via: "launcher" }));
  let last = 0;
  for (let sent = 0; sent < 5_000; sent += 250) {
    const replies = await Promise.all(
      Array.from({ length: 250 }, (_, index) =>
        team.send(`${sent + index} ${"x".repeat(150)}`, { to: [{ role: "dev" }] }),
      ),
    );
    for (const reply of replies)
      last = Math.max(last, reply.outcome === "accepted" ? reply.receipt.seq : assert.fail(JSON.stringify(reply)));
  }
  const read = async (reader: (typeof slow)[number], until: RegExp) => {
    const parts: string[] = [];
    // Searched in each line once: searching the whole text with each part would be megabytes a thousand times.
    let line = "";
    for (;;) {
      const { value, done } = await reader.read();
      const part = new TextDecoder().decode(value);
      parts.push(part);
      line = `${line.slice(line.lastIndexOf("\n") + 1)}${part}`;
      if (done || until.test(line)) return parts.join("");
    }
  };
  const toldOf = async (reader: (typeof slow)[number]) => {
    const text = await read(reader, /never/);
    const told = /event: overflow\ndata: \{"lastSeq":(\d+)\}\n\n$/.exec(text);
    assert.ok(told, text.slice(-200));
    assert.ok(text.length < 1024 * 1024 + 100_000, `${text.length} bytes were kept for it`);
    const seqs = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    assert.equal(seqs.at(-1) ?? Number(told[1]), Number(told[1]));
    return Number(told[1]);
  };
  const [told] = await Promise.all(slow.map(toldOf));
  const resumed = await read(await open({ "last-event-id": String(told) }), new RegExp(`^id: ${last}$`, "m"));
  const rest = [...resumed.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
  assert.deepEqual(
    rest,
    Array.from({ length: last - Number(told) }, (_, index) => Number(told) + index + 1),
  );
});

const nothing = () => undefined;
const listener = { take: nothing, beat: nothing, end: nothing, dismiss: nothing, isStillWelcome: async () => true };

test("a reader that comes when the last one leaves is given a feed that runs", async (t) => {
  const hub = await testHub(t);
  await using opened = must(await openHub({ journal: hub.journal }));
  const feeds = newFeeds(opened);
  const first = must(await feeds.of("web"));
  assert.ok(first.attend(listener));
  first.leave(listener);
  // The feed that ended may still read; asking for it again and again would leave it no turn to end.
  const second = must(await feeds.of("web"));
  assert.deepEqual([first.attend(listener), second.attend(listener), feeds.listeners()], [false, true, 1]);
  feeds.close();
});

test("a page that readers share says what has become of its entries, also while a slow one stays behind", async (t) => {
  const hub = await testHub(t);
  await using opened = must(await openHub({ journal: hub.journal }));
  const team = must(await opened.team("web", { agent: "lead-1", via: "launcher" }));
  assert.equal((await team.addTask({ task: "T1", files: ["a.ts"] })).outcome, "accepted");
  const claim = await team.claim({ task: "T1" });
  const claimed = claim.outcome === "accepted" ? claim.token : assert.fail(JSON.stringify(claim));
  for (let sent = 0; sent < 130; sent += 1)
    assert.equal((await team.send(`${sent}`, { to: [{ role: "dev" }] })).outcome, "accepted");
  let nowMs = 0;
  const feeds = newFeeds(opened, { monotonic: () => nowMs });
  const feed = must(await feeds.of("web"));
  assert.ok(feed.attend(listener), "the slow one");
  const outcome = async () => {
    const frame = (await feed.page(0))?.find(({ seq }) => seq === claimed);
    return /"outcome":"?(\w+)/.exec(new TextDecoder().decode(frame?.bytes))?.[1];
  };
  assert.equal(await outcome(), "held");
  assert.equal((await team.release({ task: "T1" })).outcome, "accepted");
  assert.equal(await outcome(), "held", "those who come at about the same time share it");
  nowMs = 60_000;
  assert.notEqual(await outcome(), "held");
  feeds.close();
});

/** A hub without sockets, whose own buffers differ from machine to machine, behind some hundred entries. */
async function behindEntries(t: TestContext, clock: Clock = systemClock) {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  for (let round = 0; round < 10; round += 1)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => send(hub, lead, `${round}/${index} ${"x".repeat(200)}`)),
    );
  const opened = must(await openHub({ journal: hub.journal }));
  const app = createHubApp({ hub: opened, version: "0", port: () => hub.port, clock });
  t.after(async () => {
    app.stop();
    await opened[Symbol.asyncDispose]();
  });
  const hungUp = Promise.withResolvers<void>();
  const outgoing = { destroy: () => hungUp.resolve() };
  const headers = { host: `127.0.0.1:${hub.port}`, authorization: `Bearer ${dev}` };
  const request = new Request(`${hub.url}/api/teams/web/events?after=0`, { headers });
  const answer = await app.fetch(request, { outgoing });
  const reader = answer.body?.getReader() ?? assert.fail("a stream has a body");
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  return { hub, app, next, hungUp: hungUp.promise };
}

test("a reader that still catches up gets nothing more once its token is revoked", async (t) => {
  const { hub, next, hungUp } = await behindEntries(t);
  assert.equal(await next(), "retry: 1000\n\n");
  const first = await next();
  const [{ tokenId }] = (await ask(hub.url, "/api/teams/web/tokens", { as: hub.session })).body.tokens.filter(
    ({ agent }: { readonly agent: string }) => agent === "dev-1",
  );
  await ask(hub.url, `/api/teams/web/tokens/${tokenId}/revoke`, { as: hub.session, body: {} });
  await hungUp;
  // One part was handed over before: it is the connection's, which is destroyed.
  const seqs = [...`${first}${await next()}`.matchAll(/^id: (\d+)$/gm)];
  assert.ok(seqs.length < 500, `${seqs.length} entries were handed over`);
});

test("a reader that takes nothing while it catches up loses its place", async (t) => {
  const asked = Promise.withResolvers<void>();
  const idle = Promise.withResolvers<void>();
  const wait: Clock["wait"] = (ms, signal) => {
    if (ms !== hubLimits.streamIdleMs) return systemClock.wait(ms, signal);
    asked.resolve();
    return idle.promise;
  };
  const { hub, app, next } = await behindEntries(t, { ...systemClock, wait });
  await asked.promise;
  idle.resolve();
  let text = "";
  do text += await next();
  while (!/event: overflow\ndata: \{"lastSeq":\d+\}\n\n$/.test(text));
  const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1];
  assert.match(text, new RegExp(`"lastSeq":${last ?? 0}\\}\n\n$`), "it is told where it stood");
  const asking = new Request(`${hub.url}/metrics`, { headers: { host: `127.0.0.1:${hub.port}` } });
  const metrics = await (await app.fetch(asking)).text();
  assert.match(metrics, /^baton_streams 0$/m);
});

function must<Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown },
): Value {
  return result.ok ? result.value : assert.fail(JSON.stringify(result.error));
}

/** A client that asks for the stream and never reads what comes. */
async function neverReads(hub: TestHub, token: string): Promise<Socket> {
  const socket = connect({ port: hub.port, host: "127.0.0.1" });
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.pause();
  socket.write(
    `GET /api/teams/web/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

test("of 200 clients 50 never read, and the others get everything", async (t) => {
  const agents = Array.from({ length: 26 }, (_, index) => `dev-${index + 1}`);
  const text = `version: 1\nteam: web\ndialects: [vbw/2]\npolicy: enforce\nagents:\n  lead-1: { role: lead }\n${agents.map((agent) => `  ${agent}: { role: dev }\n`).join("")}`;
  const hub = await testHub(t, { text, limits: { streamFarewellMs: 200 } });
  const lead = await hub.token("lead-1");
  const tokens = await Promise.all(agents.map((agent) => hub.token(agent)));
  const tokenOf = (index: number): string => tokens[Math.floor(index / 8)] ?? assert.fail("there are tokens for all");
  const silent = await Promise.all(Array.from({ length: 50 }, (_, index) => neverReads(hub, tokenOf(index))));
  const readers = await Promise.all(
    Array.from({ length: 150 }, (_, index) => readStream(hub.url, tokenOf(index + 50))),
  );
  const receivers = agents.slice(0, 20);
  let last = 0;
  for (let round = 0; round < 10; round += 1) {
    const sent = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ask(hub.url, path, { as: lead, body: { message: `${round}/${index} ${"x".repeat(200)}`, to: receivers } }),
      ),
    );
    last = Math.max(...sent.map(({ body }) => Number(body.receipt.seq)));
  }
  for (const reader of readers) {
    await reader.next(({ id }) => Number(id) === last);
    const seqs = reader.seqs();
    assert.deepEqual(
      seqs,
      Array.from({ length: seqs.length }, (_, index) => (seqs[0] ?? 0) + index),
    );
    assert.equal(
      reader.events.some(({ event }) => event === "overflow"),
      false,
    );
  }
  for (const reader of readers) reader.close();
  for (const socket of silent) socket.destroy();
});
