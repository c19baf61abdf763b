/**
 * What an agent program's hooks are answered where Baton cannot decide: an edit and a message are denied with what to do,
 * a shell runs, because it repairs Baton, and nothing else breaks the session. Each fault with each program, by the way in
 * which the program asks. What the programs do where no answer comes at all is tried in tests/programs/faults.test.ts.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
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
} from "../../src/message/program-hooks.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { contract, environment, folder } from "../e2e/command.ts";
import { claimed, place, sending } from "../e2e/hook-call.ts";
import { webServer } from "../http/line.ts";
import { programSession } from "./clients.ts";
import { startHub } from "./hub-place.ts";

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
function tools(program: HookProgram, directory: string) {
  const file = join(directory, "src/new.js");
  const patch = `*** Begin Patch\n*** Add File: ${file}\n+1\n*** End Patch\n`;
  const input = program === "codex" ? { command: patch } : { file_path: file };
  return {
    edit: { tool_name: writingTools[program][0], tool_use_id: "u1", tool_input: input },
    shell: { tool_name: shellTools[program], tool_use_id: "u2", tool_input: { command: "baton doctor" } },
  };
}

/** Denies what Baton decides with this reason, and holds up nothing else. */
async function deniesOnly(program: HookProgram, directory: string, { ask }: Answers, fault: string, reason: RegExp) {
  const { edit, shell } = tools(program, directory);
  const denied = await ask("before-tool", edit);
  assert.match(denied ?? "allowed", reason, `${program}, ${fault}`);
  if (program === "claude-code")
    assert.match((await ask("before-tool", sending(contract()))) ?? "allowed", reason, fault);
  assert.equal(await ask("before-tool", shell), null, `${program}, ${fault}: a shell`);
  // Each of them would wait as long again.
  if (fault === noAnswer) return;
  for (const question of ["after-tool", "prompt", "stop"] as const)
    assert.equal(await ask(question, {}), null, `${program}, ${fault}: ${question}`);
}

const noAnswer = "no answer";

const hubFaults: Readonly<Record<string, readonly [(response: ServerResponse) => void, RegExp]>> = {
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
    for (const [fault, [misbehave, reason]] of Object.entries(hubFaults)) {
      answer = misbehave;
      await deniesOnly(program, away, answers, fault, reason);
    }
    for (const close of closing.splice(0)) close();
    await deniesOnly(program, away, answers, "down", /denied:\n- (?:hub-unreachable|timed-out)/);
  });

  test(`with a journal that is locked or damaged, ${program} is denied edits and messages; then it is not`, async () => {
    const directory = place();
    const journal = join(directory, ".git/baton/journal.db");
    await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "Hello.");
    const variables = { BATON_HOOK_SECONDS: "1" };
    await using answers = await asking(program, directory, variables);
    const lock = new DatabaseSync(journal);
    lock.exec("BEGIN IMMEDIATE");
    const { edit } = tools(program, directory);
    assert.match((await answers.ask("before-tool", edit)) ?? "allowed", /journal-busy|timed-out/);
    lock.exec("ROLLBACK");
    lock.close();
    assert.equal(await answers.ask("before-tool", edit), null, "control: without a fault it may");
    // Another file is there: who has the journal open may hold all of the old one in memory, and notices.
    rmSync(journal);
    writeFileSync(journal, "no database, but as long as one".repeat(400));
    await deniesOnly(program, directory, answers, "replaced", /journal-/);
    await using later = await asking(program, directory, variables);
    await deniesOnly(program, directory, later, "damaged", /journal-/);
  });
}

test("through a hub the line in Gemini CLI's settings is answered by one request, and denied where that fails", async () => {
  const directory = place();
  await claimed(directory);
  const hub = await startHub(directory);
  const { origin } = new URL(hub.url);
  await calledWithCode(0, directory, ["install", "gemini", "--hub", origin]);
  const settings = JSON.parse(readFileSync(join(directory, ".gemini/settings.json"), "utf8")) as {
    hooks: Record<string, readonly { matcher?: string; hooks: readonly { command: string }[] }[]>;
  }; // as installed
  const lineOf = (event: string, tool = "") =>
    settings.hooks[event]?.find(({ matcher = "" }) => matcher.includes(tool))?.hooks[0]?.command ?? assert.fail(event);
  const token = (await hub.as("qa-1")).headers.authorization?.slice("Bearer ".length) ?? "";
  const ask = async (event: string, input: object, variables: object = {}, tool = "") => {
    const told = { hook_event_name: event, session_id: "s1", cwd: directory, ...input };
    const env = { ...environment(), BATON_TOKEN: token, ...variables };
    const child = spawn("bash", ["-c", lineOf(event, tool)], { cwd: directory, env });
    child.stdin.end(JSON.stringify(told));
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { stdout, stderr, code: code as number | null };
  };
  const edit = (file: string) => ({ tool_name: "write_file", tool_input: { file_path: join(directory, file) } });
  const denied = await ask("BeforeTool", edit("src/feature.js"));
  assert.deepEqual([denied.code, denied.stderr], [0, ""]);
  assert.match(denied.stdout, /^\{"decision":"deny","reason":"Not written:.*dev-1 holds this path/);
  assert.deepEqual(await ask("BeforeTool", edit("src/new.js")), { stdout: "{}", stderr: "", code: 0 });
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], 'It\'s new; "read" it: $HOME %s');
  const mail = await ask("AfterTool", { tool_name: "read_file" });
  assert.match(mail.stdout, /"additionalContext":"Baton: mail for qa-1.*\$HOME %s/);
  assert.equal((await ask("AfterTool", { tool_name: "read_file" })).stdout, "{}", "shown once");
  const huge = {
    tool_name: "write_file",
    tool_input: { content: "x".repeat(2_000_000), file_path: join(directory, "src/feature.js") },
  };
  assert.match((await ask("BeforeTool", huge)).stdout, /"decision":"deny"/);
  // Another name next to the token, one that proves nobody, and no hub: denied, and a shell runs.
  const other = await ask("BeforeTool", edit("src/feature.js"), { BATON_AGENT: "dev-1" });
  assert.match(other.stdout, /"decision":"deny".*dev-1 holds this path/, "nobody is not dev-1");
  const forged = await ask("BeforeTool", edit("src/new.js"), { BATON_TOKEN: `baton_${"A".repeat(43)}` });
  assert.deepEqual([forged.code, forged.stdout], [2, ""]);
  assert.match(forged.stderr, /no answer \(curl 22,.*so this is denied/);
  // Without curl the command asks the same hub.
  const bin = folder();
  for (const name of ["bash", "cat"]) symlinkSync(`/bin/${name}`, join(bin, name));
  const bare = await ask("BeforeTool", edit("src/feature.js"), { PATH: bin });
  assert.equal(bare.code, 2, bare.stdout);
  assert.match(bare.stderr, /dev-1 holds this path/);
  await hub.kill();
  const down = await ask("BeforeTool", edit("src/new.js"));
  assert.deepEqual([down.code, down.stdout], [2, ""]);
  assert.match(down.stderr, /no answer \(curl 7,/);
  const shell = { tool_name: "run_shell_command", tool_input: { command: "baton up" } };
  assert.deepEqual(await ask("BeforeTool", shell, {}, "run_shell"), { stdout: "", stderr: "", code: 0 });
  const before = readFileSync(join(directory, ".gemini/settings.json"), "utf8");
  await calledWithCode(0, directory, ["install", "gemini", "--hub", origin]);
  assert.equal(readFileSync(join(directory, ".gemini/settings.json"), "utf8"), before, "its line is known again");
  await calledWithCode(0, directory, ["uninstall", "gemini"]);
  assert.equal(existsSync(join(directory, ".gemini")), false);
});
