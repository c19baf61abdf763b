/**
 * What an agent's model has not read is not acknowledged: a message that is too long for a hook's answer, and one that came
 * with a tool of the same answer of the model. Called as the programs call (tests/programs has them themselves).
 * Rules: docs/protocol/journal.md, section 5.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { AgentStatus } from "../../src/operations/agents.ts";
import { calledWithCode } from "../e2e/called.ts";
import { jsonLines } from "../e2e/command.ts";
import { claimed, place, writing } from "../e2e/hook-call.ts";
import { programSession } from "./clients.ts";

const long = (word: string) => `${word} ${"x".repeat(11_000)} end of ${word}`;

/** The calls of qa-1's session of the program, and what becomes of its mail. */
async function reader(directory: string, program: "claude-code" | "codex", session = "s1") {
  const qa = await programSession(directory, program, "qa-1", { CLAUDE_CODE_SESSION_ID: session });
  const meta = { threadId: session, sessionId: session };
  const ask = async (event: string, more: object = {}) => {
    const asked = { hook_event_name: event, cwd: directory, session_id: session, ...more };
    const own = program === "claude-code" ? { agent_id: "", agent_type: "" } : {};
    return (await qa.call("hook", { ...asked, ...own }, program === "codex" ? meta : undefined)).text;
  };
  let uses = 0;
  return {
    [Symbol.asyncDispose]: () => qa[Symbol.asyncDispose](),
    ask,
    /** A command in a shell: before it, and after it, which Claude Code tells once for all tools of an answer. */
    shell: (event = "PreToolUse") =>
      ask(
        event,
        event === "PostToolBatch"
          ? {}
          : { tool_name: "Bash", tool_use_id: `b${uses++}`, tool_input: { command: "ls" } },
      ),
    inbox: async (given: object) => {
      const use = `u${uses++}`;
      const tool = { tool_name: "mcp__baton__read_inbox", tool_use_id: use, tool_input: JSON.stringify(given) };
      if (program === "claude-code") await ask("PreToolUse", tool);
      const page = await qa.call(
        "read_inbox",
        given,
        program === "codex" ? { ...meta, callId: use } : { "claudecode/toolUseId": use },
      );
      await ask(program === "codex" ? "PostToolUse" : "PostToolBatch", program === "codex" ? tool : {});
      return page.text;
    },
    send: async (words: string) => {
      await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], words);
    },
    unread: async () => {
      // What follows from an answer is done before the next one, and the user's prompt confirms nothing.
      await ask("UserPromptSubmit");
      const agents = jsonLines(await calledWithCode(0, directory, ["agent", "list", "--json"]));
      const own = agents.find(({ agent }) => agent === "qa-1") as unknown as AgentStatus; // as documented
      return own.unread;
    },
  };
}

const hint = /#(\d+) prose from lead-1\nToo long to show here: read_inbox with after (\d+) and limit 1\./;

function namedIn(answer: string): number {
  const [, , after] = hint.exec(answer.replaceAll("\\n", "\n")) ?? assert.fail(answer);
  return Number(after);
}

for (const [program, after] of [
  ["claude-code", "PostToolBatch"],
  ["codex", "PostToolUse"],
] as const) {
  test(`in ${program} a message that is too long for a hook waits until it was read, and then a step acknowledges it`, async () => {
    const directory = place();
    await using qa = await reader(directory, program);
    await qa.ask("SessionStart");
    await qa.send("Short and first.");
    await qa.send(long("first"));
    const shown = await qa.shell(after);
    assert.match(shown, /Short and first/);
    const at = namedIn(shown);
    await qa.send("Short and last.");
    assert.match(await qa.shell(after), /Short and last/);
    for (let step = 0; step < 2; step += 1) {
      await qa.shell();
      assert.equal(await qa.shell(after), "{}", "each is shown or named once in a context");
    }
    assert.equal(await qa.unread(), 2, "the named one holds up what came after it, and nothing before it");
    await qa.inbox({ after: at + 1 });
    await qa.shell();
    assert.equal(await qa.unread(), 2, "only what comes after it was read");
    assert.match(await qa.inbox({ after: at, limit: 1 }), /end of first/);
    assert.equal(await qa.unread(), 2, "its model does not have the tool's answer yet");
    await qa.shell();
    assert.equal(await qa.unread(), 0);
  });
}

test("a message that was only named is named again in the next context, and an acknowledgement counts as ever", async () => {
  const directory = place();
  {
    await using qa = await reader(directory, "claude-code");
    await qa.send(long("first"));
    namedIn(await qa.ask("UserPromptSubmit"));
    await qa.shell();
    assert.equal(await qa.ask("Stop", { stop_hook_active: "false" }), "{}", "it is not named again");
  }
  await using next = await reader(directory, "claude-code", "s2");
  const at = namedIn(await next.ask("UserPromptSubmit"));
  await next.inbox({ ack: at + 1 });
  assert.equal(await next.unread(), 0);
});

test("a message that is too long for a denial comes whole after the next tool", async () => {
  const directory = place();
  await claimed(directory);
  await using qa = await reader(directory, "codex");
  await qa.ask("SessionStart");
  await qa.shell();
  await qa.send(`whole ${"y".repeat(6_000)} to its end`);
  const tool = writing(join(directory, "src/feature.js"), "apply_patch");
  const patch = { command: `*** Begin Patch\n*** Delete File: ${directory}/src/feature.js\n*** End Patch\n` };
  const denied = await qa.ask("PreToolUse", { ...tool, tool_use_id: "p", tool_input: patch });
  assert.match(denied, /dev-1 holds this path/);
  assert.doesNotMatch(denied, /Too long/);
  assert.match(await qa.shell("PostToolUse"), /to its end/);
});

test("in Codex mail that comes with one of several tools is not acknowledged by another of them", async () => {
  const directory = place();
  await using qa = await reader(directory, "codex");
  await qa.ask("SessionStart");
  for (let tool = 0; tool < 3; tool += 1) await qa.shell();
  await qa.send("Mind the gap.");
  assert.match(await qa.shell("PostToolUse"), /Mind the gap/);
  for (let tool = 0; tool < 2; tool += 1) assert.equal(await qa.shell("PostToolUse"), "{}");
  assert.equal(await qa.unread(), 1);
  await qa.shell();
  assert.equal(await qa.unread(), 0);
});

test("in Claude Code mail comes after all tools of an answer, not after one of them", async () => {
  const directory = place();
  await using qa = await reader(directory, "claude-code");
  await qa.send("Mind the gap.");
  const task = { tool_name: "TaskCreate", tool_use_id: "t", tool_input: { subject: "Look" }, tool_response: {} };
  assert.equal(await qa.ask("PostToolUse", task), "{}");
  assert.match(await qa.ask("PostToolBatch"), /Mind the gap/);
  assert.equal(await qa.unread(), 1);
  await qa.ask("PostToolBatch");
  assert.equal(await qa.unread(), 0);
});
