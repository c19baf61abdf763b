/**
 * The entries of older journals that say what of a team is in an archive: a copy of its entries in a file, by the file's
 * SHA-256 and the last entry in it. A journal could give up the archived entries of a team. Its stream then begins with the
 * entry that names the archive, whose link leads to the last entry there, so that the chain has no unexplained gap.
 * Source: docs/protocol/record.md, section 17.
 */
import type { Entry, Head } from "./entry.ts";

/** The team was archived; the journal gave up what is in the archive; the team continues, with all its entries. */
const archiveActs = ["archive-team", "drop-archived", "restore-team"] as const;
type ArchiveAct = (typeof archiveActs)[number];

/** What such an entry says. */
export interface ArchiveNotice {
  readonly act: ArchiveAct;
  /** The archive's name when it was written, without its folder. */
  readonly file: string;
  /** SHA-256 of the file. */
  readonly digest: string;
  /** The last entry in it. The first one is entry 1. */
  readonly head: Head;
}

/** What the entry says about an archive; null: nothing. */
export function readArchiveNotice({ kind, content, principal }: Entry): ArchiveNotice | null {
  if (kind !== "command" || principal.role !== "owner" || principal.via !== "launcher") return null;
  if (content === null || typeof content !== "object" || !("command" in content)) return null;
  const { command } = content as { readonly command?: Partial<Record<string, unknown>> };
  const act = archiveActs.find((each) => each === command?.name);
  const { file, digest, head } = command ?? {};
  if (act === undefined || typeof file !== "string" || typeof digest !== "string" || !isHead(head)) return null;
  return { act, file, digest, head };
}

function isHead(value: unknown): value is Head {
  if (value === null || typeof value !== "object") return false;
  const { seq, hash, epoch } = value as Partial<Record<string, unknown>>;
  return typeof seq === "number" && typeof hash === "string" && typeof epoch === "number";
}

/** The head of the archive behind which a stream may begin with this entry; null: it may not. */
export function headBefore(entry: Entry): Head | null {
  const notice = readArchiveNotice(entry);
  if (notice?.act !== "archive-team") return null;
  const { seq, hash, epoch } = notice.head;
  return entry.seq === seq + 1 && entry.prevHash === hash && entry.epoch === epoch ? notice.head : null;
}

/** Whether a stream that begins with `first` has given up the entry at `head` to an archive. */
export function isArchived(first: Entry | undefined, head: Head): boolean {
  const before = first === undefined || first.seq <= head.seq ? null : headBefore(first);
  return before !== null && (before.seq > head.seq || before.hash === head.hash);
}
