/** The tools of each program that tests let its model call. */
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import type { ToolUse } from "./model.ts";

/** The tool by which each program's model sends a message through Baton's plugin. */
export const sends = {
  "claude-code": "mcp__plugin_baton_baton__send_message",
  codex: "mcp__baton/send_message",
  gemini: "mcp_baton_send_message",
} as const satisfies Readonly<Record<HookProgram, string>>;

/** Writes a file anew, by the tool that the program has for it. */
export function editOf(program: HookProgram, file: string): ToolUse {
  const content = "changed\n";
  switch (program) {
    case "claude-code":
      return { tool: "Write", input: { file_path: file, content } };
    case "gemini":
      return { tool: "write_file", input: { file_path: file, content } };
    case "codex": {
      const patch = `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch\n`;
      return { tool: "apply_patch", input: { patch } };
    }
  }
}

/** A tool that needs no leave: a shell command that prints a word. */
export function lookOf(program: HookProgram): ToolUse {
  return shellOf(program, "echo looked");
}

/** A tool that fails. */
export function failOf(program: HookProgram): ToolUse {
  return shellOf(program, "exit 3");
}

/** A shell command. */
export function shellOf(program: HookProgram, command: string): ToolUse {
  switch (program) {
    case "claude-code":
      return { tool: "Bash", input: { command, description: "Look" } };
    case "gemini":
      return { tool: "run_shell_command", input: { command } };
    case "codex":
      return { tool: "exec_command", input: { cmd: command, yield_time_ms: 30_000 } };
  }
}

/** Commits the file, and prints the commit's id. */
export const commitOf = (agent: string, file: string) =>
  `git add ${file} && git -c user.name=${agent} -c user.email=${agent}@example.org commit --quiet -m "${file}" && git rev-parse HEAD`;
