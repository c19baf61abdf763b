/**
 * Completions as they were recorded, ready to be judged: what each reports, when its task was recorded, and what other tasks
 * say of the same commits. Read from the state at once, before anything waits. Rules: docs/protocol/verdicts.md.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { ownerName, unknownAuthor } from "../../messages/principal.ts";
import type { Role } from "../../messages/role.ts";
import { type Actor, batonActor, principalOf } from "../../perform/context.ts";
import type { TeamState } from "../../perform/state.ts";
import { tipsAt } from "../../tasks/state/branches.ts";
import { scopeOfPlan } from "../../tasks/state/contract-files.ts";
import { commitsOf, idsOf, isReturned, verdictAbout } from "../../tasks/state/report-status.ts";
import {
  type Claim,
  findTask,
  type Verdict as RecordedVerdict,
  type Report,
  type Task,
  type Work,
} from "../../tasks/state/task-state.ts";
import { replacedProblem } from "../../team/view/session-endings.ts";
import type { HeldFiles } from "../decide/claim-cover.ts";
import { namesSame, type OtherWork, type ReportedWork } from "../decide/verdict.ts";

/** A completion as it was recorded when verification began. */
export interface Candidate {
  readonly key: string;
  readonly task: string;
  readonly plan: string | null;
  readonly planKey: string | null;
  /** Seq of the report. */
  readonly report: number;
  readonly work: ReportedWork;
  /** The verdict on this report; null: none yet. */
  readonly before: RecordedVerdict | null;
  /** It did not land, and its author holds it again: only that it landed otherwise is news. Absent: it is not so. */
  readonly isReworked?: true;
}

/** What a task reported, as others are judged by it. */
export interface Reported extends OtherWork {
  readonly key: string;
  /** The repository contradicts it, so it answers for no change of others; absent: it does not. */
  readonly isDisputed?: true;
}

/**
 * The completions of the tasks that are named, or of all, as a judge has to look at them. Work that needs no files is done
 * when it is reported, so there is nothing to judge. Refuses `unknown-task`.
 */
export function candidatesIn(state: TeamState, named: readonly string[] | null): Result<readonly Candidate[], Problem> {
  const { work, contracts } = state.coordination;
  const tasks: Task[] = [];
  for (const id of named ?? []) {
    const task = findTask(work, id, null);
    if (task === null) return err(unknownTask(id));
    tasks.push(task);
  }
  const candidateOf = (each: Task): readonly Candidate[] => {
    const { key, task, plan, report, withoutFiles } = each;
    const isReworked = each.claim !== null && isReturned(each);
    if ((each.claim !== null && !isReworked) || report?.status !== "complete" || withoutFiles) return [];
    const { files, isForecast = false, seq, finishedBefore = false } = report;
    const before = verdictAbout(each);
    const claimed = isForecast ? null : report.claimed;
    const then = tipsAt(work.branches, each.branches);
    // What did not land is mended by work on top of what it did not land on.
    const onto = each.notLanded === undefined ? [] : [each.notLanded.onto];
    const recorded = then === null ? null : { ...then, ids: [...then.ids, ...onto] };
    const branches = { recorded, isFinishedBefore: finishedBefore };
    const reported: ReportedWork = {
      task,
      commits: commitsOf(report),
      filesModified: files,
      scope: scopeOfPlan(contracts, plan),
      claimed,
      forecast: isForecast ? report.claimed : null,
      branches,
      reopened: each.reopened ?? [],
      returned: each.returned ?? [],
      lost: each.lost ?? [],
      held: claimed === null ? heldByOthers(work, report) : [],
      needs: each.needs.flatMap((need) => work.tasks.get(need)?.task ?? []),
    };
    const planName = plan === null ? null : (work.plans.get(plan)?.plan ?? plan);
    const found = { key, task, plan: planName, planKey: plan, report: seq, work: reported, before };
    return [isReworked ? { ...found, isReworked: true as const } : found];
  };
  return ok([...(named === null ? work.tasks.values() : tasks)].flatMap(candidateOf));
}

/**
 * What agents but the reporter hold, each claim with its task and each edit, from before the report: the commit that it
 * names was made when later ones were not there.
 */
function heldByOthers(work: Work, { reporter, seq }: Pick<Report, "reporter" | "seq">): readonly HeldFiles[] {
  const claims = [...work.held].flatMap(([holder, keys]) =>
    holder === reporter
      ? []
      : [...keys.keys()].flatMap((key): readonly HeldFiles[] => {
          const task = work.tasks.get(key);
          if (task === undefined || task.claim === null || task.claim.token > seq) return [];
          return [{ holder, task: task.task, files: filesAt(task.claim, seq) }];
        }),
  );
  const edits = [...work.edits.values()].flatMap((edit): readonly HeldFiles[] => {
    const { holder, file, before, task } = edit;
    // Who edits a file may be the one who wrote the summary: nobody knows its author.
    if (reporter === unknownAuthor) return [];
    if (holder === reporter || before === reporter || edit.seq > seq) return [];
    return [{ holder, task: task === null ? null : (work.tasks.get(task)?.task ?? task), files: [file] }];
  });
  return [...claims, ...edits];
}

/** What a claim covered at an entry. */
function filesAt({ files, growths }: Claim, seq: number): readonly string[] {
  const later = growths.find((growth) => growth.seq > seq);
  return later === undefined ? files : files.slice(0, later.before);
}

/** What all tasks reported as complete, in the order of the tasks. */
export function reportedIn({ coordination }: TeamState): readonly Reported[] {
  return [...coordination.work.tasks.values()].flatMap((each) => {
    const { key, task, claim, report, verdict, withoutFiles } = each;
    if ((claim !== null && !isReturned(each)) || report?.status !== "complete" || withoutFiles) return [];
    const commits = verdict === null || verdict.commit === null ? commitsOf(report) : idsOf(verdict);
    // What is gone is nobody's any more: to bring it back is work.
    const work = verdict?.state === "verified" ? (verdict.work ?? null) : null;
    const now = work === null ? {} : { now: { work: verdict?.grown ?? work, since: verdict?.place?.since ?? null } };
    const contradicted = verdict?.state === "disputed" ? { isDisputed: true as const } : {};
    return [{ key, task, commits, claimed: report.claimed, work, ...now, ...contradicted }];
  });
}

/** Whether a report that was not verified names a commit of one of these, because together they may be good, or not. */
export function isJudgedWith({ before, work }: Candidate, others: readonly Candidate[]): boolean {
  return before?.state !== "verified" && others.some((each) => namesSame(each.work.commits, work.commits));
}

/** Whether another task was credited with one of the commits since `asOf`; then a verdict on them is found again, later. */
export function wasCreditedSince(
  work: Work,
  commits: readonly string[],
  { asOf, together }: { readonly asOf: number; readonly together: ReadonlySet<string> },
): boolean {
  return [...work.tasks.values()].some(
    ({ key, verdict }) =>
      verdict?.state === "verified" && verdict.seq > asOf && !together.has(key) && namesSame(idsOf(verdict), commits),
  );
}

function unknownTask(id: string): Problem {
  return makeProblem("unknown-task", id, "There is no task of this name, or it is not clear which is meant.", {
    hint: "`baton task list` shows the tasks.",
  });
}

/*
 * Who may have Baton record what the repository shows. A verdict is Baton's own and binds everybody; others only look.
 * Source: docs/protocol/verdicts.md.
 */

const judges: ReadonlySet<Role> = new Set(["lead", "architect", "qa", "qa-lead", "qa-code"]);

/** Whether Baton records the verdicts that the actor asks for: itself, for the owner, and for active lead and QA roles. */
export function mayJudge(actor: Actor, state: TeamState): boolean {
  if (actor === batonActor) return true;
  const { agent, role } = principalOf(actor, state);
  if (agent === ownerName) return true;
  const isActive = state.team.roster.get(agent)?.status === "active" && replacedProblem(state, actor) === null;
  return isActive && role !== null && judges.has(role);
}

/** Names in an entry who asked Baton to look; nothing where Baton looked by itself. */
export function askedBy(actor: Actor): { readonly askedBy?: string } {
  return actor === batonActor ? {} : { askedBy: actor.agent };
}
