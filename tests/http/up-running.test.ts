/** What befalls the journal and the team file of a running `baton up`: edits, other hubs, a lock, a removal. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { ask } from "./hub.ts";
import { cutter } from "./line.ts";
import { runBaton, startUp, teamFolder } from "./process.ts";
import { readStream } from "./stream-reader.ts";

test("an edit of the team file is recorded while the hub runs, waits where it gives more, and a broken one is reported with its line", async (t) => {
  const folder = teamFolder(t);
  const file = join(folder, ".baton/team.yaml");
  const text = readFileSync(file, "utf8");
  const hub = await startUp(t, folder, ["--port", "0", "--log-level", "info"]);
  const said = (words: RegExp) => hub.said(words);
  const status = async () => (await ask(hub.url, "/api/teams/web/status", { as: hub.session })).body;
  const confirm = async () => {
    const { proposal } = await status();
    const body = { proposal: proposal.id };
    const confirmed = await ask(hub.url, "/api/teams/web/revision/confirm", { as: hub.session, body });
    assert.equal(confirmed.status, 201, JSON.stringify(confirmed.body));
  };
  writeFileSync(file, text.replace("enforce", "enforce\nlimits: { message_bytes: 5000 }"));
  await said(/"revision":2.*the team file is recorded/);
  assert.equal((await status()).definition.limits.messageBytes, 5_000);
  writeFileSync(file, `${text.replace("enforce", "enforce\nlimits: { message_bytes: 5000 }")}  dev-2: { role: dev }\n`);
  await said(/the owner must confirm/);
  assert.equal((await status()).revision, 2);
  await confirm();
  const { revision, agents, proposal } = await status();
  assert.deepEqual([revision, proposal], [3, null]);
  assert.ok(agents.some(({ agent }: { agent: string }) => agent === "dev-2"));
  writeFileSync(file, `${text}  dev-3: { role: wizard }\n`);
  await said(/team\.yaml:9:\d+.*not taken.*Revision 3 stays in force/);
  assert.equal((await status()).revision, 3);
  writeFileSync(file, text.replace("web", "shop"));
  await said(/names the team \\"shop\\", but the journal holds the team web/);

  const guide = readFileSync(new URL("../../docs/guides/team-file.md", import.meta.url), "utf8");
  mkdirSync(join(folder, ".baton/messages"));
  writeFileSync(file, text);
  writeFileSync(join(folder, ".baton/messages/risk_report.json"), /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "");
  await said(/messages\.risk_report/);
  const named = async () => (await status()).definition.messages?.map(({ type }: { type: string }) => type);
  assert.equal(await named(), undefined, "a new type of message waits");
  await confirm();
  assert.deepEqual(await named(), ["risk_report"]);
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
  const tokens = (await ask(one.url, "/api/teams/web/tokens", { as: one.session })).body.tokens;
  const own = tokens.find(({ agent }: { agent: string }) => agent === "dev-1").tokenId;
  await ask(one.url, `/api/teams/web/tokens/${own}/revoke`, { as: one.session, body: {} });
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

/** How long the journal's lock is held while the hub waits, and how long it is left alone between two questions. */
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
