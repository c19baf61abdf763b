/**
 * A disk as a power cut may leave it, made from a write log.
 *
 *   file:       what was written before its last sync stays; each later write stays or not, or is torn at 512 bytes
 *   directory:  creations, renames and removals before its last sync stay; of the later ones a first part stays
 *
 * Files named `-shm` are shared memory and are ignored. Advance the disk event by event, then take as many images as
 * you like at each point; `cut` does not change the disk.
 */
import type { Chance } from "./seed.ts";
import type { FileEvent } from "./write-log.ts";

const sectorBytes = 512;

interface FileChange {
  readonly offset: number;
  /** Null: the file was truncated at `offset`. */
  readonly data: Buffer | null;
}

/** A file apart from its name: renaming moves it, removing forgets it. */
interface Node {
  durable: Buffer;
  pending: FileChange[];
}

type Names = Map<string, Node>;
type NameChange = (names: Names) => void;

/** File contents by absolute path. */
export type Image = ReadonlyMap<string, Buffer>;

export interface Disk {
  apply(event: FileEvent): void;
  /** The files that a cut at this moment may leave. */
  cut(chance: Chance): Image;
  /** The files as the process saw them. */
  whole(): Image;
}

/** A disk that holds `start`, all of it durable; `folder` is the directory of all names. */
export function diskFrom(folder: string, start: Image): Disk {
  const durableNames: Names = new Map([...start].map(([path, content]) => [path, { durable: content, pending: [] }]));
  const names: Names = new Map(durableNames);
  let nameChanges: NameChange[] = [];
  const change = (nameChange: NameChange): void => {
    nameChange(names);
    nameChanges.push(nameChange);
  };
  return {
    apply(event) {
      if (event.path.endsWith("-shm")) return;
      if (event.path === folder) {
        for (const nameChange of nameChanges) nameChange(durableNames);
        nameChanges = [];
        return;
      }
      applyToFile(event, names, change);
    },
    cut(chance) {
      const kept: Names = new Map(durableNames);
      for (const nameChange of nameChanges.slice(0, chance.below(nameChanges.length + 1))) nameChange(kept);
      return new Map([...kept].map(([path, node]) => [path, remains(node, chance)]));
    },
    whole: () => new Map([...names].map(([path, node]) => [path, replayed(node.durable, node.pending)])),
  };
}

function applyToFile(event: FileEvent, names: Names, change: (nameChange: NameChange) => void): void {
  if (event.kind === "create") {
    const node: Node = { durable: Buffer.alloc(0), pending: [] };
    change((changing) => changing.set(event.path, node));
    return;
  }
  const node = names.get(event.path);
  // A descriptor may outlive its name; what is written to a file without a name reaches no image.
  if (node === undefined) return;
  switch (event.kind) {
    case "write":
      node.pending.push({ offset: event.offset, data: event.data });
      return;
    case "truncate":
      node.pending.push({ offset: event.length, data: null });
      return;
    case "sync":
      node.durable = replayed(node.durable, node.pending);
      node.pending = [];
      return;
    case "unlink":
      change((changing) => changing.delete(event.path));
      return;
    case "rename":
      change((changing) => {
        changing.delete(event.path);
        changing.set(event.target, node);
      });
      return;
  }
}

/** What a cut leaves of one file. */
function remains(node: Node, chance: Chance): Buffer {
  const kept = node.pending.flatMap((pending): readonly FileChange[] => {
    const fate = chance.next();
    if (fate < 0.5) return [];
    return fate < 0.9 || pending.data === null
      ? [pending]
      : sectorsOf(pending.offset, pending.data).filter(() => chance.next() < 0.5);
  });
  return replayed(node.durable, kept);
}

/** One write as the writes of its sectors. */
function sectorsOf(offset: number, data: Buffer): readonly FileChange[] {
  const sectors: FileChange[] = [];
  for (let at = 0; at < data.length; ) {
    const next = Math.min(data.length, at + sectorBytes - ((offset + at) % sectorBytes));
    sectors.push({ offset: offset + at, data: data.subarray(at, next) });
    at = next;
  }
  return sectors;
}

/** The content after the changes; the content before stays as it was. */
function replayed(content: Buffer, changes: readonly FileChange[]): Buffer {
  if (changes.length === 0) return content;
  const longest = Math.max(content.length, ...changes.map((change) => change.offset + (change.data?.length ?? 0)));
  const result = Buffer.alloc(longest);
  content.copy(result);
  let length = content.length;
  for (const { offset, data } of changes) {
    if (data === null) result.fill(0, Math.min(offset, length), length);
    else data.copy(result, offset);
    length = data === null ? offset : Math.max(length, offset + data.length);
  }
  return result.subarray(0, length);
}
