/**
 * An entry: one record of the journal, stored whole. The journal gives it a place (team, seq, epoch), a link in the
 * hash chain and a receipt; it does not interpret `content`.
 * Source: docs/protocol/record.md, section 1.
 */
import { type MessageId, messageId, type TeamName, teamName } from "../base/ids.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../base/json.ts";
import type { Json } from "../messages/facts.ts";
import type { Principal } from "../messages/principal.ts";
import { departments, isRole } from "../messages/role.ts";

/** Every kind of entry. */
export const entryKinds = ["message", "command", "refusal", "ack", "timer", "team", "epoch"] as const;
/** What an entry of the record is: a message, an operation, a refusal, an acknowledgement, a deadline and so on. */
export type EntryKind = (typeof entryKinds)[number];

/** What a committer wants recorded. */
export interface EntryDraft {
  readonly kind: EntryKind;
  readonly principal: Principal;
  /**
   * The id under which this operation is idempotent for its principal; a retry with the same id and digest is a
   * duplicate.
   */
  readonly id: MessageId | null;
  /** SHA-256 over the canonical form of what was asked; null where `id` is null. */
  readonly digest: string | null;
  /** Agents to whom this entry is addressed, each once; their inboxes show it. */
  readonly receivers: readonly string[];
  /** Whatever the runtime records: message, events, problems. Plain JSON. */
  readonly content: Json;
  /** A string that is kept verbatim next to the content; well-formed, without NUL. */
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

/** Proof that an operation was accepted. It exists only after the commit. */
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

/*
 * Whether a JSON value has the form of an entry, for values that come from outside. What its content means is another's
 * question.
 */

/** The value as an entry; null: it is none. Nothing is copied, so its keys stay in their order. */
export function readEntry(value: Json): Entry | null {
  if (!isJsonObject(value)) return null;
  const { team, seq, epoch, kind, recordedAt, prevHash, hash, principal, id, digest, receivers, content, text } = value;
  const isEntry =
    isText(team) &&
    teamName(team) !== null &&
    isCount(seq) &&
    isCount(epoch) &&
    entryKinds.some((known) => known === kind) &&
    isText(recordedAt) &&
    !Number.isNaN(Date.parse(recordedAt)) &&
    isHash(prevHash) &&
    isHash(hash) &&
    isJsonObject(principal ?? null) &&
    isPrincipal(principal as JsonObject) && // an object, as the line above found
    (id === null || (isText(id) && messageId(id) !== null)) &&
    (digest === null || isHash(digest)) &&
    isJsonList(receivers ?? null) &&
    (receivers as readonly Json[]).every(isText) && // a list, as the line above found
    isJsonObject(content ?? null) &&
    (text === undefined || isText(text));
  // Every field has been looked at; those that an entry may have besides are kept with it.
  return isEntry ? (value as unknown as Entry) : null;
}

/** Whether the value means to be an entry, be it a good one or not. */
export function looksLikeEntry(value: Json): boolean {
  return isJsonObject(value) && ["seq", "kind", "prevHash", "hash"].every((key) => Object.hasOwn(value, key));
}

function isPrincipal({ agent, role, department, via, person }: JsonObject): boolean {
  return (
    isText(agent) &&
    (person === undefined || isText(person)) &&
    (role === null || (isText(role) && isRole(role))) &&
    (department === undefined || departments.some((known) => known === department)) &&
    ["token", "launcher", "hook"].some((known) => known === via)
  );
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string";
}

function isCount(value: Json | undefined): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function isHash(value: Json | undefined): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

export interface Page {
  readonly entries: readonly Entry[];
  /** Read on with `after: next`; null at the head. */
  readonly next: number | null;
}

/** The head of a team's stream. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
  readonly epoch: number;
}
