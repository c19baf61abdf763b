/**
 * Keeps the search index near the head: once enough entries are not in it and nobody has recorded for a while, or when
 * very many are not. What it lacks is searched by reading, so being late costs time only.
 */
import { systemClock } from "../base/clock.ts";
import type { HubLog } from "../doors/http/index.ts";
import type { Hub } from "../runtime/hub.ts";
import type { LongWork } from "../runtime/long-work.ts";

const lookMs = 5_000;
/** Reading so many takes a search a few hundredths of a second. */
const behindMin = 2_000;
/** So many are indexed although entries keep coming. */
const behindMax = 50_000;

/** Looks every few seconds until `signal` aborts. A work that fails is told once and tried again when more has come. */
export async function keepIndexed(
  { journal }: Pick<Hub, "journal">,
  longWork: Pick<LongWork, "index">,
  log: HubLog,
  signal: AbortSignal,
): Promise<void> {
  const { searchIndex } = journal;
  if (searchIndex === undefined) return;
  const heads = new Map<string, number>();
  let failedAt = 0;
  for (;;) {
    await systemClock.wait(lookMs, signal);
    if (signal.aborted) return;
    let behind = 0;
    let isQuiet = true;
    let sum = 0;
    const teams = await journal.teams();
    for (const team of teams.ok ? teams.value : []) {
      const folded = await journal.state(team);
      if (!folded.ok) continue;
      const { seq } = folded.value.head;
      behind = Math.max(behind, seq - searchIndex.indexed(team));
      isQuiet &&= heads.get(team) === seq;
      heads.set(team, seq);
      sum += seq;
    }
    const isDue = behind >= behindMax || (behind >= behindMin && isQuiet);
    if (!isDue || sum <= failedAt) continue;
    const done = await longWork.index(signal);
    if (done.ok && done.value > 0) continue;
    failedAt = sum + behindMin;
    if (!done.ok && !signal.aborted)
      log.warn({ code: done.error.code, why: done.error.message }, "the search index is behind");
  }
}
