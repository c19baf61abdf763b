/**
 * What agents left behind when their round ended, kept with the round: a certificate says what was so, whatever happens
 * afterwards. Only a verdict that was still to come is added, once.
 * Source: docs/protocol/shutdown.md.
 */

import type { TaskJudged } from "../tasks/task-events.ts";
import { refutedAmong, refutedReporter, type Task, type Work } from "../tasks/task-state.ts";
import { roundAt, roundKey, type Shutdowns, type WorkBehind } from "./shutdown-rounds.ts";

/** The agent's reports up to that entry that do not count as done and whose task nobody else has claimed since. */
export function reportsBehind(work: Work, agent: string, until: number): Omit<WorkBehind, "unread"> {
  const judged: Task[] = [];
  const unverified: { readonly task: string; readonly report: number }[] = [];
  for (const each of work.tasks.values()) {
    const { task, claim, report, verdict } = each;
    if (report === null || report.seq > until) continue;
    const isTheirs = report.status === "complete" ? report.reporter === agent : refutedReporter(each) === agent;
    if (!isTheirs) continue;
    if (claim !== null && claim.holder !== agent) continue;
    judged.push(each);
    if (verdict === null && report.awaitsVerdict === true) unverified.push({ task, report: report.seq });
  }
  return { ...refutedAmong(judged), unverified };
}

/** Keeps what each agent of a round that has just ended left behind, in place. */
export function keepBehind(state: Shutdowns, requestId: string, behind: ReadonlyMap<string, WorkBehind>): void {
  const round = roundAt(state, requestId);
  state.rounds.set(roundKey(round), { ...round, behind });
  if ([...behind.values()].some(({ unverified }) => unverified.length > 0)) state.unsettled.set(roundKey(round), true);
}

/** A verdict that a round's certificate still waits for has come, in place; later ones of the same report change nothing. */
export function settleVerdict(state: Shutdowns, { event, task, report }: TaskJudged): void {
  for (const key of state.unsettled.keys()) {
    const round = state.rounds.get(key);
    const behind = new Map(
      [...(round?.behind ?? [])].map(([agent, left]): [string, WorkBehind] => {
        const unverified = left.unverified.filter((each) => each.report !== report || each.task !== task);
        const isSettled = unverified.length < left.unverified.length;
        const disputed = isSettled && event === "task-disputed" ? [...left.disputed, task] : left.disputed;
        const stale = isSettled && event === "task-stale" ? [...left.stale, task] : left.stale;
        return [agent, { ...left, disputed, stale, unverified }];
      }),
    );
    if (round !== undefined) state.rounds.set(key, { ...round, behind });
    if ([...behind.values()].every(({ unverified }) => unverified.length === 0)) state.unsettled.delete(key);
  }
}
