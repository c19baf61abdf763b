/** Reads the end of a file to which an agent program only appends. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** The file, without following a link; null: there is none, or it is no regular one. */
async function opened(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  // What cannot be opened cannot be read: the answer is then not known.
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
