/** `baton up` as a separate process, bundled as the build bundles it. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { environment, mainBundle } from "../e2e/command.ts";
import { ask, teamText } from "./hub.ts";

interface Test {
  after(done: () => void | Promise<void>): void;
}

/** A folder with a team, removed after the test. */
export function teamFolder(test: Test, text: string = teamText): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-up-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".baton"));
  writeFileSync(join(folder, ".baton/team.yaml"), text);
  return folder;
}

export interface HubProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly team: string | null;
  /** The secret of the owner's session. */
  readonly session: string;
  readonly child: ChildProcess;
  /** Everything on standard error so far. */
  words(): string;
  /** Resolves when it has said this on standard error. */
  said(words: RegExp): Promise<void>;
  token(agent: string): Promise<string>;
  /** Ends it by a signal and waits; the code and signal it ended with. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Runs `baton up` with these words, from that file; nothing is waited for. */
export function spawnUp(
  folder: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  bundle: string = mainBundle,
): ChildProcess {
  return spawn(process.execPath, [bundle, "up", "--json", ...words], {
    cwd: folder,
    env: environment(variables),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs another command in `folder` to its end. */
export async function runBaton(
  folder: string,
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [mainBundle, ...words], {
    cwd: folder,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (said.stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said.stderr += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, ...said };
}

/** Resolves when the process has ended. */
export function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null)
      resolve({ code: child.exitCode, signal: child.signalCode });
    else child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** Starts a hub in `folder` and waits until it answers; it ends with the test. */
export async function startUp(
  test: Test,
  folder: string,
  words: readonly string[] = ["--port", "0"],
  variables: Readonly<Record<string, string>> = {},
  bundle: string = mainBundle,
): Promise<HubProcess> {
  const child = spawnUp(folder, words, variables, bundle);
  test.after(async () => {
    child.kill("SIGKILL");
    await endOf(child);
  });
  let told = "";
  child.stderr?.setEncoding("utf8");
  child.stderr?.on("data", (chunk: string) => {
    told += chunk;
  });
  const line = await firstLine(child);
  assert.ok(line !== null, `the hub did not start: ${told}`);
  const { url: full, pid, team } = JSON.parse(line);
  const { origin: url, hash, port } = new URL(full);
  const opened = await ask(url, "/api/session", {
    body: { code: hash.replace("#code=", "") },
    headers: { origin: url },
  });
  assert.equal(opened.status, 200);
  const session = String(opened.body.session);
  const token = async (agent: string) => {
    const made = await ask(url, `/api/teams/${team}/tokens`, { as: session, body: { agent } });
    assert.equal(made.status, 201);
    return String(made.body.token);
  };
  const said = (words: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!words.test(told)) return;
        child.stderr?.off("data", look);
        resolve();
      };
      child.stderr?.on("data", look);
      look();
    });
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return endOf(child);
  };
  return { url, port: Number(port), pid, team, session, child, words: () => told, said, token, end };
}

/** The first line of standard output, or null where the process ends without one. */
function firstLine(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    if (child.stdout === null) return resolve(null);
    const lines = createInterface({ input: child.stdout });
    lines.once("line", resolve);
    lines.once("close", () => resolve(null));
  });
}
