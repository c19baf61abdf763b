/** How long a program waits for Baton's answer where Baton is slow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hookEvent } from "../../messages/program-hooks.ts";
import { readHookInput } from "../hooks/hook-input.ts";
import { askHook } from "./hook-asking.ts";

for (const [what, name, told, answersAfterMs, answer] of [
  ["an edit", "PreToolUse", { tool_name: "Edit", tool_input: { file_path: "a.js" } }, 7_500, "deny"],
  ["the begin of a session", "SessionStart", {}, 7_500, "warn"],
  ["a shell", "PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } }, 1_500, "nothing"],
  ["what a tool did", "PostToolBatch", {}, 1_500, "nothing"],
] as const) {
  test(`on a machine that is too busy, ${what} waits ${answersAfterMs} ms for Baton, and no longer`, async (t) => {
    const event = hookEvent("claude-code", name);
    const input = readHookInput(Buffer.from(JSON.stringify(told)));
    assert.ok(event !== null && input.ok);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const call = {
      config: { hookMs: null },
      signal: new AbortController().signal,
      output: { worded: (problems: unknown) => problems },
    } as unknown as Call; // all that is looked at without an answer
    let says: string | null = null;
    const asking = askHook(call, {
      program: "claude-code",
      event,
      input: async () => input,
      session: async () => await new Promise(() => undefined),
    }).then((outcome) => {
      says = outcome.answer.says;
    });
    for (let passedMs = 0; passedMs < answersAfterMs; passedMs += 500) {
      await setImmediate();
      assert.equal(says, null, `${passedMs} ms`);
      t.mock.timers.tick(500);
    }
    await setImmediate();
    assert.equal(says, answer);
    await asking;
  });
}
