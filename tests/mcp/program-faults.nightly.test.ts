/**
 * What an agent program's hooks are answered where Baton cannot decide: an edit and a message are denied with what to do,
 * a shell runs, because it repairs Baton, and nothing else breaks the session. Each fault with each program, by the way in
 * which the program asks. What the programs do where no answer comes at all is tried in tests/programs/faults.test.ts.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import {
  type HookProgram,
  hookEvents,
  hookPrograms,
  shellTools,
  writingTools,
} from "../../src/messages/program-hooks.ts";
import { wantedHooks } from "../../src/programs/install/hook-lines.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { contract, environment, folder } from "../e2e/command.ts";
import { claimed, place, sending } from "../e2e/hook-call.ts";
import { webServer } from "../http/line.ts";
import { launcher } from "../programs/project.ts";
import { programSession } from "./clients.ts";

interface Answers extends AsyncDisposable {
  /** The reason of a denial; null: the program goes on. */
  ask(question: "before-tool" | "after-tool" | "prompt" | "stop", input: object): Promise<string | null>;
}

/** Asks as the program does: by a call of its server, or by a command. */
async function asking(
  program: HookProgram,
  directory: string,
  variables: Readonly<Record<string, string>>,
): Promise<Answers> {
  const events = hookEvents[program];
  const session = events.some(({ by }) => by === "call")
    ? await programSession(directory, program, "dev-1", variables)
    : null;
  return {
    ask: async (question, input) => {
      const name = events.find(({ asks }) => asks === question)?.name ?? assert.fail(question);
      const told = { hook_event_name: name, session_id: "s1", cwd: directory, ...input };
      if (session === null) {
        const words = ["hook", name, "--program", program, "--as", "dev-1"];
        const done = await called(directory, words, JSON.stringify(told), variables);
        assert.equal(done.code === 2, done.stderr !== "", done.stdout);
        return done.code === 2 ? done.stderr : null;
      }
      const meta = program === "codex" ? { threadId: "s1", sessionId: "s1" } : undefined;
      const done = await session.call("hook", told, meta);
      assert.equal(done.isError, false, done.text);
      const { hookSpecificOutput: said } = JSON.parse(done.text) as {
        hookSpecificOutput?: { permissionDecision?: string; permissionDecisionReason?: string };
      }; // as documented
      return said?.permissionDecision === "deny" ? (said.permissionDecisionReason ?? "") : null;
    },
    [Symbol.asyncDispose]: async () => await session?.[Symbol.asyncDispose](),
  };
}

/** What the program does next, in the words of its hooks. */
function tools(program: HookProgram, directory: string, name = "new") {
  const file = join(directory, `src/${name}.js`);
  const patch = `*** Begin Patch\n*** Add File: ${file}\n+1\n*** End Patch\n`;
  const input = program === "codex" ? { command: patch } : { file_path: file };
  return {
    edit: { tool_name: writingTools[program][0], tool_use_id: "u1", tool_input: input },
    shell: { tool_name: shellTools[program], tool_use_id: "u2", tool_input: { command: "baton doctor" } },
  };
}

/** Denies what Baton decides with this reason, and holds up nothing else. */
async function deniesOnly(program: HookProgram, directory: string, { ask }: Answers, problem: string, reason: RegExp) {
  const { edit, shell } = tools(program, directory);
  const denied = await ask("before-tool", edit);
  assert.match(denied ?? "allowed", reason, `${program}, ${problem}`);
  if (program === "claude-code")
    assert.match((await ask("before-tool", sending(contract()))) ?? "allowed", reason, problem);
  assert.equal(await ask("before-tool", shell), null, `${program}, ${problem}: a shell`);
  // Each of them would wait as long again.
  if (problem === noAnswer) return;
  for (const question of ["after-tool", "prompt", "stop"] as const)
    assert.equal(await ask(question, {}), null, `${program}, ${problem}: ${question}`);
}

const noAnswer = "no answer";
const cutOff = "less than it announces";

const hubProblems: Readonly<Record<string, readonly [(response: ServerResponse) => void, RegExp]>> = {
  "401": [
    (response) => response.writeHead(401, { "content-type": "application/problem+json" }).end("{}"),
    /denied:\n- /,
  ],
  "500": [(response) => response.writeHead(500).end("no"), /denied:\n- (?:not-a-hub|hub-unreachable|timed-out)/],
  "another page": [(response) => response.writeHead(200).end("<html>"), /denied:\n- (?:not-a-hub|timed-out)/],
  reset: [(response) => response.destroy(), /denied:\n- (?:hub-unreachable|timed-out|interrupted)/],
  "half an answer": [
    (response) => response.writeHead(200, { "content-type": "application/json" }).write("{", () => response.destroy()),
    /denied:\n- /,
  ],
  [cutOff]: [
    (response) => response.writeHead(200, { "content-length": "20" }).write("{}", () => response.destroy()),
    /denied:\n- /,
  ],
  [noAnswer]: [() => undefined, /denied:\n- (?:timed-out|hub-unreachable|interrupted)/],
};

for (const program of hookPrograms) {
  test(`with a hub that fails in any way, ${program} is denied edits and messages, and nothing else`, async (t) => {
    const away = folder();
    let answer: (response: ServerResponse) => void = () => undefined;
    const closing: (() => unknown)[] = [];
    const url = await webServer({ after: (done) => void closing.push(done) }, (_, response) => answer(response));
    t.after(() => {
      for (const close of closing) close();
    });
    const variables = { BATON_HUB: url, BATON_TOKEN: `baton_${"A".repeat(43)}`, BATON_HOOK_SECONDS: "1" };
    await using answers = await asking(program, away, variables);
    for (const [problem, [misbehave, reason]] of Object.entries(hubProblems)) {
      answer = misbehave;
      await deniesOnly(program, away, answers, problem, reason);
    }
    for (const close of closing.splice(0)) close();
    await deniesOnly(program, away, answers, "down", /denied:\n- (?:hub-unreachable|timed-out)/);
  });

  test(`with a journal that is locked or damaged, ${program} is denied edits and messages; then it is not`, async () => {
    const directory = place();
    const journal = join(directory, ".git/baton/journal.db");
    await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "Hello.");
    const { edit } = tools(program, directory);
    // Only who meets the lock has little time: what is asked without a lock takes as long as the machine is busy.
    await using answers = await asking(program, directory, {});
    const { edit: first } = tools(program, directory, "first");
    assert.equal(await answers.ask("before-tool", first), null, "control: without a fault it may");
    await using hasty = await asking(program, directory, { BATON_HOOK_SECONDS: "1" });
    // The sessions keep their heartbeats in the journal meanwhile.
    const lock = new DatabaseSync(journal, { timeout: 60_000 });
    lock.exec("BEGIN IMMEDIATE");
    assert.match((await hasty.ask("before-tool", edit)) ?? "allowed", /journal-busy|timed-out/);
    lock.exec("ROLLBACK");
    lock.close();
    assert.equal(await answers.ask("before-tool", edit), null, "the lock is gone");
    assert.doesNotMatch((await hasty.ask("before-tool", edit)) ?? "allowed", /journal-busy/);
    // Another file is there: who has the journal open may hold all of the old one in memory, and notices.
    rmSync(journal);
    writeFileSync(journal, "no database, but as long as one".repeat(400));
    await deniesOnly(program, directory, answers, "replaced", /journal-/);
    await using later = await asking(program, directory, {});
    await deniesOnly(program, directory, later, "damaged", /journal-/);
  });
}

/** The line for an event of Gemini CLI that `baton run` puts into its settings. */
function startedLines(directory: string): (event: string) => string {
  const sessions = join(directory, ".git/baton/sessions");
  const hooks = wantedHooks({ program: "gemini", words: [process.execPath, launcher], sessions });
  assert.ok(hooks.ok);
  const { value } = hooks;
  return (event) => {
    const [group] = value[event] ?? assert.fail(event);
    const {
      hooks: [handler],
    } = group as unknown as { readonly hooks: readonly [{ readonly command: string }] };
    return handler.command;
  };
}

/** What a line answers that the process of this test runs, as Gemini CLI does. */
async function askLine(directory: string, line: string, input: object, variables: object, shell = "bash") {
  const env = { ...environment(), ...variables };
  const child = spawn(shell, ["-c", line], { cwd: directory, env });
  // A line that ends early may read nothing.
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify({ session_id: "s1", cwd: directory, ...input }));
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, code: code as number | null };
}

test("in Gemini CLI the session's server answers the lines of its hooks; without it the command does, as it would", async (t) => {
  const directory = place();
  await claimed(directory);
  const lineOf = startedLines(directory);
  const file = (name: string, more: object = {}) => ({ file_path: join(directory, name), ...more });
  const edit = (name: string, more: object = {}) => ({ tool_name: "write_file", tool_input: file(name, more) });
  const ask = (event: string, input: object, line = lineOf(event)) =>
    askLine(directory, line, { hook_event_name: event, ...input }, { BATON_AGENT: "qa-1" });
  /** The line whose command would be seen. */
  const byServer = (event: string) => lineOf(event).replace(/[^ ]+ [^ ]+ hook .*$/, "exit 9");
  assert.equal((await ask("AfterTool", {}, byServer("AfterTool"))).code, 9, "control: no server, so the command");
  const session = await programSession(directory, "gemini", "qa-1");
  assert.match((await ask("BeforeTool", edit("src/feature.js"), byServer("BeforeTool"))).stdout, deniedByHolder);
  assert.deepEqual(await ask("BeforeTool", edit("src/new.js"), byServer("BeforeTool")), allowed);
  const huge = edit("src/feature.js", { content: "'$i\"\\n".repeat(300_000) });
  assert.match((await ask("BeforeTool", huge, byServer("BeforeTool"))).stdout, deniedByHolder);
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], 'It\'s new; "read" it: $HOME %s');
  const mail = await ask("AfterTool", { tool_name: "read_file" }, byServer("AfterTool"));
  assert.match(mail.stdout, /"additionalContext":"Baton: mail for qa-1.*\$HOME %s/);
  assert.deepEqual(await ask("AfterTool", { tool_name: "read_file" }, byServer("AfterTool")), allowed, "shown once");
  // What the server cannot read the command answers, and so it does for a server that was killed, whose socket stays.
  const unread = await askLine(directory, lineOf("BeforeTool"), { session_id: 1, tool_input: deep(200) }, {});
  assert.equal(unread.code, 2);
  assert.match(unread.stderr, /so this is denied/);
  await session.kill();
  const socket = join(directory, `.git/baton/sessions/hooks-${process.pid}`);
  assert.ok(lstatSync(socket).isSocket(), "control: it stays");
  const denied = await ask("BeforeTool", edit("src/feature.js"));
  assert.deepEqual([denied.code, denied.stdout], [2, ""]);
  assert.match(denied.stderr, /dev-1 holds this path/);
  assert.equal((await ask("BeforeTool", edit("src/new.js"))).code, 0);
  // A server that answers wrongly decides nothing.
  rmSync(socket);
  let misbehave: (response: ServerResponse) => void = (response) => response.writeHead(500).end("{}");
  const wrong = createServer((_, response) => misbehave(response)).listen(socket);
  t.after(() => wrong.close());
  await once(wrong, "listening");
  assert.equal((await ask("BeforeTool", edit("src/feature.js"))).code, 2, "500");
  misbehave = (response) => response.writeHead(200, { "content-length": "20" }).write("{", () => response.destroy());
  assert.deepEqual(await ask("BeforeTool", edit("src/feature.js")), denied, "half an answer");
  await using next = await programSession(directory, "gemini", "qa-1");
  assert.match((await ask("BeforeTool", edit("src/feature.js"), byServer("BeforeTool"))).stdout, deniedByHolder);
  await next[Symbol.asyncDispose]();
  assert.equal(existsSync(socket), false, "one that ends removes it");
});

const deniedByHolder = /^\{"decision":"deny","reason":"Not written:.*dev-1 holds this path/;
const allowed = { stdout: "{}", stderr: "", code: 0 };

function deep(levels: number): object {
  let whole = {};
  for (let level = 0; level < levels; level++) whole = { whole };
  return whole;
}
