/**
 * Which messages Claude Code has put into an agent's context itself: they are in the file in which it keeps the
 * conversation, each as what a user said, in a mark that names who sent it. What tools have shown and what the model says
 * is not looked at. Source: docs/protocol/record.md, section 5; the session files of Claude Code.
 */
import { isAbsolute, join } from "node:path";
import { isJsonList, isJsonObject, type Json, parseAnyCharacters } from "../../base/json.ts";
import { hookBytesMax, hookDepthMax, hookNodesMax } from "../../base/limits.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import type { HookInput } from "../hooks/hook-input.ts";
import { nativeKey } from "../hooks/mail.ts";
import { endOf } from "./transcript-reading.ts";

const lineLimits = { bytesMax: hookBytesMax, depthMax: hookDepthMax, nodesMax: hookNodesMax };
const mark = "<teammate-message";

/**
 * The messages, each as `nativeKey` names it; empty where the program says no file, or keeps none. A message that came
 * before the end of the file that is read is shown again.
 */
export async function messagesInContext(program: HookProgram, input: HookInput): Promise<ReadonlySet<string>> {
  const path = program === "claude-code" ? conversationOf(input) : null;
  const lines = path === null ? [] : (await endOf(path)).split("\n");
  return new Set(lines.filter((line) => line.includes(mark)).flatMap(messagesOf));
}

/** The session's file; that of a teammate is in a folder next to it. */
function conversationOf({ conversation, agentId }: Pick<HookInput, "conversation" | "agentId">): string | null {
  if (conversation === null || !isAbsolute(conversation) || !conversation.endsWith(".jsonl")) return null;
  if (agentId === null) return conversation;
  if (!/^[\w-]{1,128}$/.test(agentId)) return null;
  return join(conversation.slice(0, -".jsonl".length), "subagents", `agent-${agentId}.jsonl`);
}

function messagesOf(line: string): readonly string[] {
  const read = parseAnyCharacters(Buffer.from(line), lineLimits);
  if (!read.ok || !isJsonObject(read.value) || read.value.type !== "user") return [];
  const { message } = read.value;
  const content = isJsonObject(message) ? message.content : undefined;
  const texts = isJsonList(content) ? content.map(textOf) : [content];
  return texts.flatMap((text) => (typeof text === "string" ? markedIn(text) : []));
}

function textOf(part: Json): Json | undefined {
  return isJsonObject(part) && part.type === "text" ? part.text : undefined;
}

function markedIn(text: string): readonly string[] {
  return text
    .split(mark)
    .slice(1)
    .flatMap((part) => {
      const [begin, end] = [part.indexOf(">\n"), part.indexOf("\n</teammate-message>")];
      if (begin < 0 || end < begin) return [];
      const sender = /^ teammate_id="([A-Za-z0-9._-]{1,64})"/.exec(part)?.[1];
      const read = parseAnyCharacters(Buffer.from(part.slice(begin + 2, end)), lineLimits);
      return sender !== undefined && read.ok && isJsonObject(read.value) ? [nativeKey(sender, read.value)] : [];
    });
}
