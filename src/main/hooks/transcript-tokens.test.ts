import assert from "node:assert/strict";
import { test } from "node:test";
import { tokensIn } from "./transcript-tokens.ts";

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
