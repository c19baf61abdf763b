/**
 * One task with everything that is known of it: its contract, who held it and how that ended, what was reported and what
 * became of each report, the verdict with its checks, and each file with what was claimed, reported and found of it.
 * Source: docs/protocol/tasks.md, section 11.
 */
import { timestampOf } from "../../base/clock.ts";
import { canonicalFile } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { returnedIn } from "../../landing/view/returned-work.ts";
import { contentOf } from "../../perform/content.ts";
import type { Actor, Context } from "../../perform/context.ts";
import { isVerdictAgainst, outcomeOf } from "../../perform/line-outcome.ts";
import type { ShowTask } from "../../perform/operations/generated/calls.ts";
import { entryAt } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { type ClaimSpan, indexOfTask, type RecordIndex, recordIndex, rowAt } from "../../record/view/record-index.ts";
import { asksAbout } from "../../remotes/view.ts";
import { contractOf, contractView } from "../decide/contracts.ts";
import type { ReturnedWork, TaskFile, TaskStory } from "../operations/task-shapes.ts";
import { keptOut, rulingsOn } from "../state/contract-files.ts";
import { tokenReportsOf } from "../state/contract-terms.ts";
import { commitsOf, isReturned } from "../state/report-status.ts";
import { findTask, noText, type Task } from "../state/task-state.ts";
import { looking } from "./task-list.ts";
import { taskViewOf } from "./task-view.ts";

/** Most files of a task that are shown, and most claims and reports, the latest. */
const filesMax = 2_000;
const historyMax = 200;
/** Most tasks that are named before it and after it. */
const neighboursMax = 200;

/** The task that an id means, also in a past `context`. Refuses `unknown-task`, also where it may mean several. */
export async function taskStory(
  context: Context,
  actor: Actor,
  { task: id, plan }: Pick<ShowTask, "task" | "plan">,
  record: Context = context,
): Promise<Result<TaskStory, Problem>> {
  const index = await recordIndex(record);
  if (!index.ok) return index;
  const looked = await looking(context, actor, (state, viewer, seq) => {
    const { work } = state.coordination;
    const task = findTask(work, id, plan ?? null);
    if (task === null) return null;
    const known = indexOfTask(index.value, task.key, seq);
    const of = (keys: Iterable<string>) =>
      [...keys].slice(0, neighboursMax).flatMap((key) => {
        const other = work.tasks.get(key);
        if (other === undefined) return [];
        const { task: name, state } = taskViewOf(work, other, viewer);
        return [{ task: name, state }];
      });
    return {
      task,
      told: {
        seq,
        task: taskViewOf(work, task, viewer),
        ...saidOf(task),
        ...ofContract(state, task),
        waitsFor: of(task.needs),
        neededBy: of(work.neededBy.tasks.get(task.key)?.keys() ?? []),
        ...historyOf(state, task, known),
        disputes: disputesOf(state, task, known),
        files: filesOf(state, task),
        remotes: asksAbout(state, task),
      },
    };
  });
  if (!looked.ok) return looked;
  if (looked.value === null) return err(unknownTask(id));
  const { task, told } = looked.value;
  const verdict = await verdictOf(context, task);
  if (!verdict.ok) return verdict;
  const returned = await returnedOf(context, task);
  return returned.ok ? ok({ ...told, verdict: verdict.value, returned: returned.value }) : returned;
}

function saidOf({ text = noText }: Task): Pick<TaskStory, "description" | "criteria" | "checks"> {
  const { description, criteria, checks } = text;
  return { description, criteria, checks };
}

function unknownTask(id: string): Problem {
  return makeProblem("unknown-task", "$.body.taskId", "There is no such task, or several are called so.", {
    received: id.slice(0, 64).toWellFormed(),
    hint: "`baton task list` shows the tasks. Name the plan too where several have a task of that name.",
  });
}

function ofContract(
  { coordination: { contracts } }: TeamState,
  { key, plan }: Task,
): Pick<TaskStory, "contract" | "tokens"> {
  const contract = plan === null ? null : contractOf(contracts, plan);
  const reports = plan === null ? [] : tokenReportsOf(contracts.tokens.get(plan));
  return {
    contract: contract === null ? null : structuredClone(contractView(contracts, contract)),
    tokens: reports.filter(({ task }) => task === key).map(({ reporter, tokens }) => ({ reporter, tokens })),
  };
}

function historyOf(
  { coordination }: TeamState,
  { key }: Task,
  { claimsOf, reportsOf, decisionsOf }: RecordIndex,
): Pick<TaskStory, "claims" | "reports" | "decisions"> {
  const claims = (claimsOf.get(key) ?? []).slice(-historyMax).map(claimView);
  const reports = (reportsOf.get(key) ?? []).slice(-historyMax).map(({ seq, atMs, report }) => ({
    seq,
    at: timestampOf(atMs),
    reporter: report.reporter,
    status: report.status,
    commits: commitsOf(report),
    files: report.files === null ? null : report.files.slice(0, filesMax),
    evidence: report.evidence,
    outcome:
      outcomeOf(coordination, seq, [{ event: "task-reported", key, task: key, plan: null, ...report }]).outcome ??
      "reported",
  }));
  const decisions = (decisionsOf.get(key) ?? [])
    .slice(-historyMax)
    .map(({ atMs, ...decision }) => ({ ...decision, at: timestampOf(atMs) }));
  return { claims, reports, decisions };
}

function disputesOf({ coordination }: TeamState, { key }: Task, index: RecordIndex): TaskStory["disputes"] {
  const timeOf = (seq: number) => {
    const atMs = rowAt(index, seq)?.atMs;
    return atMs === undefined ? null : timestampOf(atMs);
  };
  const all = [...(coordination.work.disputes.get(key)?.values() ?? [])];
  return all.slice(-historyMax).map(({ report, reporter, state, seq, repair }) => ({
    report,
    reporter,
    reportedAt: timeOf(report),
    state,
    seq,
    at: timeOf(seq),
    problems: rowAt(index, seq)?.events.flatMap((event) => (isVerdictAgainst(event, key) ? event.problems : [])) ?? [],
    repair: repair === null ? null : { ...repair, at: timeOf(repair.seq) },
  }));
}

function claimView({ holder, token, fromMs, toMs, end, endSeq, files }: ClaimSpan): TaskStory["claims"][number] {
  return {
    holder,
    token,
    since: timestampOf(fromMs),
    until: toMs === null ? null : timestampOf(toMs),
    end: end ?? "held",
    endSeq,
    files: files.slice(0, filesMax),
  };
}

/** Each file that the work changed, was reported to, or may change, with what each of them says. */
function filesOf({ coordination: { contracts } }: TeamState, task: Task): readonly TaskFile[] {
  const { report, verdict, claim, plan } = task;
  const terms = plan === null ? undefined : contractOf(contracts, plan)?.terms;
  const claimed = claim?.files ?? report?.claimed ?? null;
  const [changed, reported] = [verdict?.files ?? null, report?.files?.map(canonicalFile) ?? null];
  const all = new Set([...(changed ?? []), ...(reported ?? []), ...(changed === null ? (claimed ?? []) : [])]);
  const paths = [...all].slice(0, filesMax);
  const sets = { changed: new Set(changed), reported: new Set(reported) };
  const unclaimed = claimed === null ? null : keptOut({ allowed: claimed, forbidden: [] }, paths);
  const rulings = rulingsOn(terms, paths);
  return paths.map((path) => ({
    path,
    changed: changed === null ? null : sets.changed.has(path),
    reported: reported === null ? null : sets.reported.has(path),
    claimed: claimed === null || unclaimed === null ? null : claimed.includes(path) || !unclaimed.has(path),
    contract: rulings.get(path) ?? "none",
  }));
}

async function verdictOf(context: Context, { verdict }: Task): Promise<Result<TaskStory["verdict"], Problem>> {
  if (verdict === null) return ok(null);
  const entry = await entryAt(context, verdict.seq);
  if (!entry.ok) return entry;
  const { state, seq, commit, commits, problems, notes = [], checks = [] } = verdict;
  return ok({
    seq,
    at: entry.value?.recordedAt ?? null,
    state,
    commits: commits ?? (commit === null ? [] : [commit]),
    problems,
    notes,
    checks,
  });
}

async function returnedOf(context: Context, task: Task): Promise<Result<ReturnedWork | null, Problem>> {
  const { notLanded } = task;
  if (notLanded === undefined || !isReturned(task)) return ok(null);
  const { seq, branch, why } = notLanded;
  const entry = await entryAt(context, seq);
  if (!entry.ok) return entry;
  const words = entry.value === null ? "" : (contentOf(entry.value).message?.text ?? "");
  return ok({ seq, branch, why, ...returnedIn(words) });
}
