/**
 * An entry: one record of the journal, stored whole. The journal gives it a place (team, seq, epoch), a link in the
 * hash chain and a receipt; it does not interpret `content`.
 * Source: docs/protocol/journal.md, section 1.
 */
import type { MessageId, TeamName } from "../base/ids.ts";
import type { Json } from "../message/facts.ts";
import type { Principal } from "../message/principal.ts";

/** Every kind of entry. */
export const entryKinds = ["message", "command", "refusal", "ack", "timer", "team", "epoch"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** What a committer wants recorded. */
export interface EntryDraft {
  readonly kind: EntryKind;
  readonly principal: Principal;
  /** The id under which this act is idempotent for its principal; a retry with the same id and digest is a duplicate. */
  readonly id: MessageId | null;
  /** SHA-256 over the canonical form of what was asked; null where `id` is null. */
  readonly digest: string | null;
  /** Agents to whom this entry is addressed, each once; their inboxes show it. */
  readonly receivers: readonly string[];
  /** Whatever the runtime records: message, events, problems. Plain JSON. */
  readonly content: Json;
  /** A text kept to the letter beside the content; well-formed, without NUL. */
  readonly text?: string;
}

/** A recorded entry. */
export interface Entry extends EntryDraft {
  readonly team: TeamName;
  /** 1, 2, 3 ... within the team; never reused, gapless but for ranges an epoch entry declares lost. */
  readonly seq: number;
  /** 1, and one more after each accepted loss. */
  readonly epoch: number;
  /** When it was recorded, RFC 3339 UTC, by the recording machine's clock; never used for order. */
  readonly recordedAt: string;
  /** How far that clock was ahead of the time by which deadlines are counted, in milliseconds; absent: they agreed. */
  readonly aheadMs?: number;
  /** Hash of the entry before, 64 zeros for the first. */
  readonly prevHash: string;
  /** SHA-256 of the stored bytes, which include `prevHash`. */
  readonly hash: string;
}

/** What an acknowledged entry survives: power loss, a killed process, or nothing. */
export type Durability = "fsync" | "os" | "memory";

/** Proof that an act was accepted. It exists only after the commit. */
export interface Receipt {
  readonly team: TeamName;
  readonly seq: number;
  readonly id: MessageId | null;
  readonly digest: string | null;
  readonly hash: string;
  readonly prevHash: string;
  readonly epoch: number;
  readonly durability: Durability;
  /** True when the same act had been accepted before; the other fields are then those of the first time. */
  readonly duplicate: boolean;
}
