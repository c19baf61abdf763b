/** A journal in a server without its driver. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname } from "node:path";
import { test } from "node:test";
import { TLSSocket } from "node:tls";
import { openJournal, readJournalUrl, serverFileName, shownAddress } from "../../src/journal/engines.ts";
import { readNatsAddress } from "../../src/journal/nats/address.ts";
import { openPostgresJournal } from "../../src/journal/postgres/open.ts";
import { called } from "../e2e/called.ts";
import { team as teamFolder } from "../e2e/command.ts";
import { must, tally } from "../journal/journal-subject.ts";
import { newCertificate, noCertificates } from "./certificates.ts";

const engines = new URL("../../src/journal/engines.ts", import.meta.url).href;
const subject = new URL("../journal/journal-subject.ts", import.meta.url).href;

/** Opens a journal in a process that has no package of these names, and answers the problem's code and hint. */
function openedWithout(names: readonly string[], url: string): string {
  const script = `
    import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (${JSON.stringify(names)}.includes(name)) throw Object.assign(new Error("absent"), { code: "ERR_MODULE_NOT_FOUND" });
      return next(name, context);
    } });
    const { openJournal } = await import(${JSON.stringify(engines)});
    const { tally } = await import(${JSON.stringify(subject)});
    const done = await openJournal(${JSON.stringify(url)}, tally, { waitMs: 0 });
    console.log(JSON.stringify(done));`;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  assert.doesNotMatch(done.stdout + done.stderr, /hidden-word/);
  return done.stdout;
}

test("without its driver a journal in a server is refused, and the hint says what to install", () => {
  for (const [scheme, driver, wanted] of [
    ["postgres", "pg", "pg pgpass"],
    ["nats", "@nats-io/transport-node", "@nats-io/transport-node"],
  ] as const) {
    const url = `${scheme}://u:hidden-word@127.0.0.1:1/none`;
    assert.match(openedWithout([driver], url), new RegExp(`"journal-cannot-open".*npm install ${wanted} `));
    // The control: with the driver it is the server that does not answer.
    assert.match(openedWithout([], url), /"journal-unreachable"/);
  }
});

test("a server of PostgreSQL that lets in and goes in one breath is one that does not answer", async (t) => {
  const message = (kind: string, body: string) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(kind), length, Buffer.from(body, "latin1")]);
  };
  const goes = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0";
  const breath = Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I"), message("E", goes)]);
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.once("data", () => socket.end(breath));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  const opened = await openPostgresJournal(`postgres://u@127.0.0.1:${port}/none`, tally, { waitMs: 0 });
  assert.ok(!opened.ok);
  assert.equal(opened.error.code, "journal-unreachable");
  assert.ok(connections > 0);
});

test("an address is shown without its credentials, and refused without them", () => {
  const shown: Readonly<Record<string, string>> = {
    "postgres://u:p@h/db": "postgres://h/db",
    "postgres://u:p@ss/w@h:1/db?schema=a": "postgres://ss/w@h:1/db?schema=a",
    "postgresql://h/db?user=u&password=p&schema=a": "postgresql://h/db?user=u&password=…&schema=a",
    "postgres://h/db": "postgres://h/db",
    "nats://u:p@a:1,b:2/n?creds=/k": "nats://a:1,b:2/n?creds=/k",
    "nats://a:1/n?monitor=http://u:p@a:8222": "nats://a:1/n?monitor=http://a:8222",
    "/srv/a@b/journal.db": "/srv/a@b/journal.db",
    "sqlite:a@b.db": "sqlite:a@b.db",
  };
  for (const [address, expected] of Object.entries(shown)) assert.equal(shownAddress(address), expected);
  for (const url of ["mysql://u:hidden@h/db", "nats:/u:hidden@h", "postgres:/u:hidden@h/db"]) {
    const read = readJournalUrl(url, "--journal");
    assert.ok(!read.ok && read.error.code === "wrong-usage");
    assert.doesNotMatch(JSON.stringify(read), /hidden/);
  }
  assert.equal(serverFileName("postgres://a:1@h/db"), serverFileName("postgres://b:2@h/db"));
  assert.equal(serverFileName("nats://a@h/n?monitor=http://h:1"), serverFileName("nats://h/n"));
  assert.notEqual(serverFileName("postgres://h/db"), serverFileName("postgres://h/other"));
});

test("an address of a server that Baton does not know is refused without its credentials", async () => {
  const place = teamFolder();
  for (const url of ["mysql://u:hidden@h/db", "postgress://u:hidden@h/db", "nats://h/n?monitor=http://u:hidden@h:1"]) {
    for (const words of [
      ["journal", "place", url],
      ["status", "--journal", url],
      ["journal", "copy", "--to", url],
    ]) {
      const done = await called(place, words);
      assert.notEqual(done.code, 0, words.join(" "));
      assert.doesNotMatch(done.said, /hidden/, words.join(" "));
    }
  }
});

test("the URL of a journal on NATS names servers, journal and options, and what is none is refused", () => {
  const read = must(
    readNatsAddress("nats://u:p%3Aq@one:1,two/shop?replicas=3&monitor=http://one:8222,http://two:8222"),
  );
  assert.deepEqual(
    [read.servers, read.user, read.password, read.name, read.replicas, read.monitors, read.place],
    [
      ["one:1", "two:4222"],
      "u",
      "p:q",
      "shop",
      3,
      ["http://one:8222", "http://two:8222"],
      "nats://one:1,two:4222/shop",
    ],
  );
  assert.deepEqual(must(readNatsAddress("nats://h")).name, "baton");
  for (const text of [
    "nats://",
    "nats://h/Shop",
    "nats://h/a/b",
    "nats://h?replicas=2",
    "nats://h/n?monitor=x",
    "nats://h/n?monitor=http://u:hidden@h:1,http://v:hidden@h:2",
    "nats://u:hidden@,/n",
  ]) {
    const refused = readNatsAddress(text);
    assert.ok(!refused.ok && refused.error.code === "wrong-usage", text);
    assert.doesNotMatch(JSON.stringify(refused), /hidden/);
  }
});

test("an option of an address that nobody reads is refused, for the server would be asked without it", async () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["postgres://u:hidden@h/db?sslmod=verify-full", /no such option.*"sslmod".*did you mean "sslmode"/],
    ["postgres://h/db?sslmode=verifyfull", /no value of the option sslmode.*sslmode=verify-full \| /],
    ["postgres://h/db?schema=a&channel_binding=require", /no such option.*"channel_binding"/],
    ["nats://u:hidden@h/n?tsl=on", /no such option.*"tsl".*did you mean "tls"/],
    ["nats://h/n?monitr=http://h:8222", /no such option.*did you mean "monitor"/],
    ["nats://h/n?tls=true", /no value of the option tls.*tls=on.*"true"/],
    ["nats://h/n?tls=yes", /no value of the option tls/],
    ["nats://h/n?tls=on&tls=1", /no value of the option tls/],
    ["nats://h/n?__proto__=x", /no such option/],
  ];
  for (const [url, expected] of refused) {
    const opened = await openJournal(url, tally, { waitMs: 0 });
    assert.ok(!opened.ok && opened.error.code === "wrong-usage", url);
    assert.match(JSON.stringify(opened.error).replaceAll('\\"', '"'), expected, url);
    assert.doesNotMatch(JSON.stringify(opened), /hidden/);
  }
  // The control: what is known goes on to the server, of which there is none.
  for (const url of [
    "postgres://u@127.0.0.1:1/db?sslmode=disable&application_name=shop&connect_timeout=5&options=-csearch_path=x&replicas=async",
    "nats://u@127.0.0.1:1/n?tls=on&replicas=1&monitor=http://127.0.0.1:1",
  ]) {
    const opened = await openJournal(url, tally, { waitMs: 0 });
    assert.equal(!opened.ok && opened.error.code, "journal-unreachable", url);
  }
});

test("a connection that wants a password and gets none is ended at once", async (t) => {
  // A server that asks for a password as PostgreSQL does, and then waits.
  const asking = (step: number, text: string) => {
    const head = Buffer.alloc(9);
    head.write("R");
    head.writeInt32BE(8 + text.length, 1);
    head.writeInt32BE(step, 5);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const answers = [asking(10, "SCRAM-SHA-256\0\0"), asking(11, "r=nonce,s=AAAA,i=4096")];
  const ended: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    const left = [...answers];
    ended.push(once(socket, "end"));
    socket.on("data", () => socket.write(left.shift() ?? Buffer.alloc(0)));
    socket.on("error", () => undefined);
  });
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const opened = await openPostgresJournal(`postgres://nobody@127.0.0.1:${port}/none`, tally);
  assert.equal(!opened.ok && opened.error.code, "journal-cannot-open");
  assert.ok(ended.length > 0);
  await Promise.all(ended);
});

test("a server of PostgreSQL whose certificate is not trusted is refused with what to set", {
  skip: noCertificates,
}, async (t) => {
  const files = newCertificate(t, "DNS:localhost");
  const [cert, key] = [readFileSync(files.cert), readFileSync(files.key)];
  let greeted = 0;
  // A server that takes TLS as PostgreSQL does, and goes once it is asked something.
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, cert, key });
      secure.on("error", () => undefined);
      secure.once("data", () => {
        greeted += 1;
        secure.end();
      });
    });
  });
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const opened = async (host: string, options: string) => {
    const done = await openPostgresJournal(`postgres://u@${host}:${port}/none?${options}`, tally, { waitMs: 0 });
    assert.ok(!done.ok);
    return JSON.stringify(done.error);
  };
  const untrusted =
    /journal-cannot-open.*not trust the server's certificate.*sslrootcert=FILE.*NODE_EXTRA_CA_CERTS=FILE/;
  assert.match(await opened("localhost", "sslmode=verify-full"), untrusted);
  assert.match(await opened("127.0.0.1", `sslmode=verify-full&sslrootcert=${files.cert}`), untrusted);
  // What is wrong with a file that the address names is found here, too.
  const unreadable = /journal-cannot-open.*A file that the address names cannot be read.*whole path/;
  assert.match(await opened("localhost", `sslmode=verify-full&sslrootcert=${files.cert}.none`), unreadable);
  assert.match(await opened("localhost", `sslmode=verify-full&sslrootcert=${dirname(files.cert)}`), unreadable);
  assert.match(
    await opened("localhost", `sslmode=verify-full&sslcert=${import.meta.filename}&sslkey=${files.key}`),
    /journal-cannot-open.*holds no certificate or key/,
  );
  assert.match(
    await opened("localhost", "sslmode=verify-ca&uselibpqcompat=true"),
    /journal-cannot-open.*sslrootcert=FILE/,
  );
  assert.match(await opened("localhost", "sslrootcert=ca.pem"), /wrong-usage.*whole path.*ca\.pem/);
  assert.equal(greeted, 0);
  // The control: with its authority and its name the server is asked.
  assert.match(await opened("localhost", `sslmode=verify-full&sslrootcert=${files.cert}`), /journal-unreachable/);
  assert.ok(greeted > 0);
});

test("a server of PostgreSQL without TLS is refused where the address asks for TLS, with what to do", async (t) => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write("N"));
  });
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const opened = await openPostgresJournal(`postgres://u@127.0.0.1:${port}/none?sslmode=verify-full`, tally);
  assert.ok(!opened.ok);
  assert.match(JSON.stringify(opened.error), /journal-cannot-open.*the server has none.*ssl = on/);
});
