/**
 * Cutting what a command is given into messages: a file is one message, or one a line (JSONL). Lines are streamed with a
 * bound on each, so such a file may be of any size; a single message may not be longer than a message may be.
 */
import { decodeUtf8, parseBounded } from "../../base/json.ts";
import { messageBytesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { bytesOf, unreadable } from "../../doors/cli/kernel/input.ts";

/** What a source may hold in addition to messages. */
export interface SourceForm {
  /** The longest line where a source has one message a line. */
  readonly lineBytesMax?: number;
}

/** One item of a source. */
export interface SourceMessage {
  /** 0, 1, 2 … in the source. */
  readonly index: number;
  /** The line it is on, where the source has one message a line; else null. */
  readonly line: number | null;
  /** Bytes where they may be no UTF-8. */
  readonly text: Line;
}

/** Where a message is, for people: the source, and its line. */
export function placeIn(source: string, { line }: SourceMessage): string {
  return line === null ? source : `${source}:${line}`;
}

/**
 * Hands every message of `files` (none: standard input) to `take`, one after another, until the command is stopped.
 * Returns why a source cannot be read (`not-json`: its lines are the parts of one indented value), or null.
 */
export async function eachMessage(
  call: Call,
  files: readonly string[],
  take: (file: string, message: SourceMessage) => void | Promise<void>,
  form: SourceForm = {},
): Promise<Problem | null> {
  if (files.length === 0 && process.stdin.isTTY) {
    return usageProblem("FILE", "FILE is missing, and standard input is a terminal.", "baton validate message.json");
  }
  for (const file of files.length === 0 ? ["-"] : files) {
    try {
      for await (const messages of messagesOf(file, call.signal, form)) {
        // Whether it was stopped is asked where it can have been: after every pause.
        if (call.signal.aborted) return null;
        if ("code" in messages) return messages;
        for (const message of messages) {
          const taken = take(file, message);
          if (taken === undefined) continue;
          await taken;
          if (call.signal.aborted) return null;
        }
      }
    } catch (cause) {
      if (!(cause instanceof Error && "syscall" in cause)) throw cause;
      return unreadable(file, cause);
    }
  }
  return null;
}

/** The messages of a file, or of standard input (`-`), as they come together. Throws when it cannot be read. */
async function* messagesOf(
  file: string,
  signal: AbortSignal,
  { lineBytesMax = messageBytesMax }: SourceForm,
): AsyncGenerator<readonly SourceMessage[] | Problem, void> {
  const chunks = bytesOf(file, signal);
  // Where the name says what a file is, its first lines are reported before its last are there.
  if (/\.(jsonl|ndjson)$/i.test(file)) return yield* lineMessages(file, chunks, lineBytesMax);
  const start = await readUpTo(chunks, messageBytesMax);
  if (hasMessageALine(start)) return yield* lineMessages(file, continued(start, chunks), lineBytesMax);
  await chunks.return();
  yield [{ index: 0, line: null, text: start }];
}

async function* lineMessages(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<readonly SourceMessage[] | Problem, void> {
  let index = 0;
  let line = 0;
  /** The line before, where it only opens a value: what follows tells whether the value is indented. */
  let opening: SourceMessage | null = null;
  for await (const texts of lineGroups(chunks, lineBytesMax)) {
    const messages: SourceMessage[] = [];
    for (const text of texts) {
      line++;
      if (isBlank(text)) continue;
      const message = { index, line, text };
      index++;
      if (opening !== null) {
        if (isIndented(text)) {
          yield messages;
          yield indentedProblem(placeIn(file, opening));
          return;
        }
        messages.push(opening);
        opening = null;
      }
      if (opensOnly(text)) opening = message;
      else messages.push(message);
    }
    yield messages;
  }
  if (opening !== null) yield [opening];
}

/** Whether a line is nothing but the brackets that open a value, as the first line of indented JSON is. */
function opensOnly(text: Line): boolean {
  if (text.length > openingCharactersMax) return false;
  return ["{", "[", "[{"].includes(lineText(text).replaceAll(/\s/g, ""));
}

/** A line that only opens a value is no longer, apart from blanks. */
const openingCharactersMax = 16;

/** Whether a line is a part of an indented value. */
function isIndented(text: Line): boolean {
  const start = text.slice(0, indentedCharactersMax);
  return /^[ \t]+["{[]/.test(typeof start === "string" ? start : lineText(start));
}

const indentedCharactersMax = 256;

function lineText(text: Line): string {
  return typeof text === "string" ? text : Buffer.from(text).toString("utf8");
}

function indentedProblem(place: string): Problem {
  return makeProblem(
    "not-json",
    place,
    "The file is read one message a line, but here a message is spread over lines.",
    {
      expected: "a whole JSON object on each line",
      received: "indented JSON",
      hint: "Write each message on one line (`jq -c . FILE`), or give a file with one message another ending than .jsonl.",
    },
  );
}

/** The bytes as they come, until there are more than `bytesMax`; the generator stays open for what follows. */
async function readUpTo(chunks: AsyncGenerator<Uint8Array, void>, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length <= bytesMax) {
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

/** Whether the text is an object by itself, or one that breaks a bound: then the line has the error, not the file. */
function isObjectText(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  const parsed = parseBounded(text);
  return parsed.ok || parsed.error.code !== "not-json";
}

function isBlank(text: Line): boolean {
  if (typeof text === "string") return /^[ \t\r]*$/.test(text);
  // Nearly every line ends this at its first byte.
  for (const byte of text) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}

/** A line without its end: its text, or its bytes where these may be no UTF-8, which is the message reader's question. */
type Line = string | Uint8Array;

/** The lines of `chunks` as bytes; a longer line is cut to `bytesMax + 1` bytes, its rest is dropped. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array, void> {
  const open = openLine(bytesMax);
  for await (const chunk of chunks) {
    yield* endedLines(chunk, open);
  }
  const last = open.end();
  if (last !== null) yield last;
}

/**
 * The lines of `chunks`, bounded as by `linesOf`, those that a chunk ends together: a message is judged in less time
 * than it takes to wait for a separate line, and than to decode each line for itself.
 */
export async function* lineGroups(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<readonly Line[], void> {
  const open = openLine(bytesMax);
  for await (const chunk of chunks) {
    const first = chunk.indexOf(LINE_FEED);
    const last = chunk.lastIndexOf(LINE_FEED);
    // Between the first and the last end there are only whole lines.
    const texts = last > first ? textLines(chunk.subarray(first + 1, last), bytesMax) : [];
    if (texts === null) yield [...endedLines(chunk, open)];
    else yield [...endedLines(chunk.subarray(0, first + 1), open), ...texts];
    if (texts !== null) open.hold(chunk.subarray(last + 1));
  }
  const last = open.end();
  if (last !== null) yield [last];
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The strings of whole lines; null: they must be taken one by one, since one may be too long or no UTF-8. */
function textLines(lines: Uint8Array, bytesMax: number): readonly string[] | null {
  const decoded = decodeUtf8(lines);
  if (!decoded.ok) return null;
  const texts = decoded.value.split("\n");
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? "";
    // A UTF-16 unit takes at most three bytes.
    if (text.length * 3 > bytesMax) return null;
    if (text.endsWith("\r")) texts[index] = text.slice(0, -1);
  }
  return texts;
}

/** The line that no chunk has ended yet. */
interface OpenLine {
  hold(part: Uint8Array): void;
  /** Ends the line; the next one is empty. */
  take(): Uint8Array;
  /** What is behind the last line end; null: nothing. */
  end(): Uint8Array | null;
}

function openLine(bytesMax: number): OpenLine {
  let held: Uint8Array[] = [];
  let length = 0;
  const take = (): Uint8Array => {
    const line = Buffer.concat(held);
    held = [];
    length = 0;
    return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
  };
  return {
    hold(part) {
      const room = bytesMax + 1 - length;
      if (room <= 0 || part.length === 0) return;
      const kept = part.subarray(0, room);
      held.push(kept);
      length += kept.length;
    },
    take,
    end: () => (length > 0 ? take() : null),
  };
}

/** The lines that `chunk` ends; what is behind them is held. */
function* endedLines(chunk: Uint8Array, open: OpenLine): Generator<Uint8Array, void> {
  let from = 0;
  for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
    open.hold(chunk.subarray(from, end));
    yield open.take();
    from = end + 1;
  }
  open.hold(chunk.subarray(from));
}
