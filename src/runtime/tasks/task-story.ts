/**
 * One task with everything that is known of it: its contract, who held it and how that ended, what was reported and what
 * became of each report, the verdict with its checks, and each file with what was claimed, reported and found of it.
 * Source: docs/protocol/tasks.md, section 11.
 */
import { ownTurn, timestampOf } from "../../base/clock.ts";
import { canonicalFile } from "../../base/paths/paths.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { keptOut, rulingsOn } from "../../coordination/contracts/contract-files.ts";
import { tokenReportsOf } from "../../coordination/contracts/contract-terms.ts";
import { contractOf, contractView } from "../../coordination/contracts/contracts.ts";
import type { CoordinationEvent } from "../../coordination/coordination-state.ts";
import { outcomeOf } from "../../coordination/line-outcome.ts";
import {
  type Board,
  boardOf,
  boardStepsMax,
  type TaskFilter,
  type TaskState,
  type TaskView,
  taskStates,
  tasksOfBoard,
  taskViewOf,
  taskViews,
  type Viewer,
} from "../../coordination/tasks/board.ts";
import { summaryViewOf } from "../../coordination/tasks/plan-summary.ts";
import { commitsOf } from "../../coordination/tasks/report-status.ts";
import type { TaskJudged } from "../../coordination/tasks/task-events.ts";
import { findTask, type Task } from "../../coordination/tasks/task-state.ts";
import { wavesOf } from "../../coordination/tasks/waves.ts";
import type { ShowTask } from "../../operations/generated/calls.ts";
import type { CheckRecord } from "../../operations/reply.ts";
import type { TeamStatus } from "../../operations/status.ts";
import type { PlanReport, TaskFile, TaskStory } from "../../operations/task-shapes.ts";
import { leaseMsOf } from "../../team/definition.ts";
import type { Actor, Context } from "../context.ts";
import { signOfLife } from "../health/heartbeat.ts";
import { effectsOf } from "../record/content.ts";
import { type ClaimSpan, indexOfTask, type RecordIndex, recordIndex, rowAt } from "../record/record-index.ts";
import { entryAt } from "../record/recorded-act.ts";
import { asksAbout } from "../remotes/remote-views.ts";
import type { TeamState } from "../state.ts";

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
        const { task: name, state: standing } = taskViewOf(work, other, viewer);
        return [{ task: name, state: standing }];
      });
    return {
      task,
      told: {
        seq,
        task: taskViewOf(work, task, viewer),
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
  return verdict.ok ? ok({ ...told, verdict: verdict.value }) : verdict;
}

function unknownTask(id: string): Problem {
  return problem("unknown-task", "$.body.taskId", "There is no such task, or several are called so.", {
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
  { claimsOf, reportsOf }: RecordIndex,
): Pick<TaskStory, "claims" | "reports"> {
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
  return { claims, reports };
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
    problems: rowAt(index, seq)?.events.flatMap((event) => (isAgainst(event, key) ? event.problems : [])) ?? [],
    repair: repair === null ? null : { ...repair, at: timeOf(repair.seq) },
  }));
}

function isAgainst(event: CoordinationEvent, key: string): event is TaskJudged {
  return (event.event === "task-disputed" || event.event === "task-stale") && event.key === key;
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
  const { state, seq, commit, commits, problems, notes = [] } = verdict;
  const checks = entry.value === null ? [] : (effectsOf(entry.value).command?.checks ?? []);
  return ok({
    seq,
    at: entry.value?.recordedAt ?? null,
    state,
    commits: commits ?? (commit === null ? [] : [commit]),
    problems,
    notes,
    // What `verification.ts` recorded.
    checks: checks as unknown as readonly CheckRecord[],
  });
}

/*
 * Looking at the tasks. An agent that looks shows that it is there, as one does that asks for its mail.
 * Source: docs/protocol/tasks.md.
 */

/** The tasks as the actor sees them, in the order in which they came. */
export function tasks(
  context: Context,
  actor: Actor,
  filter: TaskFilter = {},
): Promise<Result<readonly TaskView[], Problem>> {
  return looking(context, actor, (state, viewer) => taskViews(state.coordination.work, viewer, filter));
}

/** A board is drawn in two turns as long as nothing is recorded between them; after so many tries in one. */
const triesMax = 3;

/**
 * The board as the actor sees it. The tasks are drawn in one turn and the waves in the next one, so that others are
 * answered in between.
 */
export async function board(context: Context, actor: Actor): Promise<Result<Board, Problem>> {
  for (let tried = 1; tried < triesMax; tried += 1) {
    const budget = { left: boardStepsMax };
    const drawn = await looking(context, actor, ({ coordination: { work, contracts } }, viewer, seq) => ({
      seq,
      tasks: tasksOfBoard(work, { ...viewer, contracts }, budget),
    }));
    if (!drawn.ok) return drawn;
    await ownTurn();
    const folded = await context.journal.state(context.team);
    if (!folded.ok) return folded;
    const { head, state } = folded.value;
    if (head.seq === drawn.value.seq) {
      return ok({ ...drawn.value.tasks, ...wavesOf(state.coordination.work, budget) });
    }
  }
  return looking(context, actor, ({ coordination: { work, contracts } }, viewer) =>
    boardOf(work, { ...viewer, contracts }),
  );
}

/** What became of a plan. Refuses `not-found`. */
export async function summary(context: Context, actor: Actor, plan: string): Promise<Result<PlanReport, Problem>> {
  const looked = await looking(context, actor, (state) => summaryViewOf(state.coordination, plan));
  if (!looked.ok) return looked;
  const view = looked.value;
  if (view === null) {
    return err(
      problem("not-found", plan, `There is no plan "${plan}" with tasks.`, {
        hint: "`baton task list` shows the tasks with their plans.",
      }),
    );
  }
  if (view.seq === null) return ok({ ...view, date: timestampOf(context.clock.now()) });
  const entry = await entryAt(context, view.seq);
  if (!entry.ok) return entry;
  return ok({ ...view, date: entry.value?.recordedAt ?? timestampOf(context.clock.now()) });
}

/** How many tasks are in each state, as somebody sees it who claims nothing, and how many reports are not verified. */
export function taskCounts(
  context: Context,
  state: TeamState,
): { readonly tasks: Readonly<Record<TaskState, number>>; readonly unverified: TeamStatus["unverified"] } {
  const counts = Object.fromEntries(taskStates.map((each) => [each, 0])) as Record<TaskState, number>; // each of them
  const viewer = { agent: null, signOf: () => 0, leaseMs: 0, hasRepository: context.hasRepository !== false };
  const unverified = { awaited: 0, unavailable: 0 };
  for (const { state: standing, verdict } of taskViews(state.coordination.work, viewer)) {
    counts[standing] += 1;
    if (verdict === "awaited" || verdict === "unavailable") unverified[verdict] += 1;
  }
  return { tasks: counts, unverified };
}

/** Something derived from the state at the head; it may share what is never changed, and nothing else. */
export async function looking<Value>(
  context: Context,
  actor: Actor,
  look: (state: TeamState, viewer: Viewer, seq: number) => Value,
): Promise<Result<Value, Problem>> {
  const shown = await signOfLife(context, actor);
  if (!shown.ok) return shown;
  const signs = await context.journal.signsOfLife(context.team);
  if (!signs.ok) return signs;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { head, state } = folded.value;
  const viewer: Viewer = {
    agent: state.team.roster.has(actor.agent) ? actor.agent : null,
    signOf: (agent) => Math.max(Date.parse(state.lastActs.get(agent) ?? "") || 0, signs.value.get(agent) ?? 0),
    leaseMs: leaseMsOf(state.team.definition),
    hasRepository: context.hasRepository !== false,
  };
  return ok(look(state, viewer, head.seq));
}
