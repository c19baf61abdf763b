/**
 * The team's handoffs: those that wait for an answer or are worked on, and those that are over where a person asks for
 * them, with how an attempt to accept one failed. Asked again only when one came, was answered or was tried to be.
 */
import type { Clock } from "../../../base/clock.ts";
import { isJsonObject, parseBounded } from "../../../base/json.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import { shortenBytes } from "../../../base/text.ts";
import type { HandoffDetail } from "../../../handoffs/operations.ts";
import type { Handoff } from "../../../handoffs/state.ts";
import type { LogLine, LogPage, Shown } from "../../../record/operations/entries.ts";
import { ask, type Refused, teamPath } from "../hub/request.ts";
import { Joined, touchesHandoffs } from "./refetching.ts";

export class HandoffList {
  /** The newest first. */
  list = $state.raw<readonly Handoff[]>([]);
  /** Whether those that are over are among them. */
  hasAll = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly tries: HandoffTries;

  readonly #team: string;
  readonly #joined: Joined;

  constructor(team: string, clock: Clock) {
    this.#team = team;
    this.tries = new HandoffTries(team);
    this.#joined = new Joined(() => this.#ask(), clock);
  }

  refresh(): Promise<void> {
    return this.#joined.run();
  }

  /** Shows those that are over too, or no longer. */
  async show(all: boolean): Promise<void> {
    this.hasAll = all;
    await this.refresh();
  }

  /** An entry came. */
  follow(line: LogLine): void {
    if (touchesHandoffs(line)) void this.#joined.soon();
  }

  async #ask(): Promise<void> {
    const query = this.hasAll ? { all: "true" } : {};
    const found = await ask<{ readonly handoffs: readonly Handoff[] }>(teamPath(this.#team, "handoffs", query));
    if (found.ok) this.list = found.value.handoffs.toReversed();
    this.problems = found.ok ? await this.tries.look(this.list) : found.error.problems;
  }
}

/*
 * Acceptances that were refused, for the list of handoffs. A refusal changes nothing that is folded, so they are read from
 * the record: what came since the last look, once, and only while a handoff waits.
 */

/** At most so many of the newest are looked at; older ones are in the opened handoff. */
const triesMax = 30;
const act = "accept-handoff";

class HandoffTries {
  /** By the handoff's id, the newest first. */
  #all = $state.raw<ReadonlyMap<string, readonly RefusedAnswer[]>>(new Map());
  readonly #team: string;
  /** Every entry up to here was looked at. */
  #looked = 0;

  constructor(team: string) {
    this.#team = team;
  }

  /** How the last attempt to accept a handoff failed that still waits; null: nobody that it was addressed to tried. */
  lastOf({ id, status, receivers }: Pick<Handoff, "id" | "status" | "receivers">): RefusedAnswer | null {
    if (status !== "issued") return null;
    return this.#all.get(id)?.find(({ by }) => receivers.includes(by)) ?? null;
  }

  /** Looks for those that came since the last look, if one of these waits. Answers why that failed; empty: it did not. */
  async look(handoffs: readonly Handoff[]): Promise<readonly Problem[]> {
    const waiting = handoffs.filter(({ status }) => status === "issued").map(({ seq }) => seq);
    if (waiting.length === 0) return [];
    const after = Math.max(this.#looked, Math.min(...waiting));
    const entries: LogLine[] = [];
    let head = 0;
    // One answer looks at a bounded number of entries.
    for (let before: number | null | undefined; before !== null && entries.length < triesMax; ) {
      const query = { kind: "refusal", type: act, after, before, order: "desc", limit: triesMax - entries.length };
      const page = await ask<LogPage>(teamPath(this.#team, "messages", query));
      if (!page.ok) return page.error.problems;
      entries.push(...page.value.entries);
      head ||= page.value.head;
      before = page.value.next;
    }
    const shown = await Promise.all(entries.map(({ seq }) => ask<Shown>(teamPath(this.#team, `messages/${seq}`))));
    const all = new Map(this.#all);
    // The oldest first, so that the newest ends up first.
    for (const each of shown.toReversed()) {
      if (!each.ok) return each.error.problems;
      const { seq, sender: by, recordedAt, problems } = each.value;
      const id = handoffTried(each.value);
      const known = id === null ? [] : (all.get(id) ?? []);
      if (id !== null && !known.some((one) => one.seq === seq))
        all.set(id, [{ seq, by, recordedAt, act, problems }, ...known]);
    }
    this.#all = all;
    this.#looked = Math.max(this.#looked, head);
    return [];
  }
}

/** Which handoff was meant: what is kept of a refused act begins with its id. Null: it was cut off within that. */
function handoffTried({ entry }: Pick<Shown, "entry">): string | null {
  const { content } = entry;
  const refused = isJsonObject(content) ? content.refused : undefined;
  const excerpt = isJsonObject(refused) ? refused.excerpt : undefined;
  const written = typeof excerpt === "string" ? /^\{"handoff":("(?:[^"\\]|\\.)*")/.exec(excerpt)?.[1] : undefined;
  const read = written === undefined ? null : parseBounded(written);
  return read?.ok === true && typeof read.value === "string" ? read.value : null;
}

/*
 * One handoff with all that is known of it: its document, those before it, and the answers that were refused, with what
 * was found of its files. Those are in the record; it is read from where the handoff was issued, and only when a person
 * opens one.
 */

/** An answer that was refused. */
interface RefusedAnswer {
  readonly seq: number;
  readonly by: string;
  readonly recordedAt: string;
  /** `accept-handoff` or `complete-handoff`. */
  readonly act: string;
  readonly problems: readonly Problem[];
}

export interface HandoffStory extends HandoffDetail {
  /** The newest first, at most `refusedMax` of each operation. */
  readonly refused: readonly RefusedAnswer[];
}

const refusedMax = 3;
/** At most as many whole characters as a hub allows in a search. */
const needleBytesMax = 256;

/** Asks the hub for it. */
export async function handoffStory(team: string, id: string): Promise<Result<HandoffStory, Refused>> {
  const found = await ask<HandoffDetail>(teamPath(team, `handoffs/${encodeURIComponent(id)}`));
  if (!found.ok) return found;
  const { seq } = found.value.handoff;
  const refused: RefusedAnswer[] = [];
  for (const act of ["accept-handoff", "complete-handoff"]) {
    const answers = await refusedAnswers(team, { id, act, after: seq });
    if (!answers.ok) return answers;
    refused.push(...answers.value);
  }
  return ok({ ...found.value, refused: refused.toSorted((one, other) => other.seq - one.seq) });
}

async function refusedAnswers(
  team: string,
  { id, act, after }: { readonly id: string; readonly act: string; readonly after: number },
): Promise<Result<readonly RefusedAnswer[], Refused>> {
  // A refusal keeps the beginning of the request, as JSON: the id is in it in exactly this form.
  const text = shortenBytes(`"handoff":${JSON.stringify(id)}`, needleBytesMax);
  const query = { kind: "refusal", type: act, text, after, order: "desc", limit: refusedMax };
  const lines = await ask<{ readonly entries: readonly LogLine[] }>(teamPath(team, "messages", query));
  if (!lines.ok) return lines;
  const shown = await Promise.all(
    lines.value.entries.map((line) => ask<Shown>(teamPath(team, `messages/${line.seq}`))),
  );
  const failed = shown.find((each) => !each.ok);
  if (failed !== undefined && !failed.ok) return failed;
  return ok(
    shown.flatMap((each) => {
      if (!each.ok) return [];
      const { seq, sender: by, recordedAt, problems } = each.value;
      return [{ seq, by, recordedAt, act, problems }];
    }),
  );
}
