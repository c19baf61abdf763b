/** Verifying, copying and exporting a hub's journal in threads: the hub answers, and its locks hold. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import type { TeamName } from "../../src/base/ids.ts";
import { longWorkInThreads } from "../../src/main/long-work.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import { ask, shown, testHub } from "./hub.ts";

const path = "/api/teams/web/messages";

async function filled(t: TestContext) {
  const hub = await testHub(t);
  const lead = await hub.token("lead-1");
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ask(hub.url, path, {
          as: lead,
          body: { message: `${round}/${index} word-${round * 50 + index}.`, to: ["dev-1"] },
        }),
      ),
    );
  }
  const journal = must(await openTeamJournal(hub.journal));
  t.after(() => journal.close());
  return { hub, lead, journal };
}

function must<Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown },
) {
  return result.ok ? result.value : assert.fail(JSON.stringify(result.error));
}

const never = new AbortController().signal;

test("verify, export and backup through a hub are whole, and entries are recorded meanwhile", async (t) => {
  const { hub, lead, journal } = await filled(t);
  const works = [
    ask(hub.url, "/api/journal/verify", { as: hub.session, body: {} }),
    ask(hub.url, "/api/journal/export", { as: hub.session }),
    fetch(`${hub.url}/api/journal/backup`, { headers: shown(hub.session) }),
  ] as const;
  for (let sent = 0; sent < 20; sent += 1) {
    const done = await ask(hub.url, path, { as: lead, body: { message: `meanwhile ${sent}`, to: ["dev-1"] } });
    assert.equal(done.status, 201);
  }
  const [verified, exported, copied] = await Promise.all(works);
  assert.equal(verified.body.ok, true);
  const lines = String(exported.body).trimEnd().split("\n");
  assert.ok(lines.length >= 500);
  assert.deepEqual(
    JSON.parse(lines[99] ?? ""),
    must(await journal.read("web" as TeamName, { after: 99, limit: 1 })).entries[0],
  );
  assert.equal((await copied.arrayBuffer()).byteLength, Number(copied.headers.get("content-length")));
  // The copy is removed once it has been sent.
  while (readdirSync(hub.folder).some((name) => name.startsWith("backup-"))) await ask(hub.url, "/healthz");
});

test("a work whose caller goes ends, and leaves nothing behind", async (t) => {
  const { journal } = await filled(t);
  const folder = mkdtempSync(join(tmpdir(), "baton-copy-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const long = longWorkInThreads(journal);
  const gone = new AbortController();
  const works = [
    long.verify([], gone.signal),
    long.backup(join(folder, "copy.db"), gone.signal),
    long.index(gone.signal),
  ];
  gone.abort();
  for (const done of await Promise.all(works)) assert.equal(!done.ok && done.error.code, "interrupted");
  assert.deepEqual(readdirSync(folder), []);
  const parts = long.exported(["web" as TeamName], never);
  for await (const part of parts) {
    assert.ok(part.ok);
    break;
  }
});

test("an error that a thread finds stops this process's writing", async (t) => {
  const { journal } = await filled(t);
  const long = longWorkInThreads(journal);
  assert.equal(must(await long.verify([], never)).ok, true);
  const raw = new DatabaseSync(journal.place);
  raw.exec("UPDATE entry SET bytes = CAST('x' AS BLOB) WHERE place = (SELECT min(place) FROM entry)");
  raw.close();
  assert.equal(must(await long.verify([], never)).ok, false);
  assert.equal(journal.condition().condition, "failed");
});

test("the index is filled by a thread, and searches ask it", async (t) => {
  const { journal } = await filled(t);
  const team = "web" as TeamName;
  const head = must(await journal.state(team)).head.seq;
  assert.equal(journal.searchIndex?.indexed(team), 0);
  assert.equal(must(await longWorkInThreads(journal).index(never)), head);
  assert.equal(journal.searchIndex?.indexed(team), head);
  const step = must(await journal.search(team, { text: "WORD-123." }));
  assert.deepEqual([step.entries.length, step.next], [1, null]);
});

/** Whether another process could take the write lock. */
function isFree(journal: string): boolean {
  const program = `const { DatabaseSync } = require("node:sqlite"); const db = new DatabaseSync(process.argv[1], { timeout: 0 });
    try { db.exec("BEGIN IMMEDIATE"); console.log("free"); } catch { console.log("busy"); }`;
  const done = spawnSync(process.execPath, ["-e", program, journal], { encoding: "utf8" });
  return done.stdout.trim() === "free" || (done.stdout.trim() !== "busy" && assert.fail(done.stderr));
}

test("a thread that opens and closes the same file leaves this process its locks", async (t) => {
  const { journal } = await filled(t);
  const holder = new DatabaseSync(journal.place);
  t.after(() => holder.close());
  assert.equal(isFree(journal.place), true);
  holder.exec("BEGIN IMMEDIATE");
  assert.equal(isFree(journal.place), false);
  const long = longWorkInThreads(journal);
  must(await long.verify([], never));
  must(await long.backup(join(dirname(journal.place), "copy.db"), never));
  assert.equal(isFree(journal.place), false, "the lock is still held");
  holder.exec("ROLLBACK");
  assert.equal(isFree(journal.place), true);
});
