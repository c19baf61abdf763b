/**
 * What may land, in which order: verified work that is not on the main branch. Pure. Rules: docs/protocol/verdicts.md,
 * section 12.
 */

import { shortList } from "../../base/text.ts";
import { type CheckRules, openChecks } from "../../evidence/decide/contract-checks.ts";
import { type Unlanded, unlandedIn } from "../../evidence/decide/unlanded.ts";
import { meansTask } from "../../messages/task-ids.ts";
import { waitsAnyway } from "../../tasks/decide/claims.ts";
import { commitsOf, idsOf, isReturned, verdictAbout } from "../../tasks/state/report-status.ts";
import { noText, priorities, type Task, type Work } from "../../tasks/state/task-state.ts";
import { blockersOf, isBlocked } from "../../tasks/view/dependencies.ts";

/** Verified work as it is to be merged. */
export interface Landable extends Unlanded {
  readonly title: string | null;
  /** The agent that reported it. */
  readonly by: string;
  /** The last commit of it. */
  readonly commit: string;
  /** Keys of all tasks that come before it, also through others. */
  readonly after: readonly string[];
  /** The request by which the person lets it land, whatever was found of it; null: as the rules say. */
  readonly leave: string | null;
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
  /** Keys of verified work that is not to land now: what depends on it waits too. */
  readonly held: readonly string[];
  /** Names that no task has. */
  readonly unknown: readonly string[];
}

/** The queue of what is to be merged; `named`: only of these tasks, or of all where none is named. */
export function queueOf(work: Work, rules: CheckRules, named: readonly string[]): Queue {
  const unlanded = landableIn(work);
  const isMeant = ({ task, plan, number }: Task): boolean =>
    named.length === 0 || named.some((id) => meansTask(id, task, plan, number));
  const found = inOrder(unlanded, work).flatMap((each) => {
    const task = work.tasks.get(each.key);
    const commit = each.work.commits.at(-1);
    if (task === undefined || commit === undefined || !isMeant(task)) return [];
    return [
      {
        ...each,
        title: task.title,
        by: task.report?.reporter ?? "",
        commit,
        after: beforeIt(each.key, work),
        leave: task.leave?.request ?? null,
        why: heldUpBy(task, work, rules, named.length > 0),
      },
    ];
  });
  const free = found.filter(({ why }) => why === null);
  // What the rules keep out comes last, so that nobody else's work is checked with it.
  const ready = [...free.filter(({ leave }) => leave === null), ...free.filter(({ leave }) => leave !== null)];
  const tasks = [...work.tasks.values()];
  return {
    ready,
    held: unlanded.flatMap(({ key }) => (ready.some((each) => each.key === key) ? [] : [key])),
    unknown: named.filter((id) => !tasks.some(({ task, plan, number }) => meansTask(id, task, plan, number))),
    waits: found.flatMap(({ task, why }) => (why === null ? [] : [{ task, why }])),
  };
}

/** Verified work that has not landed, and reported work that the person lets land whatever was found of it. */
export function landableIn(work: Work): readonly Unlanded[] {
  const verified = unlandedIn(work);
  const allowed = [...work.tasks.values()].flatMap((task): readonly Unlanded[] => {
    const { key, leave, report } = task;
    const [verdict, isVerified] = [verdictAbout(task), verified.some((each) => each.key === key)];
    const commits = idsOf(verdict);
    if (leave === undefined || report === null || isVerified || commits.length === 0) return [];
    return [{ key, task: task.task, report: report.seq, branch: null, work: { commits, files: [], count: 0 } }];
  });
  return [...verified, ...allowed];
}

/** Why verified work does not land yet; null: it does. A check that the owner refused holds nothing up. */
function heldUpBy(task: Task, work: Work, rules: CheckRules, isNamed: boolean): string | null {
  const verdict = verdictAbout(task);
  if (verdict === null) return "Its last report has no verdict yet.";
  if (task.leave !== undefined) return null;
  // Who reports without a claim was not kept from it.
  if (isBlocked(work, task) && !isNamed)
    return `${waitsAnyway(work, task, false) ?? `It waits for ${shortList(blockersOf(work, task))}.`} To land it now, name it: baton land ${task.task}.`;
  if (isReturned(task) && !isNamed)
    return `It is ${task.claim?.holder ?? task.report?.reporter}'s again: ${task.notLanded?.why}`;
  const open = openChecks(task.plan, verdict, rules);
  const [first] = open.filter(({ leave }) => leave !== "refused");
  if (first === undefined) return null;
  return first.leave === "asks"
    ? `Its check "${first.check}" waits for your word: baton needs.`
    : `Its check "${first.check}" has not run: baton verify ${task.task}.`;
}

/** Work after what it depends on, else by its priority, then by the report. */
function inOrder(all: readonly Unlanded[], work: Work): readonly Unlanded[] {
  const rank = ({ key }: Unlanded) => priorities.indexOf((work.tasks.get(key)?.text ?? noText).priority);
  const left = all.toSorted((one, other) => rank(one) - rank(other) || one.report - other.report);
  const before = new Map(left.map(({ key }) => [key, beforeIt(key, work)]));
  const sorted: Unlanded[] = [];
  while (left.length > 0) {
    // Tasks that wait for each other in a circle go by their reports.
    const next = left.findIndex(({ key }) => !left.some((other) => before.get(key)?.includes(other.key)));
    sorted.push(...left.splice(Math.max(next, 0), 1));
  }
  return sorted;
}

/** Keys of all tasks that come before one, through tasks and plans. */
function beforeIt(key: string, { tasks, plans }: Work): readonly string[] {
  const found = new Set<string>();
  const open = [key];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { needs = [], plan = null } = tasks.get(next) ?? {};
    const ofPlans = (plans.get(plan ?? "")?.needs ?? []).flatMap((each) => [...(plans.get(each)?.tasks.keys() ?? [])]);
    for (const each of [...needs, ...ofPlans]) {
      if (found.has(each)) continue;
      found.add(each);
      open.push(each);
    }
  }
  found.delete(key);
  return [...found];
}

/** A task that came back, and who repairs it. */
export interface Returned {
  readonly key: string;
  readonly task: string;
  readonly by: string;
}

/** Whose work a commit is of, of verified work that did not land and is its author's again. */
export function returnedCommits({ tasks }: Work): ReadonlyMap<string, Returned> {
  return new Map(
    [...tasks.values()].filter(isReturned).flatMap(({ key, task, verdict, claim, report }) => {
      const by = claim?.holder ?? report?.reporter ?? "its author";
      return (verdict?.work?.commits ?? []).map((id) => [id, { key, task, by }] as const);
    }),
  );
}

/** Who reported a commit that no verified work has, by the commit as it was written. */
export function unverifiedCommits({ tasks }: Work): ReadonlyMap<string, string> {
  const verified = [...tasks.values()].flatMap(({ verdict }) =>
    verdict?.state === "verified" ? [...(verdict.work?.commits ?? []), ...(verdict.grown?.commits ?? [])] : [],
  );
  return new Map(
    [...tasks.values()].flatMap(({ task, report, verdict }): readonly (readonly [string, string])[] => {
      if (report === null || verdict?.state === "verified") return [];
      const commits = commitsOf(report).map((commit) => commit.toLowerCase());
      const isOthers = (commit: string): boolean => verified.some((id) => id.startsWith(commit));
      return commits.flatMap((commit) => {
        return /^[0-9a-f]{7,64}$/.test(commit) && !isOthers(commit) ? [[commit, task] as const] : [];
      });
    }),
  );
}
