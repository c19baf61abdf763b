/** Ctrl-C in the middle: every process that the demo started is gone, and so is its folder, even when an agent hangs. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { baton, commandMsMax, environment, folder, mainBundle, problemCodes } from "../e2e/command.ts";
import { canLook, markedProcesses, markName, waitForNone, waitForStopped } from "./marked-processes.ts";

const options = canLook ? {} : { skip: "needs /proc to see which processes are left" };
/** How long the demo may take to clear up, and a process to stop on request, in milliseconds. */
const clearMsMax = 60_000;

interface Started {
  readonly child: ChildProcess;
  readonly mark: string;
  readonly temporary: string;
  readonly ended: Promise<number | null>;
  /** What it wrote to standard error. */
  said(): string;
}

/** Whether a line that the demo printed is the one that is waited for. */
type IsIt = (line: { readonly event?: string; readonly agent?: string }) => boolean;

/** Its lead, the last of seven agents, is there: the phase has just begun. */
const hasBegun: IsIt = ({ event, agent }) => event === "arrived" && agent === "lead-1";

/** Starts the demo and resolves when it has printed such a line; paced, so that what follows takes its time. */
async function startedDemo(isIt = hasBegun, words: readonly string[] = []): Promise<Started> {
  const temporary = folder();
  const mark = randomUUID();
  const child = spawn(process.execPath, [mainBundle, "demo", "--json", ...words], {
    cwd: temporary,
    env: environment({ [markName]: mark, TMPDIR: temporary }),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: commandMsMax,
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  for await (const line of createInterface({ input: child.stdout })) {
    if (isIt(JSON.parse(line) as Parameters<IsIt>[0])) break; // each is a separate line, as --json promises
  }
  child.stdout.resume();
  return { child, mark, temporary, ended, said: () => said };
}

test("SIGINT in the middle leaves no process and no folder", options, async () => {
  const { child, mark, temporary, ended } = await startedDemo();
  // The demo itself, a hub, seven agents, four servers of MCP: what is looked for later is seen now.
  assert.ok(markedProcesses(mark).length >= 13, `${markedProcesses(mark).length} processes are at work`);
  assert.equal(readdirSync(temporary).length, 1, "a folder is there");
  child.kill("SIGINT");
  assert.equal(await ended, 130);
  assert.deepEqual(await waitForNone(mark, clearMsMax), []);
  assert.deepEqual(readdirSync(temporary), []);
});

test("SIGTERM in the middle leaves none either, though agents hang", options, async () => {
  const { child, mark, temporary, ended } = await startedDemo();
  const hanging = markedProcesses(mark).filter(
    ({ words }) => words.includes("demo-agent") || words.includes("mcp") || words.includes("demo-hub"),
  );
  assert.ok(hanging.length >= 12, `${hanging.length} processes hang`);
  for (const { pid } of hanging) process.kill(pid, "SIGSTOP");
  child.kill("SIGTERM");
  // Asked again while it clears up, it goes on clearing up.
  child.kill("SIGINT");
  assert.equal(await ended, 130);
  assert.deepEqual(await waitForNone(mark, clearMsMax), []);
  assert.deepEqual(readdirSync(temporary), []);
});

test("an agent that is lost for good ends the demo with a word about it", options, async () => {
  const { child, mark, temporary, ended, said } = await startedDemo();
  const server = markedProcesses(mark).find(({ words }) => words.includes("mcp") && words.includes("qa-1"));
  assert.ok(server !== undefined);
  process.kill(server.pid, "SIGKILL");
  assert.equal(await ended, 1, said());
  assert.match(said(), /qa-1 did not play its part to the end/);
  assert.equal(child.signalCode, null);
  assert.deepEqual(await waitForNone(mark, clearMsMax), []);
  assert.deepEqual(readdirSync(temporary), []);
});

test(
  "killed outright while an agent is stopped it leaves no process, which would be stopped for ever, but its folder",
  options,
  async () => {
    const { child, mark, temporary, ended } = await startedDemo(({ event }) => event === "silenced", ["--fast"]);
    // Stopped itself, the demo cannot end the silence, however long the others take to be seen stopped.
    child.kill("SIGSTOP");
    const stopped = await waitForStopped(mark, 3, clearMsMax);
    assert.equal(stopped.length, 3, "the demo, the agent and its server of MCP");
    child.kill("SIGKILL");
    assert.equal(await ended, null);
    assert.deepEqual(await waitForNone(mark, clearMsMax), []);
    assert.equal(
      readdirSync(temporary).length,
      1,
      "nobody was left to remove it, so what the others look for can be seen",
    );
  },
);

test("a scratch folder that cannot be made is a problem with a hint, not an error of ours", () => {
  const place = folder();
  const done = baton(place, ["demo", "--fast", "--json"], "", { TMPDIR: join(place, "nowhere") });
  assert.deepEqual(problemCodes(done), ["journal-cannot-open"]);
  assert.match(done.stdout, /TMPDIR/);
});
