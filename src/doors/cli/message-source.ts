/**
 * Cutting what `validate` is given into messages: a file is one message, or one message a line (JSONL). Lines are
 * streamed, so a file may be of any size; a single message may not be longer than a message may be.
 */
import { parseBounded } from "../../base/json.ts";
import { messageBytesMax } from "../../base/limits.ts";
import { bytesOf } from "./input.ts";
import { linesOf } from "./json-lines.ts";

/** One text of a source. */
export interface SourceMessage {
  /** 0, 1, 2 … in the source. */
  readonly index: number;
  /** The line it stands on, where the source has one message a line; else null. */
  readonly line: number | null;
  readonly text: Uint8Array;
}

/** The messages of a file, or of standard input (`-`). Throws when it cannot be read. */
export async function* messagesOf(file: string, signal: AbortSignal): AsyncGenerator<SourceMessage, void> {
  const chunks = bytesOf(file, signal);
  const start = await readStart(chunks);
  if (!/\.(jsonl|ndjson)$/i.test(file) && !hasMessageALine(start)) {
    await chunks.return();
    yield { index: 0, line: null, text: start };
    return;
  }
  let index = 0;
  let line = 0;
  for await (const text of linesOf(continued(start, chunks), messageBytesMax)) {
    line++;
    if (isBlank(text)) continue;
    yield { index, line, text };
    index++;
  }
}

/** The first bytes, enough to see one over the limit of a message. */
async function readStart(chunks: AsyncGenerator<Uint8Array, void>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length <= messageBytesMax) {
    const next = await chunks.next();
    if (next.done) break;
    parts.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(parts);
}

async function* continued(start: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield start;
  yield* rest;
}

/** Whether the first line alone is a JSON object and the next begins another. An indented object is neither. */
function hasMessageALine(start: Uint8Array): boolean {
  const [first, second] = Buffer.from(start)
    .toString("utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return first !== undefined && second !== undefined && isObjectText(first) && second.trimStart().startsWith("{");
}

/** Whether the text is an object by itself, or one that breaks a bound: then the line has the fault, not the file. */
function isObjectText(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  const parsed = parseBounded(text);
  return parsed.ok || parsed.error.code !== "not-json";
}

function isBlank(text: Uint8Array): boolean {
  return text.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
