/**
 * Power cuts of a NATS server, simulated: every write, sync and answer of a real server is traced, and at many moments the
 * files are made as a cut may leave them, without what was not synced. A server on these files must have every message that
 * was acknowledged before the cut; without `sync_interval: always` it has not.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openNatsJournal } from "../../src/journal/nats/open.ts";
import { attempt, must, mustRecord, tally } from "../../src/testing/journal-subject.ts";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import {
  readTracedWrites,
  type TracedEvent,
  tracedProcess,
  tracingMissing,
  tracingProgram,
} from "../crash/traced-writes.ts";
import { alpha, heldIds } from "../engines/held.ts";
import { newestProgram, newFolder, skip as noServer, startServer } from "../engines/nats/server.ts";
import { record } from "./record.ts";

const commits = Number(process.env.BATON_TEST_COMMITS ?? 400);
const cuts = Number(process.env.BATON_TEST_CUTS ?? 40);
const skip = noServer === false ? (tracingMissing() ?? false) : noServer;

test("power cuts of a NATS server lose nothing acknowledged with sync_interval: always, and do without", {
  skip,
}, async () => {
  const seed = chosenSeed(215);
  const always = await cutServer("sync_interval: always", seed);
  const usual = await cutServer("", seed);
  record(
    "jetstream-power",
    "All writes, syncs and answers of one nats-server are traced by strace. Each cut keeps of every file what was synced before it and drops the rest; a server is started on these files, and what it holds is compared with what was acknowledged before the cut. A file whose content was synced is taken to have its name, as file systems with a journal keep it.",
    [
      ["nats-server", always.version],
      ["events, acknowledged", `${always.events}, ${always.acknowledged}`],
      ["cuts that lost anything acknowledged, `sync_interval: always`", `${always.losing} of ${always.cuts}`],
      [
        "control: cuts that lost something, without it (every two minutes)",
        `${usual.losing} of ${usual.cuts}; at most ${usual.lostMost} of ${usual.acknowledged} messages`,
      ],
      ["seed", seed],
    ],
  );
  assert.deepEqual(always.examples, []);
  assert.ok(usual.losing > 0);
});

interface CutServer {
  readonly version: string;
  readonly events: number;
  readonly acknowledged: number;
  readonly cuts: number;
  readonly losing: number;
  readonly lostMost: number;
  readonly examples: readonly string[];
}

/** Commits to a traced server, then starts one on what each of many cuts leaves. */
async function cutServer(sync: string, seed: number): Promise<CutServer> {
  const base = mkdtempSync(join(tmpdir(), "baton-power-"));
  const folder = newFolder();
  const trace = join(base, "trace");
  try {
    const program = tracingProgram(join(base, "traced-server"), newestProgram ?? "", trace);
    const server = await startServer(folder, program, { sync });
    const url = server.newUrl();
    const durability = sync === "" ? "os" : "fsync";
    const journal = must(await openNatsJournal(url, tally, { durability, waitMs: 60_000 }));
    const version = String(must(await journal.stats()).engine.serverVersion);
    const chance = chanceFrom(seed);
    for (let sent = 0; sent < commits; ) {
      const first = sent;
      sent += 1 + chance.below(4);
      const together = Array.from({ length: sent - first }, (_, index) => attempt({ id: `id-${first + index}` }));
      for (const done of await Promise.all(together.map((each) => journal.commit(alpha, each)))) mustRecord(done);
    }
    await journal.close();
    process.kill(tracedProcess(trace), "SIGKILL");
    await server.kill();
    const events = readTracedWrites(trace, folder);
    const left = filesIn(join(folder, "data"));
    await server.stop();
    const name = /\/(\w+)\?/.exec(url)?.[1] ?? "";
    return { version, ...(await cutAll({ events, left, folder, name, seed })) };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

interface Traced {
  readonly events: readonly TracedEvent[];
  /** The files that the server left. */
  readonly left: ReadonlyMap<string, Buffer>;
  readonly folder: string;
  /** The journal. */
  readonly name: string;
  readonly seed: number;
}

async function cutAll({ events, left, folder, name, seed }: Traced): Promise<Omit<CutServer, "version">> {
  const chance = chanceFrom(seed);
  const isAck = new RegExp(`"stream":"BATON_${name}_log","seq":(\\d+)`);
  const firstAck = events.findIndex((event) => event.kind === "answer" && isAck.test(event.data.toString("latin1")));
  const stretch = (events.length - firstAck) / cuts;
  const moments = Array.from(
    { length: cuts },
    (_, index) => firstAck + 1 + Math.floor((index + chance.next()) * stretch),
  );
  const files = new Map<string, TracedFile>();
  const examples: string[] = [];
  let [acknowledged, losing, lostMost, at] = [0, 0, 0, 0];
  const advance = (to: number) => {
    for (; at < to; at += 1) {
      const event = events[at];
      if (event?.kind === "answer")
        acknowledged = Number(isAck.exec(event.data.toString("latin1"))?.[1] ?? acknowledged);
      else if (event !== undefined) apply(event, files);
    }
  };
  for (const moment of moments) {
    advance(Math.min(moment, events.length));
    const held = await messagesOn(durableOf(files), folder, name);
    const lost = acknowledged - held;
    if (lost <= 0) continue;
    losing += 1;
    lostMost = Math.max(lostMost, lost);
    if (examples.length < 5) examples.push(`cut after event ${moment}: ${lost} of ${acknowledged} lost`);
  }
  advance(events.length);
  // A trace with a hole would prove nothing.
  for (const [path, content] of left)
    assert.ok(files.get(path)?.now.equals(content) === true, `the trace missed a change of ${path}`);
  return { events: events.length, acknowledged, cuts, losing, lostMost, examples };
}

/** A file as the server sees it, and as a cut leaves it; null: there is none. */
interface TracedFile {
  now: Buffer;
  durable: Buffer | null;
}

function apply(event: Exclude<TracedEvent, { readonly kind: "answer" }>, files: Map<string, TracedFile>): void {
  const file = files.get(event.path) ?? { now: Buffer.alloc(0), durable: null };
  switch (event.kind) {
    case "create":
      files.set(event.path, file);
      return;
    case "write": {
      const longer = Buffer.alloc(Math.max(file.now.length, event.offset + event.data.length));
      file.now.copy(longer);
      event.data.copy(longer, event.offset);
      file.now = longer;
      if (event.synced) file.durable = longer;
      files.set(event.path, file);
      return;
    }
    case "truncate":
      file.now = Buffer.concat([
        file.now.subarray(0, event.length),
        Buffer.alloc(Math.max(0, event.length - file.now.length)),
      ]);
      return;
    case "sync":
      // Of a folder there is nothing to do: names are taken to be there.
      file.durable = file.now;
      return;
    case "rename": {
      const before = files.get(event.target)?.durable ?? null;
      files.set(event.target, { now: file.now, durable: file.durable ?? before });
      files.delete(event.path);
      return;
    }
    case "unlink":
      files.delete(event.path);
  }
}

function durableOf(files: ReadonlyMap<string, TracedFile>): ReadonlyMap<string, Buffer> {
  return new Map([...files].flatMap(([path, { durable }]) => (durable === null ? [] : [[path, durable] as const])));
}

/** How many messages the log of the journal has on a server that starts on these files. */
async function messagesOn(image: ReadonlyMap<string, Buffer>, folder: string, name: string): Promise<number> {
  const place = newFolder();
  for (const [path, content] of image) {
    const file = join(place, path.slice(folder.length));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const server = await startServer(place);
  try {
    const url = server.newUrl().replace(/\/\w+\?/, `/${name}?`);
    const jsz = await fetch(`${server.monitor}/jsz?streams=true`);
    const told = (await jsz.json()) as {
      readonly account_details?: readonly { readonly stream_detail?: readonly Told[] }[];
    };
    const streams = (told.account_details ?? []).flatMap(({ stream_detail: all = [] }) => all);
    const log = streams.find((each) => each.name === `BATON_${name}_log`);
    const count = log?.state.messages ?? 0;
    // What is there must be a sound chain, however much it is.
    if (count > 0) {
      await using journal = must(await openNatsJournal(url, tally, { create: false, readOnly: true }));
      assert.ok((await heldIds(journal)).length >= count);
    }
    return count;
  } finally {
    await server.stop();
  }
}

interface Told {
  readonly name: string;
  readonly state: { readonly messages: number };
}

function filesIn(folder: string): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return new Map(paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path)]));
}
