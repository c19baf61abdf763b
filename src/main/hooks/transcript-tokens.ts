/**
 * How many tokens an agent's model has used, by the file in which its program keeps the conversation. Only the programs'
 * own counts are read, nothing of what was said. What was read from a cache again is not counted again. Formats: the
 * session files of Claude Code, Codex CLI and Gemini CLI. Rule: docs/protocol/tasks.md, section 20.
 */
import { isAbsolute, join } from "node:path";
import { isJsonList, isJsonObject, type Json, type JsonObject, parseAnyCharacters } from "../../base/json.ts";
import { hookBytesMax, hookDepthMax, hookNodesMax } from "../../base/limits.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { HookInput } from "../../doors/hooks/hook-input.ts";
import type { HookProgram } from "../../message/program-hooks.ts";
import { codexFile, codexHelperFiles, namesIn } from "./codex-rollouts.ts";
import { appendedLines } from "./transcript-reading.ts";

/** A longer conversation of Gemini CLI is not read: it may be one object, which is read as a whole. */
const transcriptBytesMax = 64 * 1024 * 1024;
const lineLimits = { bytesMax: hookBytesMax, depthMax: hookDepthMax, nodesMax: hookNodesMax };

/** The tokens of the conversation that ends its turn at this hook; null: the program keeps no file that can be read. */
export async function tokensUsed(
  call: Call,
  program: HookProgram,
  { session, transcript }: Pick<HookInput, "session" | "transcript">,
): Promise<number | null> {
  const path = program === "codex" ? codexFile(call, session) : transcript;
  if (path === null || !isAbsolute(path)) return null;
  if (program === "gemini") {
    const read = readPlainFile(path, transcriptBytesMax);
    return read.ok && read.value !== null ? tokensIn(program, read.value.text) : null;
  }
  // A helper has no separate budget: what it used belongs to the session in which it ran.
  const helpers = program === "codex" ? await codexHelperFiles(call, { session, own: path }) : helperFiles(path);
  let sum = sumIn(await appended[program].read(path));
  for (const each of helpers.slice(0, helpersMax)) {
    const used = sumIn(await appended[program].read(each));
    if (used !== null) sum = (sum ?? 0) + used;
  }
  return sum;
}

/** Most helpers of one session whose files are read. */
const helpersMax = 200;

/** The files of the helpers in a session of Claude Code. A teammate's has its name in it: it is a separate agent. */
function helperFiles(path: string): readonly string[] {
  const folder = join(path.replace(/\.jsonl$/, ""), "subagents");
  const own = namesIn(folder).filter((name) => /^agent-a[0-9a-f]{16}\.jsonl$/.test(name));
  return own.map((name) => join(folder, name));
}

type Counts = ReadonlyMap<string, number>;

function sumIn(counts: Counts | null): number | null {
  return counts === null || counts.size === 0 ? null : [...counts.values()].reduce((sum, each) => sum + each, 0);
}

/** The tokens that a program's session file shows; null: it shows none. */
export function tokensIn(program: HookProgram, text: string): number | null {
  return sumIn(
    new Map(linesOf(program, text).flatMap((line) => [counters[program](line)].filter((each) => each !== null))),
  );
}

type Counted = readonly [message: string, tokens: number] | null;

const marks: Readonly<Record<HookProgram, string>> = {
  "claude-code": '"usage"',
  codex: '"token_count"',
  gemini: '"tokens"',
};

const counters: Readonly<Record<HookProgram, (line: JsonObject) => Counted>> = {
  "claude-code": ({ message }) => {
    const { id, usage } = objectOf(message);
    if (typeof id !== "string" || !isJsonObject(usage)) return null;
    return [id, sumOf(usage, ["input_tokens", "cache_creation_input_tokens", "output_tokens"])];
  },
  codex: ({ payload }) => {
    const { type, info } = objectOf(payload);
    const total = objectOf(objectOf(info).total_token_usage);
    if (type !== "token_count" || Object.keys(total).length === 0) return null;
    // Each one holds all before it.
    return ["total", sumOf(total, ["input_tokens", "output_tokens"]) - sumOf(total, ["cached_input_tokens"])];
  },
  gemini: ({ id, tokens }) => {
    if (typeof id !== "string" || !isJsonObject(tokens)) return null;
    return [id, sumOf(tokens, ["input", "output", "thoughts", "tool"]) - sumOf(tokens, ["cached"])];
  },
};

/** The lines that hold a count. Gemini CLI has kept one object with all messages, and keeps a message a line. */
function linesOf(program: HookProgram, text: string): readonly JsonObject[] {
  const messages = program === "gemini" ? parsed(text)?.messages : undefined;
  if (isJsonList(messages)) return objectsOf(messages);
  const lines = text.split("\n").filter((line) => line.includes(marks[program]));
  return objectsOf(lines.map((line) => parsed(line)));
}

function objectsOf(values: readonly Json[]): readonly JsonObject[] {
  return values.flatMap((each): readonly JsonObject[] => (isJsonObject(each) ? [each] : []));
}

/** Null: it is no object, as the last line is while it is written. */
function parsed(text: string): JsonObject | null {
  const read = parseAnyCharacters(Buffer.from(text), lineLimits);
  return read.ok && isJsonObject(read.value) ? read.value : null;
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function sumOf(counts: JsonObject, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + countOf(counts[name]), 0);
}

function countOf(value: Json | undefined): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** What this process has read, by program. A message is written again while it grows: what is written last counts. */
const appended = { "claude-code": countsIn("claude-code"), codex: countsIn("codex") } as const;

function countsIn(program: "claude-code" | "codex") {
  return appendedLines(
    () => new Map<string, number>(),
    (counts, text) => {
      const line = text.includes(marks[program]) ? parsed(text) : null;
      const found = line === null ? null : counters[program](line);
      return found === null ? counts : counts.set(found[0], found[1]);
    },
  );
}
