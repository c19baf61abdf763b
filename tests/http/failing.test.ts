/** A hub whose ground gives way: a disk that takes no more, and kills in the middle of everything. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { injectionMissing } from "../crash/system-calls.ts";
import { mainBundle } from "../e2e/command.ts";
import { ask } from "./hub.ts";
import { endOf, type HubProcess, startUp, teamFolder } from "./process.ts";
import { quietPort } from "./quiet-port.ts";
import { readStream } from "./stream-reader.ts";

const path = "/api/teams/web/messages";

/** Lets every write of a running process fail as on a file system that has become read-only. */
function breakDisk(pid: number): ChildProcess {
  const calls = "pwrite64,fsync,fdatasync,ftruncate";
  return spawn("strace", [
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    `trace=${calls}`,
    "-e",
    `inject=${calls}:error=EROFS`,
    "-p",
    String(pid),
  ]);
}

test("a journal that can no longer be written is reported as it is", {
  skip: injectionMissing() ?? false,
}, async (t) => {
  const folder = teamFolder(t);
  const hub = await startUp(t, folder);
  const lead = await hub.token("lead-1");
  const sent = await ask(hub.url, path, {
    as: lead,
    body: { message: "While it goes well", to: ["dev-1"], id: "m-1" },
  });
  assert.equal(sent.status, 201);
  assert.equal((await ask(hub.url, "/readyz")).status, 200, "the negative control: it was ready");

  const tracer = breakDisk(hub.pid);
  t.after(() => void tracer.kill("SIGKILL"));
  let ready = await ask(hub.url, "/readyz");
  while (ready.status === 200) ready = await ask(hub.url, "/readyz");
  assert.equal(ready.status, 503);
  assert.equal(ready.body.status, "not-ready");
  assert.ok(ready.body.checks.some((check: { ok: boolean }) => !check.ok));
  const refused = await ask(hub.url, path, {
    as: lead,
    body: { message: "Now it does not", to: ["dev-1"], id: "m-2" },
  });
  assert.equal(refused.status, 503);
  assert.match(refused.body.code, /^journal-/);
  assert.equal((await ask(hub.url, "/healthz")).status, 200);
  assert.equal((await ask(hub.url, `${path}/m-1`, { as: lead })).status, 200, "what is recorded can be read");
  assert.match((await ask(hub.url, "/metrics")).body, /^baton_ready 0$/m);

  tracer.kill("SIGINT");
  await endOf(tracer);
  await hub.end("SIGKILL");
  const again = await startUp(t, folder);
  assert.equal((await ask(again.url, "/readyz")).status, 200);
  assert.equal(
    (await ask(again.url, path, { as: lead, body: { message: "Now it does not", to: ["dev-1"], id: "m-2" } })).status,
    201,
  );
  assert.equal((await ask(again.url, "/api/journal/verify", { as: again.session, body: {} })).body.ok, true);
});

interface Acknowledged {
  readonly id: string;
  readonly seq: number;
}

/** Sends until it is stopped; what has no answer is sent again under its id, as every client may. */
async function sendOn(
  port: () => number,
  token: string,
  name: string,
  isOver: () => boolean,
): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  for (let count = 0; !isOver(); count += 1) {
    const id = `${name}-${count}`;
    for (;;) {
      const answer = await ask(`http://127.0.0.1:${port()}`, path, {
        as: token,
        body: { message: `${name} says ${count}`, to: ["qa-1"], id },
      }).catch((error: unknown) => {
        // No connection, or one that broke off: the outcome is unknown, and the same id may be sent again.
        assert.ok(error instanceof TypeError, String(error));
        return null;
      });
      if (answer === null) continue;
      assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body));
      acknowledged.push({ id, seq: answer.body.receipt.seq });
      break;
    }
  }
  return acknowledged;
}

test("killed under load and started again, nothing is lost or doubled and streams go on", async (t) => {
  const folder = teamFolder(t);
  const port = await quietPort();
  let hub: HubProcess = await startUp(t, folder, ["--port", String(port)]);
  const tokens = await Promise.all(["lead-1", "dev-1"].map((agent) => hub.token(agent)));
  const watcher = await hub.token("qa-1");
  let isOver = false;
  const senders = tokens.map((token, index) =>
    sendOn(
      () => port,
      token,
      `sender-${index}`,
      () => isOver,
    ),
  );
  const seen: number[] = [];
  for (let kill = 0; kill < 3; kill += 1) {
    const reader = await readStream(hub.url, watcher, { lastEventId: seen.at(-1) ?? 0 });
    for (let count = 0; count < 40; count += 1) await reader.next();
    await hub.end("SIGKILL");
    await reader.ended;
    seen.push(...reader.seqs());
    hub = await startUp(t, folder, ["--port", String(port)]);
  }
  isOver = true;
  const acknowledged = (await Promise.all(senders)).flat();
  const last = Math.max(...acknowledged.map(({ seq }) => seq));
  const reader = await readStream(hub.url, watcher, { lastEventId: seen.at(-1) ?? 0 });
  await reader.next(({ id }) => Number(id) >= last);
  seen.push(...reader.seqs());
  reader.close();
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, index) => index + 1),
    "each entry once, in order",
  );

  const stood = new Map<string, number>();
  for (let after: number | null = 0; after !== null; ) {
    const page = await ask(hub.url, `${path}?kind=message&limit=1000&after=${after}`, { as: hub.session });
    for (const { id, seq } of page.body.entries) {
      assert.equal(stood.has(id), false, `${id} stands twice`);
      stood.set(id, seq);
    }
    after = page.body.next;
  }
  for (const { id, seq } of acknowledged) assert.equal(stood.get(id), seq, `${id} stands where its receipt says`);
  assert.equal(stood.size, acknowledged.length);
  t.diagnostic(`${acknowledged.length} messages over three kills`);
  assert.equal((await ask(hub.url, "/api/journal/verify", { as: hub.session, body: {} })).body.ok, true);
});

test("a hub whose package was updated meanwhile says so, and how it begins again", async (t) => {
  const own = mkdtempSync(join(dirname(mainBundle), "../updated-"));
  t.after(() => rmSync(own, { recursive: true, force: true }));
  cpSync(dirname(mainBundle), own, { recursive: true });
  const hub = await startUp(t, teamFolder(t), ["--port", "0"], {}, join(own, basename(mainBundle)));
  // What it needs first is loaded; an update puts other files in the place of the rest.
  rmSync(join(own, "chunks"), { recursive: true });
  const { status, body } = await ask(hub.url, "/api/teams/web/needs", { as: hub.session });
  assert.equal(status, 502, JSON.stringify(body));
  assert.match(body.problems[0].message, /^Baton was updated while it ran here/);
  assert.equal(body.problems[0].hint.includes(`kill ${hub.pid} && baton start`), true);
});
