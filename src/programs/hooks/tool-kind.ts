/** What an agent's tool does, as far as hooks treat tools differently. Source: docs/protocol/doors.md, section 7. */
import type { JsonObject } from "../../base/json.ts";
import {
  type HookProgram,
  isOtherWriting,
  isOwnTool,
  messageTool,
  shellTools,
  spawnTools,
  taskTools,
  teamEndTool,
  writingTools,
} from "../../messages/program-hooks.ts";
import type { HookInput } from "./hook-input.ts";
import { holdsPatch } from "./patches.ts";

export type ToolKind = "message" | "shell" | "writing" | "team-end" | "task" | "spawn" | "own" | "other";

/** The files that a tool's arguments name, each by a field of its own. */
export function filesNamed(toolInput: JsonObject): readonly string[] {
  const { file_path, notebook_path, path, relative_path, source, destination } = toolInput;
  return [file_path, notebook_path, path, relative_path, source, destination].filter(
    (value) => typeof value === "string",
  );
}

/** The kind of the tool that an event is about; `other` where it is about none. */
export function kindOf({
  program,
  input: { toolName, toolInput },
}: {
  readonly program: HookProgram;
  readonly input: Pick<HookInput, "toolName" | "toolInput">;
}): ToolKind {
  if (toolName === messageTool) return "message";
  if (toolName === teamEndTool) return "team-end";
  if (program === "claude-code" && toolName === taskTools.update) return "task";
  if (program === "claude-code" && spawnTools.some((tool) => tool === toolName)) return "spawn";
  if (toolName === shellTools[program]) return holdsPatch(toolInput.command) ? "writing" : "shell";
  if (writingTools[program].some((tool) => tool === toolName)) return "writing";
  if (toolName !== null && isOwnTool(toolName)) return "own";
  return toolName !== null && isOtherWriting(toolName) && filesNamed(toolInput).length > 0 ? "writing" : "other";
}
