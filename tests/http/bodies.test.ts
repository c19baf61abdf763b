/** Bodies that are too large, too slow, not JSON, or JSON that means two things; and clients that take all connections. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { batchBytesMax, messageBytesMax } from "../../src/base/limits.ts";
import { hubLimits } from "../../src/doors/http/index.ts";
import { ask, type TestHub, testHub } from "./hub.ts";
import { rawConnection, rawRequest, statusOf } from "./raw.ts";

const path = "/api/teams/web/messages";

function head(hub: TestHub, token: string, more: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${more}\r\n`;
}

test("the limits of the command are those that are promised", () => {
  assert.deepEqual(
    [
      hubLimits.headersMs,
      hubLimits.requestMs,
      hubLimits.idleMs,
      hubLimits.connectionsMax,
      hubLimits.streamsPerPrincipalMax,
      hubLimits.streamBufferBytesMax,
      hubLimits.authFailuresPerMinuteMax,
    ],
    [10_000, 30_000, 60_000, 1_000, 8, 1024 * 1024, 10],
  );
});

test("a request over its limit is refused before it is read to its end", async (t) => {
  const hub = await testHub(t);
  const token = await hub.token("lead-1");
  const said = await rawRequest(hub.port, head(hub, token, `Content-Length: ${batchBytesMax + 1}\r\n`));
  assert.equal(statusOf(said), 413, "by the length it says");

  // In chunks, with no length said: the hub stops reading a little past the limit.
  const socket = await rawConnection(hub.port);
  let answer = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    answer += chunk;
  });
  socket.on("error", () => undefined); // The hub may close while we still write, which is the point.
  const answered = new Promise<void>((resolve) => socket.once("data", () => resolve()));
  socket.write(head(hub, token, "Transfer-Encoding: chunked\r\n"));
  const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
  for (let sent = 0; sent <= batchBytesMax; sent += 0x10000) socket.write(chunk);
  await answered;
  assert.equal(statusOf(answer), 413, answer);
  socket.destroy();

  const large = { message: "x".repeat(messageBytesMax + 1), to: ["dev-1"] };
  const refused = await ask(hub.url, path, { as: token, body: large });
  assert.deepEqual([refused.status, refused.body.code], [413, "too-large"]);
  assert.equal(typeof refused.body.receipt.seq, "number", "a message that is too large is recorded as refused");
  assert.equal((await ask(hub.url, "/healthz")).status, 200);
});

test("slow headers and slow bodies are cut off, and nobody else waits", async (t) => {
  const hub = await testHub(t, { limits: { headersMs: 300, requestMs: 600 } });
  const token = await hub.token("lead-1");
  const slow = [
    "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1",
    `${head(hub, token, "Content-Length: 1000\r\n")}{"message":`,
    `${head(hub, token, "Transfer-Encoding: chunked\r\n")}5\r\nabcde\r\n`,
  ];
  const cut = slow.map((text) => rawRequest(hub.port, text));
  assert.equal((await ask(hub.url, "/healthz")).status, 200);
  for (const answer of await Promise.all(cut)) assert.ok([0, 408].includes(statusOf(answer)), answer);
  assert.equal((await ask(hub.url, path, { as: token, body: { message: "Hello", to: ["dev-1"] } })).status, 201);
});

test("a connection is kept for the next request, and ended when nobody asks anything for long", async (t) => {
  const asked = ({ port }: TestHub) => `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const kept = await testHub(t);
  assert.match(await rawRequest(kept.port, asked(kept)), /^Keep-Alive: timeout=60\b/im, "clients are told how long");
  const brief = await testHub(t, { limits: { idleMs: 100 } });
  const socket = await rawConnection(brief.port);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => (received += text));
  socket.write(asked(brief));
  await closed;
  assert.equal(statusOf(received), 200, "it was not ended before it was answered");
});

test("a body is JSON and says so", async (t) => {
  const hub = await testHub(t);
  const token = await hub.token("lead-1");
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=latin1",
    "text/json",
    "",
  ]) {
    const asked = await ask(hub.url, path, { as: token, body: '{"message":"x"}', headers: { "content-type": type } });
    assert.deepEqual([asked.status, asked.body.code], [415, "wrong-media-type"], type);
  }
  const packed = await ask(hub.url, path, { as: token, body: {}, headers: { "content-encoding": "gzip" } });
  assert.deepEqual([packed.status, packed.body.code], [415, "wrong-media-type"]);
  const bodies: readonly (readonly [string, string, number])[] = [
    ["", "empty-message", 422],
    ["{", "not-json", 422],
    ["nonsense", "not-json", 422],
    ['\uFEFF{"message":"x"}', "byte-order-mark", 422],
    ['{"message":"x","message":"y"}', "duplicate-key", 422],
    ['{"__proto__":{},"message":"x"}', "forbidden-key", 422],
    [`{"message":${"[".repeat(60)}${"]".repeat(60)}}`, "too-deep", 422],
    ['{"message":"\\ud800"}', "lone-surrogate", 422],
    ['{"message":1e999}', "number-range", 422],
  ];
  for (const [body, code, status] of bodies) {
    const asked = await ask(hub.url, path, { as: token, body });
    assert.deepEqual([asked.status, asked.body.code], [status, code], body.slice(0, 40));
  }
  const registration = await ask(hub.url, "/api/teams/web/agents", {
    as: token,
    body: '{"agent":"x","agent":"y","role":"dev"}',
  });
  assert.equal(registration.body.code, "duplicate-key");
  const list = await ask(hub.url, "/api/teams/web/agents", { as: token, body: "[]" });
  assert.equal(list.body.code, "wrong-type");
});

test("a character that no message may hold is reported by its place in the message", async (t) => {
  const hub = await testHub(t);
  const token = await hub.token("lead-1");
  const inner = '{"type":"x","payload":{"a.b":["\\u0000"]}}';
  const bodies: readonly (readonly [string, string, string])[] = [
    [`{"message":${inner}}`, "nul-character", '$.payload["a.b"][0]'],
    [`{"to":["dev-1"],"message":${inner.replace("0000", "d800")}}`, "lone-surrogate", '$.payload["a.b"][0]'],
    // As text: the message's own, which spells the character by an escape.
    [`{"message":${JSON.stringify(inner)}}`, "nul-character", '$.payload["a.b"][0]'],
    // Here the text itself holds it.
    ['{"message":"Hello\\u0000"}', "nul-character", "$"],
    // The message itself, without an envelope.
    [inner, "nul-character", '$.payload["a.b"][0]'],
    // Not in the message: told where it is in the body.
    ['{"message":"Hello","to":["dev-1\\u0000"]}', "nul-character", "$.to[0]"],
    ['{"message":"Hello","messages\\u0000":1}', "nul-character", '$["messages\\u0000"]'],
  ];
  for (const [body, code, where] of bodies) {
    const { status, body: told } = await ask(hub.url, path, { as: token, body });
    assert.deepEqual([status, told.code, told.problems[0].path], [422, code, where], body);
    assert.equal(typeof told.receipt.seq, "number", "it is recorded as refused");
  }
});

test("many connections that show no credential keep nobody out, and end no stream or request of those who do", async (t) => {
  const hub = await testHub(t, { limits: { connectionsMax: 20 } });
  const token = await hub.token("dev-1");
  const host = `Host: 127.0.0.1:${hub.port}\r\n`;
  const stream = await rawConnection(hub.port);
  t.after(() => stream.destroy());
  let streamed = "";
  stream.setEncoding("utf8").on("data", (part: string) => (streamed += part));
  stream.write(`GET /api/teams/web/events HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n\r\n`);
  await once(stream, "data");
  const sayings = [
    "",
    `GET /healthz HTTP/1.1\r\n${host}\r\n`,
    `GET /healthz HTTP/1.1\r\n${host}`,
    `POST /api/session HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  ];
  for (const says of sayings) {
    const idle = await Promise.all(Array.from({ length: 110 }, () => rawConnection(hub.port)));
    for (const socket of idle) socket.on("error", () => undefined).write(says);
    for (let round = 0; round < 3; round++) {
      const answer = await rawRequest(
        hub.port,
        `GET /api/session HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n\r\n`,
      );
      assert.equal(statusOf(answer), 200, says);
    }
    assert.equal(stream.destroyed, false, says);
    for (const socket of idle) socket.destroy();
  }
  assert.equal(
    (await ask(hub.url, "/api/teams/web/messages", { as: token, body: { message: "Hi", to: ["lead-1"] } })).status,
    201,
  );
  while (!streamed.includes("Hi")) await once(stream, "data");
});

test("a list that a program sends as text is read as that list, and the answer says so", async (t) => {
  const hub = await testHub(t);
  const lead = await hub.token("lead-1");
  const note = (list: string) => ({
    code: "list-as-text",
    path: "$.files",
    message: `This was text; it was read as the list ${list}.`,
  });
  for (const [task, files, list] of [
    ["T1", '["src/a.js"]', '["src/a.js"]'],
    ["T2", "src/b.js", '["src/b.js"]'],
  ] as const) {
    const added = await ask(hub.url, "/api/teams/web/tasks", { as: lead, body: { task, files } });
    assert.deepEqual([added.status, added.body.notes], [201, [note(list)]]);
  }
  const { tasks } = (await ask(hub.url, "/api/teams/web/tasks", { as: lead })).body;
  assert.deepEqual(
    tasks.map(({ files }: { files: unknown }) => files),
    [["src/a.js"], ["src/b.js"]],
  );
  const sent = await ask(hub.url, "/api/teams/web/messages", { as: lead, body: { message: "Hi", to: '["dev-1"]' } });
  assert.deepEqual([sent.status, sent.body.receivers], [201, ["dev-1"]]);
  const broken = await ask(hub.url, "/api/teams/web/tasks", { as: lead, body: { task: "T3", files: '["src/a.js"' } });
  assert.deepEqual([broken.status, broken.body.code], [422, "wrong-value"]);
});
