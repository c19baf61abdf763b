/** `baton up` as people start it, find it and end it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { leaveCode } from "../../src/main/code-files.ts";
import { ask } from "./hub.ts";
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
  assert.equal((await ask(hub.url, `/api/teams/${hub.team}/status`, { as: hub.session })).body.team, hub.team);
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
    assert.equal((await waiting).status, 503);
    const again = await startUp(t, folder);
    assert.equal((await ask(again.url, `/api/teams/web/messages/${seq}`, { as: again.session })).status, 200);
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

test("baton start --link prints a link that lets one browser in, once, and leaves no secret behind", async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const opened = await runBaton(folder, ["start", "--link", "--json"]);
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
  assert.equal((await ask(hub.url, "/api/session", { as: first.body.session })).body.agent, "owner");
  const second = await exchange();
  assert.equal(second.status, 401);
  assert.match(JSON.stringify(second.body), /baton start --link/);
  assert.equal((await runBaton(folder, ["start", "--link", "--port", "1"])).code, 1);
  assert.equal((await runBaton(folder, ["start", "--link", "--port", String(hub.port)])).code, 0);
  const other = await runBaton(teamFolder(t), ["start", "--link"]);
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

test("a second hub on the port of the first says which hub it is, and stop ends it", async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const second = await runBaton(folder, ["up", "--port", String(hub.port)]);
  assert.equal(second.code, 2);
  assert.match(second.stderr, new RegExp(`runs already \\(pid ${hub.pid}\\) at ${hub.url}`));
  assert.match(second.stderr, /baton start --link/);
  assert.match((await runBaton(folder, ["status"])).stdout, new RegExp(`hub runs at ${hub.url}`));
  const elsewhere = spawnUp(folder, ["--port", "0"]);
  t.after(() => elsewhere.kill());
  assert.ok(elsewhere.stdout !== null && elsewhere.stderr !== null);
  const [lines] = await Promise.all(
    [elsewhere.stderr, elsewhere.stdout].map((input) => once(createInterface({ input }), "line")),
  );
  const both = `note: another hub of this team runs at ${hub.url} \\(pid ${hub.pid}\\)\\. Both .*\`baton stop\` ends both`;
  assert.match(String(lines?.[0]), new RegExp(both));
  const down = await runBaton(folder, ["stop"]);
  assert.equal(down.code, 0, down.stderr);
  assert.match(down.stderr, new RegExp(`${hub.url} has ended`));
  assert.deepEqual(await endOf(hub.child), { code: 0, signal: null });
  assert.deepEqual(await endOf(elsewhere), { code: 0, signal: null });
  assert.match((await runBaton(folder, ["stop"])).stderr, /No hub of this journal runs/);
});

test("stop returns when the hub's process has ended, not when it takes its note away", async (t) => {
  const folder = teamFolder(t);
  // A process that takes half a second for its end, after the hub in it has stopped.
  const [slow, gone] = [join(folder, "slow-end.cjs"), join(folder, "gone")];
  writeFileSync(
    slow,
    `if (process.argv.includes("up")) process.on("exit", () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      require("node:fs").writeFileSync(${JSON.stringify(gone)}, "");
    });`,
  );
  await startUp(t, folder, ["--port", "0"], { NODE_OPTIONS: `--require=${slow}` });
  assert.equal((await runBaton(folder, ["stop"])).code, 0);
  assert.equal(existsSync(gone), true, "it returned before the process ended");
});

test("the note of a killed hub misleads nobody, even where another process has its number", async (t) => {
  const folder = teamFolder(t);
  const killed = await startUp(t, folder);
  await killed.end("SIGKILL");
  const note = join(folder, `.baton/journal.db.hub-${killed.pid}`);
  const told = readFileSync(note, "utf8");
  assert.equal((await runBaton(folder, ["start", "--link"])).code, 1);
  const next = await startUp(t, folder);
  assert.equal(existsSync(note), false, "it was taken away");
  await next.end("SIGTERM");
  // A hub of another team listens where the killed one did, under a number that lives.
  const stranger = await startUp(t, teamFolder(t));
  const forged = { ...JSON.parse(told), pid: stranger.pid, url: stranger.url };
  writeFileSync(join(folder, `.baton/journal.db.hub-${stranger.pid}`), JSON.stringify(forged));
  assert.equal((await runBaton(folder, ["start", "--link"])).code, 1);
  assert.equal((await runBaton(folder, ["stop"])).code, 0);
  assert.equal((await ask(stranger.url, "/healthz")).status, 200, "and was not ended");
});
