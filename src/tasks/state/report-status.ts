/**
 * What counts as reported, done, verified or refuted, and the state of a report among what was said of its task and found
 * in the repository. Pure, and fit for a browser.
 * Source: docs/protocol/record.md, section 21.
 */
import type { Whereabouts } from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";
import type { Finding, NotLanded, Report, Task, Verdict, Work } from "./task-state.ts";

/**
 * What it says, or what became of it. `superseded`: it is no longer the last word on its task. `repaired`: it was disputed
 * or gone, and a later verdict confirmed the task. The worst comes first: an entry that reports several tasks is shown as
 * its worst.
 */
export const reportStatuses = [
  "disputed",
  "gone",
  "failed",
  "partial",
  "repaired",
  "superseded",
  "complete",
  "verified",
] as const;

export type ReportStatus = (typeof reportStatuses)[number];

/** A report of an entry: key of its task, and what it says. */
export interface Reported {
  readonly key: string;
  readonly status: Report["status"];
}

/** The state of the reports that the entry `seq` made. Null: it made none. */
export function reportStatusOf(work: Work, seq: number, reports: readonly Reported[]): ReportStatus | null {
  return worstOf(reports.map((report) => statusOfReport(work, seq, report)));
}

/** The state of the report that the entry `seq` made on one task. What was disputed stays so until it is repaired. */
export function statusOfReport(work: Work, seq: number, { key, status }: Reported): ReportStatus {
  const task = work.tasks.get(key);
  // A report that leaves an earlier completion refuted is not itself refuted.
  if (task?.report?.seq === seq) {
    const about = verdictAbout(task);
    if (status !== "complete" || about === null) return status;
    return isUpheld(about.notes ?? []) ? "disputed" : about.state;
  }
  const dispute = work.disputes.get(key)?.get(seq);
  return dispute === undefined ? "superseded" : dispute.repair === null ? dispute.state : "repaired";
}

/**
 * The verdict on the report that the entry `seq` made on the task `key`: the one that counts, else the first against it.
 * Null: the repository was not asked, or what confirmed the report does not count any more.
 */
export function verdictOn({ tasks, disputes }: Work, seq: number, key: string): Pick<Verdict, "seq" | "state"> | null {
  const task = tasks.get(key);
  if (task?.report?.seq === seq && task.report.status === "complete") return task.verdict;
  return disputes.get(key)?.get(seq) ?? null;
}

/** The worst of them; null: there is none. */
export function worstOf(permissions: readonly (ReportStatus | Verdict["state"])[]): ReportStatus | null {
  return reportStatuses.find((each) => permissions.includes(each)) ?? null;
}

/** The word for a report that is not valid, or no longer; null: none is shown. */
export function invalidStateOf(
  report: ReportStatus | null,
): Exclude<ReportStatus, "partial" | "complete" | "verified"> | null {
  return report === "partial" || report === "complete" || report === "verified" ? null : report;
}

/** The verdict on a task's last report; null: none yet, though the work of an earlier one may be verified. */
export function verdictAbout({ report, verdict }: Pick<Task, "report" | "verdict">): Verdict | null {
  return verdict !== null && verdict.report === report?.seq ? verdict : null;
}

/** Whether a task is reported as complete, not disputed, not reverted, and not returned. Nobody else can claim it. */
export function isReported(task: Pick<Task, "report" | "verdict" | "notLanded">): boolean {
  const { report, verdict } = task;
  return report?.status === "complete" && verdict?.state !== "disputed" && !isReturned(task) && !isReverted(task);
}

/** Whether its landed work was taken back by a commit that says so, and nobody reported it anew: it is not done any more. */
export function isReverted({ report, verdict }: Pick<Task, "report" | "verdict">): boolean {
  return verdict?.state === "gone" && verdict.place?.at === "reverted" && verdict.report === report?.seq;
}

/** Whether its verified work did not land, and is its author's again until that reports anew or it lands otherwise. */
export function isReturned({ report, verdict, notLanded }: Pick<Task, "report" | "verdict" | "notLanded">): boolean {
  if (notLanded === undefined || notLanded.reason === "waits" || notLanded.report !== report?.seq) return false;
  return verdict?.state === "verified" && verdict.place?.at === "branch";
}

/** Why the work of a task does not land, as the last try found; null: nothing is known, or what it waited for is over. */
export function whyUnlanded(
  { tasks }: Work,
  { report, notLanded }: Pick<Task, "report" | "notLanded">,
): NotLanded | null {
  if (notLanded === undefined || notLanded.report !== report?.seq) return null;
  const before = tasks.get(notLanded.behind ?? "");
  return before === undefined || isReturned(before) ? notLanded : null;
}

/**
 * Whether a task is done: verified, also where its work is gone since, or reported as complete where no verdict is to come.
 * Source: docs/protocol/verdicts.md, section 2.
 */
export function isDone(task: Pick<Task, "report" | "verdict" | "notLanded">): boolean {
  return isReported(task) && (task.verdict !== null || task.report?.awaitsVerdict !== true);
}

/** Whether the work of a verified task is not in the repository any more, and nobody has said what is to become of it. */
export function isGone({ verdict }: Pick<Task, "verdict">): boolean {
  return verdict?.state === "gone";
}

/** Whether a report waits for a person: nothing could be seen, or what is there has two readings. */
export function isUndecided(task: Pick<Task, "report" | "verdict" | "unseen" | "notLanded">): boolean {
  return isReported(task) && verdictAbout(task) === null && task.unseen !== undefined;
}

/** Whether verified work is not on the main branch yet. */
export function isUnlanded({ verdict }: Pick<Task, "verdict">): boolean {
  return verdict?.state === "verified" && verdict.place?.at === "branch";
}

/** Whether the agent that reported the task as complete took that back, and nothing was reported since. */
export function isWithdrawn({ report }: Pick<Task, "report">): boolean {
  return report?.withdraws !== undefined;
}

/** Whether the repository confirms the report. */
export function isVerified({ verdict }: Pick<Task, "verdict">): boolean {
  return verdict?.state === "verified";
}

/** Whether a task is reported as complete, needs files, and the repository has not confirmed it: not yet, or none can. */
export function isUnverified(task: Pick<Task, "report" | "verdict" | "withoutFiles" | "notLanded">): boolean {
  return isReported(task) && task.verdict === null && !task.withoutFiles;
}

/** Whether a word of a task's state, of a verdict or of an outcome says that the work is not there as it was reported. */
export function isContradicted<Word extends string>(word: Word | null): word is Extract<Word, "disputed" | "gone"> {
  return word === "disputed" || word === "gone";
}

/** Whether what was found of a task before stays, although this report of it does not hold. */
export function isUpheld(notes: readonly Pick<Note, "code">[]): boolean {
  return notes.some(({ code }) => code === "further-report");
}

/** Of a report that does not hold, where {@link isUpheld}. */
export function furtherText(task: string): string {
  return `this report of ${task} does not hold; what was found of an earlier one stays so.`;
}

/** Whether a task, as it is shown, is verified and its work is not on the main branch. */
export function isToMerge({
  state,
  place,
}: {
  readonly state: string;
  readonly place?: Pick<Whereabouts, "at">;
}): boolean {
  return place?.at === "branch" && (state === "verified" || state === "complete");
}

/** Whether the repository contradicts the last completion, and none came since: the task is free. */
export function isRefuted({ verdict }: Pick<Task, "verdict">): boolean {
  return verdict?.state === "disputed";
}

/** The agent whose completion is refuted; null: nothing is. */
export function refutedReporter(task: Pick<Task, "report" | "verdict">): string | null {
  return isRefuted(task) ? (task.report?.leavesRefuted ?? task.report?.reporter ?? null) : null;
}

/**
 * The verdict on a task after `report`: the finding stays where the report leaves it open, and what is verified or gone,
 * and not reverted, stays so until a further report is verified, too. Else none yet.
 */
export function verdictAfter(task: Pick<Task, "report" | "verdict">, report: Report): Verdict | null {
  const { verdict } = task;
  const isThere = verdict?.state === "verified" || (verdict?.state === "gone" && !isReverted(task));
  const isFurther = report.status === "complete" && isThere;
  return report.leavesRefuted !== undefined || isFurther ? verdict : null;
}

/** Ids of tasks whose reported work is not there. */
export interface RefutedTasks {
  /** The repository contradicts them; they do not count as done. */
  readonly disputed: readonly string[];
  /** They were verified, and the work is not there any more; they count until somebody says otherwise. */
  readonly gone: readonly string[];
}

/** Which of the tasks are disputed, and of which the work is gone: phases, summaries and certificates all use this. */
export function refutedAmong(tasks: readonly Pick<Task, "task" | "verdict">[]): RefutedTasks {
  const [disputed, gone]: [string[], string[]] = [[], []];
  for (const { task, verdict } of tasks) {
    if (verdict?.state === "disputed") disputed.push(task);
    else if (verdict?.state === "gone") gone.push(task);
  }
  return { disputed, gone };
}

/** The commits that a report names, as written, in their order. */
export function commitsOf({ commit, commits }: Pick<Report, "commit" | "commits">): readonly string[] {
  return commits ?? (commit === "" ? [] : [commit]);
}

/** The full ids of a verdict's commits. */
export function idsOf(verdict: Pick<Verdict, "commit" | "commits"> | null): readonly string[] {
  return verdict?.commits ?? (verdict === null || verdict.commit === null ? [] : [verdict.commit]);
}

/** Whether two verdicts, or findings of judges, say the same; who said it, and when, does not count. */
export function isSameVerdict(one: Said, other: Said): boolean {
  const said = ({ state, commit, commits, files, problems, notes = [], place, checks, settledBy }: Said) =>
    JSON.stringify([
      state,
      commit,
      commits ?? null,
      files,
      problems,
      notes,
      place ?? null,
      checks ?? null,
      settledBy ?? null,
    ]);
  return said(one) === said(other);
}

/** On work that only the process of its reporter has looked at, where there was no hub: what it ran was in its hands. */
export const ownProcessNote: Note = {
  code: "own-process",
  path: "$",
  message: "The reporter's own process looked at it. A hub, or the owner's next verify or land, looks again.",
};

/** Whether a verdict is one that is looked at again, and may then be disputed after all. */
export function isOfOwnProcess(verdict: Pick<Verdict, "state" | "notes"> | null): boolean {
  return verdict?.state === "verified" && (verdict.notes ?? []).some(({ code }) => code === ownProcessNote.code);
}

type Said = Omit<Finding, "judge" | "seq"> & Pick<Verdict, "place" | "checks" | "settledBy">;
