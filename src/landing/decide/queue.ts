/**
 * What may land, in which order: verified work that is not on the main branch. Pure. Rules: docs/protocol/verdicts.md,
 * section 12.
 */
import { type CheckRules, openChecks } from "../../evidence/decide/contract-checks.ts";
import type { TakenWork } from "../../evidence/state.ts";
import { meansTask } from "../../messages/task-ids.ts";
import { verdictAbout } from "../../tasks/state/report-status.ts";
import type { Task, Work } from "../../tasks/state/task-state.ts";

/** Verified work that is not on the main branch. */
interface Unlanded {
  readonly key: string;
  readonly task: string;
  /** The entry that reported it. */
  readonly report: number;
  readonly work: TakenWork;
}

/** Such work as it is to be merged. */
export interface Landable extends Unlanded {
  readonly title: string | null;
  /** The agent that reported it. */
  readonly by: string;
  /** The last commit of it. */
  readonly commit: string;
}

/** Work that stays where it is, and why. */
export interface Waiting {
  readonly task: string;
  readonly why: string;
}

/** What lands, the first first, and what waits. */
export interface Queue {
  readonly ready: readonly Landable[];
  readonly waits: readonly Waiting[];
}

/** The queue of `unlanded`; `named`: only of these tasks, or of all where none is named. */
export function queueOf(unlanded: readonly Unlanded[], work: Work, rules: CheckRules, named: readonly string[]): Queue {
  const isMeant = ({ task, plan }: Task): boolean =>
    named.length === 0 || named.some((id) => meansTask(id, task, plan));
  const found = inOrder(unlanded, work).flatMap((each) => {
    const task = work.tasks.get(each.key);
    const commit = each.work.commits.at(-1);
    if (task === undefined || commit === undefined || !isMeant(task)) return [];
    return [{ ...each, title: task.title, by: task.report?.reporter ?? "", commit, why: heldUpBy(task, rules) }];
  });
  return {
    ready: found.filter(({ why }) => why === null),
    waits: found.flatMap(({ task, why }) => (why === null ? [] : [{ task, why }])),
  };
}

/** Why verified work does not land yet; null: it does. A check that the owner refused holds nothing up. */
function heldUpBy(task: Task, rules: CheckRules): string | null {
  const verdict = verdictAbout(task);
  const open = verdict === null ? [] : openChecks(task.plan, verdict, rules);
  const [first] = open.filter(({ leave }) => leave !== "refused");
  if (first === undefined) return null;
  return first.leave === "asks"
    ? `Its check "${first.check}" waits for your word: baton needs.`
    : `Its check "${first.check}" has not run: baton verify ${task.task}.`;
}

/** Work after what it depends on, else by the report. */
function inOrder(all: readonly Unlanded[], { tasks, plans }: Work): readonly Unlanded[] {
  const left = all.toSorted((one, other) => one.report - other.report);
  const sorted: Unlanded[] = [];
  const isAfter = (each: Unlanded, other: Unlanded): boolean => {
    const { needs = [], plan = null } = tasks.get(each.key) ?? {};
    const plansBefore = plans.get(plan ?? "")?.needs ?? [];
    return needs.includes(other.key) || plansBefore.includes(tasks.get(other.key)?.plan ?? "");
  };
  while (left.length > 0) {
    // Tasks that wait for each other in a circle go by their reports.
    const next = left.findIndex((each) => !left.some((other) => other !== each && isAfter(each, other)));
    sorted.push(...left.splice(Math.max(next, 0), 1));
  }
  return sorted;
}

/** Who reported a commit for work that is not verified, by the commit as it was written. */
export function unverifiedCommits({ tasks }: Work): ReadonlyMap<string, string> {
  return new Map(
    [...tasks.values()].flatMap(({ task, report, verdict }): readonly (readonly [string, string])[] => {
      if (report?.status !== "complete" || verdict?.state === "verified") return [];
      const commits = report.commits ?? [report.commit];
      return commits.flatMap((commit) => (/^[0-9a-f]{7,64}$/.test(commit) ? [[commit, task] as const] : []));
    }),
  );
}
