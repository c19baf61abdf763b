/**
 * `baton mcp --program` as an agent program starts it: its hooks are calls, and each call acts as the agent that the program
 * says, with the metadata that the real programs send (tests/programs has them themselves).
 */
import assert from "node:assert/strict";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import type { AgentStatus } from "../../src/team/operations/agents.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { contract, folder, jsonLines, mainBundle, team } from "../e2e/command.ts";
import { claimed, place, teammate } from "../e2e/hook-call.ts";
import { inLongRun } from "../run-size.ts";
import { type ProgramSession, programSession } from "./clients.ts";
import { startHub } from "./hub-place.ts";

const claude = (use: string) => ({ "claudecode/toolUseId": use });
const before = (use: string, who: object = {}) => ({
  hook_event_name: "PreToolUse",
  tool_name: "mcp__baton__send_message",
  tool_use_id: use,
  tool_input: "{}",
  agent_id: "",
  agent_type: "",
  ...who,
});
const words = (text: string) => ({ message: text, to: ["qa-1"] });

async function senders(directory: string): Promise<readonly unknown[]> {
  const waiting = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "qa-1", "--json"]));
  return waiting.map(({ sender }) => sender);
}

/** What a hook answers before one of Baton's own tools: its person need not be asked. */
const allowed = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';

test("in Claude Code lead, teammate and helper share a server, and each call is recorded as its own agent", async () => {
  const directory = team();
  await using lead = await programSession(directory, "claude-code", "lead-1");
  // All hooks first, the calls in another order: only the use joins them.
  for (const [use, who] of [
    ["u1", {}],
    ["u2", teammate("dev-1")],
    ["u3", { agent_type: "Explore", agent_id: "a0123456789abcdef" }],
    ["u4", teammate("worker")],
  ] as const) {
    assert.deepEqual(await lead.call("hook", before(use, who)), { text: allowed, isError: false });
  }
  const refused = async (use: string, reason: RegExp) => {
    const done = await lead.call("send_message", words(use), claude(use));
    assert.ok(done.isError, done.text);
    assert.match(done.text, reason);
  };
  await refused("u4", /does not know which agent/);
  await refused("u3", /A helper of lead-1 may look, and does not act for it/);
  assert.equal((await lead.call("send_message", words("from dev-1"), claude("u2"))).isError, false);
  assert.equal((await lead.call("send_message", words("from lead-1"), claude("u1"))).isError, false);
  const [status] = jsonLines(await calledWithCode(0, directory, ["status", "--json"]));
  const cost = ((status?.agents ?? []) as readonly AgentStatus[]).find(({ agent }) => agent === "lead-1")?.delivery
    .characters;
  assert.ok(cost !== undefined && cost > 40, `a call of a tool costs tokens too: ${cost}`);
  await refused("u1", /hook was not asked/);
  await refused("unheard", /hook was not asked/);
  assert.deepEqual(await senders(directory), ["dev-1", "lead-1"]);
});

test("where no team is, the server that a plugin starts shows a model nothing, and its hooks go on", async () => {
  const directory = folder();
  for (const program of ["claude-code", "codex"]) {
    await using session = await programSession(directory, program, null);
    // Hidden from the model, both.
    assert.deepEqual(await session.tools(), program === "codex" ? ["hook"] : ["hook", "permit"], program);
    const edit = {
      hook_event_name: "PreToolUse",
      session_id: "s1",
      cwd: directory,
      tool_name: "Write",
      tool_input: {},
    };
    assert.equal((await session.call("hook", edit)).text, "{}");
  }
});

test("where an update took away what the server has not loaded yet, an edit is denied and a tool refused, with what helps", async (t) => {
  const own = mkdtempSync(join(dirname(mainBundle), "../updated-"));
  t.after(() => rmSync(own, { recursive: true, force: true }));
  cpSync(dirname(mainBundle), own, { recursive: true });
  const directory = team();
  const bundle = join(own, basename(mainBundle));
  await using session = await programSession(directory, "codex", "dev-1", {}, false, [], bundle);
  const meta = { threadId: "s1", sessionId: "s1" };
  assert.equal((await session.call("team_status", {}, meta)).isError, false, "control: it works");
  rmSync(join(own, "chunks"), { recursive: true });
  const edit = { tool_name: "apply_patch", tool_use_id: "u1", tool_input: { command: "*** Add File: a.js\n+1\n" } };
  const before = { hook_event_name: "PreToolUse", session_id: "s1", cwd: directory, ...edit };
  const denied = await session.call("hook", before, meta);
  const refused = await session.call("handoff", { action: "list" }, meta);
  assert.match(denied.text, /"permissionDecision":"deny"/);
  for (const { text } of [denied, refused])
    assert.match(text, /Baton was updated while it ran here.*start your program again/s);
});

test("a teammate that nobody registered joins by its rule when it starts and acts as itself; one that fits none is nobody", async () => {
  const directory = team();
  appendFileSync(join(directory, ".baton/team.yaml"), 'names:\n  - {pattern: "vbw-dev-*", role: dev, max: 2}\n');
  await using lead = await programSession(directory, "claude-code", "lead-1");
  const start = (name: string) => ({ hook_event_name: "SubagentStart", session_id: "s1", ...teammate(name) });
  const begun = await lead.call("hook", start("vbw-dev-01"));
  assert.match(begun.text, /you are vbw-dev-01 \(dev\) in team web/);
  assert.equal((await lead.call("hook", start("worker"))).text, "{}");
  const agents = jsonLines(await calledWithCode(0, directory, ["agent", "list", "--json"]));
  assert.deepEqual(
    agents
      .filter(({ agent }) => ["vbw-dev-01", "worker"].includes(String(agent)))
      .map(({ agent, role }) => [agent, role]),
    [["vbw-dev-01", "dev"]],
  );
  await lead.call("hook", { ...before("u1", teammate("vbw-dev-01")), session_id: "s1" });
  await lead.call("hook", { ...before("u2", teammate("worker")), session_id: "s1" });
  assert.equal((await lead.call("send_message", words("as myself"), claude("u1"))).isError, false);
  assert.ok((await lead.call("send_message", words("as whom?"), claude("u2"))).isError);
  assert.deepEqual(await senders(directory), ["vbw-dev-01"]);
  // Their shell is the lead's: it acts for nobody until both have stopped.
  const shell = { BATON_AGENT: "lead-1", CLAUDE_CODE_SESSION_ID: "s1" };
  const send = () => called(directory, ["send", "--to", "qa-1", "-"], "from a shell", shell);
  for (const name of ["vbw-dev-01", "worker"]) {
    const refused = await send();
    assert.match(refused.stderr, /Several agents work in this session.*Use the tools of the MCP server baton/s);
    await lead.call("hook", { ...start(name), hook_event_name: "SubagentStop", stop_hook_active: "true" });
  }
  assert.equal((await send()).code, 0);
  assert.deepEqual(await senders(directory), ["vbw-dev-01", "lead-1"]);
});

/** Twice each forged call, and in a long run seven times. */
const repeats = inLongRun(50, 14);

test("a denied edit that is repeated is never let through and floods no record, with a call of any size and form", async () => {
  const directory = place();
  await claimed(directory);
  await using qa = await programSession(directory, "claude-code", "qa-1");
  const file = join(directory, "src/feature.js");
  const edit = (more: object = {}, input: object = {}) => ({
    ...before("u", more),
    tool_name: "Write",
    tool_input: JSON.stringify({ file_path: file, ...input }),
    cwd: directory,
  });
  const count = async () => jsonLines(await calledWithCode(0, directory, ["log", "--json"])).length;
  const entries = await count();
  const forged: readonly object[] = [
    {},
    { agent_id: 7, agent_type: ["dev-1"], session_id: { a: 1 } },
    { agent_id: "adev-1-0123456789abcde", agent_type: "dev-1" },
    { agent_id: "adev-1-0123456789abcdeg", agent_type: "dev-1" },
    { agent_id: "\ud800", agent_type: "dev-1", session_id: "\ud800" },
    { agent_id: "a../../x-0123456789abcdef", agent_type: "../../x", session_id: "../../x" },
    { session_id: "x".repeat(100_000) },
  ];
  for (let turn = 0; turn < repeats; turn++) {
    const denied = await qa.call("hook", edit(forged[turn % forged.length]));
    assert.match(denied.text, /"permissionDecision":"deny".*dev-1 holds this path/, `${turn}: ${denied.text}`);
  }
  const huge = await qa.call("hook", edit({}, { content: "x".repeat(16 * 1024 * 1024 - 10_000) }));
  assert.match(huge.text, /"permissionDecision":"deny".*dev-1 holds this path/);
  // Of an agent it is in the log three times, and counted then; of whom nobody knows, never.
  assert.equal(await count(), entries + 3);
  // A typed message and a call, each with what a model has anew: refused each time, and recorded four times.
  for (let turn = 0; turn < repeats; turn++) {
    const said = JSON.stringify({ ...typedMessage("qa_verdict", { result: "so-so" }), id: `v-${turn}` });
    const sent = { tool_name: "SendMessage", tool_use_id: `s-${turn}`, tool_input: { to: "lead-1", message: said } };
    assert.match((await qa.call("hook", before("", sent))).text, /"permissionDecision":"deny".*wrong-value/, said);
    await qa.call("hook", before(`u-${turn}`));
    const asked = { action: "claim", task: "1-1-T1" };
    assert.match((await qa.call("task", asked, claude(`u-${turn}`))).text, /dev-1 holds|task-held/);
  }
  assert.equal(await count(), entries + 3 + 8);
});

test("a call of the hooks' tool that a model made is refused", async () => {
  const directory = team();
  await using lead = await programSession(directory, "claude-code", "lead-1");
  const forged = before("u9", teammate("dev-1"));
  for (const meta of [claude("u8"), { threadId: "t", callId: "c" }]) {
    const done = await lead.call("hook", forged, meta);
    assert.ok(done.isError);
    assert.match(done.text, /only hooks of your program/);
  }
  assert.match((await lead.call("send_message", words("x"), claude("u9"))).text, /hook was not asked/);
});

test("a hook that is a call denies an edit and brings mail as the command does, with the fields as text or as they are", async () => {
  const directory = place();
  await claimed(directory);
  await using dev = await programSession(directory, "claude-code", "qa-1");
  const input = { file_path: join(directory, "src/feature.js") };
  for (const toolInput of [input, JSON.stringify(input)]) {
    const asked = { hook_event_name: "PreToolUse", tool_name: "Write", tool_use_id: "u", tool_input: toolInput };
    const denied = JSON.parse((await dev.call("hook", { ...asked, cwd: directory })).text) as {
      hookSpecificOutput: { permissionDecision: string; permissionDecisionReason: string };
    }; // as documented
    assert.equal(denied.hookSpecificOutput.permissionDecision, "deny");
    assert.match(denied.hookSpecificOutput.permissionDecisionReason, /dev-1 holds this path/);
  }
  const mail = await dev.call("hook", { hook_event_name: "PostToolBatch", cwd: directory, agent_id: "" });
  assert.match(mail.text, /plan_contract from lead-1/);
  assert.equal((await dev.call("hook", { hook_event_name: "PostToolBatch", cwd: directory, agent_id: "" })).text, "{}");
  assert.equal((await dev.call("hook", { hook_event_name: "Unknown" })).text, "{}");
});

test("mail that an agent has read with read_inbox is not shown again by a hook, nor does it keep the agent from stopping", async () => {
  const directory = place();
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "Read me.");
  await using qa = await programSession(directory, "gemini", "qa-1");
  const page = await qa.call("read_inbox", {});
  assert.match(page.text, /Read me/);
  for (const event of ["AfterTool", "AfterAgent"]) {
    const words = ["hook", event, "--program", "gemini", "--as", "qa-1"];
    assert.equal((await calledWithCode(0, directory, words, "{}")).stdout, "", event);
  }
});

test("mail that Claude Code itself has put into a context is not shown there again, and the next step acknowledges it", async () => {
  const directory = place();
  // One of two developers holds nothing of what is ordered.
  await calledWithCode(0, directory, ["agent", "register", "dev-2", "--role", "dev"]);
  const conversation = join(directory, "s1.jsonl");
  mkdirSync(join(directory, "s1/subagents"), { recursive: true });
  await using lead = await programSession(directory, "claude-code", "lead-1");
  const ask = async (event: string, more: object = {}) =>
    (
      await lead.call("hook", {
        hook_event_name: event,
        session_id: "s1",
        transcript_path: conversation,
        ...teammate("dev-1"),
        ...more,
      })
    ).text;
  const file = join(directory, "s1/subagents", `agent-${teammate("dev-1").agent_id}.jsonl`);
  const said = (content: unknown, type = "user") =>
    appendFileSync(file, `${JSON.stringify({ type, message: { role: type, content } })}\n`);
  const marked = (words: string) =>
    `Said:\n<teammate-message teammate_id="team-lead" summary="x">\n${words}\n</teammate-message>\n`;
  const unread = async () => jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "dev-1", "--json"])).length;
  const plan = contract(["src/"], {});
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], plan);
  said([{ type: "text", text: marked(plan) }]);
  assert.equal(await ask("PostToolBatch"), "{}");
  assert.equal(await unread(), 1, "not acknowledged before the model went on");
  // What follows from an answer is done before the next one.
  for (let turn = 0; turn < 2; turn += 1) assert.equal(await ask("PostToolBatch"), "{}");
  assert.equal(await unread(), 0);
  // Controls: what a tool has shown, what the model says, another content or sender, another agent's file.
  const next = contract(["src/"], { id: "next" });
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], next);
  said([{ type: "tool_result", content: marked(next) }]);
  said([{ type: "text", text: marked(next) }], "assistant");
  said(marked(contract(["lib/"], { id: "next" })));
  said(marked(next).replace("team-lead", "qa-1"));
  appendFileSync(conversation, `${JSON.stringify({ type: "user", message: { content: marked(next) } })}\n`);
  assert.match(await ask("PostToolBatch"), /#\d+ plan_contract from lead-1/);
  // It holds nobody back from stopping either.
  const last = contract(["src/"], { id: "last" });
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], last);
  said(marked(last));
  assert.equal(await ask("SubagentStop", { stop_hook_active: "false" }), "{}");
});

test("a teammate that starts again, which its program says and shows nothing of, has its mail still before it", async () => {
  const directory = place();
  await using lead = await programSession(directory, "claude-code", "lead-1");
  const ask = async (event: string, more: object = {}) =>
    (await lead.call("hook", { hook_event_name: event, session_id: "s1", ...teammate("dev-1"), ...more })).text;
  const unread = async () => jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "dev-1", "--json"])).length;
  assert.match(await ask("SubagentStart"), /you are dev-1 .*No mail waits/);
  assert.equal(await ask("SubagentStop"), "{}");
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "Mind the gap.");
  assert.equal(await ask("SubagentStart"), "{}");
  assert.equal(await ask("PreToolUse", { tool_name: "Bash", tool_use_id: "u1", tool_input: "{}" }), "{}");
  assert.equal(await unread(), 1, "its model was not shown it");
  assert.match(await ask("PostToolBatch"), /Mind the gap/);
  const other = { agent_id: teammate("dev-1").agent_id.replace("0", "1") };
  assert.match(await ask("SubagentStart", other), /you are dev-1 .*Mind the gap/, "another one of the name");
});

test("two sessions of one Codex process are not one agent: the second is nobody", async () => {
  const directory = team();
  // Both servers are children of this process, with the surroundings of the first session, as in Codex's daemon.
  await using first = await programSession(directory, "codex", "lead-1");
  await using second = await programSession(directory, "codex", "lead-1");
  const thread = (name: string) => ({ threadId: name, sessionId: name });
  const begin = { hook_event_name: "SessionStart", cwd: directory };
  const begun = await first.call("hook", { ...begin, session_id: "s1" }, thread("s1"));
  assert.match(begun.text, /you are lead-1/);
  const other = await second.call("hook", { ...begin, session_id: "s2" }, thread("s2"));
  assert.doesNotMatch(other.text, /you are lead-1/);
  assert.match(other.text, /Another session of the same process \(\d+\) is lead-1/);
  const acted = await second.call("send_message", words("as whom?"), { ...thread("s2"), callId: "c1" });
  assert.ok(acted.isError);
  assert.match(acted.text, /Another session of the same process.*is lead-1.*baton run NAME --program codex/s);
  const sent = await first.call("send_message", words("mine"), { ...thread("s1"), callId: "c2" });
  assert.equal(sent.isError, false, sent.text);
  const helper = await first.call("send_message", words("helper"), { threadId: "t9", sessionId: "s1", callId: "c3" });
  assert.match(helper.text, /A helper of lead-1/);
  assert.deepEqual(await senders(directory), ["lead-1"]);
});

test("through a hub a session is bound as well: of two in one process the second is nobody, and so is one resumed with another token", async () => {
  const directory = place();
  const hub = await startHub(directory);
  const tokenOf = async (agent: string) => (await hub.as(agent)).headers.authorization?.slice("Bearer ".length) ?? "";
  const [lead, dev] = [await tokenOf("lead-1"), await tokenOf("dev-1")];
  const through = (token: string) => ({ BATON_HUB: new URL(hub.url).origin, BATON_TOKEN: token });
  const thread = (name: string) => ({ threadId: name, sessionId: name });
  const begin = { hook_event_name: "SessionStart", cwd: directory };
  await using first = await programSession(directory, "codex", null, through(lead));
  assert.match((await first.call("hook", { ...begin, session_id: "s1" }, thread("s1"))).text, /you are lead-1/);
  // As in Codex's daemon: the surroundings of the first session.
  await using second = await programSession(directory, "codex", null, through(lead));
  const other = await second.call("hook", { ...begin, session_id: "s2" }, thread("s2"));
  assert.match(other.text, /Another session of the same process \(\d+\) is lead-1/);
  const acted = await second.call("send_message", words("as whom?"), { ...thread("s2"), callId: "c1" });
  assert.match(acted.text, /Another session of the same process/);
  const own = await first.call("send_message", words("mine"), { ...thread("s1"), callId: "c2" });
  assert.equal(own.isError, false, own.text);
  await using resumed = await programSession(directory, "codex", null, through(dev), true);
  assert.match(
    (await resumed.call("hook", { ...begin, session_id: "s1" }, thread("s1"))).text,
    /This session began as lead-1, not as dev-1/,
  );
  // Control: a new session of that token.
  await using fresh = await programSession(directory, "codex", null, through(dev), true);
  assert.match((await fresh.call("hook", { ...begin, session_id: "s3" }, thread("s3"))).text, /you are dev-1/);
  assert.deepEqual(await senders(directory), ["lead-1"]);
});

test("a Codex session that follows one that ended speaks for its agent at once, and what a killed one left is no hindrance", async () => {
  const directory = team();
  const begin = { hook_event_name: "SessionStart", cwd: directory };
  const say = async (by: ProgramSession, session: string) =>
    await by.call("send_message", words(session), { threadId: session, sessionId: session, callId: `c-${session}` });
  for (const session of ["s1", "s2"]) {
    await using one = await programSession(directory, "codex", "dev-1", {}, true);
    await one.call("hook", { ...begin, session_id: session }, { threadId: session, sessionId: session });
    const sent = await say(one, session);
    assert.equal(sent.isError, false, sent.text);
    if (session === "s2") await one.kill();
  }
  const programs = async () => {
    const log = jsonLines(await calledWithCode(0, directory, ["log", "--json"]));
    return log.flatMap(({ summary }) => /^(?:began|ended) .*program/.exec(String(summary)) ?? []);
  };
  assert.deepEqual(
    await programs(),
    ["began a program", "ended its program", "began a program"],
    "the second was killed",
  );
  // Nobody reviewed the hooks of this one, so only its calls tell which session it is.
  await using unhooked = await programSession(directory, "codex", "dev-1", {}, true);
  const sent = await say(unhooked, "s3");
  assert.equal(sent.isError, false, sent.text);
});

test("a session whose server is killed in its middle: what it was known by is refused, what was written meanwhile is judged", async () => {
  const directory = place();
  await claimed(directory);
  const file = join(directory, "src/feature.js");
  const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-1\n+2\n*** End Patch\n`;
  const thread = { threadId: "s1", sessionId: "s1" };
  const begin = { hook_event_name: "SessionStart", cwd: directory, session_id: "s1" };
  const patched = { cwd: directory, session_id: "s1", tool_name: "apply_patch", tool_input: { command: patch } };
  await using codex = await programSession(directory, "codex", "qa-1", {}, true);
  await codex.call("hook", begin, thread);
  await codex.kill();
  await assert.rejects(codex.call("hook", { ...patched, hook_event_name: "PreToolUse" }, thread), "Codex goes on then");
  await using again = await programSession(directory, "codex", "qa-1", {}, true);
  const written = await again.call("hook", { ...patched, hook_event_name: "PostToolUse" }, thread);
  assert.match(written.text, /this was written, and it may not be.*dev-1 holds this path/);
  const mail = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "lead-1", "--json"])).at(-1);
  assert.match(String(mail?.message), /qa-1 has written files that it may not write/);
  const denied = await again.call("hook", { ...patched, hook_event_name: "PreToolUse" }, thread);
  assert.match(denied.text, /"permissionDecision":"deny".*dev-1 holds this path/);
  // In Claude Code the killed server alone knew who was about to call.
  await using claudeCode = await programSession(directory, "claude-code", "dev-1", {}, true);
  await claudeCode.call("hook", before("u1"));
  await claudeCode.kill();
  await using next = await programSession(directory, "claude-code", "dev-1", {}, true);
  assert.match((await next.call("send_message", words("as whom?"), claude("u1"))).text, /hook was not asked/);
  await next.call("hook", before("u2"));
  assert.equal((await next.call("send_message", words("as dev-1"), claude("u2"))).isError, false);
  // Whether the first server had noted that it showed the lead's contract before it was killed is open.
  assert.deepEqual(
    (await senders(directory)).filter((sender) => sender !== "lead-1"),
    ["dev-1"],
  );
});

test("a file of another's that changed while Codex had no server is reported at the first call of the next one, once", async () => {
  const directory = place();
  await claimed(directory);
  const meta = { threadId: "s1", sessionId: "s1" };
  const asked = { cwd: directory, session_id: "s1" };
  const change = (text: string) => writeFileSync(join(directory, "src/feature.js"), text);
  const mailOf = async (agent: string) =>
    jsonLines(await calledWithCode(0, directory, ["inbox", "--as", agent, "--json"])).map(({ message }) =>
      String(message),
    );
  mkdirSync(join(directory, "src"), { recursive: true });
  const open = async () => await programSession(directory, "codex", "qa-1", {}, true);
  const look = { ...asked, hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
  const tell = /these files of others changed:.*dev-1 holds this path.*If you changed one/s;
  {
    // What the holder writes while the session is seen, and after it has ended, is nobody's business.
    await using seen = await open();
    await seen.call("hook", { ...asked, hook_event_name: "SessionStart" }, meta);
    change("1");
    assert.doesNotMatch((await seen.call("hook", look, meta)).text, tell);
  }
  change("2");
  await using killed = await open();
  assert.doesNotMatch((await killed.call("hook", look, meta)).text, tell);
  await killed.kill();
  change("3");
  writeFileSync(join(directory, "src/other.js"), "nobody holds it");
  await using next = await open();
  const told = (await next.call("hook", look, meta)).text;
  assert.match(told, tell);
  assert.doesNotMatch(told, /other\.js/);
  assert.doesNotMatch((await next.call("hook", look, meta)).text, tell, "once");
  for (const reader of ["lead-1", "dev-1"]) {
    const mail = (await mailOf(reader)).filter((message) => message.includes("src/feature.js"));
    assert.equal(mail.length, 1, reader);
    assert.match(mail[0] ?? "", /does not know who changed them/);
  }
  // Nothing changed in the next gap.
  await next.kill();
  await using third = await open();
  assert.doesNotMatch((await third.call("hook", look, meta)).text, tell);
  // A signal that asks a server to end is no end of its program, whose side of the connection stays open.
  await third.kill("SIGTERM");
  change("4");
  await using fourth = await open();
  assert.match((await fourth.call("hook", look, meta)).text, tell);
});

test("a session without a name is served: its hooks are answered, its calls are refused; Gemini sees no tool of hooks", async () => {
  const directory = place();
  await claimed(directory);
  await using unnamed = await programSession(directory, "claude-code", null);
  const edit = { file_path: join(directory, "src/feature.js") };
  const asked = { hook_event_name: "PreToolUse", tool_name: "Write", tool_use_id: "u", tool_input: edit };
  assert.match((await unnamed.call("hook", { ...asked, cwd: directory })).text, /dev-1 holds this path/);
  await unnamed.call("hook", before("u1"));
  assert.match((await unnamed.call("send_message", words("x"), claude("u1"))).text, /BATON_AGENT/);
  assert.ok((await unnamed.tools()).includes("hook"));
  await using gemini = await programSession(directory, "gemini", "dev-1");
  assert.ok(!(await gemini.tools()).includes("hook"));
});

test("a session's server keeps its team open between hooks, and notices a changed team file and another journal", async () => {
  const directory = place();
  await using dev = await programSession(directory, "claude-code", "dev-1");
  const write = async (name: string) => {
    const input = { file_path: join(directory, name) };
    const asked = { hook_event_name: "PreToolUse", tool_name: "Write", tool_use_id: name, tool_input: input };
    return (await dev.call("hook", { ...asked, cwd: directory, agent_id: "" })).text;
  };
  const mail = async () =>
    (await dev.call("hook", { hook_event_name: "PostToolBatch", cwd: directory, agent_id: "" })).text;
  assert.equal(await write("a.js"), "{}");
  const teamFile = join(directory, ".baton/team.yaml");
  writeFileSync(teamFile, `${readFileSync(teamFile, "utf8")}claims: declared\nscope: strict\n`);
  assert.match(await write("b.js"), /"permissionDecision":"deny"/, "the team file asks for claims now");
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "In the first journal.");
  assert.match(await mail(), /In the first journal/);
  renameSync(join(directory, ".git/baton"), join(directory, ".git/away"));
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "In the second journal.");
  assert.match(await mail(), /In the second journal/);
  assert.equal(await mail(), "{}");
});
