/** Ctrl-C in the middle: every process that the demo started is gone, and so is its folder, even when an agent hangs. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { commandMsMax, environment, folder, mainBundle } from "../e2e/command.ts";

/** The variable that marks the processes of one demo, however far down: they inherit it. */
const markName = "DEMO_TEST_MARK";
const options = existsSync("/proc/self/environ") ? {} : { skip: "needs /proc to see which processes are left" };
/** How long the demo may take to clear up, in milliseconds. */
const clearMsMax = 60_000;

const demo = [process.execPath, mainBundle, "demo", "--json"] as const;

/** Starts the demo and resolves when both developers are at work; paced, so that what follows takes its time. */
async function startedDemo(
  line: readonly [string, ...string[]] = demo,
  { directory, variables = {} }: { directory?: string; variables?: Readonly<Record<string, string>> } = {},
) {
  const temporary = folder();
  const mark = randomUUID();
  const [program, ...words] = line;
  const child = spawn(program, words, {
    cwd: directory ?? temporary,
    env: environment({ [markName]: mark, TMPDIR: temporary, ...variables }),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: commandMsMax,
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let claims = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const { event } = JSON.parse(line) as { readonly event?: string }; // each is a separate line, as --json promises
    if (event === "claimed" && ++claims === 2) break;
  }
  let told = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (told += text));
  const processes = markedProcesses(mark);
  // The demo itself, a hub, three agents, three servers of MCP: what is looked for later is seen now.
  assert.ok(processes.length >= 8, `${processes.length} processes are at work`);
  assert.equal(readdirSync(temporary).length, 1, "a folder is there");
  return {
    child,
    mark,
    temporary,
    ended,
    said: () => said,
    told: () => told,
    others: processes.filter(({ pid }) => pid !== child.pid),
  };
}

/** What the demo's person asks git for, again and again. */
const looksWord = "key=Baton-Landed";

/** A git first on the path that halts where it is asked for what has landed. */
function hangingGit(): Readonly<Record<string, string>> {
  const directory = folder();
  const path = process.env.PATH ?? "";
  const text = `#!/bin/sh\ncase "$*" in *${looksWord}*) kill -STOP $$ ;; esac\nPATH='${path}' exec git "$@"\n`;
  writeFileSync(join(directory, "git"), text, { mode: 0o755 });
  return { PATH: `${directory}:${path}` };
}

/** Halts a process; one that was there for a moment, as a hook is, may have ended. */
function halt(pid: number): void {
  try {
    process.kill(pid, "SIGSTOP");
  } catch (cause) {
    assert.equal(cause instanceof Error && "code" in cause ? cause.code : cause, "ESRCH");
  }
}

for (const hangs of [false, true])
  test(
    `asked to stop it leaves no process and no folder${hangs ? ", though hub, agents and git hang" : ""}`,
    options,
    async () => {
      const { child, mark, temporary, ended, others } = await startedDemo(
        demo,
        hangs ? { variables: hangingGit() } : {},
      );
      const isHanging = () => markedProcesses(mark).some(({ words }) => words.some((word) => word.includes(looksWord)));
      while (hangs && !isHanging()) await setTimeout(25);
      for (const { pid } of hangs ? others : []) halt(pid);
      child.kill(hangs ? "SIGTERM" : "SIGINT");
      // Asked again while it clears up, it goes on clearing up.
      if (hangs) child.kill("SIGINT");
      assert.equal(await ended, 130);
      await isCleared(mark);
      assert.deepEqual(readdirSync(temporary), []);
    },
  );

test("it ends with the npm that started it", options, async () => {
  const project = folder();
  const scripts = { start: demo.map((word) => `'${word}'`).join(" ") };
  writeFileSync(join(project, "package.json"), JSON.stringify({ scripts }));
  const { child, mark, temporary, ended, told } = await startedDemo(["npm", "--silent", "start"], {
    directory: project,
  });
  child.kill("SIGTERM");
  // Its output ends with the demo, not with npm.
  await ended;
  assert.doesNotMatch(told(), /"summary"/, "it has not played on");
  await isCleared(mark);
  assert.deepEqual(readdirSync(temporary), []);
});

test("an agent that is lost for good ends the demo with a word about it", options, async () => {
  const { child, mark, temporary, ended, said, others } = await startedDemo();
  const server = others.find(({ words }) => words.includes("mcp") && words.includes("dev-2"));
  assert.ok(server !== undefined);
  process.kill(server.pid, "SIGKILL");
  assert.equal(await ended, 1, said());
  assert.match(said(), /dev-2 did not play its part to the end/);
  assert.equal(child.signalCode, null);
  await isCleared(mark);
  assert.deepEqual(readdirSync(temporary), []);
});

test("killed outright it leaves no process, but its folder", options, async () => {
  const { child, mark, temporary, ended } = await startedDemo();
  child.kill("SIGKILL");
  assert.equal(await ended, null);
  await isCleared(mark);
  assert.equal(readdirSync(temporary).length, 1, "nobody was left to remove it");
});

/** Waits until no process with this mark is left. */
async function isCleared(mark: string): Promise<void> {
  const until = performance.now() + clearMsMax;
  while (markedProcesses(mark).length > 0 && performance.now() < until) await setTimeout(25);
  assert.deepEqual(markedProcesses(mark), []);
}

/** Living processes with this mark, and the words each was started with; a zombie has no variables any more. */
function markedProcesses(mark: string) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).includes(`${markName}=${mark}`))
    .map((name) => ({ pid: Number(name), words: read(`/proc/${name}/cmdline`).split("\0") }));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It ended between listing and reading, or belongs to somebody else: not ours to count.
    return "";
  }
}
