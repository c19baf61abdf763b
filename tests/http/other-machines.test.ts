/**
 * A hub for other machines: a second socket, by TLS or for a proxy, that knows its own names; this machine's own address
 * stays what it is. 127.0.0.2 stands for the other machine's way in.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { connect as tlsConnect } from "node:tls";
import type { Clock } from "../../src/base/clock.ts";
import { hubLimits, listen, type TlsTexts } from "../../src/doors/http/index.ts";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import {
  certificateLookMs,
  listenForOthers,
  type PublicAddress,
  readPublicAddress,
} from "../../src/main/public-address.ts";
import { baton, expectCode, folder, start } from "../e2e/command.ts";
import { ask, type TestHub, testHub } from "./hub.ts";
import { quietPort } from "./quiet-port.ts";

const way = "127.0.0.2";
const name = "baton.example.com";
let keys: string;
const paths = (who: string) => ({ cert: join(keys, `${who}.pem`), key: join(keys, `${who}.key`) });
const texts = (who: string): TlsTexts => {
  const { cert, key } = paths(who);
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
};

const skip = spawnSync("openssl", ["version"]).status === 0 ? false : "openssl is not installed";

before(() => {
  if (skip !== false) return;
  keys = mkdtempSync(join(tmpdir(), "baton-tls-"));
  for (const who of ["first", "second"]) {
    const { cert, key } = paths(who);
    const names = `subjectAltName=DNS:${name},IP:${way}`;
    const made = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "2",
      "-addext",
      names,
    ];
    const args = ["req", "-x509", ...made, "-subj", `/CN=${who}`, "-out", cert, "-keyout", key];
    execFileSync("openssl", args, { stdio: "ignore" });
  }
});
after(() => skip === false && rmSync(keys, { recursive: true, force: true }));

/** One request to the public socket, as a client elsewhere makes it. */
async function asked(
  address: Pick<PublicAddress, "port" | "tls">,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: string }> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const facts = {
    host: way,
    port: address.port,
    path,
    method: text === undefined ? "GET" : "POST",
    agent: false as const,
    headers: { host: name, ...(text === undefined ? {} : { "content-type": "application/json" }), ...headers },
  };
  const ca = address.tls === null ? "" : readFileSync(address.tls.cert, "utf8");
  const sent = address.tls === null ? plainRequest(facts) : tlsRequest({ ...facts, ca, servername: name });
  sent.end(text);
  const [answer] = await once(sent, "response");
  let read = "";
  for await (const chunk of answer) read += String(chunk);
  return { status: answer.statusCode, body: read };
}

async function publicHub(
  t: Parameters<typeof testHub>[0],
  tls: PublicAddress["tls"],
): Promise<[TestHub, PublicAddress]> {
  const address = { host: way, port: await quietPort(), url: `https://${name}`, others: [`https://${way}`], tls };
  return [await testHub(t, { publicAddress: address }), address];
}

test("a hub of which nothing is said is not reached by another way than loopback's own address", async (t) => {
  const hub = await testHub(t);
  const socket = connect({ port: hub.port, host: way });
  const [error] = await once(socket, "error");
  assert.equal(error.code, "ECONNREFUSED");
  const app = { fetch: () => new Response() };
  const refused = await listen(app, { port: 0, host: "0.0.0.0" });
  assert.equal(!refused.ok && refused.error.code, "wrong-usage");
});

for (const encrypts of ["the hub itself", "a proxy in front of it"] as const) {
  test(`where ${encrypts} speaks TLS, other machines reach the hub by its own names alone`, { skip }, async (t) => {
    const [hub, address] = await publicHub(t, encrypts === "the hub itself" ? paths("first") : null);
    const own = `https://${name}`;
    const token = await hub.token("lead-1");
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await asked(address, "/healthz", headers)).status;
    assert.equal(await status({}), 200);
    assert.equal(await status({ host: `${name}:443` }), 200);
    assert.equal(await status({ host: way }), 200, "a further name");
    assert.equal(await status({ origin: own }), 200);
    for (const host of ["evil.example", `${name}.evil.example`, `127.0.0.1:${hub.port}`, `${name}:1`])
      assert.equal(await status({ host }), 403, host);
    for (const origin of [`http://${name}`, "https://evil.example", `https://${way}`, "null"])
      assert.equal(await status({ origin }), 403, origin);
    assert.equal(await status({ "sec-fetch-site": "cross-site" }), 403);
    assert.equal((await asked(address, "/api/teams/web/status", {})).status, 401);
    const authorization = `Bearer ${token}`;
    const sent = await asked(
      address,
      "/api/teams/web/messages",
      { authorization },
      { message: "hello", to: ["dev-1"] },
    );
    assert.equal(sent.status, 201, sent.body);

    const page = new URL((await hub.hub.publicOwnerUrl()) ?? "");
    assert.equal(page.origin, own);
    const code = page.hash.replace("#code=", "");
    const session = await asked(address, "/api/session", { origin: own }, { code });
    const shown = { "baton-session": String(JSON.parse(session.body).session) };
    const made = (origin: string) => asked(address, "/api/teams/web/tokens", { origin, ...shown }, { agent: "qa-1" });
    assert.equal((await made(own)).status, 201);
    assert.equal((await made(`http://127.0.0.1:${hub.port}`)).status, 403);

    // This machine's own address is as before, and does not know the other names.
    assert.equal((await ask(hub.url, "/api/teams/web/status", { as: hub.session })).status, 200);
    assert.equal((await ask(hub.url, "/healthz", { headers: { origin: own } })).status, 403);
  });
}

test("a renewed certificate is in use for the next connection, and a broken one is not taken", { skip }, async () => {
  const app = { fetch: () => new Response() };
  const listening = await listen(app, { port: 0, host: way, forOthers: true, tls: texts("first") });
  assert.ok(listening.ok);
  const { port, renew, close } = listening.value;
  const subject = async () => {
    const socket = tlsConnect({ port, host: way, servername: name, ca: [texts("first").cert, texts("second").cert] });
    await once(socket, "secureConnect");
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  assert.equal(await subject(), "first");
  assert.equal(renew(texts("second")), null);
  assert.equal(await subject(), "second");
  assert.equal(renew({ cert: texts("first").cert, key: texts("second").key })?.code, "wrong-usage");
  assert.equal(await subject(), "second");
  // A client that connects and says nothing does not keep the hub from ending.
  const silent = connect({ port, host: way });
  await once(silent, "connect");
  await subject();
  const cut = once(silent, "close");
  await Promise.all([close(0), cut]);
  const broken = await listen(app, { port: 0, tls: { cert: "none", key: "none" } });
  assert.equal(!broken.ok && broken.error.code, "wrong-usage");
});

test("a certificate that comes out of reach is no end of the hub, and is in use once it is back", {
  skip,
}, async (t) => {
  const [link, { cert, key }] = [join(keys, "link.pem"), paths("first")];
  symlinkSync(cert, link);
  const looks = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const asked = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  let look = -1;
  const wait: Clock["wait"] = (ms, signal) => {
    assert.equal(ms, certificateLookMs);
    asked[++look]?.resolve();
    return Promise.race([looks[look]?.promise, once(signal ?? assert.fail("it can be ended"), "abort")]).then(
      () => undefined,
    );
  };
  const lines: string[] = [];
  const tell = (_: object, line: string) => void lines.push(line);
  const log = { ...silentLog, info: tell, warn: tell };
  const app = { reachedAt: () => ({ fetch: () => new Response() }) };
  const address = { host: way, port: 0, url: `https://${name}`, others: [], tls: { cert: link, key } };
  const listening = await listenForOthers(app, address, { limits: hubLimits, log, clock: { wait } });
  assert.ok(listening.ok);
  t.after(() => listening.value.close(0));
  rmSync(link);
  symlinkSync(link, link);
  looks[0]?.resolve();
  await asked[1]?.promise;
  rmSync(link);
  symlinkSync(cert, link);
  looks[1]?.resolve();
  await asked[2]?.promise;
  assert.match(lines.join("; "), /^the certificate changed and cannot be used; .*; the renewed certificate is in use$/);
});

test("what does not fit together is refused, with what to say instead", () => {
  const listens = "0.0.0.0:4778";
  const publicUrl = `https://${name}`;
  const tls = { tlsCert: "a.pem", tlsKey: "a.key" };
  for (const [wish, path] of [
    [{ publicUrl }, "publicUrl"],
    [{ allowHosts: [name] }, "allowHosts"],
    [tls, "tlsCert"],
    [{ listen: listens }, "listen"],
    [{ listen: listens, ...tls }, "listen"],
    [{ listen: "4778", publicUrl }, "listen"],
    [{ listen: "host:99999", publicUrl }, "listen"],
    [{ listen: "a b:1", publicUrl }, "listen"],
    [{ listen: listens, publicUrl, tlsCert: "a.pem" }, "tlsKey"],
    [{ listen: listens, publicUrl, tlsKey: "a.key" }, "tlsCert"],
    [{ listen: listens, publicUrl: `http://${name}`, ...tls }, "publicUrl"],
    [{ listen: listens, publicUrl: `${publicUrl}/baton` }, "publicUrl"],
    [{ listen: listens, publicUrl: `https://me:secret@${name}` }, "publicUrl"],
    [{ listen: listens, publicUrl: "ftp://a" }, "publicUrl"],
    [{ listen: listens, publicUrl: "https://*.example" }, "publicUrl"],
    [{ listen: listens, publicUrl, allowHosts: ["a/b"] }, "allowHosts"],
  ] as const) {
    const read = readPublicAddress(wish);
    assert.ok(!read.ok, JSON.stringify(wish));
    assert.deepEqual([read.error.code, read.error.path], ["wrong-usage", `arguments.${path}`]);
    assert.doesNotMatch(JSON.stringify(read.error), /secret/);
  }
  const read = readPublicAddress({ listen: `${way}:4778`, ...tls });
  assert.equal(read.ok && read.value?.url, `https://${way}:4778`);
  const six = readPublicAddress({ listen: "[::]:4778", publicUrl, allowHosts: ["b.example:4778"] });
  assert.deepEqual(six.ok && [six.value?.host, six.value?.others], ["::", ["https://b.example:4778"]]);
});

test("a command on another machine speaks to a hub by TLS", { skip }, async () => {
  const [home, elsewhere] = [folder(), folder()];
  expectCode(0, home, ["init", "--yes", "--team", "web"]);
  const port = await quietPort();
  const { cert, key } = paths("first");
  const words = ["up", "--port", "0", "--json", "--listen", `${way}:${port}`, "--tls-cert", cert, "--tls-key", key];
  const up = start(home, words);
  try {
    const [line] = await once(createInterface({ input: up.stdout ?? assert.fail("no output") }), "line");
    const { publicUrl } = JSON.parse(String(line));
    assert.ok(String(publicUrl).startsWith(`https://${way}:${port}/#code=`), publicUrl);
    const token = /baton_[\w.-]+/.exec(expectCode(0, home, ["token", "create", "owner"]).stdout)?.[0] ?? "";
    const status = ["status", "--hub", `https://${way}:${port}`];
    const trusted = baton(elsewhere, status, "", { BATON_TOKEN: token, NODE_EXTRA_CA_CERTS: cert });
    assert.equal(trusted.code, 0, trusted.stderr);
    const untrusted = baton(elsewhere, status, "", { BATON_TOKEN: token });
    assert.match(untrusted.stderr, /hub-unreachable(?:.|\n)*set NODE_EXTRA_CA_CERTS/);
  } finally {
    up.kill("SIGTERM");
    if (up.exitCode === null) await once(up, "exit");
  }
});
