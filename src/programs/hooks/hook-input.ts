/**
 * The input of a hook from an agent program: one JSON object on standard input. Only fields that Baton asks for are
 * taken, each by its type; other fields belong to the program. Source: docs/protocol/messages.md, section 16; the hooks
 * references of Codex CLI and Gemini CLI.
 */
import { isJsonObject, type Json, type JsonObject, parseAnyCharacters } from "../../base/json.ts";
import { hookBytesMax, hookDepthMax, hookNodesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** The input of a hook; null: the program did not send it. */
export interface HookInput {
  /** The name of a teammate, or the kind of a subagent: the program says it, no model does. */
  readonly agentType: string | null;
  readonly agentId: string | null;
  readonly session: string | null;
  /** Where the agent works. */
  readonly directory: string | null;
  readonly toolName: string | null;
  readonly toolInput: JsonObject;
  /** What the tool answered; empty: nothing, or the event is not about that. */
  readonly toolResponse: JsonObject;
  /** Names this use of a tool, the same for every hook that is asked about it. */
  readonly toolUseId: string | null;
  /** The agent goes on only because a hook did not let it stop. */
  readonly isKeptGoing: boolean;
  /** The teammate that an event is about, where it names one. */
  readonly teammate: string | null;
  readonly taskSubject: string | null;
  /** The file in which the program keeps the conversation that ends its turn here, as it says. */
  readonly transcript: string | null;
  /** The file of the session's own conversation, also where the event is about another agent in it. */
  readonly conversation: string | null;
}

const inputLimits = { bytesMax: hookBytesMax, depthMax: hookDepthMax, nodesMax: hookNodesMax };

/** What `bytes` say. Refuses what is no JSON object within the bounds of `limits.ts`. */
export function readHookInput(bytes: Uint8Array): Result<HookInput, Problem> {
  const parsed = parseAnyCharacters(bytes, inputLimits);
  if (!parsed.ok) return parsed;
  if (!isJsonObject(parsed.value)) {
    return err(makeProblem("wrong-type", "$", "A hook reads one JSON object.", { expected: "an object" }));
  }
  return ok(hookInputOf(parsed.value));
}

/** What an object says that a program gave a hook. */
export function hookInputOf(said: JsonObject): HookInput {
  return {
    agentType: textOf(said.agent_type),
    agentId: textOf(said.agent_id),
    session: textOf(said.session_id),
    directory: textOf(said.cwd),
    toolName: textOf(said.tool_name),
    toolInput: objectOf(said.tool_input),
    toolResponse: objectOf(said.tool_response),
    toolUseId: textOf(said.tool_use_id),
    isKeptGoing: said.stop_hook_active === true || said.stop_hook_active === "true",
    teammate: textOf(said.teammate_name),
    taskSubject: textOf(said.task_subject),
    conversation: textOf(said.transcript_path),
    transcript:
      textOf(said.agent_transcript_path) ?? (textOf(said.agent_id) === null ? textOf(said.transcript_path) : null),
  };
}

/** A call hands on the object as a string where the program puts it into a placeholder; a command gets it as it is. */
function objectOf(value: Json | undefined): JsonObject {
  if (typeof value !== "string") return isJsonObject(value) ? value : {};
  const parsed = parseAnyCharacters(Buffer.from(value), inputLimits);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
