/** What an agent's tool does, as far as hooks treat tools differently. Source: docs/protocol/doors.md, section 7. */
import { isJsonList, type Json } from "../../base/json.ts";
import {
  type HookProgram,
  messageTool,
  shellTools,
  spawnTools,
  taskTools,
  teamEndTool,
  writingTools,
} from "../../message/program-hooks.ts";
import type { HookInput } from "./hook-input.ts";

export type ToolKind = "message" | "shell" | "writing" | "team-end" | "task" | "spawn" | "other";

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
  if (toolName === shellTools[program]) return holdsPatch(toolInput) ? "writing" : "shell";
  return writingTools[program].some((tool) => tool === toolName) ? "writing" : "other";
}

/** Whether a shell command holds a patch, as Codex hands it to `apply_patch` in a here-document. */
function holdsPatch({ command }: { readonly [key: string]: Json }): boolean {
  const parts = isJsonList(command) ? command : [command ?? null];
  return parts.some(
    (part) => typeof part === "string" && part.includes("apply_patch") && patchedFiles(part).length > 0,
  );
}

const patchMarks = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/** The files that a patch of Codex names. */
export function patchedFiles(patch: string): readonly string[] {
  return patch.split(/\r?\n/).flatMap((line) => {
    const mark = patchMarks.find((each) => line.startsWith(each));
    return mark === undefined ? [] : [line.slice(mark.length).trim()];
  });
}
