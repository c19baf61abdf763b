/** A hub as people start it, `baton up` in a separate process, and the surroundings of those who speak to it. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { calledWithCode } from "./called.ts";
import { commandNode, environment, jsonLines, mainBundle } from "./command.ts";

export interface HubProcess {
  readonly url: string;
  /** Where the page is, with the owner's one-time code. */
  readonly ownerUrl: string;
  readonly port: number;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

/** Starts the hub of the team in `directory`; it ends with the tests of the file. */
export async function startHub(directory: string, port = 0, options: readonly string[] = []): Promise<HubProcess> {
  // Without the time limit of a single command: a hub lives as long as its tests.
  const child = spawn(commandNode, [mainBundle, "up", "--port", String(port), ...options, "--json"], {
    cwd: directory,
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  assert.ok(child.stdout !== null);
  const lines = createInterface(child.stdout);
  const line = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    lines.once("close", () => reject(new Error("the hub ended before it said where it is")));
  });
  const { url: ownerUrl } = JSON.parse(line);
  const { origin, port: taken } = new URL(ownerUrl);
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { url: origin, ownerUrl, port: Number(taken), kill };
}

/** A new token of an agent, made where the journal lies; one call at a time, as `called`. */
export async function tokenOf(directory: string, agent: string, options: readonly string[] = []): Promise<string> {
  const [made] = jsonLines(await calledWithCode(0, directory, ["token", "create", agent, ...options, "--json"]));
  return String(made?.token);
}

/** The variables by which a command speaks to a hub. */
export function towards(hub: { readonly url: string }, token: string): Readonly<Record<string, string>> {
  return { BATON_HUB: hub.url, BATON_TOKEN: token };
}
