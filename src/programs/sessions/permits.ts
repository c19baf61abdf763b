/**
 * The answer to Claude Code's own question whether a tool may be used, where it runs no hooks (`--bare`): Baton decides
 * about edits and about its own tools, as the hook before them does, and leaves every other tool to what the line allows.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { isOwnTool } from "../../messages/program-hooks.ts";
import { kindOf } from "../hooks/tool-kind.ts";
import type { SessionTeams } from "./session-teams.ts";

/** As the program takes it. */
export type Permit = JsonObject & { readonly behavior: "allow" | "deny" };

/** The answer to the program's question, in the session of that id. */
export async function permitOf(
  hook: SessionTeams["hook"],
  { tool_name, tool_use_id, input }: JsonObject,
  session: string | null,
): Promise<Permit> {
  const toolName = typeof tool_name === "string" ? tool_name : "";
  const toolInput = isJsonObject(input) ? input : {};
  const isBatons = isOwnTool(toolName);
  const isEdit = kindOf({ program: "claude-code", input: { toolName, toolInput } }) === "writing";
  if (!isBatons && !isEdit)
    return {
      behavior: "deny",
      message: "Baton decides about edits and its own tools alone: allow it by --allowedTools.",
    };
  const asked = {
    hook_event_name: "PreToolUse",
    session_id: session ?? "",
    agent_id: "",
    tool_name: toolName,
    tool_use_id: tool_use_id ?? "",
    tool_input: toolInput,
  };
  const { hookSpecificOutput: said } = await hook(asked, {
    toolUse: null,
    thread: null,
    session,
    isModels: false,
    looks: false,
  });
  const { permissionDecision, permissionDecisionReason: why } = isJsonObject(said) ? said : {};
  if (permissionDecision !== "deny") return { behavior: "allow", updatedInput: toolInput };
  return { behavior: "deny", message: typeof why === "string" ? why : "" };
}
