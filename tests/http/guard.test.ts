/** Foreign requests are refused before any route: every combination of hosts, origins and fetch sites, on raw sockets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, testHub } from "./hub.ts";
import { rawRequest, statusOf } from "./raw.ts";

interface Part {
  /** Header lines; `PORT` stands for the hub's port. */
  readonly lines: string;
  readonly isGood: boolean;
  /** The host that the part names, for comparing origin and host. */
  readonly host?: string;
}

const good = (name: string, value: string): Part => ({ lines: `${name}: ${value}\r\n`, isGood: true, host: value });
const evil = (name: string, value: string): Part => ({ lines: `${name}: ${value}\r\n`, isGood: false });

const hosts: readonly Part[] = [
  good("Host", "127.0.0.1:PORT"),
  good("Host", "localhost:PORT"),
  good("Host", "[::1]:PORT"),
  ...[
    "evil.example",
    "evil.example:PORT",
    "127.0.0.1",
    "localhost",
    "127.0.0.1:1",
    "127.0.0.1:PORT.evil.example",
    "127.0.0.1.evil.example:PORT",
    "localhost.evil.example:PORT",
    "evil.example@127.0.0.1:PORT",
    "0.0.0.0:PORT",
    "127.0.0.2:PORT",
    "2130706433:PORT",
    "0x7f000001:PORT",
    "127.1:PORT",
    "[::ffff:127.0.0.1]:PORT",
    "[0:0:0:0:0:0:0:1]:PORT",
    "localhost.:PORT",
    "127.0.0.1:PORT/",
    "127.0.0.1:PORT, evil.example",
    "",
  ].map((host) => evil("Host", host)),
  { lines: "Host: 127.0.0.1:PORT\r\nHost: evil.example\r\n", isGood: false },
  { lines: "Host: evil.example\r\nHost: 127.0.0.1:PORT\r\n", isGood: false },
  { lines: "", isGood: false },
];

const origins: readonly Part[] = [
  { lines: "", isGood: true },
  { lines: "Origin: http://127.0.0.1:PORT\r\n", isGood: true, host: "127.0.0.1:PORT" },
  { lines: "Origin: http://localhost:PORT\r\n", isGood: true, host: "localhost:PORT" },
  ...[
    "null",
    "http://evil.example",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://127.0.0.1:PORT.evil.example",
    "http://127.0.0.1:PORT, http://evil.example",
    "http://127.0.0.1:PORT/",
    "file://",
  ].map((origin) => evil("Origin", origin)),
];

const sites: readonly Part[] = [
  { lines: "", isGood: true },
  { lines: "Sec-Fetch-Site: same-origin\r\n", isGood: true },
  { lines: "Sec-Fetch-Site: none\r\n", isGood: true },
  ...["cross-site", "same-site", "Same-Origin", "same-origin, cross-site", ""].map((site) =>
    evil("Sec-Fetch-Site", site),
  ),
];

/** Whether a request of these parts is one that the hub answers. */
function isOurs(host: Part, origin: Part, site: Part): boolean {
  if (!host.isGood || !origin.isGood || !site.isGood) return false;
  return origin.host === undefined || origin.host === host.host;
}

test("every combination of host, origin and fetch site is judged before the route", async (t) => {
  const hub = await testHub(t);
  let refused = 0;
  let passed = 0;
  for (const host of hosts) {
    const answers = origins.flatMap((origin) =>
      sites.map(async (site) => {
        const headers = `${host.lines}${origin.lines}${site.lines}`.replaceAll("PORT", String(hub.port));
        const answer = await rawRequest(hub.port, `GET /healthz HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
        if (isOurs(host, origin, site)) {
          assert.equal(statusOf(answer), 200, headers);
          passed += 1;
        } else {
          assert.ok([400, 403].includes(statusOf(answer)), `${headers}${answer}`);
          assert.doesNotMatch(answer, /"status":"ok"/);
          assert.match(answer, /^content-type: application\/problem\+json/im, `${headers}${answer}`);
          assert.match(answer, /"code":"foreign-request".*"hint":/, headers);
          refused += 1;
        }
      }),
    );
    await Promise.all(answers);
  }
  assert.ok(refused >= 300 && passed >= 10, `${refused} refused, ${passed} passed`);
  t.diagnostic(`${refused} combinations refused, ${passed} answered`);
});

test("no route comes before the guard", async (t) => {
  const hub = await testHub(t);
  const paths = [
    "/",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/mcp",
    "/api/session",
    "/api/teams/web/status",
    "/assets/x.js",
    "/none",
  ];
  for (const path of paths) {
    for (const method of ["GET", "POST", "OPTIONS", "DELETE", "PUT"]) {
      const answer = await rawRequest(
        hub.port,
        `${method} ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(statusOf(answer), 403, `${method} ${path}`);
      assert.match(answer, /"code":"foreign-request"/);
    }
  }
});

test("a request line that names another host is refused, whatever the header says", async (t) => {
  const hub = await testHub(t);
  const host = `Host: 127.0.0.1:${hub.port}\r\nConnection: close\r\n\r\n`;
  for (const target of [
    "http://evil.example/healthz",
    `http://evil.example:${hub.port}/healthz`,
    "//evil.example/healthz",
    "evil.example:80",
  ]) {
    const answer = await rawRequest(hub.port, `GET ${target} HTTP/1.1\r\n${host}`);
    const status = statusOf(answer);
    assert.ok([400, 403, 404].includes(status), `${target}: ${status}`);
    // What is no request at all gets no further than the parser of HTTP.
    if (target.includes("/")) assert.match(answer, /^content-type: application\/problem\+json/im, target);
  }
  assert.equal(
    statusOf(await rawRequest(hub.port, `GET http://127.0.0.1:${hub.port}/healthz HTTP/1.1\r\n${host}`)),
    200,
  );
});

test("a cookie opens nothing, whatever is in it: browsers send cookies to every port of a machine", async (t) => {
  const hub = await testHub(t);
  const owners = await hub.token("owner");
  for (const secret of [hub.session, owners]) {
    for (const name of ["baton-session", `baton-${hub.port}`, "authorization"]) {
      const headers = { cookie: `${name}=${secret}`, origin: hub.url };
      assert.equal((await ask(hub.url, "/api/session", { headers })).status, 401, name);
      assert.equal((await ask(hub.url, "/api/teams/web/tokens", { body: { agent: "owner" }, headers })).status, 401);
    }
  }
  assert.equal((await ask(hub.url, "/api/session", { as: hub.session })).headers.get("set-cookie"), null);
});
