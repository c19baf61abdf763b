/**
 * Reads a file to which an agent program only appends, line by line, from where the last reading ended: a long conversation
 * is read once. Between the pieces others have a turn.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** What is known of a file from earlier readings. */
interface Reading<Found> {
  /** The file itself: another one under the same path is read from its start. */
  readonly file: string;
  /** The byte after the last whole line. */
  readonly end: number;
  readonly found: Found;
}

export interface AppendedLines<Found> {
  /** What all lines of the file show; null: there is no such file that may be read. */
  read(path: string): Promise<Found | null>;
}

const pieceBytes = 1024 * 1024;
/** A longer line is passed over. */
const lineBytesMax = 16 * 1024 * 1024;
/** Most files that are remembered: those of an agent's sessions and helpers. */
const filesMax = 256;

/**
 * `start`: what no line shows. `fold` adds what a line shows; a last line without its end is added again once it has grown,
 * so a line must replace what it showed before.
 */
export function appendedLines<Found>(
  start: () => Found,
  fold: (found: Found, line: string) => Found,
): AppendedLines<Found> {
  const known = new Map<string, Reading<Found>>();
  return {
    read: async (path) => {
      const handle = await opened(path);
      if (handle === null) return null;
      try {
        const { dev, ino, size } = await handle.stat();
        const before = known.get(path);
        const isSame = before?.file === `${dev}/${ino}` && before.end <= size;
        const from = isSame ? before : { file: `${dev}/${ino}`, end: 0, found: start() };
        const { end, found, rest } = await readOn(handle, from, size, fold);
        known.delete(path);
        known.set(path, { file: from.file, end, found });
        const [oldest] = known.keys();
        if (known.size > filesMax && oldest !== undefined) known.delete(oldest);
        // The last line may be whole and still without its end.
        return rest === "" ? found : fold(found, rest);
      } finally {
        await handle.close();
      }
    },
  };
}

async function readOn<Found>(
  handle: FileHandle,
  { end: from, found: before }: Reading<Found>,
  size: number,
  fold: (found: Found, line: string) => Found,
): Promise<{ readonly end: number; readonly found: Found; readonly rest: string }> {
  const piece = Buffer.alloc(pieceBytes);
  let found = before;
  let end = from;
  let rest: readonly Buffer[] = [];
  let restBytes = 0;
  for (let at = from; at < size; ) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, size - at), at);
    if (bytesRead === 0) break;
    const bytes = piece.subarray(0, bytesRead);
    let lineStart = 0;
    for (let lineEnd = bytes.indexOf(10); lineEnd >= 0; lineEnd = bytes.indexOf(10, lineStart)) {
      const isKept = restBytes + lineEnd - lineStart <= lineBytesMax;
      if (isKept) found = fold(found, Buffer.concat([...rest, bytes.subarray(lineStart, lineEnd)]).toString("utf8"));
      rest = [];
      restBytes = 0;
      lineStart = lineEnd + 1;
      end = at + lineStart;
    }
    const left = bytes.subarray(lineStart);
    restBytes += left.length;
    rest = restBytes > lineBytesMax ? [] : [...rest, Buffer.from(left)];
    at += bytesRead;
  }
  return { end, found, rest: Buffer.concat(rest).toString("utf8") };
}

/** Most bytes of a first line that is read: Codex writes its model's instructions into it. */
const firstLineBytesMax = 1024 * 1024;
const firstLinePiece = 32 * 1024;

/** The first line of the file; null: it has no whole one that may be read. */
export async function firstLineOf(path: string): Promise<string | null> {
  const handle = await opened(path);
  if (handle === null) return null;
  try {
    const pieces: Buffer[] = [];
    for (let at = 0; at < firstLineBytesMax; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(firstLinePiece), 0, firstLinePiece, at);
      const piece = buffer.subarray(0, bytesRead);
      const end = piece.indexOf(10);
      if (end >= 0) return Buffer.concat([...pieces, piece.subarray(0, end)]).toString("utf8");
      if (bytesRead === 0) return null;
      pieces.push(piece);
      at += bytesRead;
    }
    return null;
  } finally {
    await handle.close();
  }
}

/** The file, without following a link; null: there is none, or it is no regular one. */
async function opened(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  // What cannot be opened has no counts that could be read.
  const handle = await open(path, flags).catch(() => null);
  if (handle === null || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

/** So much of the end of a file is read where only the latest lines count. */
const endBytesMax = 1024 * 1024;

/** The end of the file as text, from the middle of a line on perhaps; empty: it cannot be read. */
export async function endOf(path: string): Promise<string> {
  const handle = await opened(path);
  if (handle === null) return "";
  try {
    const { size } = await handle.stat();
    const wanted = Math.min(size, endBytesMax);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(wanted), 0, wanted, size - wanted);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
