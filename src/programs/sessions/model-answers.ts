/**
 * Which answer of its model an agent is at, by the file in which its program keeps the conversation: Codex and Gemini CLI
 * ask once for each tool that an answer calls, and do not say which answer that is. Nothing of what was said is read.
 * Rule: docs/protocol/record.md, section 5. Formats: the session files of Codex CLI and Gemini CLI.
 */
import { isAbsolute } from "node:path";
import { canonical, sha256 } from "../../base/canonical.ts";
import { isJsonObject, type JsonObject, parseAnyCharacters } from "../../base/json.ts";
import { hookBytesMax, hookDepthMax, hookNodesMax } from "../../base/limits.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import type { HookInput } from "../hooks/hook-input.ts";
import { codexFile } from "./codex-rollouts.ts";
import { endOf } from "./transcript-reading.ts";

const lineLimits = { bytesMax: hookBytesMax, depthMax: hookDepthMax, nodesMax: hookNodesMax };

/**
 * A name of the latest answer, the same for all tools that it called; null: it is not known. Claude Code asks once after all
 * tools of an answer, so it needs none.
 */
export async function latestAnswer(
  call: Call,
  program: HookProgram,
  { session, transcript }: Pick<HookInput, "session" | "transcript">,
): Promise<string | null> {
  const path = program === "codex" ? codexFile(call, session) : program === "gemini" ? transcript : null;
  const lines = path === null || !isAbsolute(path) ? [] : (await endOf(path)).split("\n");
  const found = program === "codex" ? callsOfCodex(lines) : answerOfGemini(lines);
  return found === null ? null : sha256(canonical(found)).slice(0, 16);
}

/**
 * Codex writes all calls of an answer before what the first of them returned. So an answer is known by the call that
 * returned last before it, and the first one by having none.
 */
function callsOfCodex(lines: readonly string[]): readonly string[] | null {
  let isCalled = false;
  for (const line of lines.toReversed()) {
    const { type, call_id: id } = line.includes("_call") ? payloadOf(line) : {};
    if (typeof type !== "string" || typeof id !== "string") continue;
    if (type.endsWith("_call")) isCalled = true;
    else if (type.endsWith("_call_output") && isCalled) return ["after", id];
  }
  // The first line of a session says what it is. Without it only an end was read.
  const isWhole = lines[0]?.includes('"session_meta"') === true;
  return isWhole ? [isCalled ? "first" : "none"] : null;
}

function payloadOf(line: string): JsonObject {
  const { type, payload } = parsed(line) ?? {};
  return type === "response_item" && isJsonObject(payload) ? payload : {};
}

/** Gemini CLI writes an answer when it has come, and again with what its tools returned. */
function answerOfGemini(lines: readonly string[]): readonly string[] | null {
  for (const line of lines.toReversed()) {
    const { type, id } = line.includes('"gemini"') ? (parsed(line) ?? {}) : {};
    if (type === "gemini" && typeof id === "string") return ["gemini", id];
  }
  return null;
}

function parsed(line: string): JsonObject | null {
  const read = parseAnyCharacters(Buffer.from(line), lineLimits);
  return read.ok && isJsonObject(read.value) ? read.value : null;
}
