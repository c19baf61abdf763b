/**
 * The end of a shutdown round in a repository with gigabytes that nobody committed: the hub looks at all of them for the
 * certificate, while another process asks `/healthz`.
 */
import { execFileSync, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type BenchHub, openHub } from "./hub-calls.ts";
import type { Measure } from "./measure.ts";
import { worstDuring } from "./prober.ts";

/** Each just small enough to be read; fewer of them where the environment says so, for a look at a busy machine. */
const fileBytes = 63 * 1024 * 1024;
const files = Number(process.env.BATON_BENCH_FILES ?? 33);
const idleMs = 3_000;
const lookMs = 100;

/** Files that git knows with other bytes of the same size. */
function fillRepository(folder: string): void {
  const git = (...words: readonly string[]) =>
    execFileSync("git", [
      "-C",
      folder,
      "-c",
      "core.compression=0",
      "-c",
      "user.name=b",
      "-c",
      "user.email=b@b",
      ...words,
    ]);
  mkdirSync(folder);
  git("init", "-q");
  const write = (fill: number) => {
    for (let number = 0; number < files; number += 1) {
      const descriptor = openSync(join(folder, `file-${number}`), "w");
      const piece = Buffer.alloc(1024 * 1024, fill + number);
      for (let written = 0; written < fileBytes; written += piece.length) writeSync(descriptor, piece);
      closeSync(descriptor);
    }
  };
  write(1);
  git("add", ".");
  git("commit", "-q", "-m", "files");
  write(100);
}

/** Starts a round for one agent, which agrees at once, and waits until the certificate says what is not committed. */
async function round(hub: BenchHub, agent: string): Promise<void> {
  const id = randomUUID();
  const post = async (path: string, body: object, token: string | null) => {
    const who = token === null ? { cookie: hub.cookie, origin: hub.url } : { authorization: `Bearer ${token}` };
    const headers = { "content-type": "application/json", ...who };
    const answer = await fetch(`${hub.url}/api/teams/bench/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${path}: ${await answer.text()}`);
  };
  const token = await hub.token(agent);
  await post("shutdowns", { reason: "phase_complete", agents: [agent], id }, null);
  const yes = {
    id: randomUUID(),
    type: "shutdown_response",
    phase: 1,
    task: "",
    author_role: "scout",
    timestamp: "2026-02-12T10:00:00Z",
    schema_version: "2.0",
    confidence: "high",
    payload: { request_id: id, approve: true, final_status: "complete", pending_work: "" },
  };
  await post("messages", yes, token);
  for (;;) {
    const headers = { cookie: hub.cookie, origin: hub.url };
    const found = await fetch(`${hub.url}/api/teams/bench/shutdowns?round=${id}`, { headers });
    const { shutdowns } = (await found.json()) as Rounds;
    const counted = shutdowns[0]?.uncommitted?.count;
    if (counted !== undefined && counted < files) throw new Error(`the certificate names ${counted} files`);
    if (counted !== undefined) return;
    await setTimeout(lookMs);
  }
}

interface Rounds {
  readonly shutdowns: readonly { readonly uncommitted: { readonly count: number } | null }[];
}

/** The worst answer of `/healthz` while a round ends. */
export const stallAtShutdown: Measure = {
  name: `Stall of a hub: end of a shutdown round with ${Math.round((files * fileBytes) / 1e9)} GB uncommitted`,
  subject: `${files} files of 63 MiB that differ from what git knows; worst answer of /healthz to another connection beyond the idle worst`,
  yardstick: "fifty milliseconds",
  target: { of: "time", atMost: 1 },
  rounds: 2,
  async open(folder, opened) {
    const repository = join(folder, "work");
    fillRepository(repository);
    const hub = await openHub(folder, ["--repository", repository]);
    opened.defer(hub.close);
    const prober = fork(join(import.meta.dirname, "prober.ts"), [hub.url], { execArgv: [] });
    opened.defer(() => void prober.kill());
    let agents = 0;
    return {
      yardstick: () => 50,
      async subject() {
        agents += 1;
        const idle = await worstDuring(prober, () => setTimeout(idleMs));
        return Math.max(0.01, (await worstDuring(prober, () => round(hub, `scout-${agents}`))) - idle);
      },
    };
  },
};
