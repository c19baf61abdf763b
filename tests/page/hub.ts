/**
 * A hub as a person starts it: the built command in a separate folder, ended by its process id. Agents speak to it over
 * HTTP with its own tokens.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { readAddress } from "../../src/messages/role.ts";
import { openTeam } from "../../src/perform/open.ts";
import { teamFile } from "./phase.ts";

const command = join(import.meta.dirname, "../../bin/baton.js");
const built = join(import.meta.dirname, "../../dist/page/index.html");
export const team = "checkout";

/** A running hub. */
export interface RunningHub extends AsyncDisposable {
  /** With the one-time code in its fragment. */
  readonly url: string;
  readonly origin: string;
  /** Ends it as a person does, and waits. */
  stop(): Promise<void>;
  /** Ends it at once, in the middle of what it does. */
  kill(): Promise<void>;
}

/** A folder with the phase's team, removed when it is disposed. */
export function teamFolder(): Disposable & { readonly path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "baton-page-")));
  mkdirSync(join(path, ".baton"));
  writeFileSync(join(path, ".baton/team.yaml"), teamFile);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The surroundings of somebody who has installed Baton: `baton` is on the path. */
function installed(): NodeJS.ProcessEnv {
  const programs = mkdtempSync(join(tmpdir(), "baton-path-"));
  symlinkSync(command, join(programs, "baton"));
  process.once("exit", () => rmSync(programs, { recursive: true, force: true }));
  return { ...process.env, PATH: [programs, process.env.PATH].join(delimiter) };
}

let surroundings: NodeJS.ProcessEnv | null = null;

/** Starts `baton up` in that folder and waits for the URL that it prints. */
export async function startHub(folder: string, port = 0): Promise<RunningHub> {
  assert.ok(existsSync(built), "the page is not built: run `npm run build`");
  surroundings ??= installed();
  const child = spawn(process.execPath, [command, "up", "--port", String(port)], {
    cwd: folder,
    env: surroundings,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await printedUrl(child);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  const stop = () => end("SIGTERM");
  return { url, origin: new URL(url).origin, stop, kill: () => end("SIGKILL"), [Symbol.asyncDispose]: stop };
}

/**
 * Passes the deadlines of the team in `folder` as they are `aheadMs` from now: another process, whose clock is ahead.
 */
export async function passDeadlines(folder: string, aheadMs: number): Promise<void> {
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const opened = await openTeam({ journal: join(folder, ".baton/journal.db"), create: false, clock });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using looking = opened.value;
  assert.ok((await looking.escalations()).ok);
}

async function printedUrl(child: ChildProcess): Promise<string> {
  let printed = "";
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+\/#\S+/.exec(printed)?.[0];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => reject(new Error(`baton up ended with ${code}:\n${printed}`)));
  });
}

/** What the hub answered to an agent. */
export interface Answer {
  readonly status: number;
  // What is in it, the caller asserts.
  readonly body: Record<string, unknown>;
}

/** An agent that speaks HTTP. */
export interface HttpAgent {
  send(text: string, to?: readonly string[]): Promise<Answer>;
  inbox(): Promise<readonly { readonly seq: number; readonly message: unknown }[]>;
  acknowledge(seq: number): Promise<Answer>;
}

/** The agent with that token. */
export function httpAgent(origin: string, name: string, token: string): HttpAgent {
  const ask = async (path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${origin}/api/teams/${team}/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    send: (message, to) => ask("messages", { message, ...(to === undefined ? {} : { to }) }),
    inbox: async () => {
      const { body } = await ask(`agents/${name}/inbox`);
      return body.deliveries as { seq: number; message: unknown }[];
    },
    acknowledge: (seq) => ask(`agents/${name}/ack`, { seq }),
  };
}

/** Records messages of one agent before the hub starts, in groups: thousands in a second or two. */
export async function record(folder: string, agent: string, texts: readonly string[], to: string): Promise<void> {
  const path = join(folder, ".baton/team.yaml");
  const opened = await openTeam({
    journal: `sqlite:${join(folder, ".baton/journal.db")}`,
    agent,
    create: true,
    teamFile: { path, text: readFileSync(path, "utf8") },
  });
  assert.ok(opened.ok, "the journal opens");
  await using sender = opened.value;
  const address = readAddress(to);
  assert.ok(address.ok);
  for (let from = 0; from < texts.length; from += 500) {
    const group = texts.slice(from, from + 500);
    const replies = await Promise.all(group.map((text) => sender.send(text, { to: [address.value] })));
    assert.ok(
      replies.every(({ outcome }) => outcome === "accepted"),
      JSON.stringify(replies.find(({ outcome }) => outcome !== "accepted")),
    );
  }
}
