/**
 * A message that was written as YAML instead of JSON. Only handoff documents are read so; what else is one by its type is
 * told as such, so that it does not pass for words. Nothing here parses YAML: the lines at the first column decide.
 * Source: docs/protocol/reading.md, sections 7 and 8.
 */
import { type Problem, problem } from "../base/problem.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { isSaid, type Line, segmentsOf } from "./segments.ts";

const TYPE = /^["']?type["']?[ \t]*:[ \t]*["']?([A-Za-z_]{1,64})["']?[ \t]*(?:#.*)?$/;
const KEY = /^["']?([A-Za-z_][\w.-]{0,63})["']?[ \t]*:(?:[ \t]|$)/;

/** A message in YAML. */
export interface YamlMessage {
  readonly problem: Problem;
  /** Whether it can only be one in an envelope. */
  readonly isTyped: boolean;
  /** Whether no words stand around it; a fence is none. */
  readonly isAlone: boolean;
}

/** The message that a text is in YAML, or that it holds; null: none of a type that `dialects` know, or several. */
export function yamlMessage(text: string, dialects: readonly Dialect[]): YamlMessage | null {
  if (!/^[ \t]*["']?type["']?[ \t]*:/m.test(text)) return null;
  const segments = segmentsOf(text);
  const found = segments.flatMap((segment) => {
    const keys = keysOf(segment.lines.filter(isSaid));
    const type = keys?.get("type") ?? "";
    const knowing = dialects.filter(({ form, definitions }) => form !== "document" && definitions.has(type));
    return keys === null || knowing.length === 0 ? [] : [{ segment, keys, type, knowing }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const { segment, keys, type, knowing } = only;
  const isMarked = keys.has("schema_version") || (keys.has("author_role") && keys.has("payload"));
  const around = segments.filter((each) => each !== segment && !each.isFenced);
  const told = problem("not-json", "$", `This is ${type} written in YAML, which is read of handoff documents only.`, {
    expected: "one JSON object",
    received: "YAML",
    hint: `Write it as JSON: {"type": "${type}", ...}.`,
  });
  return {
    problem: told,
    isTyped: isMarked || knowing.every(({ form }) => form === "typed"),
    isAlone: !around.some(({ lines }) => lines.some((line) => isSaid(line) && !line.isInFence)),
  };
}

/** The keys at the first column of these lines, that of `type` with its word; null: not only keys stand there. */
function keysOf(lines: readonly Line[]): ReadonlyMap<string, string> | null {
  const least = lines.reduce((least, { indent }) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  const keys = new Map<string, string>();
  for (const { said, indent } of lines) {
    if (indent > least) continue;
    const key = KEY.exec(said)?.[1];
    // An entry of a list may stand at the column of its key.
    if (key === undefined && !said.startsWith("- ")) return null;
    if (key !== undefined) keys.set(key, TYPE.exec(said)?.[1] ?? "");
  }
  return keys;
}
