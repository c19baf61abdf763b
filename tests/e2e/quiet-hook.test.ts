/**
 * A hook that only brings mail, as a process: where nothing has happened that concerns the agent, it says nothing without
 * opening the team, and each change makes it ask the team again.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { calledWithCode } from "./called.ts";
import { commandMsMax, environment, folder, mainBundle } from "./command.ts";
import { place } from "./hook-call.ts";

const skip = process.platform === "linux" ? false : "only Linux says whether all of a pipe is there";

/** Says at the end whether the command was loaded, and lets a test do something once the first part has ended. */
const preload = join(folder(), "report.cjs");
writeFileSync(
  preload,
  `const fs = require("fs");
setImmediate(() => process.env.REST && fs.writeFileSync(process.env.FIFO, process.env.REST));
process.on("exit", () => {
  const isCommand = Object.keys(require.cache).some((file) => /[\\\\/]command-[^\\\\/]*$/.test(file));
  fs.writeSync(2, isCommand ? "by the command" : "quiet");
});`,
);

interface Asked {
  readonly by: string;
  readonly stdout: string;
  readonly code: number | null;
}

const quiet: Asked = { by: "quiet", stdout: "", code: 0 };
const byCommand: Asked = { ...quiet, by: "by the command" };

/** Asks as the line in the settings of Gemini CLI does, whose shell hands the input on by a pipe. */
function ask(directory: string, event: string, input: object, variables: Readonly<Record<string, string>> = {}): Asked {
  const told = JSON.stringify({ hook_event_name: event, session_id: "s1", cwd: directory, ...input });
  const words = [process.execPath, "-r", preload, mainBundle, "hook", event, "--program", "gemini"];
  const done = spawnSync("sh", ["-c", 'printf %s "$TOLD" | "$@"', "sh", ...words], {
    cwd: directory,
    encoding: "utf8",
    env: environment({ TOLD: told, BATON_AGENT: "dev-1", ...variables }),
    timeout: commandMsMax,
  });
  return { by: done.stderr, stdout: done.stdout, code: done.status };
}

const looked = { tool_name: "read_file", tool_input: { file_path: "a" } };

/** A project in which dev-1 works, and a hook after a tool is quiet. */
async function quietPlace(): Promise<string> {
  const directory = place();
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "The journal begins.");
  assert.deepEqual(ask(directory, "AfterTool", looked), byCommand, "the first asks the team");
  assert.deepEqual(ask(directory, "AfterTool", looked), quiet);
  return directory;
}

const change = (directory: string, statement: string): void => {
  const journal = new DatabaseSync(join(directory, ".git/baton/journal.db"));
  journal.exec(statement);
  journal.close();
};

/** What makes the next hook ask the team, which has nothing to say either. */
const changes: Readonly<Record<string, (directory: string) => unknown>> = {
  "another word in the team file": (directory) => appendFileSync(join(directory, ".baton/team.yaml"), "# changed\n"),
  "an act of the agent": async (directory) => {
    await calledWithCode(0, directory, ["task", "add", "1-1-T1"]);
    await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  },
  "another agent of the team": (directory) =>
    calledWithCode(0, directory, ["agent", "register", "dev-2", "--role", "dev"]),
  "a deadline that has passed": (directory) => change(directory, "UPDATE due SET at = 1"),
  "an index of deadlines by another rule": (directory) => change(directory, "UPDATE due SET rule = '0'"),
  "another start of the machine": (directory) => change(directory, "UPDATE machine_clock SET start = 'before'"),
  "a note that is damaged": (directory) => writeFileSync(join(directory, ".git/baton/sessions/quiet-dev-1"), "{}"),
  "a note of another version": (directory) => {
    const file = join(directory, ".git/baton/sessions/quiet-dev-1");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"version":"[^"]*"/, '"version":"0.0.0"'));
  },
  "another journal": async (directory) => {
    renameSync(join(directory, ".git/baton/journal.db"), join(directory, ".git/baton/away.db"));
    for (const end of ["-wal", "-shm", ".head"]) {
      const file = join(directory, `.git/baton/journal.db${end}`);
      if (existsSync(file)) renameSync(file, join(directory, `.git/baton/away.db${end}`));
    }
    await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "Another one.");
  },
};

for (const [what, happens] of Object.entries(changes)) {
  test(`a quiet hook asks the team again after ${what}`, { skip }, async () => {
    const directory = await quietPlace();
    await happens(directory);
    assert.deepEqual(ask(directory, "AfterTool", looked), byCommand);
    assert.deepEqual(ask(directory, "AfterTool", looked), quiet, "and is quiet again");
  });
}

test("what concerns other agents leaves a hook quiet, at any time, and it is a heartbeat as ever", {
  skip,
}, async () => {
  const directory = await quietPlace();
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "For somebody else.");
  await calledWithCode(0, directory, ["ack", "3", "--as", "qa-1"]);
  await calledWithCode(0, directory, ["task", "add", "1-1-T1"]);
  assert.deepEqual(ask(directory, "AfterTool", looked), quiet);
  assert.deepEqual(ask(directory, "BeforeAgent", { prompt: "Go on." }), quiet);
  const shell = { tool_name: "run_shell_command", tool_input: { command: "ls" } };
  assert.deepEqual(ask(directory, "AfterTool", shell), quiet);
  const signs = () => {
    const journal = new DatabaseSync(join(directory, ".git/baton/journal.db"));
    const rows = journal.prepare("SELECT agent, at FROM life").all();
    journal.close();
    return Number(rows.find(({ agent }) => agent === "dev-1")?.at);
  };
  change(directory, "UPDATE life SET at = at - 60000 WHERE agent = 'dev-1'");
  const old = signs();
  assert.deepEqual(ask(directory, "AfterTool", looked), quiet);
  assert.ok(signs() >= old + 60_000, "replaced by one of now");
  const fresh = signs();
  assert.deepEqual(ask(directory, "AfterTool", looked), quiet);
  assert.equal(signs(), fresh, "not kept again at once");
});

test("mail is brought once by the command, which is quiet again once it is acknowledged", { skip }, async () => {
  const directory = await quietPlace();
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "Read me.");
  const mail = ask(directory, "AfterTool", looked);
  assert.equal(mail.by, "by the command");
  assert.match(mail.stdout, /"additionalContext":"Baton: mail for dev-1.*Read me\./);
  assert.deepEqual(ask(directory, "AfterTool", looked), byCommand, "another tool of the same answer, perhaps");
  assert.equal(ask(directory, "AfterAgent", {}).stdout, "", "acknowledges it");
  assert.deepEqual(ask(directory, "AfterTool", looked), byCommand, "goes on working");
  assert.deepEqual(ask(directory, "AfterTool", looked), quiet);
});

test("what decides, judges or comes from elsewhere is never quiet", { skip }, async () => {
  const directory = await quietPlace();
  const shell = { tool_name: "run_shell_command", tool_input: { command: "ls" } };
  const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+1\n*** End Patch\nEOF";
  const asked: readonly (readonly [string, object, Readonly<Record<string, string>>?])[] = [
    ["BeforeTool", shell],
    ["BeforeTool", { tool_name: "write_file", tool_input: { file_path: join(directory, "a") } }],
    ["AfterTool", { tool_name: "write_file", tool_input: { file_path: join(directory, "a") } }],
    ["AfterTool", { tool_name: "run_shell_command", tool_input: { command: patch } }],
    ["AfterAgent", {}],
    ["AfterTool", { ...looked, agent_id: "h1" }],
    ["AfterTool", { ...looked, session_id: "s2" }],
    ["AfterTool", { ...looked, session_id: null }],
    ["AfterTool", looked, { BATON_AGENT: "qa-1" }],
    ["AfterTool", looked, { BATON_HUB: "http://127.0.0.1:9" }],
  ];
  for (const [event, input, variables = {}] of asked) {
    const done = ask(directory, event, input, variables);
    assert.equal(done.by, "by the command", `${event} ${JSON.stringify(input)}`);
    for (let tries = 0; ask(directory, "AfterTool", looked).by !== quiet.by; tries += 1) assert.ok(tries < 3);
  }
  await calledWithCode(0, directory, ["agent", "retire", "dev-1"]);
  for (const _ of [1, 2]) assert.deepEqual(ask(directory, "AfterTool", looked), byCommand, "an agent that has left");
});

test("a journal that is not as it must be is never looked at quickly", { skip }, async () => {
  const directory = await quietPlace();
  const head = join(directory, ".git/baton/journal.db.head");
  const whole = readFileSync(head, "utf8");
  writeFileSync(
    head,
    whole.replace(/"seq":(\d+)/, (_, seq: string) => `"seq":${Number(seq) + 1}`),
  );
  for (const _ of [1, 2]) assert.equal(ask(directory, "AfterTool", looked).by, "by the command", "entries are missing");
  writeFileSync(head, whole);
  assert.deepEqual(ask(directory, "AfterTool", looked), quiet, "control: that was all");
  change(directory, "CREATE TRIGGER planted AFTER INSERT ON life BEGIN DELETE FROM entry; END");
  for (const _ of [1, 2]) assert.equal(ask(directory, "AfterTool", looked).by, "by the command", "a trigger");
});

test("input that comes in parts is read whole by the command", { skip }, async () => {
  const directory = await quietPlace();
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "Read me.");
  const told = JSON.stringify({ hook_event_name: "AfterTool", session_id: "s1", cwd: directory, ...looked });
  const fifo = join(folder(), "rest");
  assert.equal(spawnSync("mkfifo", [fifo]).status, 0);
  const words = [process.execPath, "-r", preload, mainBundle, "hook", "AfterTool", "--program", "gemini"];
  const parts = { TOLD: told.slice(0, 40), REST: told.slice(40), FIFO: fifo, BATON_AGENT: "dev-1" };
  const child = spawn("sh", ["-c", '{ printf %s "$TOLD"; cat "$FIFO"; } | "$@"', "sh", ...words], {
    cwd: directory,
    env: environment(parts),
    timeout: commandMsMax,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(stderr, "by the command");
  assert.match(stdout, /mail for dev-1.*Read me\./);
});

test("input that a pipe does not hold at once is read whole", { skip }, async () => {
  const directory = await quietPlace();
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "Read me.");
  const file = join(folder(), "told");
  const response = { llmContent: "x".repeat(16 * 1024 * 1024 - 10_000) };
  const told = { hook_event_name: "AfterTool", session_id: "s1", cwd: directory, ...looked, tool_response: response };
  writeFileSync(file, JSON.stringify(told));
  const words = [process.execPath, "-r", preload, mainBundle, "hook", "AfterTool", "--program", "gemini"];
  const mail = /mail for dev-1.*Read me\./;
  for (const expected of [mail, /^$/, /^$/]) {
    const done = spawnSync("sh", ["-c", 'cat "$TOLD" | "$@"', "sh", ...words], {
      cwd: directory,
      encoding: "utf8",
      env: environment({ TOLD: file, BATON_AGENT: "dev-1" }),
      timeout: commandMsMax,
    });
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, expected);
  }
});
