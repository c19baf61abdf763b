import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
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
