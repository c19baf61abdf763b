/**
 * What an agent's model has not read is not acknowledged: a message that is too long for a hook's answer, and one that came
 * with a tool of the same answer of the model. Called as the programs call (tests/programs has them themselves).
 * Rules: docs/protocol/record.md, section 5.
 */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { contract } from "../e2e/command.ts";
import { agentIn, claimed, hook, place, writing } from "../e2e/hook-call.ts";
import { reader } from "./mail-reader.ts";

const long = (word: string) => `${word} ${"x".repeat(11_000)} end of ${word}`;

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

for (const program of ["claude-code", "codex"] as const) {
  test(`in ${program} the next step acknowledges what read_inbox returned, and what it passed over is shown`, async () => {
    const directory = place();
    await using qa = await reader(directory, program);
    await qa.ask("SessionStart");
    for (const word of ["First", "Second", "Third"]) await qa.send(`${word}.`);
    assert.match(await qa.inbox({ after: 3 }), /^[^\n]*Third[^\n]*\n.*First.*Second/, "it was passed over");
    assert.equal(await qa.unread(), 3);
    await qa.shell();
    assert.equal(await qa.unread(), 0);
    await qa.send("Fourth.");
    assert.match(await qa.inbox({}), /Fourth.*\n\{\}$/, "it is not shown again");
    assert.equal(await qa.unread(), 1, "its model does not have the tool's answer yet");
    assert.equal(await qa.ask("Stop", { stop_hook_active: "false" }), "{}");
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

const bash = (use: string) => ({ tool_name: "Bash", tool_use_id: use, tool_input: { command: "ls" } });

test("in Codex mail that comes with one tool is not acknowledged before the next tool of the same answer", async () => {
  const directory = place();
  await using qa = await reader(directory, "codex");
  await qa.ask("SessionStart");
  for (const [first, second] of [
    ["a", "b"],
    ["c", "d"],
  ] as const) {
    qa.conversation.answers(first, second);
    await qa.ask("PreToolUse", bash(first));
    await qa.send(`Mind gap ${first}.`);
    assert.match(await qa.ask("PostToolUse", bash(first)), /Mind gap/);
    qa.conversation.returns(first);
    await qa.ask("PreToolUse", bash(second));
    assert.equal(await qa.unread(), 1, "its model has not been asked again");
    qa.conversation.answers("later");
    await qa.ask("PreToolUse", bash("later"));
    assert.equal(await qa.unread(), 0);
  }
});

test("where a program's conversation cannot be read, mail waits until the agent would stop", async () => {
  const directory = place();
  const asked = { session_id: "g1", transcript_path: join(directory, "none.jsonl") };
  for (const program of ["codex", "gemini"]) {
    const [before, after, stop] =
      program === "codex" ? ["PreToolUse", "PostToolUse", "Stop"] : ["BeforeTool", "AfterTool", "AfterAgent"];
    const ask = (event = "") =>
      hook(directory, event, { ...asked, ...bash("u") }, ["--program", program, "--as", "qa-1"], {
        CODEX_HOME: directory,
      });
    await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], `For ${program}.`);
    assert.match((await ask(after)).context, new RegExp(`For ${program}`));
    await ask(before);
    assert.equal((await agentIn(directory, "qa-1")).unread, 1);
    await ask(stop);
    assert.equal((await agentIn(directory, "qa-1")).unread, 0);
  }
});

test("in Gemini CLI mail that comes with one tool is acknowledged before a tool of the next answer", async () => {
  const directory = place();
  const path = join(directory, "chat.jsonl");
  const gemini = ["--program", "gemini", "--as", "qa-1"];
  const answers = (id: string, more: object = {}) =>
    appendFileSync(path, `${JSON.stringify({ id, type: "gemini", content: "", ...more })}\n{"$set":{}}\n`);
  const ask = (event: string) =>
    hook(directory, event, { session_id: "g1", transcript_path: path, tool_name: "run_shell_command" }, gemini);
  const unread = async () => (await agentIn(directory, "qa-1")).unread;
  answers("first");
  await ask("BeforeTool");
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "Mind the gap.");
  assert.match((await ask("AfterTool")).context, /Mind the gap/);
  await ask("BeforeTool");
  assert.equal(await unread(), 1, "its model has not been asked again");
  answers("first", { toolCalls: [{ id: "one" }, { id: "two" }] });
  appendFileSync(path, `${JSON.stringify({ id: "said", type: "user", content: [] })}\n`);
  answers("second");
  await ask("BeforeTool");
  assert.equal(await unread(), 0);
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

test("mail that the words besides it leave no room for is shown later, and not acknowledged before", async () => {
  const directory = place();
  const big = `Begin ${"x".repeat(9_200)} end`;
  const send = (to: string) => calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", to], big);
  const ask = async (event: string, program: string, agent: string) => {
    const { context } = await hook(directory, event, { session_id: agent }, ["--program", program, "--as", agent]);
    assert.ok(context.length <= 10_000, `${event}: ${context.length}`);
    return context;
  };
  await send("qa-1");
  assert.match(await ask("SessionStart", "claude-code", "qa-1"), /you are qa-1.*\n\nMail waits: 1 message\.$/s);
  await ask("PreToolUse", "claude-code", "qa-1");
  assert.equal((await agentIn(directory, "qa-1")).unread, 1);
  assert.match(await ask("PostToolBatch", "claude-code", "qa-1"), / end$/);
  // The contract makes the team's only developer hold its tasks, which comes with the mail.
  const order = contract(["src/"], {}).replace(/"objective":"/, () => `"objective":"${"y".repeat(8_990)} `);
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], order);
  const begun = await ask("PostToolBatch", "claude-code", "dev-1");
  assert.match(begun, /^Baton: dev-1 holds 1-1-T1/);
  assert.match(await ask("PostToolBatch", "claude-code", "dev-1"), /plan_contract from lead-1/);
  // What was written without leave comes before the mail of the hook after it.
  const held = { ...writing(join(directory, "src/feature.js")), session_id: "dev-1" };
  await hook(directory, "PreToolUse", held, ["--as", "dev-1"]);
  const edited = { ...writing(join(directory, "src/feature.js"), "write_file"), session_id: "g1" };
  const gemini = ["--program", "gemini", "--as", "qa-1"];
  await send("qa-1");
  const written = await hook(directory, "AfterTool", edited, gemini);
  assert.match(written.context, /this was written, and it may not be/);
  assert.ok(written.context.length <= 10_000, String(written.context.length));
  assert.match((await hook(directory, "AfterTool", { session_id: "g1" }, gemini)).context, / end\n/);
});
