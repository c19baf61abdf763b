/**
 * Cutting a stream of bytes into lines, with a bound on each. Works on files of any size, because no more is held than a
 * chunk and the line that it does not end.
 */
import { decodeUtf8 } from "../../base/json.ts";

/** A line without its end: its text, or its bytes where these may be no UTF-8, which is the message reader's question. */
export type Line = string | Uint8Array;

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

/*
 * Cutting a stream of bytes that is one JSON array into its elements, with a bound on each. Works on files of any size,
 * because no more is held than a chunk and the element that it does not end. Nothing is judged here: what is broken comes
 * out as an element that no JSON reader takes.
 */
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openers: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closers: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * The strings between the brackets and commas of the outermost array, in order; a longer one is cut to `bytesMax + 1`
 * bytes. An array that is not closed, or has more behind it, ends with an element that says so by being no JSON.
 */
export async function* elementsOf(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array, void> {
  const cut = newCutter(bytesMax);
  for await (const chunk of chunks) yield* cut.take(chunk);
  yield* cut.end();
}

function newCutter(bytesMax: number) {
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let isClosed = false;
  let count = 0;
  let held: Uint8Array[] = [];
  let length = 0;
  const hold = (part: Uint8Array): void => {
    const kept = part.subarray(0, Math.max(0, bytesMax + 1 - length));
    if (kept.length > 0) held.push(kept.slice());
    length += kept.length;
  };
  const taken = (): Uint8Array => {
    const element = Buffer.concat(held);
    held = [];
    length = 0;
    count += 1;
    return element;
  };
  /** Whether the byte ends an element: a comma between two, or the array's own bracket. */
  const ends = (byte: number): boolean => {
    if (inText) {
      inText = isEscaped || byte !== quote;
      isEscaped = !isEscaped && byte === backslash;
      return false;
    }
    if (byte === quote) inText = true;
    else if (openers.has(byte)) depth += 1;
    else if (closers.has(byte)) depth -= 1;
    else return byte === comma && depth === 1;
    isClosed = depth === 0;
    return isClosed;
  };
  return {
    *take(chunk: Uint8Array): Generator<Uint8Array, void> {
      let from = 0;
      for (let at = 0; at < chunk.length && !isClosed; at++) {
        const wasOutside = depth === 0;
        const isEnd = ends(chunk[at] ?? 0);
        if (wasOutside && depth === 1) from = at + 1;
        if (!isEnd) continue;
        hold(chunk.subarray(from, at));
        from = at + 1;
        const element = taken();
        // An empty array has no element, and one blank place in it is none.
        if (!isClosed || count > 1 || !isBlank(element)) yield element;
      }
      hold(chunk.subarray(from));
    },
    *end(): Generator<Uint8Array, void> {
      const rest = taken();
      if (!isBlank(rest)) yield rest;
      if (!isClosed) yield new Uint8Array();
    },
  };
}

function isBlank(text: Uint8Array): boolean {
  return text.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
