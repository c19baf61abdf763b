/**
 * One handoff with all that is known of it: its document, those before it, and the answers that were refused, with what
 * was found of its files. Those are in the record; it is read from where the handoff was issued, and only when a person
 * opens one.
 */
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import { shortenBytes } from "../../../base/text.ts";
import type { LogLine, Shown } from "../../../operations/entries.ts";
import type { HandoffDetail } from "../../../operations/handoffs.ts";
import { ask, type Refused, teamPath } from "../hub/request.ts";

/** An answer that was refused. */
export interface RefusedAnswer {
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
