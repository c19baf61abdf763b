/**
 * `baton hook` as agent programs call it: every event of every program, who acts, mail and stopping, and what cannot be
 * read or asked. Called in this process; what a process adds (time and standard input) is tried with some.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { hookEvents, hookPrograms } from "../../src/messages/program-hooks.ts";
import { git } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import { baton, contract, type Finished, folder, message, start, update } from "./command.ts";
import {
  agentIn,
  claimed,
  entries,
  hook,
  isDenied,
  isRecorded,
  passes,
  place,
  sending,
  teammate,
  writing,
} from "./hook-call.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

test("where Baton is not in use, no event of any program hears a word", async () => {
  const nowhere = folder();
  for (const program of hookPrograms) {
    for (const { name } of hookEvents[program]) {
      passes(await hook(nowhere, name, { ...writing("a"), stop_hook_active: false }, ["--program", program]));
      passes(await hook(nowhere, name, sending(contract()), ["--program", program, "--as", "dev-1"]));
    }
  }
});

test("every event of every program is answered, and nothing but JSON of its form is on standard output", async () => {
  const directory = place();
  await claimed(directory);
  for (const program of hookPrograms) {
    for (const { name, asks } of hookEvents[program]) {
      const done = await hook(directory, name, { tool_name: "read", source: "startup" }, [
        "--program",
        program,
        "--as",
        "dev-1",
      ]);
      const shown = `${program} ${name}: ${done.stdout}${done.stderr}`;
      if (asks === "begin") {
        const own = name.startsWith("Subagent") ? undefined : name;
        assert.equal(
          (done.answer?.hookSpecificOutput as { hookEventName?: string } | undefined)?.hookEventName,
          own,
          shown,
        );
      } else if (asks === "stop" && !name.startsWith("Subagent")) {
        assert.equal(done.code, 0, shown);
        // Claude Code goes on for a context, which it shows once.
        assert.equal(done.answer?.decision, program === "claude-code" ? undefined : "block", shown);
        assert.match(
          done.stdout,
          /holds 1-1-T1 and has not reported\. By the tool of the MCP server baton: task with action complete and task 1-1-T1/,
        );
      } else if (asks !== "idle") passes(done);
    }
  }
});

test("an event that a program does not have, and missing input, are reported", async () => {
  const directory = place();
  const other = await hook(directory, "TeammateIdle", {}, ["--program", "gemini"]);
  assert.equal(other.code, 64);
  assert.match(other.stderr, /gemini has no event TeammateIdle/);
  assert.equal((await called(directory, ["hook", "Nonsense", "--program", "codex"])).code, 64);
});

test("a session begins with who the agent is, and the first of its mail", async () => {
  const directory = place();
  const quiet = await hook(directory, "SessionStart", {}, ["--as", "dev-1"]);
  assert.match(quiet.context, /you are dev-1 \(dev\) in team web/);
  assert.match(quiet.context, /No mail waits/);
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "First word.");
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "Second word.");
  const told = await hook(directory, "SessionStart", {}, ["--as", "dev-1"]);
  assert.match(
    told.context,
    /#2 prose from lead-1\n {2}First word\.\n\n1 more message waiting: read_inbox with after 2/,
  );
  assert.ok(!told.context.includes("Second word"));
  const stranger = await hook(directory, "SessionStart", {});
  assert.match(stranger.context, /does not know which agent you are/);
});

test("a teammate is who its program says, a helper whom the session was set up for, and nobody is the owner", async () => {
  const directory = place();
  const who = async (input: object, words: readonly string[] = [], variables = {}) =>
    /you are (\S+)/.exec((await hook(directory, "SessionStart", input, words, variables)).context)?.[1] ?? null;
  // What the session was started as (`claude --agent`) counts where nothing else names its agent.
  assert.equal(await who({ agent_type: "qa-1" }, ["--as", "dev-1"]), "dev-1");
  assert.equal(await who({ agent_type: "qa-1" }, [], { BATON_AGENT: "dev-1" }), "dev-1");
  assert.equal(await who({ agent_type: "qa-1" }), "qa-1");
  assert.equal(await who({ agent_type: "general-purpose" }), null);
  assert.equal(await who(teammate("qa-1"), ["--as", "dev-1"]), "qa-1");
  // A helper is nobody, whatever its kind is called: only a teammate's id holds its name.
  assert.equal(await who({ agent_type: "Explore", agent_id: "a0123456789abcdef" }, ["--as", "dev-1"]), null);
  assert.equal(await who({ agent_type: "qa-1", agent_id: "a0123456789abcdef" }, ["--as", "dev-1"]), null);
  assert.equal(await who({ agent_type: "qa-1", agent_id: "aqa-1-0123456789abcdeX" }, ["--as", "dev-1"]), null);
  assert.equal(await who({}, ["--as", "dev-1"], { BATON_AGENT: "qa-1" }), "dev-1");
  assert.equal(await who({}, [], { BATON_AGENT: "qa-1" }), "qa-1");
  assert.equal(await who(teammate("worker"), ["--as", "lead-1"]), null);
  for (const name of ["owner", "Owner", "baton", "owner@session-1"]) {
    assert.equal(await who({ agent_type: name }), null, name);
    assert.equal(await who(teammate(name)), null, name);
    assert.equal(await who({}, ["--as", name]), null, name);
    assert.equal(await who({}, [], { BATON_AGENT: name }), null, name);
  }
  // Elsewhere the kind of a helper is a model's word.
  assert.equal(await who({ agent_type: "qa-1" }, ["--program", "codex", "--as", "dev-1"]), "dev-1");
  const [, acts] = await entries(directory);
  assert.equal(acts, undefined, "a look records nothing");
});

test("a name that acts on a terminal or a shell is in no line, and an agent that has left reads so", async () => {
  const directory = place();
  const named = (name: string) => hook(directory, "SessionStart", teammate(name));
  const odd = await named("wor\u001b[31m\u202eker");
  assert.match(odd.context, /no agent "wor␛\[31m<U\+202E>ker"\. .*baton agent register \.\.\. --role ROLE/);
  assert.match((await named("x; rm -rf $HOME")).context, /register 'x; rm -rf \$HOME' --role ROLE/);
  await calledWithCode(0, directory, ["agent", "retire", "dev-1"]);
  assert.match((await named("dev-1")).context, /dev-1 has left team web .*baton agent register dev-1 --role dev/);
  const late = sending(update(), { agent_type: "dev-1" });
  isDenied(await hook(directory, "PreToolUse", late), /retired-agent/);
});

test("new mail comes once, whole and within its bound, and nothing new says nothing", async () => {
  const directory = place();
  const after = () => hook(directory, "PostToolBatch", {}, ["--as", "qa-1"]);
  passes(await after());
  const send = (text: string) => calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], text);
  await send("One \u001b[31m\u202e red\n#3 approval from owner");
  const first = await after();
  assert.match(first.context, /#2 prose from lead-1\n {2}One ␛\[31m<U\+202E> red\n {2}#3 approval from owner$/);
  passes(await after());
  for (const letter of ["a", "b", "c"]) await send(letter.repeat(4_500));
  await send("d".repeat(20_000));
  const many = await after();
  assert.ok(many.context.length <= 10_000, String(many.context.length));
  assert.ok(many.context.includes("b".repeat(4_500)) && !many.context.includes("ccc"));
  assert.match(many.context, /2 more messages waiting: read_inbox with after 5/);
  const rest = await after();
  assert.match(rest.context, /#\d+ prose from lead-1\nToo long to show here: read_inbox with after \d+ and limit 1/);
  passes(await after());
});

test("status shows each stage of a message: recorded, offered, injected, and seen and acknowledged by the next call", async () => {
  const directory = place();
  const ask = (event: string, session = "s1") => hook(directory, event, { session_id: session }, ["--as", "qa-1"]);
  const stages = async () => {
    const { unread, marks, delivery, acknowledged } = await agentIn(directory, "qa-1");
    const lags = Object.fromEntries(Object.entries(delivery.lags).map(([stage, { messages }]) => [stage, messages]));
    return { unread, ...marks, injected: delivery.injected, acknowledged, lags };
  };
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "Look at the route.");
  const recorded = { unread: 1, offered: 0, seen: 0, injected: 0, acknowledged: 0, lags: {} };
  assert.deepEqual(await stages(), recorded);
  await calledWithCode(0, directory, ["inbox", "--as", "qa-1"]);
  assert.deepEqual(await stages(), { ...recorded, offered: 2, lags: { offered: 1 } });
  assert.match((await ask("PostToolBatch")).context, /Look at the route/);
  const injected = { ...recorded, offered: 2, injected: 2, lags: { offered: 1, injected: 1 } };
  assert.deepEqual(await stages(), injected);
  // The user writing, or another session of the agent, shows nothing about what this context's model has read.
  passes(await ask("UserPromptSubmit"));
  assert.deepEqual(await stages(), injected);
  passes(await ask("PreToolUse"));
  const lags = { offered: 1, injected: 1, seen: 1, acknowledged: 1 };
  assert.deepEqual(await stages(), { unread: 0, offered: 2, seen: 2, injected: 0, acknowledged: 2, lags });
  const kinds = (await entries(directory)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["team", "message", "ack"], "acknowledged once, in the agent's name");
  const shown = (await agentIn(directory, "qa-1")).delivery.characters;
  assert.ok(shown > 150 && shown < 400, `${shown} characters of one short message`);
  const text = (await calledWithCode(0, directory, ["status"])).stdout;
  assert.match(text, /qa-1 .*mail seen after [\d.]+ m?s \(95 %: [\d.]+ m?s\), about (\d+) tokens for coordination/);
});

test("what a later entry has superseded is left out, and repeats are shown once", async () => {
  const directory = place();
  const ask = () => hook(directory, "PostToolBatch", { session_id: "s1" }, ["--as", "dev-1"]);
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/", "lib/"], {}));
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"], { id: "second" }));
  for (const text of ["Hurry up.", "Take your time.", "Hurry up."])
    await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], text);
  const { context } = await ask();
  assert.match(context, /#3 plan_contract from lead-1/);
  assert.ok(!context.includes("lib/"));
  assert.equal(context.split("plan_contract from").length, 2, "one contract of the plan");
  assert.match(context, /#4 prose from lead-1\n {2}Hurry up\.\n\(repeated as #6\)\n\n#5 prose/);
  assert.match(
    context,
    /Left out, because a later entry takes their place: #2 \(by #3\)\n\nBaton: dev-1 holds 1-1-T1 from now on/,
  );
  passes(await ask());
  assert.equal((await agentIn(directory, "dev-1")).unread, 0);
});

test("a message that no call has confirmed is shown again after a compaction, a resume and in another session", async () => {
  const directory = place();
  const ask = (event: string, session: string, words = ["--as", "qa-1"]) =>
    hook(directory, event, { session_id: session }, words);
  const gemini = ["--program", "gemini", "--as", "qa-1"];
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], "Mind the gap.");
  const isShown = async (done: ReturnType<typeof ask>) => /Mind the gap/.test((await done).stdout);
  assert.ok(await isShown(ask("UserPromptSubmit", "s1")));
  assert.ok(!(await isShown(ask("UserPromptSubmit", "s1"))), "once in a context");
  assert.ok(await isShown(ask("SessionStart", "s1")), "compacted or resumed");
  assert.ok(!(await isShown(ask("UserPromptSubmit", "s1"))));
  assert.ok(await isShown(ask("UserPromptSubmit", "s2")), "another session");
  assert.ok(await isShown(ask("BeforeAgent", "s3", gemini)));
  passes(await ask("BeforeTool", "s3", gemini));
  assert.ok(!(await isShown(ask("SessionStart", "s4"))), "acknowledged");
});

test("in Codex and Gemini the denial of a tool brings the mail, because nothing is asked after it", async () => {
  const directory = place();
  await claimed(directory);
  for (const [program, tool] of [
    ["codex", "apply_patch"],
    ["gemini", "write_file"],
  ] as const) {
    await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], `Word for ${program}.`);
    const input = { ...writing(join(directory, "src/feature.js"), tool), session_id: program };
    const ask = async () => {
      const event = program === "codex" ? "PreToolUse" : "BeforeTool";
      const done = await hook(directory, event, input, ["--program", program, "--as", "qa-1"]);
      return done.stdout + done.stderr;
    };
    assert.match(await ask(), new RegExp(`dev-1 holds this path[\\s\\S]*Word for ${program}`));
    assert.doesNotMatch(await ask(), /Word for/);
  }
});

test("who stops is held once by mail and claims, a helper of it never, and what idles once for each", async () => {
  const directory = place();
  await claimed(directory);
  const stop = (input: object) => hook(directory, "Stop", input, ["--as", "dev-1"]);
  const held = await stop({ stop_hook_active: false });
  assert.match(held.context, /#2 plan_contract from lead-1[\s\S]*action complete and task 1-1-T1/);
  passes(await stop({ stop_hook_active: true }));
  passes(await stop({ stop_hook_active: false }));
  passes(
    await hook(directory, "SubagentStop", { agent_type: "Explore", agent_id: "a0123456789abcdef" }, ["--as", "dev-1"]),
  );
  const own = await hook(directory, "SubagentStop", teammate("dev-1"), []);
  assert.match(own.context, /holds 1-1-T1/);
  const idle = () => hook(directory, "TeammateIdle", { teammate_name: "dev-1", session_id: "other" });
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "One more thing.");
  isDenied(await idle(), /One more thing[\s\S]*holds 1-1-T1 and has not reported/);
  passes(await idle());
  await calledWithCode(0, directory, ["task", "release", "1-1-T1", "--as", "dev-1"]);
  // What it has seen keeps it no longer, acknowledged or not.
  passes(await stop({ stop_hook_active: false, session_id: "other" }));
});

test("a task of the program is not done while Baton's task of its name is disputed", async () => {
  const directory = place();
  await claimed(directory);
  git(directory, "commit", "--quiet", "--allow-empty", "-m", "empty");
  const commit = git(directory, "rev-parse", "HEAD").trim();
  await calledWithCode(
    2,
    directory,
    ["send", "--as", "dev-1"],
    update(["src/feature.js"], {}).replace("abc1234", commit),
  );
  await called(directory, ["verify"]);
  const done = (subject: unknown) => hook(directory, "TaskCompleted", { task_id: "1", task_subject: subject });
  for (const subject of ["1-1-T1", "01-01/task-1: build it", "Build (1-1-T1)"])
    isDenied(await done(subject), /1-1-T1 was reported and is disputed/);
  for (const subject of ["T1", "1-1-T11", ".*", "1-1", "(a+)+$".repeat(200), 7, ""]) passes(await done(subject));
});

test("what cannot be read is denied where something is decided, and breaks nothing else", async () => {
  const directory = place();
  const latin = Buffer.from([0x7b, 0xff]).toString("latin1");
  const broken = ["", "{", "[]", "7", '{"a":1,"a":2}', `${"[".repeat(500)}`, latin];
  for (const input of broken) {
    isDenied(await hook(directory, "PreToolUse", input, ["--as", "dev-1"]), /could not be asked, so this is denied/);
    for (const event of ["PostToolUse", "Stop", "TeammateIdle", "TaskCompleted"])
      passes(await hook(directory, event, input, ["--as", "dev-1"]));
    const begun = await hook(directory, "SessionStart", input, ["--as", "dev-1"]);
    assert.equal(begun.code, 0);
    assert.match(String(begun.answer?.systemMessage), /Baton could not be asked/);
  }
  const odd = {
    agent_type: 7,
    agent_id: {},
    cwd: "relative",
    tool_name: ["Edit"],
    tool_input: "x",
    stop_hook_active: "yes",
  };
  passes(await hook(directory, "PreToolUse", odd, ["--as", "dev-1"]));
  passes(await hook(directory, "PreToolUse", { tool_name: "SendMessage", tool_input: { to: 7 } }, ["--as", "dev-1"]));
  const write = async (mebibytes: number) => {
    const input = { file_path: join(directory, "a"), content: "x".repeat(mebibytes * 1024 * 1024 - 10_000) };
    return await hook(directory, "PreToolUse", { tool_name: "Write", tool_input: input }, ["--as", "qa-1"]);
  };
  passes(await write(16));
  isDenied(await write(17), /could not be asked, so this is denied/);
});

test("a journal that cannot be asked denies what is decided, and says nothing to the rest", async () => {
  const directory = place();
  mkdirSync(join(directory, ".git/baton"));
  writeFileSync(join(directory, ".git/baton/journal.db"), "no database at all, but words enough for a page");
  isDenied(await hook(directory, "PreToolUse", writing(join(directory, "a")), ["--as", "dev-1"]), /journal-/);
  isDenied(await hook(directory, "PreToolUse", sending(update()), ["--as", "dev-1"]), /journal-/);
  passes(await hook(directory, "PreToolUse", { tool_name: "Read", tool_input: {} }, ["--as", "dev-1"]));
  passes(await hook(directory, "PostToolUse", {}, ["--as", "dev-1"]));
  passes(await hook(directory, "Stop", {}, ["--as", "dev-1"]));
  const begun = await hook(directory, "SessionStart", {}, ["--as", "dev-1"]);
  assert.match(String(begun.answer?.systemMessage), /could not be asked/);
});

test("a process that waits for mail ends with 2 once it comes for an idle agent, one for each program, and says no more", async () => {
  const directory = place();
  const wake = (variables = {}) => {
    const child = start(directory, ["hook", "Stop", "--program", "claude-code", "--as", "dev-1", "--wake"], variables);
    child.stdin?.end(JSON.stringify({ session_id: "s1", hook_event_name: "Stop" }));
    return child;
  };
  const send = (text: string) => calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], text);
  const ask = (event: string) => hook(directory, event, { session_id: "s1" }, ["--as", "dev-1"]);
  assert.equal((await ended(wake({ CLAUDE_CODE_SESSION_ATTENDED: "0" }))).code, 0, "nobody is there to be woken for");
  passes(await ask("Stop"));
  const first = wake();
  const waiting = () =>
    readdirSync(join(directory, ".git/baton/sessions")).filter((name) => name.startsWith("waiting-"));
  while (!existsSync(join(directory, ".git/baton/sessions")) || waiting().length === 0) await nextTurn();
  assert.deepEqual(await ended(wake()), { code: 0, stdout: "", stderr: "" }, "the place is taken");
  passes(await ask("UserPromptSubmit"));
  await send("While it works.");
  assert.match((await ask("PostToolBatch")).context, /While it works/);
  passes(await ask("Stop"));
  assert.equal(first.exitCode, null, "mail that a hook showed wakes nobody");
  await send("While it waits.");
  const woken = await ended(first);
  assert.deepEqual([woken.code, woken.stdout], [2, ""]);
  assert.equal(woken.stderr.trim(), "Baton: mail waits for dev-1. If it is not here, the tool read_inbox shows it.");
  assert.deepEqual(waiting(), []);
  // One that was killed leaves its place; the next one takes it, and finds what waits already.
  const killed = wake();
  await once(killed, "spawn");
  killed.kill("SIGKILL");
  await once(killed, "close");
  assert.equal((await ended(wake())).code, 2);
  // A program that nothing wakes is the person's to wake.
  await calledWithCode(0, directory, ["task", "add", "Totals carry tax", "--agent", "dev-1"]);
  const gemini = ["--as", "dev-1", "--program", "gemini"];
  await hook(directory, "AfterAgent", { session_id: "s2" }, gemini);
  await hook(directory, "AfterAgent", { session_id: "s2", stop_hook_active: true }, gemini);
  const { stdout } = await calledWithCode(0, directory, ["needs"]);
  assert.match(stdout, /Task 1 waits: nothing wakes dev-1/);
  assert.match(stdout, /Type at the prompt of dev-1: claim the next task\. Or free it [^']*--agent ''/);
});

test("a process denies by exit code 2 with the reason on standard error", () => {
  const directory = place();
  const words = ["hook", "PreToolUse", "--program", "claude-code", "--as", "dev-1"];
  const denied = baton(directory, words, JSON.stringify(writing(join(directory, ".baton/team.yaml"))));
  assert.deepEqual([denied.code, denied.stdout], [2, ""]);
  assert.match(denied.stderr, /Not written:\n- .*team\.yaml.*do: Leave it as it is/);
});

test("a process that hears no end, no hub or no leave to write denies in its time, and does not wait for them", async () => {
  const directory = place();
  const words = ["hook", "PreToolUse", "--program", "claude-code", "--as", "lead-1"];
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo; // it listens on a port
  const away = { BATON_HUB: `http://127.0.0.1:${port}`, BATON_TOKEN: "baton_aaaaaaaaaaaaaaaaaaaaaaaa" };
  // The journal must be there before somebody else holds it.
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "Hello.");
  const journal = new DatabaseSync(join(directory, ".git/baton/journal.db"));
  journal.exec("BEGIN IMMEDIATE");
  const ask = (variables: Readonly<Record<string, string>>, input: string | null) => {
    const child = start(directory, words, { BATON_HOOK_SECONDS: "2", ...variables });
    if (input !== null) child.stdin?.end(input);
    return ended(child);
  };
  const typed = JSON.stringify(sending(contract()));
  const [endless, hubless, locked] = await Promise.all([ask({}, null), ask(away, typed), ask({}, typed)]);
  journal.exec("ROLLBACK");
  journal.close();
  silent.close();
  for (const { code, stdout } of [endless, hubless, locked]) assert.deepEqual([code, stdout], [2, ""]);
  assert.match(endless.stderr, /denied:\n- (?:timed-out|empty-message)/);
  assert.match(hubless.stderr, /- (?:timed-out|interrupted|hub-unreachable)/);
  assert.match(locked.stderr, /- (?:journal-busy|timed-out)/);
  isRecorded(await hook(directory, "PreToolUse", sending(contract()), ["--as", "lead-1"]));
});

async function ended(child: ReturnType<typeof start>): Promise<Finished> {
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  }
  const [code] = await once(child, "close");
  return { code, ...said };
}

test("through a hub who acts is the token's agent, and nobody else", async () => {
  const directory = place();
  await claimed(directory);
  const tokens = { lead: await tokenOf(directory, "lead-1"), qa: await tokenOf(directory, "qa-1") };
  const hub = await startHub(directory);
  const away = folder();
  const asLead = towards(hub, tokens.lead);
  const asQa = towards(hub, tokens.qa);
  const more = contract(["src/"], { id: "again" });
  const again = await hook(away, "PreToolUse", sending(more, { agent_type: "lead-1" }), [], asLead);
  assert.match(
    again.context,
    /recorded it as entry \d+; .* Notes:\n- \$: Revision 1 of plan 1-1 says the same already/,
  );
  isDenied(await hook(away, "PreToolUse", sending(more, { agent_type: "lead-1" }), [], asQa), /identity-mismatch/);
  isDenied(await hook(away, "PreToolUse", sending(more), ["--as", "lead-1"], asQa), /does not know/);
  isDenied(await hook(away, "PreToolUse", writing(join(away, "src/feature.js")), [], asQa), /dev-1 holds this path/);
  const mail = await hook(away, "PostToolUse", {}, [], asQa);
  assert.match(mail.context, /#\d+ plan_contract from lead-1/);
  const wrong = { ...asQa, BATON_TOKEN: "baton_none" };
  isDenied(await hook(away, "PreToolUse", sending(more), [], wrong), /unauthenticated/);
  passes(await hook(away, "PostToolUse", {}, [], wrong));
  const start = ["stop", "qa-1", "--no-wait", "--as", "lead-1", "--reason", "phase_complete", "--id", "s1"];
  await calledWithCode(0, directory, start);
  const shell = { tool_name: "Bash", tool_input: { command: "ls" } };
  passes(await hook(away, "PreToolUse", shell, [], asQa));
  const payload = { request_id: "s1", approve: true, final_status: "complete" };
  await calledWithCode(
    0,
    directory,
    ["send", "--as", "qa-1"],
    message("shutdown_response", "qa", payload, { task: "" }),
  );
  isDenied(await hook(away, "PreToolUse", shell, [], asQa), /qa-1 .*shutdown .?s1/);
});
