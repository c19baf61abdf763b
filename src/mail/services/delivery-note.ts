/**
 * How far an agent's mail has come beyond what the record says: what its model was shown in its present context, and how
 * long messages took to each stage. Kept next to the journal and overwritten all the time; without it mail is shown
 * again, and nothing is lost.
 * Source: docs/protocol/record.md, section 5.
 */
import { timestampOf } from "../../base/clock.ts";
import { isJsonObject, parseBounded } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { DeliveryState, Lag, Unguarded } from "../../team/operations/agents.ts";

/** The stages of a message after it was recorded, in order. */
export const deliveryStages = ["offered", "injected", "seen", "acknowledged"] as const;
export type DeliveryStage = (typeof deliveryStages)[number];

/** What a hook or a tool has shown to an agent's model. */
export interface ShownMail {
  /** The context of the model; null: the one that a hook named last. */
  readonly context: string | null;
  /** Everything up to this number was shown; 0: nothing. */
  readonly seq: number;
  /** Whether a hook put it into the context: the next call then confirms that it was read. */
  readonly injected?: boolean;
  /** The answer of the model at which it was injected: only a call of a later one confirms it. Absent: any call does. */
  readonly answer?: string;
  /** Those of the messages that a hook only named, because they are too long for its answer. */
  readonly named?: readonly number[];
  /** A tool returned, whole, what comes after this number; absent: what comes after the last acknowledged one. */
  readonly after?: number;
  /** The context begins here, so nothing of it was shown before. */
  readonly begins?: boolean;
  /** The newest claim that the agent was reminded of. */
  readonly told?: number;
  /** Whether the agent works from now on or waits; absent: as before. */
  readonly idle?: boolean;
  /** Whether something wakes the agent in this context; absent: as before. */
  readonly wakes?: boolean;
  /** The free task for which the agent is woken, as its status names it; absent: as before. */
  readonly called?: string;
  /** Why its program may run no hook; absent: as before, and of a hook, that it does. */
  readonly unguarded?: Unguarded["because"];
  readonly process?: string;
  /** How many characters were put into the context; absent: none. */
  readonly characters?: number;
}

/** A message that was offered and is not acknowledged. */
interface OpenMessage {
  readonly seq: number;
  readonly recordedMs: number;
  readonly isInjected: boolean;
  readonly isSeen: boolean;
}

interface Note extends Omit<DeliveryState, "lags"> {
  /** Up to here hooks showed or named messages in the context; what of that may be acknowledged, says `confirmable`. */
  readonly injected: number;
  /** Messages that hooks only named in the context. They hold up acknowledging: it covers everything before it. */
  readonly named: readonly number[];
  /** Such messages that a tool has returned since, in an answer that the model may not have yet. */
  readonly read: readonly number[];
  /** Up to here a tool has returned what comes after `injected`, in such an answer; 0: none has. */
  readonly returned: number;
  /** The highest number that was offered. */
  readonly offered: number;
  readonly open: readonly OpenMessage[];
  /** The newest last, in milliseconds. */
  readonly lags: Readonly<Partial<Record<DeliveryStage, readonly number[]>>>;
}

/** Most messages that are followed at a time, and most times that are kept of a stage. */
const openMax = 100;
const lagsMax = 50;

const none: Note = {
  context: null,
  shown: 0,
  injected: 0,
  answer: null,
  named: [],
  read: [],
  returned: 0,
  told: 0,
  idle: false,
  idleSince: null,
  wakes: null,
  called: null,
  unguarded: null,
  characters: 0,
  offered: 0,
  open: [],
  lags: {},
};

/** What is noted about the agent's mail, as it is shown. */
export function deliveryState(text: string | undefined): DeliveryState {
  const note = readNote(text ?? null);
  const { context, shown, answer, told, idle, idleSince, wakes, called, unguarded, characters, lags } = note;
  const found = deliveryStages.flatMap((stage) => {
    const times = lags[stage] ?? [];
    return times.length === 0 ? [] : [[stage, lagOf(times)] as const];
  });
  return {
    context,
    shown,
    injected: confirmable(note),
    answer,
    told,
    idle,
    idleSince,
    wakes,
    called,
    unguarded,
    characters,
    lags: Object.fromEntries(found),
  };
}

/** Up to which message the next call confirms: up to the last one before a message that the model does not have whole. */
function confirmable({ injected, named, read, open }: Note): number {
  const first = Math.min(...named, ...read);
  if (first > injected) return injected;
  return open.findLast(({ seq, isInjected }) => isInjected && seq < first)?.seq ?? 0;
}

function lagOf(times: readonly number[]): Lag {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
  return { messages: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95) };
}

/** Notes that these messages were offered. */
export function noteOffered(
  context: TeamContext,
  agent: string,
  deliveries: readonly { readonly seq: number; readonly recordedAt: string }[],
) {
  return change(context, agent, (note, nowMs) => {
    const fresh = deliveries
      .filter(({ seq }) => seq > note.offered)
      .map(({ seq, recordedAt }) => ({ seq, recordedMs: Date.parse(recordedAt), isInjected: false, isSeen: false }));
    const last = fresh.at(-1);
    if (last === undefined) return null;
    const open = [...note.open, ...fresh].slice(-openMax);
    return { ...note, offered: last.seq, open, lags: withLags(note, "offered", fresh, nowMs) };
  });
}

/** Notes that the reader has seen everything up to `seq`. */
export function noteSeen(context: TeamContext, agent: string, seq: number) {
  return change(context, agent, (note, nowMs) => {
    const reached = note.open.filter((each) => each.seq <= seq && !each.isSeen);
    if (reached.length === 0) return null;
    const open = note.open.map((each) => (each.seq <= seq ? { ...each, isSeen: true } : each));
    return { ...note, open, lags: withLags(note, "seen", reached, nowMs) };
  });
}

/** Notes that the reader has acknowledged everything up to `seq`, which it has then seen too. */
export function noteAcknowledged(context: TeamContext, agent: string, seq: number) {
  return change(context, agent, (note, nowMs) => {
    const reached = note.open.filter((each) => each.seq <= seq);
    const injected = note.injected <= seq ? 0 : note.injected;
    const returned = note.returned <= seq ? 0 : note.returned;
    const [named, read] = [note.named, note.read].map((each) => each.filter((one) => one > seq)) as [
      number[],
      number[],
    ];
    const isHeldAsBefore = named.length === note.named.length && read.length === note.read.length;
    const isAsBefore = injected === note.injected && returned === note.returned && isHeldAsBefore;
    if (reached.length === 0 && isAsBefore) return null;
    const unseen = reached.filter(({ isSeen }) => !isSeen);
    const seen = { ...note, lags: withLags(note, "seen", unseen, nowMs) };
    const open = note.open.filter((each) => each.seq > seq);
    return { ...note, injected, returned, named, read, open, lags: withLags(seen, "acknowledged", reached, nowMs) };
  });
}

/** Notes what a hook or a tool has shown to the agent's model. */
export function noteShown(context: TeamContext, agent: string, mail: ShownMail, head = 0) {
  return change(context, agent, (before, nowMs) => {
    const context = mail.context ?? before.context;
    const isNew = mail.begins === true || (before.context !== null && context !== before.context);
    const idle = mail.idle ?? before.idle;
    const idleSince = !idle ? null : before.idle ? before.idleSince : timestampOf(nowMs);
    const wakes = mail.wakes ?? (isNew ? null : before.wakes);
    const called = mail.called ?? before.called;
    const characters = before.characters + (mail.characters ?? 0);
    const { unguarded: because, process } = mail;
    const of = process === undefined ? {} : { process };
    const found = because === undefined ? null : { because, seq: head, at: timestampOf(nowMs), ...of };
    const unguarded = found ?? (mail.context === null ? before.unguarded : null);
    const same = { ...before, context, idle, idleSince, wakes, called, unguarded, characters };
    const note = isNew
      ? { ...same, shown: 0, injected: 0, answer: null, named: [], read: [], returned: 0, told: 0 }
      : same;
    const held = heldAfter(note, mail);
    const isByTool = mail.context === null;
    // What a tool passed over is not shown.
    const follows = !isByTool || (mail.after ?? 0) <= note.shown;
    const shown = follows ? Math.max(note.shown, mail.seq) : note.shown;
    const told = Math.max(note.told, mail.told ?? 0);
    const read = { ...note, ...held, shown, told };
    const isRead = isByTool && follows && mail.seq > Math.max(note.injected, note.returned);
    if (isRead) return { ...read, returned: mail.seq };
    const upTo = isByTool ? 0 : Math.max(note.returned, mail.injected === true ? mail.seq : 0);
    const isFreed = !isByTool && note.read.length > 0;
    if (upTo === 0 && !isFreed) {
      const isHeldAsBefore = held.named.length === note.named.length && held.read.length === note.read.length;
      const isAsBefore =
        context === before.context &&
        idle === before.idle &&
        wakes === before.wakes &&
        called === before.called &&
        unguarded === before.unguarded &&
        characters === before.characters &&
        isHeldAsBefore;
      return !isNew && isAsBefore && shown === note.shown && told === note.told ? null : read;
    }
    const isReached = ({ seq, isInjected }: OpenMessage) =>
      seq <= upTo && !isInjected && !held.named.includes(seq) && !held.read.includes(seq);
    const reached = note.open.filter(isReached);
    const open = note.open.map((each) => (isReached(each) ? { ...each, isInjected: true } : each));
    const injected = Math.max(note.injected, upTo);
    const { answer = null } = mail;
    return { ...read, returned: 0, injected, answer, open, lags: withLags(note, "injected", reached, nowMs) };
  });
}

/**
 * The messages that hold up acknowledging, once this was shown. What a tool returned is no longer only named. A hook that
 * notes something comes after that tool, so the call after it is the model's, with the tool's answer before it.
 */
function heldAfter({ named, read }: Note, mail: ShownMail): Pick<Note, "named" | "read"> {
  if (mail.context !== null) return { named: [...named, ...(mail.named ?? [])], read: [] };
  const isRead = (seq: number) => seq > (mail.after ?? 0) && seq <= mail.seq;
  return { named: named.filter((seq) => !isRead(seq)), read: [...read, ...named.filter(isRead)] };
}

function withLags(
  { lags }: Pick<Note, "lags">,
  stage: DeliveryStage,
  reached: readonly Pick<OpenMessage, "recordedMs">[],
  nowMs: number,
): Note["lags"] {
  if (reached.length === 0) return lags;
  // A clock that was set back makes no time negative.
  const times = reached.map(({ recordedMs }) => Math.max(0, Math.round(nowMs - recordedMs)));
  return { ...lags, [stage]: [...(lags[stage] ?? []), ...times].slice(-lagsMax) };
}

/**
 * Changes an agent's note; null: it stays. A journal that cannot be written notes nothing, which is no error of the one
 * who reads its mail there.
 */
async function change(
  { journal, team, clock }: TeamContext,
  agent: string,
  to: (note: Note, nowMs: number) => Note | null,
): Promise<Result<void, Problem>> {
  if (journal.condition().condition !== "ready") return ok(undefined);
  const known = await journal.notes(team);
  if (!known.ok) return known;
  // Most calls change nothing, and those take no lock.
  if (to(readNote(known.value.get(agent) ?? null), clock.now()) === null) return ok(undefined);
  const noted = await journal.note(team, agent, (before) => {
    const after = to(readNote(before), clock.now());
    return after === null ? null : JSON.stringify(after);
  });
  const isStorage = !noted.ok && ["journal-read-only", "journal-copied", "journal-full"].includes(noted.error.code);
  return isStorage ? ok(undefined) : noted;
}

/** The note in `text`; what no Baton of this form wrote counts as none. */
function readNote(text: string | null): Note {
  const parsed = text === null ? null : parseBounded(text);
  if (parsed === null || !parsed.ok || !isJsonObject(parsed.value)) return none;
  const { context, shown, injected, told, idle, offered, open, lags } = parsed.value;
  const isWhole =
    (context === null || typeof context === "string") &&
    [shown, injected, told, offered].every((each) => Number.isSafeInteger(each)) &&
    typeof idle === "boolean" &&
    [open, parsed.value.named ?? [], parsed.value.read ?? []].every(Array.isArray) &&
    isJsonObject(lags ?? null);
  // Written by `change` from a note, by an older Baton perhaps; nobody else writes there.
  return isWhole ? { ...none, ...(parsed.value as unknown as Note) } : none;
}
