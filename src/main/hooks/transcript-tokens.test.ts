import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { tokensIn, tokensUsed } from "./transcript-tokens.ts";

const lines = (...objects: readonly object[]) => objects.map((each) => JSON.stringify(each)).join("\n");

test("each program's own counts are added, a message that is written again counts once, and caches are left out", () => {
  const usage = (input: number, output: number) => ({
    input_tokens: input,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 90_000,
    output_tokens: output,
  });
  const claude = lines(
    { type: "user", message: { role: "user", content: 'the word "usage"' } },
    { type: "assistant", message: { id: "m1", usage: usage(10, 1) } },
    { type: "assistant", message: { id: "m1", usage: usage(10, 5) } },
    { type: "assistant", message: { id: "m2", usage: usage(20, 7) } },
  );
  assert.equal(tokensIn("claude-code", `${claude}\n{"type":"assistant","message":{"id":"m3","usage":`), 242);
  const total = (input: number, output: number) => ({
    type: "event_msg",
    payload: {
      type: "token_count",
      info: { total_token_usage: { input_tokens: input, cached_input_tokens: 400, output_tokens: output } },
    },
  });
  const empty = { type: "event_msg", payload: { type: "token_count", info: null } };
  assert.equal(tokensIn("codex", lines(empty, total(1_000, 30), total(1_500, 50), empty)), 1_150);
  const message = (id: string, output: number) => ({
    id,
    tokens: { input: 50, output, cached: 20, thoughts: 3, tool: 0 },
  });
  const gemini = [message("a", 1), message("a", 7), message("b", 10)];
  assert.equal(tokensIn("gemini", lines({ sessionId: "s" }, ...gemini)), 83);
  assert.equal(tokensIn("gemini", JSON.stringify({ sessionId: "s", messages: gemini })), 83);
});

test("what holds no counts, or counts that are none, is no number", () => {
  for (const text of ["", "no JSON", '{"message":{"id":"m","usage":7}}', '{"message":{"usage":{"input_tokens":7}}}'])
    assert.equal(tokensIn("claude-code", text), null, text);
  const odd = {
    message: { id: "m", usage: { input_tokens: -5, output_tokens: 1e99, cache_creation_input_tokens: "9" } },
  };
  assert.equal(tokensIn("claude-code", lines(odd)), 0);
});

const said = (id: string, tokens: number) =>
  `${JSON.stringify({ type: "assistant", message: { id, usage: { input_tokens: tokens, output_tokens: 0 } } })}\n`;

test("what a helper used counts for its session, and a teammate's own file does not", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-tokens-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const transcript = join(folder, "s1.jsonl");
  const used = () => tokensUsed({} as Call, "claude-code", { session: "s1", transcript });
  writeFileSync(transcript, said("m1", 100));
  assert.equal(await used(), 100, "control: no helper");
  mkdirSync(join(folder, "s1/subagents"), { recursive: true });
  writeFileSync(join(folder, "s1/subagents/agent-a0123456789abcdef.jsonl"), said("m2", 20));
  writeFileSync(join(folder, "s1/subagents/agent-adev-1-0123456789abcdef.jsonl"), said("m3", 7_000));
  assert.equal(await used(), 120);
});

test("a conversation of more than 64 MiB is counted, from where it was read last, and another file from its start", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-tokens-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const transcript = join(folder, "s1.jsonl");
  const used = () => tokensUsed({} as Call, "claude-code", { session: "s1", transcript });
  writeFileSync(transcript, said("m1", 1));
  // A hole takes no room on the disk; it reads as one long line, which holds nothing.
  truncateSync(transcript, 70 * 1024 * 1024);
  appendFileSync(transcript, `\n${said("m2", 20)}`);
  assert.equal(await used(), 21);
  const third = said("m3", 300);
  appendFileSync(transcript, third.slice(0, 30));
  assert.equal(await used(), 21, "half a line");
  appendFileSync(transcript, third.slice(30));
  appendFileSync(transcript, said("m2", 40).trimEnd());
  assert.equal(await used(), 341, "a message that has grown counts once, also without the end of its line");
  writeFileSync(join(folder, "next"), said("m1", 5));
  renameSync(join(folder, "next"), transcript);
  assert.equal(await used(), 5);
});

const root = "01a22246-d306-76b1-bf77-cb78069dcd39";
/** The id of another thread. */
const threadOf = (number: number) => `01a22246-de95-7351-9e3f-${String(number).padStart(12, "0")}`;

/** The first line of a thread's file, as Codex writes it, with the instructions for its model. */
const begun = (id: string, more: object = {}) =>
  `${JSON.stringify({
    timestamp: "2026-11-28T13:09:59.651Z",
    ordinal: 0,
    type: "session_meta",
    payload: {
      session_id: id,
      id,
      cwd: "/project",
      source: "cli",
      base_instructions: { text: "Be precise. ".repeat(5_000) },
      ...more,
    },
  })}\n`;

const helperOf = (session: string, id: string) => {
  const spawned = { parent_thread_id: session, depth: 1, agent_path: null, agent_nickname: "Archimedes" };
  const source = { subagent: { thread_spawn: spawned } };
  return begun(id, { session_id: session, parent_thread_id: session, source, thread_source: "subagent" });
};

/** Codex writes one after each request, with the sum of all before it. */
const usedUpTo = (total: number) =>
  `${JSON.stringify({
    type: "event_msg",
    payload: {
      type: "token_count",
      info: { total_token_usage: { input_tokens: total + 40, cached_input_tokens: 50, output_tokens: 10 } },
    },
  })}\n`;

/** A home of Codex in which the session has used 100 tokens, and a journal's folder. */
function codexHome(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "baton-tokens-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (day: string, id: string, text: string): string => {
    mkdirSync(join(folder, "sessions", day), { recursive: true });
    const path = join(folder, "sessions", day, `rollout-${day.replaceAll("/", "-")}T13-09-59-${id}.jsonl`);
    writeFileSync(path, text);
    return path;
  };
  const named: Readonly<Record<string, string>> = { journal: `sqlite:${join(folder, "state/journal.db")}` };
  const call = {
    config: { codexHome: folder, directory: folder, environment: () => ({}) },
    given: { text: (name: string) => named[name] },
  } as unknown as Call; // nothing else of it is asked
  write("2026/11/28", root, begun(root) + usedUpTo(30) + usedUpTo(100));
  const used = () => tokensUsed(call, "codex", { session: root, transcript: null });
  return { folder, write, used };
}

test("what helper threads of Codex used counts for their session, also once they go on, and on later days", async (t) => {
  const { write, used } = codexHome(t);
  assert.equal(await used(), 100, "control: no helper");
  const first = write("2026/11/28", threadOf(1), helperOf(root, threadOf(1)) + usedUpTo(20));
  assert.equal(await used(), 120);
  // A helper that begins with the conversation of its session has that one's first line as its second one.
  write("2026/12/01", threadOf(2), helperOf(root, threadOf(2)) + begun(root) + usedUpTo(3_000));
  assert.equal(await used(), 3_120);
  appendFileSync(first, usedUpTo(25));
  assert.equal(await used(), 3_125);
  const line = helperOf(root, threadOf(3)) + usedUpTo(40_000);
  const third = write("2026/12/01", threadOf(3), line.slice(0, 30_000));
  assert.equal(await used(), 3_125, "half a first line");
  appendFileSync(third, line.slice(30_000));
  assert.equal(await used(), 43_125);
});

test("no other file of Codex counts: other sessions and their helpers, forks, links, earlier days, bound threads", async (t) => {
  const { folder, write, used } = codexHome(t);
  const day = "2026/11/28";
  const other = threadOf(1);
  write(day, other, begun(other) + usedUpTo(2_000));
  write(day, threadOf(2), helperOf(other, threadOf(2)) + usedUpTo(3_000));
  write(day, threadOf(3), begun(threadOf(3), { forked_from_id: root }) + usedUpTo(4_000));
  write(
    day,
    threadOf(4),
    begun(threadOf(4), { session_id: root, source: { subagent: "thread_spawn" } }) + usedUpTo(5_000),
  );
  write("2026/11/27", threadOf(5), helperOf(root, threadOf(5)) + usedUpTo(6_000));
  writeFileSync(join(folder, "elsewhere"), helperOf(root, threadOf(6)) + usedUpTo(7_000));
  symlinkSync(
    join(folder, "elsewhere"),
    join(folder, "sessions", day, `rollout-2026-11-28T13-09-59-${threadOf(6)}.jsonl`),
  );
  write(day, threadOf(7), helperOf(root, threadOf(8)) + usedUpTo(8_000));
  write(day, threadOf(9), `no JSON, "thread_spawn"\n${usedUpTo(9_000)}`);
  assert.equal(await used(), 100);
  write(day, threadOf(10), helperOf(root, threadOf(10)) + usedUpTo(50));
  write("2026/11/29", threadOf(10), helperOf(root, threadOf(10)) + usedUpTo(70));
  assert.equal(await used(), 170, "a thread counts once, by its last file");
  for (const [number, place] of [".", "team-web"].entries()) {
    const id = threadOf(11 + number);
    write(day, id, helperOf(root, id) + usedUpTo(300));
    assert.equal(await used(), 470, "control: not bound");
    const bindings = join(folder, "state/sessions", place);
    mkdirSync(bindings, { recursive: true });
    writeFileSync(join(bindings, `codex-${id}`), "dev-2");
    assert.equal(await used(), 170, "it is a session of dev-2");
  }
});

test("a hook reads the first lines of 500 further files at most, and the next one goes on", async (t) => {
  const { write, used } = codexHome(t);
  for (let number = 0; number < 501; number++) write("2026/11/28", threadOf(number), `{"type":"session_meta"}\n`);
  write("2026/11/29", threadOf(501), helperOf(root, threadOf(501)) + usedUpTo(20));
  assert.equal(await used(), 100);
  assert.equal(await used(), 120);
});
