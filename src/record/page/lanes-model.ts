/**
 * The record over time, ready to be drawn: the hub's columns as numbers that are searched by halves, a lane for each
 * agent, and which entries pass what the view is narrowed to. Pure.
 */

import { ageOf, counted } from "../../base/text.ts";
import { type Look, outcomeLooks } from "../../doors/page/shown/look.ts";
import { dayTime, timesOfPart } from "../../doors/page/shown/moment.ts";
import { axisOf, type TimeAxis, wholeTime } from "../../doors/page/shown/time-axis.ts";
import type { Span } from "../../doors/page/shown/time-span.ts";
import type { Lanes } from "../operations/lanes.ts";

type Outcome = Lanes["outcomes"][number];

/** How an entry is drawn where there is room for each. */
export type Mark = "refusal" | "report" | "message" | "other";

/** Bad before open before good: a column of pixels that stands for several has the colour of the first. */
export type Tone = "bad" | "warn" | "said" | "good" | "quiet";
export const tones: readonly Tone[] = ["bad", "warn", "said", "good", "quiet"];

/** As entries look, in the colours that bars have; what was disputed once is bad also where it is repaired. */
function toneOf(outcome: NonNullable<Outcome>): Tone {
  const { tone } = outcomeLooks[outcome];
  if (outcome === "repaired") return "bad";
  return tone === "gone" ? "warn" : tone === "accent" ? "said" : tone === "faint" ? "quiet" : tone;
}

/** Of claims that ended without a report; every other was given back. */
const endTones: Readonly<Partial<Record<Claim["end"], Claim["tone"]>>> = {
  held: "claim",
  disappeared: "warn",
  expired: "warn",
};

/** Reports carry the commit that they are about. */
const reports: ReadonlySet<string> = new Set(["progress", "completion"]);

export interface Claim {
  readonly task: string;
  readonly seq: number;
  readonly from: number;
  readonly to: number | null;
  readonly end: Lanes["claims"][number]["end"];
  readonly tone: Tone | "claim";
  readonly word: string;
}

export interface Lane {
  readonly agent: string;
  /** Places of the entries that the agent sent, by their time. */
  readonly sent: Int32Array;
  readonly claims: readonly Claim[];
}

/**
 * Entries are known by their place from 0 on, by their time: those of a machine whose clock is ahead may stand behind later
 * ones. Times are in milliseconds and, where `axis` draws pauses narrow, drawn time.
 */
export interface LaneModel {
  /** The last entry that it knows of. */
  readonly seq: number;
  readonly axis: TimeAxis;
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
  readonly seqs: Float64Array;
  readonly times: Float64Array;
  /** Places in `lanes`. */
  readonly senders: Int32Array;
  readonly receivers: readonly (readonly number[])[];
  /** Places in `tones`. */
  readonly toneOf: Uint8Array;
  readonly outcomeOf: (place: number) => Outcome;
  readonly taskOf: (place: number) => string | null;
  readonly kindOf: (place: number) => string;
  readonly markOf: (place: number) => Mark;
  /** When a lane's agent acknowledged the entry; null: it has not. */
  readonly acknowledgedAt: (lane: number, place: number) => number | null;
  /** The outcomes that there are. */
  readonly outcomes: readonly NonNullable<Outcome>[];
}

/** The model of the hub's answer. `order`: agents as the page lists them; others come behind, in the order of the record. */
export function modelOf(answer: Lanes, order: readonly string[]): LaneModel {
  const { entries, agents } = answer;
  const names = [...order.filter((name) => agents.includes(name)), ...agents.filter((name) => !order.includes(name))];
  const laneOf = agents.map((name) => names.indexOf(name));
  const [recorded, at] = [summed(entries.seq), summed(entries.at)];
  const rows = Int32Array.from(at.keys());
  if (at.some((time, row) => time < (at[row - 1] ?? time)))
    rows.sort((one, other) => (at[one] ?? 0) - (at[other] ?? 0) || one - other);
  const seqs = Float64Array.from(rows, (row) => recorded[row] ?? 0);
  const times = Float64Array.from(rows, (row) => at[row] ?? 0);
  const senders = Int32Array.from(rows, (row) => laneOf[entries.sender[row] ?? 0] ?? 0);
  const sent = names.map(() => [] as number[]);
  const toneOfOutcome = answer.outcomes.map((outcome) => tones.indexOf(outcome === null ? "quiet" : toneOf(outcome)));
  const toneAt = Uint8Array.from(rows, (row) => toneOfOutcome[entries.outcome[row] ?? 0] ?? tones.length - 1);
  for (const [place, sender] of senders.entries()) sent[sender]?.push(place);
  const acknowledged = names.map(() => [] as { readonly seq: number; readonly at: number }[]);
  for (const each of answer.acknowledged) acknowledged[laneOf[each.agent] ?? 0]?.push(each);
  const claims = names.map(() => [] as Claim[]);
  for (const claim of answer.claims) {
    const outcome = answer.outcomes[claim.outcome] ?? null;
    const tone = outcome === null ? (endTones[claim.end] ?? "quiet") : toneOf(outcome);
    const word = outcome === null ? claim.end.replaceAll("-", " ") : outcomeLooks[outcome].word;
    const { seq: claimSeq, from, to, end } = claim;
    const task = answer.tasks[claim.task] ?? "";
    claims[laneOf[claim.agent] ?? 0]?.push({ task, seq: claimSeq, from, to, end, tone, word });
  }
  const kindOf = (place: number) => answer.kinds[entries.kind[rows[place] ?? 0] ?? 0] ?? "";
  const outcomeOf = (place: number) => answer.outcomes[entries.outcome[rows[place] ?? 0] ?? 0] ?? null;
  const receivers = Array.from(rows, (row) => (entries.receivers[row] ?? []).map((agent) => laneOf[agent] ?? 0));
  return {
    seq: answer.seq,
    axis: wholeTime,
    from: times[0] ?? 0,
    to: times.at(-1) ?? 0,
    lanes: names.map((agent, lane) => ({
      agent,
      sent: Int32Array.from(sent[lane] ?? []),
      claims: (claims[lane] ?? []).toSorted((one, other) => one.from - other.from),
    })),
    seqs,
    times,
    senders,
    receivers,
    toneOf: toneAt,
    outcomeOf,
    taskOf: (place) => answer.tasks[entries.task[rows[place] ?? 0] ?? -1] ?? null,
    kindOf,
    markOf: (place) => {
      if (outcomeOf(place) === "refused") return "refusal";
      if (reports.has(kindOf(place))) return "report";
      return (receivers[place]?.length ?? 0) > 0 ? "message" : "other";
    },
    acknowledgedAt: (lane, place) => {
      const all = acknowledged[lane] ?? [];
      return all[firstWhere(all.length, (at) => (all[at]?.seq ?? 0) >= (seqs[place] ?? 0))]?.at ?? null;
    },
    outcomes: answer.outcomes.filter((outcome) => outcome !== null).toSorted(),
  };
}

/** Each number as the sum of the distances up to it. */
function summed(distances: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(distances, (distance) => (sum += distance));
}

/** The same with its pauses drawn narrow. */
export function withNarrowPauses(model: LaneModel, pauses: readonly Span[]): LaneModel {
  if (pauses.length === 0) return model;
  const axis = axisOf(pauses, model);
  const { drawnOf } = axis;
  const times = model.times.map(drawnOf);
  const drawn = (time: number | null) => (time === null ? null : drawnOf(time));
  return {
    ...model,
    axis,
    from: times[0] ?? 0,
    to: times.at(-1) ?? 0,
    times,
    lanes: model.lanes.map((lane) => ({
      ...lane,
      claims: lane.claims.map((claim) => ({ ...claim, from: drawnOf(claim.from), to: drawn(claim.to) })),
    })),
    acknowledgedAt: (lane, place) => drawn(model.acknowledgedAt(lane, place)),
  };
}

/** The time of an entry, with its day. */
export function timeOfEntry({ axis, times }: LaneModel, place: number): string {
  return dayTime(axis.timeOf(times[place] ?? 0));
}

/** The first number below `count` that fits, where all behind a fitting one fit as well; `count`: none does. */
export function firstWhere(count: number, fits: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The places of the entries from one time up to another, as the first one and the one behind the last. */
export function within(times: Float64Array, from: number, to: number): readonly [first: number, end: number] {
  const first = firstWhere(times.length, (place) => (times[place] ?? 0) >= from);
  return [first, firstWhere(times.length, (place) => (times[place] ?? 0) > to)];
}

/** What the view is narrowed to; empty: nothing. */
export interface Narrowing {
  readonly outcome: string;
  readonly agent: string;
}

/** Whether an entry is shown: it has the outcome, and the agent sent or gets it. */
export function isShown(model: LaneModel, place: number, { outcome, agent }: Narrowing): boolean {
  if (outcome !== "" && model.outcomeOf(place) !== outcome) return false;
  if (agent === "") return true;
  const is = (lane: number | undefined) => lane !== undefined && model.lanes[lane]?.agent === agent;
  return is(model.senders[place]) || (model.receivers[place]?.some(is) ?? false);
}

/** The next entry that is shown, from `place` on in steps of 1 or -1; null: there is none. */
export function nextShown(model: LaneModel, place: number, step: 1 | -1, narrowing: Narrowing): number | null {
  for (let at = place + step; at >= 0 && at < model.times.length; at += step)
    if (isShown(model, at, narrowing)) return at;
  return null;
}

/** The place of the last entry up to `seq`; -1: there is none. */
export function placeOfSeq({ seqs }: LaneModel, seq: number): number {
  return seqs.reduce((last, each, place) => (each <= seq && each > (seqs[last] ?? 0) ? place : last), -1);
}

/*
 * What lanes say in words, for those who read them instead of looking at the canvas.
 */

/** An agent as it is named next to its lane. */
export interface LaneName {
  readonly agent: string;
  readonly role: string;
  readonly look: Look & { readonly word: string };
  /** Its claims in the part that is in view. */
  readonly summary: string;
}

/** Claims that are named; of more there is the number. */
const claimsMax = 5;

/** One entry as a sentence. */
export function entryWords(model: LaneModel, place: number): string {
  const { lanes, senders, receivers, seqs } = model;
  const nameOf = (lane: number) => lanes[lane]?.agent ?? "";
  const to = (receivers[place] ?? []).map(nameOf);
  const outcome = model.outcomeOf(place);
  const task = model.taskOf(place);
  return [
    `${timeOfEntry(model, place)} ${nameOf(senders[place] ?? 0)}${to.length === 0 ? "" : ` to ${to.join(", ")}`}`,
    model.kindOf(place).replaceAll("-", " "),
    ...(task === null ? [] : [task]),
    ...(outcome === null ? [] : [outcomeLooks[outcome].word]),
    `entry ${seqs[place]}`,
  ].join(", ");
}

/** By lane, what its agent did in a part of the time: 2, it sent or held something; 1, it was written to; 0, nothing. */
export function activityIn({ lanes, times, senders, receivers }: LaneModel, { from, to }: Span): Uint8Array {
  const found = Uint8Array.from(lanes, ({ claims }) =>
    claims.some((claim) => claim.from <= to && (claim.to ?? to) >= from) ? 2 : 0,
  );
  const [first, end] = within(times, from, to);
  for (let place = first; place < end; place++) {
    found[senders[place] ?? 0] = 2;
    for (const lane of receivers[place] ?? []) found[lane] ||= 1;
  }
  return found;
}

/** The claims of a lane in a part of the time. */
export function claimsWords({ claims }: Lane, { axis }: LaneModel, { from, to }: Span): string {
  const shown = (time: number) => dayTime(axis.timeOf(time));
  const inView = claims.filter((claim) => claim.from <= to && (claim.to ?? Infinity) >= from);
  const named = inView.slice(-claimsMax).map((claim) => {
    const end = claim.to === null ? "held" : `until ${shown(claim.to)}, ${claim.word}`;
    return `${claim.task} from ${shown(claim.from)}, ${end}`;
  });
  const more = inView.length - named.length;
  return [counted(inView.length, "claim"), ...(more > 0 ? [`${more} before`] : []), ...named].join(". ");
}

/** What is in a part of the time. */
export function spanWords(model: LaneModel, span: Span, shown: Uint8Array | null): string {
  const [first, end] = within(model.times, span.from, span.to);
  let [entries, bad] = [0, 0];
  for (let place = first; place < end; place++) {
    if (shown !== null && shown[place] === 0) continue;
    entries += 1;
    if (tones[model.toneOf[place] ?? 0] === "bad") bad += 1;
  }
  const { timeOf, pauses } = model.axis;
  const left = pauses.filter(({ drawn }) => drawn.from < span.to && drawn.to > span.from);
  const all = ageOf(
    left.reduce((start, { from, to }) => start - (to - from), 0),
    0,
  );
  const without = left.length === 1 ? `a pause of ${all}` : `${left.length} pauses, ${all} in all`;
  return [
    `${timesOfPart(timeOf(span.from), timeOf(span.to))}: ${counted(entries, "entry", "entries")}`,
    `${bad} refused or disputed`,
    ...(left.length === 0 ? [] : [`without ${without}`]),
  ].join(", ");
}
