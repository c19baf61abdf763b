/** `baton up` as people start and end it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { leaveCode } from "../../src/main/code-files.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { ask } from "./hub.ts";
import { cutter } from "./line.ts";
import { endOf, runBaton, spawnUp, startUp, teamFolder } from "./process.ts";
import { rawConnection } from "./raw.ts";
import { readStream } from "./stream-reader.ts";

test("in an empty folder it makes a team, says so, and answers", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-up-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const hub = await startUp(t, folder);
  assert.equal(hub.pid, hub.child.pid);
  assert.match(hub.words(), /team\.yaml for team baton-up-/);
  assert.ok(existsSync(join(folder, ".baton/team.yaml")));
  assert.equal((await ask(hub.url, "/readyz")).status, 200);
  assert.equal((await ask(hub.url, `/api/teams/${hub.team}/status`, { as: hub.cookie })).body.team, hub.team);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} ends streams and waits, finishes, and exits with 0`, async (t) => {
    const folder = teamFolder(t);
    const hub = await startUp(t, folder);
    const [dev, lead] = [await hub.token("dev-1"), await hub.token("lead-1")];
    const stream = await readStream(hub.url, dev);
    const waiting = ask(hub.url, "/api/teams/web/agents/dev-1/inbox?wait=60", { as: dev });
    const last = ask(hub.url, "/api/teams/web/messages", {
      as: lead,
      body: { message: "Before the end", to: ["qa-1"] },
    });
    const { seq } = (await last).body.receipt;
    await stream.next(({ id }) => Number(id) === seq);
    assert.deepEqual(await hub.end(signal), { code: 0, signal: null });
    await stream.ended;
    assert.equal((await waiting).status, 408);
    const again = await startUp(t, folder);
    assert.equal((await ask(again.url, `/api/teams/web/messages/${seq}`, { as: again.cookie })).status, 200);
  });
}

test("a second Ctrl-C ends it at once, whatever is under way", async (t) => {
  const hub = await startUp(t, teamFolder(t), ["--port", "0", "--log-level", "info"]);
  // A request that never comes to its end keeps the hub for its grace.
  const socket = await rawConnection(hub.port);
  socket.on("error", () => undefined); // The hub breaks the connection off as it is killed.
  socket.write(
    `POST /api/teams/web/messages HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nAuthorization: Bearer ${await hub.token("dev-1")}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  );
  await ask(hub.url, "/healthz");
  const stopping = new Promise<void>((resolve) => {
    hub.child.stderr?.on("data", () => {
      if (hub.words().includes("the hub stops")) resolve();
    });
  });
  hub.child.kill("SIGINT");
  await stopping;
  assert.deepEqual(await hub.end("SIGINT"), { code: null, signal: "SIGINT" });
  socket.destroy();
});

test("a port that is taken is said, with what to do", async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const second = spawnUp(folder, ["--port", String(hub.port)]);
  const lines = createInterface({ input: second.stdout ?? assert.fail("it has an output") });
  const line = new Promise<string>((resolve) => lines.once("line", resolve));
  const { problems } = JSON.parse(await line);
  assert.equal(problems[0].code, "port-taken");
  assert.match(problems[0].hint, /--port 0/);
  assert.deepEqual(await endOf(second), { code: 2, signal: null });
  assert.equal((await ask(hub.url, "/healthz")).status, 200);
  const wrong = spawnUp(folder, ["--port", "70000"]);
  assert.deepEqual(await endOf(wrong), { code: 64, signal: null });
});

test("baton open prints a link that lets one browser in, once, and leaves no secret behind", async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const opened = await runBaton(folder, ["open", "--json"]);
  assert.equal(opened.code, 0, opened.stderr);
  const { url, pid } = JSON.parse(opened.stdout);
  assert.equal(pid, hub.pid);
  const link = new URL(url);
  assert.equal(link.origin, hub.url);
  const code = link.hash.replace("#code=", "");
  const notes = readdirSync(join(folder, ".baton")).filter((name) => /\.(?:hub|code)-/.test(name));
  assert.equal(notes.length, 2);
  for (const name of notes) {
    assert.ok(!name.includes(code) && !readFileSync(join(folder, ".baton", name), "utf8").includes(code));
    if (process.platform !== "win32") assert.equal(statSync(join(folder, ".baton", name)).mode & 0o777, 0o600);
  }
  const exchange = () => ask(hub.url, "/api/session", { body: { code }, headers: { origin: hub.url } });
  const first = await exchange();
  assert.equal(first.status, 200);
  const cookie = (first.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  assert.equal((await ask(hub.url, "/api/session", { as: cookie })).body.agent, "owner");
  const second = await exchange();
  assert.equal(second.status, 401);
  assert.match(JSON.stringify(second.body), /baton open/);
  assert.equal((await runBaton(folder, ["open", "--port", "1"])).code, 1);
  assert.equal((await runBaton(folder, ["open", "--port", String(hub.port)])).code, 0);
  const other = await runBaton(teamFolder(t), ["open"]);
  assert.equal(other.code, 1, "a hub of another journal is not meant");
  assert.match(other.stderr, /hub-unreachable(?:.|\n)*baton up/);
});

test("a code that came too late buys nothing", async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const journal = join(folder, ".baton/journal.db");
  const exchange = (code: string) =>
    ask(hub.url, "/api/session", { body: { code }, headers: { origin: hub.url } }).then(({ status }) => status);
  assert.equal(await exchange(leaveCode(journal, systemClock, -1)), 401);
  assert.equal(await exchange(leaveCode(journal, systemClock, 60_000)), 200);
});

test("a second hub on the port of the first says which hub it is, and down ends it", async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const second = await runBaton(folder, ["up", "--port", String(hub.port)]);
  assert.equal(second.code, 2);
  assert.match(second.stderr, new RegExp(`runs already \\(pid ${hub.pid}\\) at ${hub.url}`));
  assert.match(second.stderr, /baton open/);
  assert.match((await runBaton(folder, ["status"])).stdout, new RegExp(`hub runs at ${hub.url}`));
  const down = await runBaton(folder, ["down"]);
  assert.equal(down.code, 0, down.stderr);
  assert.match(down.stdout, new RegExp(`${hub.url} has ended`));
  assert.deepEqual(await endOf(hub.child), { code: 0, signal: null });
  assert.match((await runBaton(folder, ["down"])).stderr, /No hub of this journal runs/);
});

test("the note of a killed hub misleads nobody, even where another process has its number", async (t) => {
  const folder = teamFolder(t);
  const killed = await startUp(t, folder);
  await killed.end("SIGKILL");
  const note = join(folder, `.baton/journal.db.hub-${killed.pid}`);
  const told = readFileSync(note, "utf8");
  assert.equal((await runBaton(folder, ["open"])).code, 1);
  assert.equal(existsSync(note), false, "it was taken away");
  // A hub of another team listens where the killed one did, under a number that lives.
  const stranger = await startUp(t, teamFolder(t));
  const forged = { ...JSON.parse(told), pid: stranger.pid, url: stranger.url };
  writeFileSync(join(folder, `.baton/journal.db.hub-${stranger.pid}`), JSON.stringify(forged));
  assert.equal((await runBaton(folder, ["open"])).code, 1);
  assert.equal((await runBaton(folder, ["down"])).code, 0);
  assert.equal((await ask(stranger.url, "/healthz")).status, 200, "and was not ended");
});

test("an edit of the team file is recorded while the hub runs, and a broken one is told with its line", async (t) => {
  const folder = teamFolder(t);
  const file = join(folder, ".baton/team.yaml");
  const text = readFileSync(file, "utf8");
  const hub = await startUp(t, folder, ["--port", "0", "--log-level", "info"]);
  const said = (words: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (words.test(hub.words())) resolve();
      };
      hub.child.stderr?.on("data", look);
      look();
    });
  const status = async () => (await ask(hub.url, "/api/teams/web/status", { as: hub.cookie })).body;
  writeFileSync(file, `${text}  dev-2: { role: dev }\n`);
  await said(/the team file is recorded/);
  const { revision, agents } = await status();
  assert.equal(revision, 2);
  assert.ok(agents.some(({ agent }: { agent: string }) => agent === "dev-2"));
  writeFileSync(file, `${text}  dev-3: { role: wizard }\n`);
  await said(/team\.yaml:9:\d+.*not taken.*Revision 2 stays in force/);
  assert.equal((await status()).revision, 2);
  writeFileSync(file, text.replace("web", "shop"));
  await said(/names another team/);
  writeFileSync(file, `${text}  dev-3: { role: dev }\n`);
  await said(/"revision":3/);

  const guide = readFileSync(new URL("../../docs/guides/own-messages.md", import.meta.url), "utf8");
  mkdirSync(join(folder, ".baton/messages"));
  writeFileSync(join(folder, ".baton/messages/risk_report.json"), /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "");
  await said(/"revision":4/);
  const named = async () =>
    (await status()).definition.messages?.map(({ type }: { type: string }) => type) as readonly string[];
  assert.deepEqual(await named(), ["risk_report"]);
  writeFileSync(file, text);
  await said(/"revision":5/);
  assert.deepEqual(await named(), ["risk_report"], "an edit of one file leaves what the others say");
});

test("two hubs on one journal are one team", async (t) => {
  const folder = teamFolder(t);
  const one = await startUp(t, folder);
  const other = await startUp(t, folder);
  const [dev, lead] = [await one.token("dev-1"), await one.token("lead-1")];
  const reader = await readStream(other.url, dev);
  const path = "/api/teams/web/messages";
  const sent = await ask(one.url, path, { as: lead, body: { message: "Across", to: ["dev-1"], id: "m-1" } });
  assert.equal(sent.status, 201);
  await reader.next(({ id }) => Number(id) === sent.body.receipt.seq);
  const again = await ask(other.url, path, { as: lead, body: { message: "Across", to: ["dev-1"], id: "m-1" } });
  assert.deepEqual([again.status, again.body.receipt.duplicate], [200, true]);
  const senders = [one, other].flatMap((hub) =>
    Array.from({ length: 40 }, (_, index) =>
      ask(hub.url, path, { as: lead, body: { message: `${hub.port}/${index}`, to: ["dev-1"] } }),
    ),
  );
  const seqs = (await Promise.all(senders)).map(({ body }) => Number(body.receipt.seq)).toSorted((a, b) => a - b);
  assert.equal(new Set(seqs).size, 80);
  await reader.next(({ id }) => Number(id) === seqs.at(-1));
  assert.deepEqual(
    reader.seqs(),
    Array.from({ length: 81 }, (_, index) => sent.body.receipt.seq + index),
  );
  const tokens = (await ask(one.url, "/api/teams/web/tokens", { as: one.cookie })).body.tokens;
  const own = tokens.find(({ agent }: { agent: string }) => agent === "dev-1").tokenId;
  await ask(one.url, `/api/teams/web/tokens/${own}/revoke`, { as: one.cookie, body: {} });
  await reader.ended;
  assert.equal((await ask(other.url, "/api/teams/web/status", { as: dev })).body.code, "token-revoked");
});

test("words that may quote a message are recorded once, though their answer is lost and the next hub is asked", async (t) => {
  const folder = teamFolder(t);
  const hubs = [await startUp(t, folder), await startUp(t, folder)] as const;
  const token = await hubs[0].token("dev-1");
  const path = "/api/teams/web/messages";
  const update = typedMessage("execution_update", { status: "partial" }, { id: "update-1" });
  const claim = typedMessage("execution_update", {}, { id: "claim-1" });
  const quoted = (message: object) => `I mean this: ${JSON.stringify(message)}`;
  const recorded = async () => {
    const { entries } = (await ask(hubs[0].url, `${path}?kind=message`, { as: token })).body;
    return entries.map(({ type, id }: { type: string | null; id: string }) => [type, id]) as readonly unknown[][];
  };
  // Each try goes to the other hub; the line is cut after the first of them has recorded.
  let sends = 0;
  const url = await cutter(
    t,
    () => hubs[sends % 2 === 1 ? 0 : 1].port,
    ({ method }) => (method === "POST" && ++sends % 2 === 1 ? "after" : "never"),
  );
  const cases = [
    ["Plain words.", null],
    [quoted(update), "execution_update"],
    [quoted(claim), null],
    [`Once more. ${quoted(update)}`, null],
  ] as const;
  for (const [index, [text, type]] of cases.entries()) {
    writeFileSync(join(folder, "text.md"), text);
    const hub = ["--hub", url, "--token", token];
    const said = await runBaton(folder, ["send", "text.md", "--to", "lead-1", "--json", ...hub]);
    assert.equal(said.code, 0, said.stderr);
    assert.equal(JSON.parse(said.stdout).duplicate, true, "another hub had recorded it");
    const now = await recorded();
    assert.equal(now.length, index + 1, "each is recorded once");
    assert.equal(now[index]?.[0], type);
  }
  // The control: a client that does not name the words has them recorded twice.
  const body = { message: quoted(claim), to: ["lead-1"] };
  await assert.rejects(ask(url, path, { as: token, body }));
  assert.equal((await ask(url, path, { as: token, body })).status, 201);
  assert.equal((await recorded()).length, cases.length + 2);
});

/** How long the lock of the journal is held against the hub, and how long it is left alone between two questions. */
const heldMs = 2_000;
const betweenMs = 20;
const holder = `
const { DatabaseSync } = require("node:sqlite");
const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
db.exec("BEGIN IMMEDIATE");
console.log("held");
process.stdin.once("data", () => { db.exec("ROLLBACK"); db.close(); process.exit(); });
`;

test("while another process holds the lock for two seconds the hub goes on answering", async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const control = await startUp(t, teamFolder(t));
  const lead = await hub.token("lead-1");
  const lock = spawn(process.execPath, ["-e", holder, join(folder, ".baton/journal.db")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => void lock.kill("SIGKILL"));
  await new Promise<void>((resolve) => lock.stdout.once("data", () => resolve()));
  const heldAt = performance.now();
  let isAnswered = false;
  const sent = ask(hub.url, "/api/teams/web/messages", { as: lead, body: { message: "Patience", to: ["dev-1"] } }).then(
    (answer) => {
      isAnswered = true;
      return answer;
    },
  );
  // Another hub tells what the machine itself makes of such a question, however busy it is.
  const [here, elsewhere]: [number[], number[]] = [[], []];
  while (performance.now() - heldAt < heldMs) {
    here.push(await timeOf(hub.url));
    elsewhere.push(await timeOf(control.url));
    await systemClock.wait(betweenMs);
  }
  assert.equal(isAnswered, false, "the lock was really held");
  lock.stdin.write("release\n");
  assert.equal((await sent).status, 201);
  // A busy machine may hold up a single answer, but a hub that waits for the lock would hold up them all.
  const usual = slowestOf(here, 0.9) - slowestOf(elsewhere, 0.9);
  const longest = slowestOf(here, 1) - slowestOf(elsewhere, 1);
  const words = `nine of ten of ${here.length} answers took ${usual} ms more than elsewhere, the slowest ${longest} ms`;
  t.diagnostic(words);
  assert.ok(usual < 100 && longest < heldMs / 2, words);
});

/** The longest of the times but for the longest few; `share` of them count. */
function slowestOf(times: readonly number[], share: number): number {
  return (
    times.toSorted((one, other) => one - other)[Math.ceil(times.length * share) - 1] ?? assert.fail("there are times")
  );
}

async function timeOf(url: string): Promise<number> {
  const start = performance.now();
  assert.equal((await ask(url, "/healthz")).status, 200);
  return performance.now() - start;
}

test("a hub whose journal is removed under it takes nothing more, is not ready, and says why", async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const lead = await hub.token("lead-1");
  const send = () =>
    ask(hub.url, "/api/teams/web/messages", { as: lead, body: { message: "Where does it go?", to: ["dev-1"] } });
  assert.equal((await send()).status, 201);
  assert.equal((await ask(hub.url, "/readyz")).status, 200);
  const said = new Promise<void>((resolve) => {
    hub.child.stderr?.on("data", () => {
      if (hub.words().includes("removed or replaced")) resolve();
    });
  });
  for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `.baton/journal.db${end}`));
  const refused = await send();
  assert.deepEqual([refused.status, refused.body.code], [503, "journal-failed"]);
  assert.equal((await ask(hub.url, "/readyz")).status, 503);
  await said;
  assert.deepEqual(await hub.end("SIGTERM"), { code: 0, signal: null });
});
