/**
 * Names that Claude Code says itself, of a session's agent (`claude --agent NAME`) and of its teammates: neither is another
 * session's agent. Rule: docs/protocol/doors.md, section 7.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { jsonLines } from "../e2e/command.ts";
import { place, teammate } from "../e2e/hook-call.ts";
import { type ProgramSession, programSession } from "./clients.ts";

const skip = process.platform === "linux" ? false : "only Linux says which processes run";

/** One that acts in a session of Claude Code. */
interface Speaker {
  readonly by: ProgramSession;
  readonly session: string;
  readonly who: object;
}

let uses = 0;

/** Asks a hook as it, and gives what is said. */
async function ask(directory: string, { by, session, who }: Speaker, event: string, more: object = {}) {
  const said = { hook_event_name: event, session_id: session, cwd: directory, agent_id: "", agent_type: "", ...who };
  return (await by.call("hook", { ...said, ...more })).text;
}

async function edits(directory: string, speaker: Speaker, file: string): Promise<string> {
  uses += 1;
  const tool = { tool_name: "Write", tool_use_id: `e${uses}`, tool_input: { file_path: join(directory, file) } };
  return await ask(directory, speaker, "PreToolUse", tool);
}

async function sends(directory: string, speaker: Speaker, message: string) {
  uses += 1;
  const use = `s${uses}`;
  await ask(directory, speaker, "PreToolUse", {
    tool_name: "mcp__baton__send_message",
    tool_use_id: use,
    tool_input: "{}",
  });
  return await speaker.by.call("send_message", { message, to: ["qa-1"] }, { "claudecode/toolUseId": use });
}

/** What waits for qa-1: by whom, and what. */
async function waiting(directory: string): Promise<readonly string[]> {
  const mail = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "qa-1", "--json"]));
  return mail.map(({ sender, message }) => `${sender}: ${message}`);
}

test("what a session was started as overrides nobody who names its agent, and lets no refused session in", {
  skip,
}, async () => {
  const directory = place();
  await using dev = await programSession(directory, "claude-code", "dev-1", {}, true);
  const first = { by: dev, session: "s1", who: {} };
  assert.equal(await edits(directory, first, "src/mine.js"), "{}");
  await using second = await programSession(directory, "claude-code", "dev-1", {}, true);
  for (const agent of ["", "dev-1", "lead-1"]) {
    const refused = { by: second, session: "s2", who: { agent_type: agent } };
    assert.match(await edits(directory, refused, "src/mine.js"), /"deny".*dev-1 edits this path/, agent);
    assert.match((await sends(directory, refused, "as whom?")).text, /Another session is dev-1/, agent);
  }
  await using lead = await programSession(directory, "claude-code", "lead-1", {}, true);
  const kind = { by: lead, session: "s3", who: { agent_type: "dev-1" } };
  assert.match(await edits(directory, kind, "src/mine.js"), /"deny".*dev-1 edits this path/);
  assert.equal((await sends(directory, kind, "mine")).isError, false);
  assert.deepEqual(await waiting(directory), ["lead-1: mine"]);
});

test("a session that only its start names is bound to that agent, and only while no other session is it", {
  skip,
}, async () => {
  const directory = place();
  await using one = await programSession(directory, "claude-code", null, {}, true);
  const first = { by: one, session: "s1", who: { agent_type: "dev-1" } };
  assert.match(await ask(directory, first, "SessionStart"), /you are dev-1/);
  assert.equal(await edits(directory, first, "src/mine.js"), "{}");
  await using two = await programSession(directory, "claude-code", null, {}, true);
  const second = { by: two, session: "s2", who: { agent_type: "dev-1" } };
  assert.match(await ask(directory, second, "SessionStart"), /identity-mismatch.*Another session is dev-1/);
  assert.match(await edits(directory, second, "src/mine.js"), /"deny".*dev-1 edits this path/);
  assert.match((await sends(directory, second, "as whom?")).text, /Another session is dev-1/);
  // It stays that agent, whatever it is started as later.
  const other = { ...first, who: { agent_type: "lead-1" } };
  assert.equal((await sends(directory, other, "still dev-1")).isError, false);
  assert.deepEqual(await waiting(directory), ["dev-1: still dev-1"]);
});

test("a teammate with the name of another program's agent is nobody while that one runs", { skip }, async () => {
  const directory = place();
  const thread = { threadId: "x1", sessionId: "x1" };
  const patch = `*** Begin Patch\n*** Update File: ${join(directory, "src/a.js")}\n@@\n-1\n+2\n*** End Patch\n`;
  await using codex = await programSession(directory, "codex", "dev-1", {}, true);
  const codexHook = async (event: string, more: object = {}) =>
    (await codex.call("hook", { hook_event_name: event, cwd: directory, session_id: "x1", ...more }, thread)).text;
  assert.match(await codexHook("SessionStart"), /you are dev-1/);
  const tool = { tool_name: "apply_patch", tool_use_id: "p1", tool_input: { command: patch } };
  assert.equal(await codexHook("PreToolUse", tool), "{}");
  await using lead = await programSession(directory, "claude-code", "lead-1", {}, true);
  const mate = { by: lead, session: "s1", who: teammate("dev-1") };
  const refusal = /identity-mismatch.*Another session is dev-1: codex/;
  assert.match(await ask(directory, mate, "SubagentStart"), refusal);
  assert.match(await edits(directory, mate, "src/a.js"), /"deny".*dev-1 edits this path/);
  assert.match((await sends(directory, mate, "as whom?")).text, refusal);
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "For Codex.");
  for (let turn = 0; turn < 2; turn += 1) assert.equal(await ask(directory, mate, "PostToolBatch"), "{}");
  const after = { tool_name: "Bash", tool_use_id: "p2", tool_input: { command: "ls" } };
  assert.match(await codexHook("PostToolUse", after), /For Codex/);
  // Others of the session are themselves.
  const qa = { ...mate, who: teammate("qa-1") };
  assert.match(await ask(directory, qa, "SubagentStart"), /you are qa-1/);
  assert.match(await ask(directory, { ...mate, who: {} }, "SessionStart"), /you are lead-1/);
  const log = jsonLines(await calledWithCode(0, directory, ["log", "--json"]));
  const refusals = log.filter((entry) => JSON.stringify(entry).includes("identity-mismatch"));
  assert.equal(refusals.length, 1, "recorded once");
  await codex.kill();

  assert.match(await ask(directory, mate, "SubagentStart"), /you are dev-1/, "the name is free");
});

test("a teammate keeps its name in its session, also once that is resumed, and no other session is it meanwhile", {
  skip,
}, async () => {
  const directory = place();
  await using lead = await programSession(directory, "claude-code", "lead-1", {}, true);
  const mates = ["dev-1", "qa-1"].map((name) => ({ by: lead, session: "s1", who: teammate(name) }));
  for (const mate of mates) assert.match(await ask(directory, mate, "SubagentStart"), /you are (?:dev|qa)-1/);
  const [dev] = mates;
  assert.ok(dev !== undefined);
  assert.equal(await edits(directory, dev, "src/a.js"), "{}");
  await using other = await programSession(directory, "claude-code", "dev-1", {}, true);
  const stranger = { by: other, session: "s2", who: {} };
  assert.match(await ask(directory, stranger, "SessionStart"), /Another session is dev-1: claude-code/);
  assert.equal(await ask(directory, { ...dev, who: { teammate_name: "dev-1" } }, "TeammateIdle"), "{}");
  await lead[Symbol.asyncDispose]();
  await using resumed = await programSession(directory, "claude-code", "lead-1", {}, true);
  const again = { ...dev, by: resumed };
  assert.match(await ask(directory, { ...again, who: {} }, "SessionStart"), /you are lead-1/);
  assert.equal(await edits(directory, again, "src/a.js"), "{}");
  assert.equal((await sends(directory, again, "back")).isError, false);
  assert.deepEqual(await waiting(directory), ["dev-1: back"]);
});
