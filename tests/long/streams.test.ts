/**
 * 200 streams of a real hub of which 50 are never read: what the hub holds for them is bounded, they are let go, and the
 * others get every entry. The control is a hub whose bound is a gigabyte: it holds what they do not read.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { ask } from "../http/hub.ts";
import { record } from "./record.ts";

const skip = process.platform === "linux" ? false : "the memory of another process is read from /proc";
const silentCount = 50;
const readerCount = 150;
/** With some 2 kB a line, enough to fill what a kernel keeps for one connection, up to 37 MB, and the hub's bound beyond. */
const entries = 25_000;
const atOnce = 50;
/** How often the hub is asked what it holds, in messages. */
const between = 500;
/** A MiB for each silent stream, and what the hub needs for itself. */
const boundMiB = 70;

interface Campaign {
  /** By how much the most that the hub ever held exceeds what it held before, in MiB, without its garbage. */
  readonly heldMiB: number;
  /** The same of its most memory, with its garbage. */
  readonly grownMiB: number;
  readonly letGo: number;
  /** Readers that did not get every entry, once and in order. */
  readonly wrong: number;
}

const mark = Buffer.from("\nid: ");

/** A stream as raw bytes: what comes is looked through for entry numbers, or never read at all. */
class Stream {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #last = 0;
  isWrong = false;
  isEnded = false;

  constructor(port: number, token: string, isRead: boolean) {
    this.#socket = connect({ port, host: "127.0.0.1" });
    this.#socket.on("error", () => undefined); // The hub cut it off; `close` says so.
    this.#socket.on("close", () => {
      this.isEnded = true;
    });
    this.#socket.write(
      `GET /api/teams/web/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    if (isRead) this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
    else this.#socket.pause();
  }

  get last(): number {
    return this.#last;
  }

  /** Looks for `id: N` at the beginnings of lines, also where a line is cut between two chunks. */
  #take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = bytes.indexOf(mark);
    for (; at >= 0; at = bytes.indexOf(mark, at + 1)) {
      const end = bytes.indexOf(10, at + 1);
      if (end < 0) break;
      const seq = Number(bytes.toString("latin1", at + mark.length, end));
      if (seq !== this.#last + 1) this.isWrong = true;
      this.#last = seq;
    }
    this.#rest = bytes.subarray(at < 0 ? Math.max(0, bytes.length - mark.length) : at);
  }

  close(): void {
    this.#socket.destroy();
  }
}

async function campaign(bufferBytes: number): Promise<Campaign> {
  const folder = mkdtempSync(join(tmpdir(), "baton-streams-"));
  const script = join(import.meta.dirname, "bounded-hub.ts");
  const hub = spawn(process.execPath, ["--expose-gc", script, folder, String(bufferBytes)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    return await flood(hub);
  } finally {
    hub.kill("SIGKILL");
    if (hub.exitCode === null && hub.signalCode === null) await once(hub, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function flood(hub: ChildProcess): Promise<Campaign> {
  assert.ok(hub.stdin !== null && hub.stdout !== null && hub.pid !== undefined);
  const { stdin } = hub;
  const lines = createInterface({ input: hub.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => (await lines.next()).value ?? assert.fail("the hub ended");
  const heldMiB = async (): Promise<number> => {
    stdin.write("\n");
    return Number(await nextLine()) / 1024 / 1024;
  };
  const { origin: url, hash, port } = new URL(await nextLine());
  const opened = await ask(url, "/api/session", {
    body: { code: hash.replace("#code=", "") },
    headers: { origin: url },
  });
  const tokenOf = async (agent: string): Promise<string> =>
    (await ask(url, "/api/teams/web/tokens", { as: opened.body.session, body: { agent } })).body.token;
  const agents = Array.from({ length: 26 }, (_, index) => `dev-${index + 1}`.padEnd(64, "x"));
  const tokens = await Promise.all(agents.map(tokenOf));
  const lead = await tokenOf("lead-1");
  const stream = (index: number, isRead: boolean) =>
    new Stream(Number(port), tokens[Math.floor(index / 8)] ?? assert.fail("eight streams a token"), isRead);
  const silent = Array.from({ length: silentCount }, (_, index) => stream(index, false));
  const readers = Array.from({ length: readerCount }, (_, index) => stream(index + silentCount, true));
  const before = { held: await heldMiB(), memory: memoryMiB(hub.pid, "VmRSS") };
  let mostHeld = before.held;
  const text = "x".repeat(200);
  let last = 0;
  for (let sent = 0; sent < entries; sent += atOnce) {
    const answers = await Promise.all(
      Array.from({ length: atOnce }, (_, index) =>
        ask(url, "/api/teams/web/messages", {
          as: lead,
          body: { message: `${sent + index} ${text}`, to: agents },
        }),
      ),
    );
    last = Math.max(...answers.map(({ body }) => Number(body.receipt.seq)));
    if (sent % between === 0) mostHeld = Math.max(mostHeld, await heldMiB());
  }
  while (readers.some((reader) => !reader.isEnded && reader.last < last)) await ask(url, "/healthz");
  const result = {
    heldMiB: Math.round(mostHeld - before.held),
    grownMiB: Math.round(memoryMiB(hub.pid, "VmHWM") - before.memory),
    // A client that never reads does not even see that it was let go; the hub's own count tells.
    letGo: silentCount + readerCount - (await openStreams(url)),
    wrong: readers.filter((reader) => reader.isWrong || reader.last !== last).length,
  };
  for (const each of [...silent, ...readers]) each.close();
  return result;
}

/** How many streams the hub has open. */
async function openStreams(url: string): Promise<number> {
  const [, count] = /^baton_streams (\d+)$/m.exec((await ask(url, "/metrics")).body) ?? [];
  return Number(count);
}

/** A figure of the process's own account, in MiB. */
function memoryMiB(pid: number, name: "VmRSS" | "VmHWM"): number {
  const [, kibibytes] =
    new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) / 1024;
}

test("of 200 streams 50 are never read: what the hub holds is bounded, and the others get everything", {
  skip,
}, async (t) => {
  const held = await campaign(1024 * 1024);
  t.diagnostic(JSON.stringify(held));
  assert.equal(held.wrong, 0, "readers that lost, doubled or misordered something");
  assert.equal(held.letGo, silentCount, "silent streams that were let go");
  const control = await campaign(1024 * 1024 * 1024);
  t.diagnostic(`control: ${JSON.stringify(control)}`);
  assert.equal(control.letGo, 0, "a hub without the bound holds on to them");
  assert.ok(held.heldMiB < boundMiB, `the hub held ${held.heldMiB} MiB`);
  assert.ok(control.heldMiB > boundMiB, `and a hub without the bound ${control.heldMiB} MiB`);
  record(
    "streams",
    `${silentCount + readerCount} streams of a hub in a process of its own follow ${entries.toLocaleString("en")} messages; ${silentCount} of them are never read. Streams that are not read fill the kernel's buffers first, then the hub's MiB, then are let go. What the hub holds is measured after its garbage is collected, every ${between} messages.`,
    [
      ["readers that lost, doubled or misordered an entry", 0],
      ["silent streams let go", `${silentCount} of ${silentCount}`],
      [`most that the hub held beyond what it held before, of the ${boundMiB} MiB allowed`, `${held.heldMiB} MiB`],
      ["the same of a hub whose bound is a gigabyte, which lets none go", `${control.heldMiB} MiB`],
      [
        "memory of the process, with garbage: of the hub, of the control",
        `${held.grownMiB} MiB, ${control.grownMiB} MiB`,
      ],
    ],
  );
});
