/** The hub over HTTP, in a separate process: how soon a stream sees what was sent, and how many messages it takes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type LoadOptions, postAll } from "./http-load.ts";
import { type Measure, timed } from "./measure.ts";
import { contractText, updateText } from "./messages.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");
const bareRoute = join(import.meta.dirname, "bare-route.ts");
const streams = 50;
const streamsPerAgent = 8;
const sendsPerRound = 200;
const postsPerRound = 1_000;
const connections = 16;

/** From the moment a message is sent until the slowest hundredth of all streams has it. */
export const sendToSeen: Measure = {
  name: `Hub: from send to seen by ${streams} streams, p99`,
  subject: "one update after another over HTTP",
  yardstick: "fifteen milliseconds",
  target: { of: "time", atMost: 1 },
  rounds: 5,
  async open(folder, opened) {
    const hub = await openHub(folder);
    opened.defer(hub.close);
    const agents = Array.from({ length: Math.ceil(streams / streamsPerAgent) }, (_, index) => `scout-${index + 1}`);
    const tokens = await Promise.all(agents.map((agent) => hub.token(agent)));
    const seenAt = new Map<number, number[]>();
    let arrived: (() => void) | null = null;
    const onSeq = (seq: number) => {
      const times = seenAt.get(seq) ?? [];
      times.push(performance.now());
      seenAt.set(seq, times);
      if (times.length === streams) arrived?.();
    };
    const following = Array.from({ length: streams }, async (_, index) => {
      opened.defer(await follow(hub.url, tokens[index % tokens.length] ?? "", onSeq));
    });
    await Promise.all(following);
    const path = "/api/teams/bench/messages";
    const sendOne = async (): Promise<readonly number[]> => {
      const start = performance.now();
      const sent = await fetch(`${hub.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${hub.dev}` },
        body: updateText(),
      });
      const { receipt } = (await sent.json()) as { readonly receipt: { readonly seq: number } };
      while ((seenAt.get(receipt.seq)?.length ?? 0) < streams) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return (seenAt.get(receipt.seq) ?? []).map((at) => at - start);
    };
    return {
      yardstick: () => 15,
      async subject() {
        const times: number[] = [];
        for (let count = 0; count < sendsPerRound; count++) times.push(...(await sendOne()));
        return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
      },
    };
  },
};

/** Messages taken, against a bare route that makes the same insert durable. */
export const postRate: Measure = {
  name: "Hub: POST of a message",
  subject: `updates over ${connections} connections: authenticate, read, check, authorise, decide, durable`,
  yardstick: "a bare hono route with the raw insert, over as many connections",
  target: { of: "rate", atLeast: 0.5 },
  rounds: 15,
  async open(folder, opened) {
    const hub = await openHub(folder);
    opened.defer(hub.close);
    const bare = spawn(process.execPath, [bareRoute, folder], { stdio: ["ignore", "pipe", "inherit"] });
    opened.defer(() => ended(bare));
    const bareUrl = await lineOf(bare);
    const headers = `Authorization: Bearer ${hub.dev}\r\n`;
    const round = (url: string, options: LoadOptions) => {
      const texts = Array.from({ length: postsPerRound }, updateText);
      return timed(postsPerRound, () => postAll(url, texts, options));
    };
    return {
      yardstick: () => round(bareUrl, { path: "/messages", connections }),
      subject: () => round(hub.url, { path: "/api/teams/bench/messages", connections, headers }),
    };
  },
};

export interface BenchHub {
  readonly url: string;
  readonly pid: number;
  /** The secret of the owner's session. */
  readonly session: string;
  /** The developer's token. */
  readonly dev: string;
  token(agent: string): Promise<string>;
  close(): Promise<void>;
}

const scouts = Array.from({ length: 8 }, (_, index) => `  scout-${index + 1}: { role: scout }\n`).join("");
/** The team file of a bench's hub. */
export const teamText = `version: 1\nteam: bench\ndialects: [vbw/2]\npolicy: enforce\nagents:\n  lead-1: { role: lead }\n  dev-1: { role: dev }\n${scouts}`;

/** A hub on a team with a contract, started as people start it. */
export async function openHub(folder: string): Promise<BenchHub> {
  mkdirSync(join(folder, ".baton"), { recursive: true });
  writeFileSync(join(folder, ".baton/team.yaml"), teamText);
  const child = spawn(
    process.execPath,
    [launcher, "up", "--port", "0", "--json", "--journal", `sqlite:${journalIn(folder)}`],
    {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    return await startTeam(child);
  } catch (cause) {
    await ended(child);
    throw cause;
  }
}

/** Ends a process, where it has not ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

/** Signs in to the hub, and issues the contract. */
async function startTeam(child: ChildProcess): Promise<BenchHub> {
  const { origin: url, hash } = new URL((JSON.parse(await lineOf(child)) as { readonly url: string }).url);
  const json = { "content-type": "application/json", origin: url };
  const body = JSON.stringify({ code: hash.replace("#code=", "") });
  const opened = await fetch(`${url}/api/session`, { method: "POST", headers: json, body });
  const { session } = (await opened.json()) as { readonly session: string };
  const token = async (agent: string): Promise<string> => {
    const asked = { method: "POST", headers: { ...json, "baton-session": session }, body: JSON.stringify({ agent }) };
    const made = await fetch(`${url}/api/teams/bench/tokens`, asked);
    return ((await made.json()) as { readonly token: string }).token;
  };
  const lead = await token("lead-1");
  const sent = await fetch(`${url}/api/teams/bench/messages`, {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${lead}` },
    body: contractText(),
  });
  if (sent.status !== 201) throw new Error(`the bench's contract is not accepted: ${await sent.text()}`);
  const close = () => ended(child);
  return { url, pid: child.pid ?? 0, session, dev: await token("dev-1"), token, close };
}

/** The journal of a bench's hub; named, because the folder is in a repository, whose own journal is elsewhere. */
export function journalIn(folder: string): string {
  return join(folder, ".baton/journal.db");
}

async function lineOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the process has no output");
  const lines = createInterface({ input: child.stdout });
  const failed = once(child, "close").then(([code]) => {
    throw new Error(`the process ended with ${String(code)} before it said where it is`);
  });
  const [line] = (await Promise.race([once(lines, "line"), failed])) as [string];
  return line;
}

/** Follows the team and tells the seq of each entry as it comes; resolves when the hub has answered. */
function follow(url: string, token: string, onSeq: (seq: number) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/api/teams/bench/events`, {
      agent: false,
      headers: { authorization: `Bearer ${token}` },
    });
    request.once("error", reject);
    request.once("response", (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the stream is refused: ${response.statusCode}`));
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const events = (rest + chunk).split("\n\n");
        rest = events.pop() ?? "";
        for (const event of events) if (event.startsWith("id: ")) onSeq(Number.parseInt(event.slice(4), 10));
      });
      response.on("error", () => undefined); // The bench breaks it off at its end.
      response.once("data", () => resolve(() => request.destroy()));
    });
  });
}
