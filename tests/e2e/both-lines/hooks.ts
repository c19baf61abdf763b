/** What agent programs ask by their hooks, after all that the other lines have left. */
import type { Line } from "../both-places.ts";
import { contract, update } from "../command.ts";

/** A hook of Claude Code, as `as`, told `input`. */
function asked(as: string | undefined, event: string, input: object, code: number): Line {
  const words = ["hook", event, "--program", "claude-code"];
  return { ...(as === undefined ? {} : { as }), words, input: JSON.stringify(input), code };
}

const sending = (message: string) => ({ tool_name: "SendMessage", tool_input: { to: "*", message } });

/** By command. */
export const hookLines: Readonly<Record<string, readonly Line[]>> = {
  hook: [
    asked("dev-1", "SessionStart", {}, 0),
    asked(undefined, "SessionStart", {}, 0),
    asked("qa-1", "PostToolUse", {}, 0),
    asked("qa-1", "PostToolUse", {}, 0),
    asked("dev-1", "PreToolUse", sending("Lunch?"), 0),
    asked("dev-1", "PreToolUse", sending(contract()), 2),
    asked("dev-1", "PreToolUse", sending(update([], { id: "hooked" })), 0),
    asked(undefined, "PreToolUse", sending(update()), 2),
    asked("dev-1", "PreToolUse", { tool_name: "Edit", tool_input: { file_path: "lib/far.js" } }, 0),
    asked("qa-1", "PreToolUse", { tool_name: "Edit", tool_input: { file_path: "lib/far.js" } }, 2),
    asked("dev-1", "Stop", { stop_hook_active: false }, 0),
    asked("dev-1", "Stop", { stop_hook_active: true }, 0),
    asked("lead-1", "TeammateIdle", {}, 2),
    asked("dev-1", "TaskCompleted", { task_subject: "1-1-T1" }, 0),
  ],
};
