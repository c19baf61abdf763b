/**
 * The team's handoffs: those that wait for an answer or are worked on, and those that are over where a person asks for
 * them. Asked again only when one came or was answered.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import { shortenBytes } from "../../../base/text.ts";
import type { HandoffDetail } from "../../../handoffs/operations.ts";
import type { Handoff } from "../../../handoffs/state.ts";
import type { LogLine, Shown } from "../../../record/operations/entries.ts";
import { ask, type Refused, teamPath } from "../hub/request.ts";
import { Joined, touched } from "./refetching.ts";

export class HandoffList {
  /** The newest first. */
  list = $state.raw<readonly Handoff[]>([]);
  /** Whether those that are over are among them. */
  hasAll = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #team: string;
  readonly #joined: Joined;

  constructor(team: string, clock: Clock) {
    this.#team = team;
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
    if (touched(line, false).has("handoffs")) void this.#joined.soon();
  }

  async #ask(): Promise<void> {
    const query = this.hasAll ? { all: "true" } : {};
    const found = await ask<{ readonly handoffs: readonly Handoff[] }>(teamPath(this.#team, "handoffs", query));
    if (found.ok) this.list = found.value.handoffs.toReversed();
    this.problems = found.ok ? [] : found.error.problems;
  }
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
