/** The client at an address where there is no hub, or one that does not know it: what it says, and what it never shows. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { connectHub } from "../../src/doors/http/client/client.ts";
import { exchange, readHubUrl } from "../../src/doors/http/client/client-exchange.ts";
import { testHub } from "./hub.ts";
import { listening, webServer } from "./line.ts";
import { address, unknownToken as token } from "./remote.ts";

const answers: readonly (readonly [string, (request: IncomingMessage, response: ServerResponse) => void, RegExp])[] = [
  ["a web page", (_, response) => response.setHeader("content-type", "text/html").end("<h1>hello</h1>"), /JSON/],
  ["another JSON", (_, response) => response.setHeader("content-type", "application/json").end('{"a":1}'), /form/],
  ["broken JSON", (_, response) => response.setHeader("content-type", "application/json").end('{"agent":'), /sound/],
  [
    "JSON with a key twice",
    (_, response) =>
      response.setHeader("content-type", "application/json").end('{"agent":"a","agent":"b","team":null,"teams":[]}'),
    /sound/,
  ],
  ["an error page", (_, response) => response.writeHead(500, { "content-type": "text/html" }).end("oh"), /JSON/],
  [
    "a problem of another kind",
    (_, response) => response.writeHead(401, { "content-type": "application/problem+json" }).end('{"title":"no"}'),
    /not known here/,
  ],
  [
    "a redirect",
    (request, response) =>
      request.url === "/elsewhere"
        ? assert.fail("the token went elsewhere")
        : response.writeHead(302, { location: "/elsewhere" }).end(),
    /redirects/,
  ],
  [
    "an endless answer",
    (_, response) => {
      response.setHeader("content-type", "application/json");
      const block = Buffer.alloc(1024 * 1024, " ");
      const more = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on("drain", more);
      more();
    },
    /larger than/,
  ],
];

for (const [what, answer, reason] of answers) {
  test(`${what} is not taken for a hub`, async (test) => {
    const connected = await connectHub(address(await webServer(test, answer)));
    assert.ok(!connected.ok);
    assert.equal(connected.error.code, "not-a-hub");
    assert.match(connected.error.message, reason);
    assert.ok(!JSON.stringify(connected.error).includes(token));
  });
}

test("what does not speak HTTP is not taken for a hub, and is distinguished from nobody at all", async () => {
  const other = createServer((socket) =>
    socket
      .on("error", () => socket.destroy())
      .resume()
      .end("SSH-2.0-OpenSSH_9.9\r\n"),
  );
  const url = await listening(other);
  const spoken = await connectHub(address(url));
  assert.equal(!spoken.ok && spoken.error.code, "not-a-hub");
  await new Promise((resolve) => other.close(resolve));
  const silent = await connectHub(address(url));
  assert.equal(!silent.ok && silent.error.code, "hub-unreachable");
  assert.match(silent.ok ? "" : silent.error.message, /nobody listens/);
});

test("an answer that does not come in time is given up", async (test) => {
  const url = readHubUrl(await webServer(test, () => undefined));
  assert.ok(url.ok);
  const wire = { hub: url.value, token, clock: systemClock };
  const question = { method: "GET", path: ["api", "session"] } as const;
  const came = await exchange(wire, question, { timeMs: 100, bytesMax: 10, signal: null });
  assert.deepEqual(came, { outcome: "lost", why: "nothing came within 0.1 s", isUnsent: false });
});

test("a token is never shown, however it is refused, and what cannot be one is not sent", async (test) => {
  const hub = await testHub(test);
  const cases = [
    [token, "unauthenticated"],
    ["two words", "unauthenticated"],
    ["baton_\r\nx-evil: 1", "unauthenticated"],
    ["", "unauthenticated"],
  ] as const;
  for (const [secret, code] of cases) {
    const connected = await connectHub(address(hub.url, { token: secret }));
    assert.ok(!connected.ok);
    assert.equal(connected.error.code, code);
    if (secret !== "") assert.ok(!JSON.stringify(connected.error).includes(secret));
  }
  for (const url of [
    `http://${token}@127.0.0.1:${hub.port}`,
    `${hub.url}/?token=${token}`,
    `${hub.url}/#code=${token}`,
    token,
  ]) {
    const connected = await connectHub(address(url));
    assert.ok(!connected.ok);
    assert.equal(connected.error.code, "wrong-usage");
    assert.ok(!JSON.stringify(connected.error).includes(token), JSON.stringify(connected.error));
  }
});
