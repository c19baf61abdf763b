/**
 * What `journal import` reads, item by item: files, and folders whose files it knows by their names. An item is an
 * entry that a journal exported, also inside a CloudEvent, or something that was said earlier: a message, an entry of
 * an inbox, a row of a phase's file. A folder is read as deep as phase folders go and no further; what in it is a link,
 * no plain file or oddly named is reported and not followed.
 */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { canonical } from "../../base/canonical.ts";
import { agentName } from "../../base/ids.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { entryBytesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unreadable } from "../../doors/cli/kernel/input.ts";
import { looksLikeEntry } from "../../journal/entry.ts";
import { type DialectChoice, readChosen } from "../../mail/text/dialect-choice.ts";
import type { SourceMessage } from "../../mail/text/message-source.ts";
import type { Reading } from "../../messages/intake/reading.ts";
import {
  mailboxEntry,
  type SentMessage,
  sentMessages,
  teammateMessage,
  transcriptText,
} from "../../messages/intake/teammate-message.ts";
import { type Origin, originSources } from "../../perform/content.ts";
import { isPhaseFile, isPhaseName, type Past } from "../../perform/restoring.ts";

/** What an item turned out to be. */
export type ImportItem =
  | { readonly is: "entry"; readonly entry: Json }
  /** An entry that is not restored and contains no message. */
  | { readonly is: "nothing" }
  /** What was said earlier: one message, or what one row of a transcript shows. */
  | { readonly is: "past"; readonly past: readonly Past[] }
  | { readonly is: "faulty"; readonly problems: readonly Problem[] };

/** How items are read. */
export interface ItemReader {
  read(file: ImportFile, message: SourceMessage): Promise<ImportItem>;
}

const entryLimits = { bytesMax: entryBytesMax, depthMax: 64, nodesMax: 1_000_000 };

/** A reader that has read nothing yet: equal items are distinguished by how many came before, file by file. */
export function newItemReader(dialects: DialectChoice, options: { readonly asHistory: boolean }): ItemReader {
  const repeats = newRepeats();
  const counted = (text: string, origin: Origin): Origin => {
    // An origin holds strings and numbers only, so it is plain JSON.
    const nth = repeats.count(canonical([text, origin as unknown as JsonObject]));
    return nth === 1 ? origin : { ...origin, nth };
  };
  const past = (reading: Pick<Reading, "text" | "notes"> & Partial<Reading>, origin: Origin): ImportItem => {
    const {
      text,
      notes,
      dialect = null,
      type = null,
      rung = "markdown",
      wireId = null,
      fact = null,
      message,
    } = reading;
    const wire = message === undefined || message === null ? {} : { wire: message };
    return {
      is: "past",
      past: [{ message: { dialect, type, rung, wireId, text, fact, ...wire }, notes, origin: counted(text, origin) }],
    };
  };
  const said = async (text: string | Uint8Array, origin: Origin): Promise<ImportItem> => {
    const reading = await readChosen(text, dialects, { strict: false });
    return reading.outcome === "invalid" ? faulty(reading.problems) : past(reading, origin);
  };
  /** A transcript holds what was said, valid or not. */
  const asPast = async (text: string, speaker: Origin): Promise<ImportItem> => {
    const item = await said(text, speaker);
    return item.is === "faulty" ? past({ text, notes: [] }, speaker) : item;
  };
  /** The content of an entry that is not restored: a message, or what its journal had imported itself. */
  const ofEntry = async ({ kind, text, content, ...entry }: JsonObject): Promise<ImportItem> => {
    if (kind !== "message" || typeof text !== "string") return { is: "nothing" };
    const imported = isJsonObject(content ?? null) ? originIn((content as JsonObject).imported) : null; // an object
    if (imported?.source === "phase") return past({ text, notes: [] }, imported);
    return await said(text, imported ?? entryOrigin(entry));
  };
  return {
    async read(file, { text }) {
      const parsed = parseBounded(text, entryLimits);
      if (!parsed.ok) return faulty([parsed.error]);
      const { value } = parsed;
      if (!isJsonObject(value)) return faulty([notAnObject]);
      if (file.phaseFile !== undefined)
        return past({ text: textOf(text), notes: [] }, { source: "phase", file: file.phaseFile });
      if (looksLikeEntry(value)) {
        return options.asHistory ? await ofEntry(value) : { is: "entry", entry: value };
      }
      if (value.specversion === "1.0")
        return looksLikeEntry(value.data ?? null) && options.asHistory
          ? await ofEntry(value.data as JsonObject)
          : await eventItem(value, said);
      const sent = sentMessages(value);
      if (sent.length > 0) return await allOf(sent, (each) => asPast(each.text, sentOrigin(each, value)));
      const box = mailboxEntry(value);
      const origin = box === null ? originOf(value) : inboxOrigin(file, value, box.from);
      const words = box?.text ?? transcriptText(value);
      const spoken = teammateMessage(words ?? "");
      if (spoken === null) {
        const item = await said(text, origin);
        const isMessage =
          words !== null || item.is !== "past" || item.past.some(({ message }) => message.type !== null);
        return isMessage ? item : faulty([notSaid]);
      }
      const speaker = { ...origin, ...textField("from", spoken.from), ...textField("id", value.uuid) };
      return await asPast(spoken.text, speaker);
    },
  };
}

/** One item of all that a row of a transcript shows an agent sending. */
async function allOf(
  sent: readonly SentMessage[],
  read: (each: SentMessage) => Promise<ImportItem>,
): Promise<ImportItem> {
  const past: Past[] = [];
  for (const each of sent) {
    const item = await read(each);
    if (item.is === "past") past.push(...item.past);
  }
  return { is: "past", past };
}

/** Where a message comes from that a row of a transcript shows an agent sending. */
function sentOrigin({ from, to }: SentMessage, { timestamp, uuid }: JsonObject): Origin {
  const ids = { ...textField("to", to), ...textField("at", timestamp), ...textField("id", uuid) };
  return { source: "messages", ...textField("from", from), ...ids };
}

type Said = (text: string, origin: Origin) => Promise<ImportItem>;

/** Where the message of an entry comes from. */
function entryOrigin({ principal, receivers, recordedAt, id }: JsonObject): Origin {
  const agent = principal !== undefined && isJsonObject(principal) ? principal.agent : undefined;
  return {
    source: "messages",
    ...textField("from", agent),
    ...listField(receivers),
    ...textField("at", recordedAt),
    ...textField("id", id),
  };
}

/** The origin that an entry of an earlier import has; null: it has none that could be. */
function originIn(imported: Json | undefined): Origin | null {
  if (imported === undefined || !isJsonObject(imported)) return null;
  const source = originSources.find((known) => known === imported.source);
  const { file } = imported;
  const isPlaced = source !== "phase" || (typeof file === "string" && isPhaseFile(file));
  if (source === undefined || !isPlaced) return null;
  return {
    source,
    ...textField("from", imported.from),
    ...textField("to", imported.to),
    ...textField("at", imported.at),
    ...textField("id", imported.id),
    ...(source === "phase" && typeof file === "string" ? { file } : {}),
  };
}

/** A CloudEvent: what Baton exported is an entry again; the data of another's is a message, or words. */
async function eventItem(event: JsonObject, said: Said): Promise<ImportItem> {
  const { data } = event;
  if (data === undefined) return faulty([withoutData]);
  if (looksLikeEntry(data)) return { is: "entry", entry: data };
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return await said(text, {
    source: "events",
    ...textField("from", event.source),
    ...textField("at", event.time),
    ...textField("id", event.id),
  });
}

/** What a message says of itself. */
function originOf(message: JsonObject): Origin {
  const from = ["agent_id", "source_agent", "author_role", "from"].find((field) => typeof message[field] === "string");
  return {
    source: "messages",
    ...(from === undefined ? {} : textField("from", message[from])),
    ...textField("at", message.timestamp),
  };
}

function inboxOrigin({ path, shown }: ImportFile, entry: JsonObject, from: string): Origin {
  const owner = shown === "-" || !path.endsWith(".json") ? null : agentName(basename(path, ".json"));
  return {
    source: "inbox",
    ...textField("from", from),
    ...(owner === null ? {} : { to: owner }),
    ...textField("at", entry.timestamp),
    ...textField("id", entry.msg_id),
  };
}

/** Words of a source are kept short: they are shown in lists. */
const wordsMax = 256;

function textField<Name extends "from" | "to" | "at" | "id">(
  name: Name,
  value: Json | undefined,
): { readonly [name in Name]?: string } {
  if (typeof value !== "string" || value === "") return {};
  return { [name]: value.slice(0, wordsMax).toWellFormed() } as { readonly [name in Name]: string }; // the one field
}

function listField(receivers: Json | undefined): { readonly to?: string } {
  if (receivers === undefined || !isJsonList(receivers) || receivers.length === 0) return {};
  return {
    to: receivers
      .filter((one) => typeof one === "string")
      .join(", ")
      .slice(0, wordsMax)
      .toWellFormed(),
  };
}

function textOf(text: string | Uint8Array): string {
  return typeof text === "string" ? text : new TextDecoder().decode(text);
}

function faulty(problems: readonly Problem[]): ImportItem {
  return { is: "faulty", problems };
}

const notAnObject = makeProblem("not-an-object", "$", "A line of an import is one JSON object.", {
  hint: "one message, entry, event or row a line",
});

const notSaid = makeProblem("unknown-type", "$", "This is no entry of a journal, and nothing that anybody said.", {
  expected: "a line of `baton journal export`, a typed message, a CloudEvent, or an entry of an inbox or a transcript",
  hint: "Rows of a phase are imported by the folder that holds them.",
});

const withoutData = makeProblem("missing-field", "$.data", "This event carries no data.", { expected: "data" });

/*
 * Counts equal items without keeping them: a table of half digests in plain memory, 8 bytes for each item and as much
 * room again, so that a long file costs little. Two items that share 53 bits would be counted as one; up to many
 * millions that is less likely than a broken disk, and then an item gets another number and nothing is lost.
 */
export interface Repeats {
  /** The number of this item among equal ones, from 1. */
  count(text: string): number;
}

const emptySlots = 1024;
/** 53 bits: as much as a number keeps exactly. */
const highFactor = 2 ** 32;
const highMask = 0x1f_ff_ff;

/** A count that has seen nothing. */
export function newRepeats(): Repeats {
  // A number of 0 is a free slot; no mark is 0.
  let slots = new Float64Array(emptySlots);
  let held = 0;
  /** Items that came more than once, by their digest: how often. */
  const more = new Map<number, number>();
  const slotOf = (marks: Float64Array, mark: number): number => {
    let at = mark % marks.length;
    while (marks[at] !== 0 && marks[at] !== mark) at = (at + 1) % marks.length;
    return at;
  };
  const grow = (): void => {
    const wider = new Float64Array(slots.length * 2);
    for (const mark of slots) if (mark !== 0) wider[slotOf(wider, mark)] = mark;
    slots = wider;
  };
  return {
    count(text) {
      const mark = markOf(text);
      const at = slotOf(slots, mark);
      if (slots[at] === mark) {
        const nth = (more.get(mark) ?? 1) + 1;
        more.set(mark, nth);
        return nth;
      }
      slots[at] = mark;
      held += 1;
      if (held * 2 > slots.length) grow();
      return 1;
    },
  };
}

function markOf(text: string): number {
  const digest = createHash("sha256").update(text).digest();
  return (digest.readUInt32LE(0) & highMask) * highFactor + digest.readUInt32LE(4) + 1;
}

/** A file to be read. */
export interface ImportFile {
  readonly path: string;
  /** A pipe: what was read is gone. */
  readonly isOnce?: true;
  /** As people know it: the path, or `-`. */
  readonly shown: string;
  /** Where it is one of a phase folder: `01-auth/critique.jsonl`. */
  readonly phaseFile?: string;
}

/** Most files of one import. */
const filesMax = 10_000;

/** The files that `path` means, in order. Refuses `not-found`, and `invalid-path` what may not be read in a folder. */
export function importFiles(path: string): Result<readonly ImportFile[], Problem> {
  try {
    const facts = statSync(path);
    if (!facts.isDirectory()) return ok([{ path, shown: path, ...(facts.isFile() ? {} : { isOnce: true as const }) }]);
    const folder = basename(path) === "." || basename(path) === ".." ? "phase" : basename(path);
    const found = filesIn(path, folder, 0);
    if (!found.ok || found.value.length > 0) return found;
    return err(
      makeProblem("not-found", path, "There is nothing in this folder that can be imported.", {
        expected: "*.jsonl of a phase, folders of phases, or inboxes (*.json)",
      }),
    );
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return err(unreadable(path, cause));
  }
}

/** `depth` 0: the folder that was named, which may hold phases instead of being one. */
function filesIn(folder: string, phase: string, depth: 0 | 1): Result<readonly ImportFile[], Problem> {
  const found: ImportFile[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name);
    const facts = lstatSync(path);
    const isPhase = depth === 0 && facts.isDirectory() && isPhaseName(name);
    const isRows = name.endsWith(".jsonl");
    const isInbox = depth === 0 && name.endsWith(".json");
    if (!isRows && !isInbox && !isPhase) continue;
    if (!isPhase && !facts.isFile()) return err(notPlain(path));
    if (!isPhaseName(name) || !isPhaseName(phase)) return err(oddName(path));
    if (isPhase) {
      const inside = filesIn(path, name, 1);
      if (!inside.ok) return inside;
      found.push(...inside.value);
    } else found.push({ path, shown: path, ...(isRows ? { phaseFile: `${phase}/${name}` } : {}) });
    if (found.length > filesMax) return err(tooMany(folder));
  }
  return ok(found);
}

function notPlain(path: string): Problem {
  return makeProblem("invalid-path", path, "This is a link or no plain file; in a folder only plain files are read.", {
    hint: "name the file itself, or move it out of the folder",
  });
}

function oddName(path: string): Problem {
  return makeProblem("invalid-path", path, "This name cannot be kept as a phase's or a file's.", {
    expected: "a letter or digit, then at most 127 of A-Z a-z 0-9 . _ -",
    hint: "rename it",
  });
}

function tooMany(path: string): Problem {
  return makeProblem("too-large", path, `There are more than ${filesMax} files in this folder.`, {
    hint: "import its folders one by one",
  });
}
