/**
 * What the runtime puts into an entry's `content`, and how it is read back. The journal does not interpret it; this
 * file is the one place that says what is inside. A refusal is recorded like everything else, but never whole: its
 * entry keeps the digest, the size, the reasons and a short beginning of what was refused.
 * Source: docs/protocol/record.md, section 1.
 */

import { canonical, sha256 } from "../base/canonical.ts";
import type { MessageId } from "../base/ids.ts";
import { invariant } from "../base/invariant.ts";
import { isJsonObject, type Json, type JsonObject, parseBounded } from "../base/json.ts";
import { refusalExcerptBytesMax } from "../base/limits.ts";
import { boundedProblems, type Problem } from "../base/problem.ts";
import { shortenBytes } from "../base/text.ts";
import type { Entry, EntryDraft } from "../journal/entry.ts";
import type { DialectId, Message, Note } from "../messages/message.ts";
import { batonName, ownerName, type Principal } from "../messages/principal.ts";
import type { StayingTree } from "../tasks/state/task-state.ts";
import type { TeamEvent } from "../team/state/revision.ts";
import type { CoordinationEvent } from "./deciders.ts";
import { messageOf, type RecordedMessage } from "./recorded-message.ts";

/** What was refused: enough to recognise it, never the whole message. */
export interface RefusedText {
  readonly dialect: DialectId | null;
  readonly type: string | null;
  /** The task that a message says it is about, as written; absent: it names none, or could not be read. */
  readonly task?: string;
  /** SHA-256 of the whole. */
  readonly digest: string;
  /** Size of the whole in bytes of UTF-8. */
  readonly bytes: number;
  /** The first bytes, at most `refusalExcerptBytesMax`. */
  readonly excerpt: string;
  /** The same for requests that differ only in what is new at each try, and are refused for the same reasons. */
  readonly same?: string;
  /** How many more were refused since the one before was recorded; absent: none. */
  readonly unrecorded?: number;
}

/** Who is in the way of a claim. */
export interface Denial {
  /** The agent that holds the task or files of it; null: nobody does. */
  readonly holder: string | null;
  /** The claim's paths that others hold, or that the contract keeps out. */
  readonly paths: readonly string[];
  /** Why the work tree in which it would begin does not have what the task depends on; absent: something else denies it. */
  readonly tree?: StayingTree & { readonly key: string };
}

export interface Content {
  /** A message for the receivers, from an agent or written by Baton for the owner. */
  readonly message?: Message;
  /** Set for an imported message: where it comes from. */
  readonly imported?: Origin;
  /** False: shown, but without effect (recorded under `observe`). */
  readonly effect?: boolean;
  /** What follows for the work. */
  readonly events?: readonly CoordinationEvent[];
  /** What follows for the roster. */
  readonly team?: readonly TeamEvent[];
  readonly notes?: readonly Note[];
  /** Why it was refused. */
  readonly problems?: readonly Problem[];
  readonly refused?: RefusedText;
  /** Who is in the way of a refused claim. */
  readonly denial?: Denial;
  /** The operation of a command entry, and its arguments. */
  readonly command?: { readonly name: string; readonly [argument: string]: Json };
  /** An acknowledgement: everything addressed to the principal up to here. */
  readonly acknowledged?: number;
  /** An epoch entry's lost range, written by the journal. */
  readonly reason?: string;
}

/** The task of a refused message, and of a refused operation, whose arguments begin with it; null: it names none. */
export function taskOfRefused({ dialect, type, task, excerpt }: RefusedText): string | null {
  if (task !== undefined) return task;
  if (dialect !== null || type === null) return null;
  const named = /^\{"task":("(?:[^"\\]|\\.){1,400}")[,}]/.exec(excerpt)?.[1];
  const read = named === undefined ? null : parseBounded(named);
  return read?.ok === true && typeof read.value === "string" ? read.value : null;
}

/** A content as an entry has it: all as it is, but the message in its recorded form. */
export type RecordedContent = Omit<Content, "message"> & { readonly message?: RecordedMessage };

/** What is known about a refused act. */
interface Refused {
  readonly principal: Principal;
  readonly id: MessageId | null;
  readonly digest: string;
  readonly bytes: number;
  readonly text: string;
  readonly dialect: DialectId | null;
  readonly type: string | null;
  /** The task that the message says it is about; absent or null: it names none. */
  readonly task?: string | null;
  readonly problems: readonly Problem[];
  /** What was asked for, without what is new at each try. */
  readonly asked: Json;
  readonly denial?: Denial;
}

/** The content of an entry that this runtime wrote. */
export function contentOf(entry: Entry): Content {
  const { message, ...effects } = recordedContent(entry);
  return message === undefined ? effects : { message: messageOf(message, entry), ...effects };
}

/** The content of a draft of this runtime. */
export function contentOfDraft({ content }: Pick<EntryDraft, "content">): RecordedContent {
  // As of an entry.
  return content as unknown as RecordedContent;
}

/** Everything but the message, for those who only fold or answer: the message's fact is not read back for them. */
export function effectsOf(entry: Entry): Omit<Content, "message"> {
  return recordedContent(entry);
}

function recordedContent(entry: Entry): RecordedContent {
  // Entries are written by `asJson` only, and the chain proves that nobody changed them since.
  const content = entry.content as unknown as RecordedContent;
  const isOlder = content.events?.some((event) => olderThing(event) !== null) === true;
  return isOlder ? { ...content, events: content.events?.map(withStatus) ?? [] } : content;
}

/** What older entries call `standing` is the status of the thing that an event records. */
const recordedThings: ReadonlyMap<string, string> = new Map([
  ["approval-requested", "request"],
  ["shutdown-started", "round"],
  ["escalation-opened", "escalation"],
  ["code-reviewed", "review"],
  ["api-negotiated", "contract"],
]);

/** What an older event records, and as which part of it; null: nothing that has a `standing`. */
function olderThing(event: CoordinationEvent): { readonly part: string; readonly thing: JsonObject } | null {
  const part = recordedThings.get(event.event);
  if (part === undefined) return null;
  // Events are recorded as plain JSON.
  const { [part]: thing = null } = event as unknown as JsonObject;
  return isJsonObject(thing) && thing.standing !== undefined ? { part, thing } : null;
}

function withStatus(event: CoordinationEvent): CoordinationEvent {
  const older = olderThing(event);
  if (older === null) return event;
  const { standing: status = null, ...rest } = older.thing;
  return { ...event, [older.part]: { ...rest, status } };
}

/** A content as the journal's plain JSON. */
export function asJson(content: RecordedContent): Json {
  // All parts are plain JSON by their types; the cast only drops the names.
  return content as unknown as Json;
}

/** A flat record of plain values, such as a problem or a note, as JSON. */
export function plainJson(record: object): JsonObject {
  return Object.fromEntries(Object.entries(record));
}

/** A problem's sentence as people read it: with the name of a field instead of its path. Holds agents' text. */
export function refusalSentence({ message }: Pick<Problem, "message">): string {
  return message.replaceAll(/\$\.(?:payload\.|body\.)?(?=[A-Za-z_])/g, "");
}

/** Where an imported message comes from. Nothing of it is proven. */
export interface Origin {
  readonly source: "messages" | "inbox" | "phase" | "events";
  /** Who said it, as the source has it: an agent's name or a role. */
  readonly from?: string;
  readonly to?: string;
  /** When, as the source has it. */
  readonly at?: string;
  /** Its id at the source, where the message has none itself. */
  readonly id?: string;
  /** The phase folder and the file in it, `01-auth/critique.jsonl`. */
  readonly file?: string;
  /** The how manieth of equal ones it is, from 2 on. */
  readonly nth?: number;
}

/* An entry without a request: Baton records expired deadlines. Source: docs/protocol/record.md, section 10. */

/** The draft of such an entry; `receivers` get the message of the content, where it has one. */
export function timerEntry(content: RecordedContent, receivers: readonly string[] = []): EntryDraft {
  return {
    kind: "timer",
    principal: { agent: batonName, role: null, via: "launcher" },
    id: null,
    digest: null,
    receivers,
    content: asJson(content),
  };
}

/** The draft of an entry about the journal itself, such as where it continues: the owner's act, next to the file. */
export function ownersEntry(content: RecordedContent): EntryDraft {
  return {
    kind: "command",
    principal: { agent: ownerName, role: "owner", via: "launcher" },
    id: null,
    digest: null,
    receivers: [],
    content: asJson(content),
  };
}

/** The entry that records a refusal. It does not take the id: the same id may be sent again, repaired. */
export function refusalDraft(refused: Refused): EntryDraft {
  const { principal, id, digest, bytes, dialect, type, task = null } = refused;
  // One request may name thousands of agents that do not exist: the record and the answer stay bounded.
  const problems = boundedProblems(refused.problems);
  const reasons = problems.map(({ code, path }) => [code, path]);
  const same = sha256(canonical([refused.asked, reasons])).slice(0, 16);
  const excerpt = shortenBytes(refused.text.toWellFormed().replaceAll("\0", "\uFFFD"), refusalExcerptBytesMax);
  return {
    kind: "refusal",
    principal,
    id,
    digest,
    receivers: [],
    content: asJson({
      problems,
      ...(refused.denial === undefined ? {} : { denial: refused.denial }),
      refused: { dialect, type, ...(task === null ? {} : { task }), digest, bytes, excerpt, same },
    }),
  };
}

/** The refusal of an operation that came as a command: its arguments take the place of the text. */
export function commandRefusal(
  act: Pick<Refused, "principal" | "id" | "digest" | "problems" | "denial"> & {
    readonly name: string;
    readonly asked: unknown;
  },
): EntryDraft {
  const text = JSON.stringify(act.asked);
  const bytes = new TextEncoder().encode(text).byteLength;
  return refusalDraft({ ...act, asked: [act.name, act.digest], bytes, text, dialect: null, type: act.name });
}

/** The wire object of a recorded message that is no prose. */
export function wireOf(message: Message): JsonObject {
  const { wire } = message;
  if (wire !== undefined) return wire;
  const parsed = parseBounded(message.text);
  invariant(parsed.ok && isJsonObject(parsed.value), "a recorded typed message is readable JSON");
  return parsed.value;
}
