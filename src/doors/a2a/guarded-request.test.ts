/** Which addresses are asked for others, and that the judged one is the one that is connected to. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { kindOfAddress, readOutsideUrl, requestOutside } from "./guarded-request.ts";

const hostile = [
  "http://example.com/",
  "https://example.com:8443/",
  "https://user:word@example.com/",
  "https://example.com/#part",
  "ftp://example.com/",
  "file:///etc/passwd",
  "https://localhost/",
  "https://localhost./",
  "https://a.localhost/",
  "https://printer.local/",
  "https://db.internal/",
  "https://nas.home.arpa/",
  "https://intranet/",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://0.0.0.0/",
  "https://10.0.0.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data",
  "https://192.168.1.1/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[fd00::1]/",
  "https://[fe80::1]/",
  "https://[2002:7f00:1::]/",
  "https://224.0.0.1/",
  "not a url",
  `https://example.com/${"a".repeat(2_048)}`,
];

test("an address of this machine, of a private network or of no good form is not asked", () => {
  for (const text of hostile) assert.ok(!readOutsideUrl(text, { isPrivateAllowed: false }).ok, text);
  for (const text of [
    "https://example.com/hook",
    "https://example.com./",
    "https://93.184.216.34/",
    "https://[2606:2800::1]/",
  ])
    assert.ok(readOutsideUrl(text, { isPrivateAllowed: false }).ok, text);
  for (const text of ["http://127.0.0.1:4777/", "http://localhost:1/", "https://10.0.0.1/"])
    assert.ok(readOutsideUrl(text, { isPrivateAllowed: true }).ok, text);
  for (const text of ["https://169.254.169.254/", "ftp://10.0.0.1/", "http://[::ffff:127.0.0.1]/"])
    assert.ok(!readOutsideUrl(text, { isPrivateAllowed: true }).ok, text);
  assert.deepEqual(["8.8.8.8", "10.1.1.1", "0.1.2.3", "::", "nonsense"].map(kindOfAddress), [
    "public",
    "private",
    "forbidden",
    "forbidden",
    "forbidden",
  ]);
});

test("every address that a name stands for is judged, and no redirect is followed", { timeout: 30_000 }, async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/away") return response.writeHead(302, { location: "/secret" }).end();
    if (request.url === "/endless") return endless(response);
    if (request.url === "/stalled") return void response.writeHead(200).write("x");
    response.end("here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server's own
  const { signal } = new AbortController();
  const request = (path: string, addresses: readonly string[], more: object = {}) =>
    requestOutside({
      url: new URL(`http://shop.example.com:${port}${path}`),
      method: "GET",
      headers: {},
      rules: {
        isPrivateAllowed: true,
        resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: 4 }))),
      },
      signal,
      ...more,
    });
  const codeOf = async (...of: Parameters<typeof request>) => {
    const answer = await request(...of);
    return answer.ok ? Buffer.from(answer.value.body).toString() : answer.error.code;
  };
  // The control: the name stands for this machine, which the owner allows here.
  assert.equal(await codeOf("/here", ["127.0.0.1"]), "here");
  assert.equal(await codeOf("/mixed", ["127.0.0.1", "169.254.169.254"]), "wrong-value");
  assert.equal(await codeOf("/plain", ["8.8.8.8"]), "wrong-value", "http goes to private addresses only");
  assert.equal(await codeOf("/none", []), "hub-unreachable");
  assert.equal(await codeOf("/away", ["127.0.0.1"]), "not-a-hub");
  assert.equal(await codeOf("/endless", ["127.0.0.1"], { bytesMax: 100_000 }), "too-large");
  assert.equal(await codeOf("/stalled", ["127.0.0.1"], { timeoutMs: 100 }), "timed-out");
  const strict = { isPrivateAllowed: false, resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]) };
  const url = new URL("https://shop.example.com/");
  const rebound = await requestOutside({ url, method: "GET", headers: {}, rules: strict, signal });
  assert.equal(rebound.ok ? "asked" : rebound.error.code, "wrong-value", "a public name that stands for this machine");
  assert.deepEqual(asked, ["/here", "/away", "/endless", "/stalled"]);
});

function endless(response: { write(chunk: string, written: () => void): boolean; readonly destroyed: boolean }): void {
  const more = () => {
    if (!response.destroyed) response.write("x".repeat(64 * 1024), more);
  };
  more();
}
