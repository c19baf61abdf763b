/**
 * Rules between contracts and tasks: a contract brings its tasks, with what its extra field `task_details` says of each
 * (title, files, what it waits for), and a claim is inside its plan's contract. So a plan is declared once. Source:
 * docs/protocol/tasks.md.
 */
import { argument } from "../../base/argument.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { counted, shorten, shortList, visible } from "../../base/text.ts";
import { type Escalation, type Escalations, escalationIdOf, escalationOf, heldUp } from "../../escalations/state.ts";
import type { Breakers } from "../../health/decide/breakers.ts";
import { barOf } from "../../health/decide/disappearance.ts";
import { type Health, isLost } from "../../health/decide/health.ts";
import type { BreakerScope } from "../../health/state.ts";
import { type Fact, says } from "../../messages/facts.ts";
import type { Note } from "../../messages/message.ts";
import type { Principal } from "../../messages/principal.ts";
import { keyOfTask, planKey, planKeyOfTask } from "../../messages/task-ids.ts";
import type { Decided } from "../../perform/decider.ts";
import type { FactCommand } from "../../perform/fact-command.ts";
import { type Reviews, reviewOf } from "../../phases/state/review-state.ts";
import { checkFiles, scopeOfPlan } from "../state/contract-files.ts";
import type { Contracts } from "../state/contract-terms.ts";
import { evidenceNotes } from "../state/plan-summary.ts";
import { isReported, isReverted } from "../state/report-status.ts";
import type { TaskAdded, TaskChanged, TaskDescribed, WorkEvent } from "../state/task-events.ts";
import { listedTask } from "../state/task-events.ts";
import { findTask, idsFor, noText, priorities, type Task, type TaskText, type Work } from "../state/task-state.ts";
import { cycleClosedBy, isBlocked } from "../view/dependencies.ts";
import {
  type ClaimTask,
  claimTask,
  meeting,
  meetingOnceMoved,
  overlap,
  unknownTask,
  waitsAnyway,
  withBlockers,
} from "./claims.ts";
import { type ReportTask, reportTask } from "./completions.ts";
import { type ContractCommand, type ContractEvent, contracts, keptOutBy } from "./contracts.ts";
import { editsMeeting, freeEditsOf } from "./edit-claims.ts";
import type { ListedTask } from "./plan-list.ts";
import {
  type AddTask,
  addTask,
  adoptTasks,
  beforeIt,
  filesProblems,
  overProblem,
  type TaskEvent,
  textOf,
  textProblems,
} from "./tasks.ts";

/** The part of the state that tasks are decided on. */
interface State {
  readonly contracts: Contracts;
  readonly work: Work;
  readonly health: Health;
  readonly breakers: Breakers;
  readonly escalations: Escalations;
  readonly reviews: Reviews;
}

type Outcome = Result<Decided<ContractEvent | WorkEvent>, readonly Problem[]>;
type IssueContract = Extract<ContractCommand, { readonly command: "issue-contract" }>;

/** What a contract says of its tasks in extra fields. */
interface ContractTasks {
  readonly withoutFiles?: readonly string[];
  readonly details?: readonly TaskDetails[];
}

/** A contract, and the tasks that come and go with it. Refuses what `contracts.ts`, `tasks.ts`, `withDetails` refuse. */
export function issueWithTasks(
  state: State,
  { withoutFiles = [], details = [], ...contract }: Omit<IssueContract, "command"> & ContractTasks,
): Outcome {
  const issued = contracts.decide({ command: "issue-contract", ...contract }, state.contracts);
  if (!issued.ok) return issued;
  const { body, seq } = contract;
  const { planId, tasks, dependsOn = [] } = body;
  // A repeat withdraws what is free by now, and may say more of its tasks.
  const adopted = adoptTasks({ planId, tasks, withoutFiles, dependsOn, seq }, state.work);
  if (!adopted.ok) return adopted;
  const described = withDetails(details, body, adopted.value.events, state.work);
  if (!described.ok) return described;
  return ok({
    events: [...issued.value.events, ...described.value],
    notes: [...issued.value.notes, ...adopted.value.notes],
  });
}

/** What tasks need of a fact and its sender. */
export type TaskFact = Pick<
  FactCommand,
  | "fact"
  | "principal"
  | "session"
  | "leaseMs"
  | "breaker"
  | "completes"
  | "awaitsVerdict"
  | "isAdvisory"
  | "landsFirst"
  | "claimsByProgress"
  | "seq"
  | "atMs"
>;

/** What a claim, progress or a completion brings about; null: the fact is none of them. */
export function decideTaskFact(state: State, command: TaskFact): Outcome | null {
  const { fact, principal, session, leaseMs, landsFirst, breaker = null, seq, atMs } = command;
  if (says(fact, "claim")) {
    const asked = { ...fact.body, holder: principal.agent, session, breaker, seq, atMs, leaseMs, landsFirst };
    return claimOrList(state, asked);
  }
  const commits = listIn(fact, "commits");
  if (says(fact, "progress")) {
    const { taskId, planId, status, commit, filesModified: files = null, evidence = null } = fact.body;
    const { completes } = command;
    const about = { taskId, planId, status, commit, files, deviations: [], evidence, completes };
    const reported = reportedBy(state, command, about, commits);
    const begins = command.claimsByProgress === true && status === "partial";
    return begins && reported.ok ? ok(withClaim(state, command, taskId, planId, reported.value)) : reported;
  }
  if (says(fact, "completion")) {
    const { taskId, planId, status, commit, filesModified: files, deviations = [] } = fact.body;
    const about = { taskId, planId, status, commit, files, deviations, evidence: null, completes: true };
    return reportedBy(state, command, about, commits);
  }
  return null;
}

type About = Pick<
  ReportTask,
  "taskId" | "planId" | "status" | "commit" | "files" | "deviations" | "evidence" | "completes"
>;

/** A report of the sender, judged at once where its repository can be asked. */
function reportedBy(state: State, command: TaskFact, about: About, commits: readonly string[]): Outcome {
  const { fact, principal, awaitsVerdict = false, isAdvisory = false, seq } = command;
  const { taskId, planId, status, commit, files, deviations, evidence, completes } = about;
  const report: ReportTask = {
    by: principal.agent,
    token: tokenOf(fact),
    way: "message",
    awaitsVerdict,
    isAdvisory,
    taskId,
    planId,
    status,
    commit,
    files,
    deviations,
    evidence,
    completes,
    answersReview: answersReview(state, taskId, planId),
    seq,
  };
  return withProofs(state, reportTask(commits.length < 2 ? report : { ...report, commits }, state.work));
}

/** Whether a review of the task's plan waits for changes, which another may make than who did the work. */
function answersReview({ work, reviews }: State, taskId: string, planId: string | null): boolean {
  const plan = findTask(work, taskId, planId)?.plan ?? null;
  return plan !== null && reviewOf(reviews, plan).review?.status === "changes-requested";
}

/** Progress on a task, and with it a claim of that task, where the sender may have it. */
function withClaim(
  state: State,
  { principal: { agent: holder }, session, breaker = null, seq, atMs, leaseMs, landsFirst }: TaskFact,
  taskId: string,
  planId: string | null,
  { events, notes }: Decided<ContractEvent | WorkEvent>,
): Decided<ContractEvent | WorkEvent> {
  const asked = { taskId, planId, files: [], holder, session, breaker, seq, atMs, leaseMs, landsFirst };
  const claimed = decideClaim(state, asked);
  return { events: [...events, ...(claimed.ok ? claimed.value.events : [])], notes };
}

/**
 * A task by hand. Files of it that its plan's contract does not allow are noted at once, for nobody could claim it as it is.
 * Refuses what `addTask` refuses.
 */
export function decideTask(state: State, task: AddTask): Outcome {
  const decided = addTask({ ...task }, state.work);
  if (!decided.ok) return decided;
  const { events, notes } = decided.value;
  const said = events.find((event) => event.event === "task-added" || event.event === "task-changed");
  const { taskId, planId } = task;
  const known = taskId === null ? null : findTask(state.work, taskId, planId ?? planKeyOfTask(taskId));
  const plan = said?.event === "task-added" ? said.plan : (known?.plan ?? null);
  const scope = scopeOfPlan(state.contracts, plan);
  const files = said?.files ?? known?.files ?? [];
  const strays = scope === null ? [] : keptOutBy(scope, files);
  if (strays.length === 0) return decided;
  const message = `Outside the contract of the task's plan: ${shortList(strays)}. Nobody can claim the task until the contract allows them.`;
  return ok({ events, notes: [...notes, { code: "outside-contract", path: "$.body.files", message }] });
}

/** The tasks of a list, each with the next id, in one entry. Refuses what `addTask` refuses, with the lines. */
export function decideList(state: State, listed: readonly ListedTask[], planId: string | null, seq: number): Outcome {
  const ids = idsFor(state.work, planId, listed.length);
  const events: (ContractEvent | WorkEvent)[] = [];
  const notes: Note[] = [];
  const problems: Problem[] = [];
  for (const [at, { line, after, dependsOn, ...task }] of listed.entries()) {
    const own = after.flatMap((place) => ids[place] ?? []);
    const said = { ...task, files: task.files.length === 0 ? undefined : task.files, agent: task.agent ?? undefined };
    const asked = { ...said, taskId: ids[at] ?? null, planId, dependsOn: [...own, ...dependsOn], seq };
    const decided = decideTask(state, defined(asked));
    const place = `line ${line}`;
    if (!decided.ok)
      problems.push(
        ...decided.error.map((each) => ({ ...each, path: `${place}, ${each.path.replace("$.body.", "")}` })),
      );
    else {
      events.push(...decided.value.events);
      const others = decided.value.notes.filter(({ code }) => code !== "unknown-task");
      const unknown = dependsOn.filter((each) => findTask(state.work, each, planId) === null);
      const lacks = unknown.map((each) => ({
        code: "unknown-task",
        path: place,
        message: `Task ${each} is not in the list yet; it blocks until it is added and done.`,
      }));
      notes.push(...others.map((each) => ({ ...each, path: place })), ...lacks);
    }
  }
  return problems.length > 0 ? err(problems) : ok({ events, notes });
}

/** Without the fields that are undefined. */
function defined<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  // What is left has no undefined.
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as ReturnType<
    typeof defined<Value>
  >;
}

/**
 * A claim, judged by the contract of the task's plan and the breaker that counts the holder. While a review asks for
 * changes, who reported the task takes it up again, so that nobody else edits its files. Refuses what `claimTask` refuses.
 */
export function decideClaim(
  state: State,
  { breaker = null, ...claim }: Omit<ClaimTask, "scope" | "barred"> & { readonly breaker?: BreakerScope | null },
): Outcome {
  const task = findTask(state.work, claim.taskId, claim.planId);
  const { holder: by, seq } = claim;
  if (task !== null && isReported(task) && task.report?.reporter === by && task.ended === undefined) {
    if (answersReview(state, task.task, task.plan)) {
      const free = { ...task, report: null, verdict: null };
      const work = { ...state.work, tasks: new Map([...state.work.tasks, [task.key, free]]) };
      const again = decideClaim({ ...state, work }, { breaker, ...claim });
      const reason = `the review of plan ${task.plan} asks for changes`;
      const reopened = { event: "task-reopened", key: task.key, task: task.task, by, reason, seq } as const;
      return again.ok ? ok({ ...again.value, events: [reopened, ...again.value.events] }) : again;
    }
  }
  const scope = scopeOfPlan(state.contracts, task?.plan ?? claim.planId);
  const barred = barOf(state, claim.holder, breaker);
  const decided = claimTask({ ...claim, scope, barred }, state.work);
  if (!decided.ok) return err(decided.error.map((each) => namingBlockers(state, each, { task, ...claim })));
  return ok({
    ...decided.value,
    notes: [...decided.value.notes, ...inheritedBlockers(state, decided.value.events, by)],
  });
}

/** Where a task is named for a claim: the next one that the agent may have. A task that is called so goes first. */
export const nextWord = "next";

/**
 * The next task of an agent: one that it holds; else the most urgent that is free, waits for nothing, is meant for nobody
 * else, touches no file of another, is inside its contract and was not reverted, and of equal ones the first, among those
 * that are left. Null: there is none.
 */
export function nextTask(
  state: Pick<State, "work" | "contracts">,
  agent: string,
  planId: string | null,
  landsFirst: boolean,
  isLeft: (task: Task) => boolean = () => true,
): Task | null {
  const { work, contracts } = state;
  const plan = planId === null ? null : planKey(planId);
  const isOfPlan = (task: Task) => plan === null || task.plan === plan;
  const held = [...(work.held.get(agent)?.keys() ?? [])].flatMap((key) => work.tasks.get(key) ?? []).find(isOfPlan);
  if (held !== undefined) return held;
  const byPriority = Map.groupBy(work.tasks.values(), ({ text = noText }) => text.priority);
  const isFree = (task: Task): boolean => {
    const { claim, ended, text = noText, files } = task;
    if (claim !== null || ended !== undefined || isReported(task) || !isOfPlan(task) || !isLeft(task)) return false;
    // Why it was taken back, a person knows: who is told so names it.
    if (isReverted(task)) return false;
    if (text.agent !== null && text.agent !== agent) return false;
    if (isBlocked(work, task, landsFirst) || meeting(work, files, agent).length > 0) return false;
    const scope = scopeOfPlan(contracts, task.plan);
    return editsMeeting(work, files, agent, 1).length === 0 && (scope === null || keptOutBy(scope, files).length === 0);
  };
  return priorities.map((each) => byPriority.get(each)?.find(isFree)).find((each) => each !== undefined) ?? null;
}

/** The refusal of the next task where there is none. */
export function nothingFree(
  { work }: State,
  { agent, role }: Pick<Principal, "agent" | "role">,
  { landsFirst }: { readonly landsFirst: boolean },
): Problem {
  const open = [...work.tasks.values()].filter((task) => !isReported(task) && task.ended === undefined);
  const free = open.filter((task) => task.claim === null);
  const anyway = free.map((task) => waitsAnyway(work, task, landsFirst)).find((each) => each !== null);
  const message =
    open.length === 0
      ? `${work.tasks.size === 0 ? "There is no task yet" : "Every task is done"}.`
      : `No task is free for ${agent}: ${counted(open.length, "open task")}, held, waiting, or meant for others.${anyway === undefined ? "" : ` ${anyway}`}`;
  const isOver = open.length === 0 && work.tasks.size > 0;
  return makeProblem(isOver ? "task-done" : "task-blocked", "$.body.taskId", message, {
    expected: "a task that is free",
    received: nextWord,
    hint:
      role === "lead"
        ? "Developers take free tasks; claim one by its id to do it yourself."
        : "`baton task list --available` says what can be claimed; new tasks reach you by your mail or the next claim.",
  });
}

/** The files of a claim that the contract of the task's plan keeps out. */
export function straysOf(state: State, claim: Pick<ClaimTask, "taskId" | "planId" | "files">): readonly string[] {
  const task = findTask(state.work, claim.taskId, claim.planId);
  const scope = scopeOfPlan(state.contracts, task?.plan ?? claim.planId);
  return scope === null ? [] : keptOutBy(scope, claim.files ?? task?.files ?? []);
}

/**
 * A claim by message, which lists a task that is not on the board: no other message of its dialect does. The tasks of a
 * plan with a contract are those that it names.
 */
function claimOrList(state: State, claim: Parameters<typeof decideClaim>[1]): Outcome {
  const { taskId, planId, files, seq } = claim;
  if (planId === null || findTask(state.work, taskId, planId) !== null || scopeOfPlan(state.contracts, planId) !== null)
    return decideClaim(state, claim);
  const listed = addTask({ taskId, planId, files: files ?? [], seq }, state.work);
  if (!listed.ok) return listed;
  const added = listed.value.events.find((event) => event.event === "task-added");
  const decided = decideClaim(state, { ...claim, listed: added && listedTask(state.work, added) });
  if (!decided.ok) return decided;
  const message = `Task ${taskId} of plan ${planId} was not on the board; this claim lists it.`;
  return ok({
    events: [...listed.value.events, ...decided.value.events],
    notes: [{ code: "task-listed", path: "$.body.taskId", message }, ...listed.value.notes, ...decided.value.notes],
  });
}

/** That a claimed task waits for a decision that its previous holder asked for. */
function inheritedBlockers(
  { work: { tasks }, escalations }: State,
  events: readonly WorkEvent[],
  by: string,
): readonly Note[] {
  const claimed = events.flatMap((event) => (event.event === "task-claimed" ? (tasks.get(event.key) ?? []) : []));
  return claimed.flatMap((task) => askedAbout(escalations, task, by));
}

/** A denial with the open escalations for which the tasks in the way are held. */
function namingBlockers(
  { work: state, escalations }: State,
  denial: Problem,
  { task, files, holder }: Pick<ClaimTask, "files" | "holder"> & { readonly task: Task | null },
): Problem {
  if (denial.code !== "task-held" && denial.code !== "claim-overlap") return denial;
  const inTheWay =
    denial.code === "task-held"
      ? [task]
      : meeting(state, files ?? task?.files ?? [], holder).map(({ task: key }) => state.tasks.get(key) ?? null);
  return withBlockers(
    denial,
    [...new Set(inTheWay)].flatMap((each) => blockersHolding(escalations, each)),
  );
}

/** The open escalations for which the task's holder waits. */
function blockersHolding(escalations: Escalations, held: Task | null): readonly Escalation[] {
  if (held === null || held.claim === null) return [];
  return heldUp(escalations, held.claim.holder).filter(
    ({ status, task, plan }) => status === "open" && task !== null && keyOfTask(task, plan) === held.key,
  );
}

/** A completion by a door: its files are checked against the contract of the task's plan, as a message's are. */
export function decideCompletion(state: State, report: ReportTask): Outcome {
  const task = findTask(state.work, report.taskId, report.planId);
  const planId = task?.plan ?? report.planId;
  const { taskId, files } = report;
  const asked = { taskId, files: files ?? [], reads: "paths", place: "$.body.filesModified" } as const;
  const checked = planId === null ? ok([]) : checkFiles(state.contracts, { ...asked, planId });
  if (!checked.ok) return checked;
  const decided = withProofs(
    state,
    reportTask({ ...report, answersReview: answersReview(state, report.taskId, planId) }, state.work),
  );
  return decided.ok ? ok({ ...decided.value, notes: [...checked.value, ...decided.value.notes] }) : decided;
}

/** A decision with what no report of the plan that it ends shows evidence for. */
function withProofs(state: State, decided: Outcome): Outcome {
  if (!decided.ok) return decided;
  const { events, notes } = decided.value;
  const unproven = [...criteriaNotes(state, events), ...evidenceNotes(state, events)];
  return unproven.length === 0 ? decided : ok({ events, notes: [...notes, ...unproven] });
}

/** What the evidence of a completion leaves out of the task's criteria, which it answers by number. */
function criteriaNotes({ work }: State, events: readonly (ContractEvent | WorkEvent)[]): readonly Note[] {
  return events.flatMap((event) => {
    if (event.event !== "task-reported" || event.status !== "complete") return [];
    const { criteria } = work.tasks.get(event.key)?.text ?? noText;
    const evidence = event.evidence ?? "";
    const answered = new Set(
      [...evidence.matchAll(/(?:^|[;\n])[ \t]{0,8}(\d{1,2})[:.)]/g)].map(([, number]) => Number(number)),
    );
    // As with must-haves: evidence that names none is for all.
    if (criteria.length === 0 || (evidence.trim() !== "" && answered.size === 0)) return [];
    const open = criteria.flatMap((each, at) => (answered.has(at + 1) ? [] : [`${at + 1}. ${shorten(each, 120)}`]));
    if (open.length === 0) return [];
    const message = `The report of ${event.task} shows no evidence for: ${shortList(open)}`;
    return [{ code: "no-evidence", path: "$.body.evidence", message }];
  });
}

/** A list of strings in an extra field of a message: its commits, where it names several. */
export function listIn({ extra }: Fact, field: "commits" | "tasks_without_files"): readonly string[] {
  const said = extra?.payload?.[field];
  return isJsonList(said) ? said.filter((each) => typeof each === "string") : [];
}

/** The fencing token in an extra field of a message; null: there is none. */
function tokenOf({ extra }: Fact): number | null {
  const token = extra?.payload?.token;
  return typeof token === "number" && Number.isSafeInteger(token) ? token : null;
}

/** The extra field of a contract that holds the details, by the tasks' ids. */
export const taskDetailsField = "task_details";

/** What is said of one task. Absent: nothing. */
interface TaskDetails extends Partial<Omit<TaskText, "agent">> {
  readonly task: string;
  readonly title?: string;
  readonly files?: readonly string[] | "none";
  readonly dependsOn?: readonly string[];
}

type Details = Result<readonly TaskDetails[], readonly Problem[]>;

/** The details in a contract. Refuses `wrong-type`, and `unknown-field` what no task has. */
export function taskDetailsIn({ extra }: Fact): Details {
  const said = extra?.payload?.[taskDetailsField];
  if (said === undefined) return ok([]);
  const place = `$.body.${taskDetailsField}`;
  if (!isJsonObject(said)) return err([wrongType(place, "an object with a member for each task")]);
  const problems: Problem[] = [];
  const details = Object.entries(said).map(([task, each]): TaskDetails => {
    const at = `${place}[${JSON.stringify(task)}]`;
    if (!isJsonObject(each)) {
      problems.push(wrongType(at, "an object with title, files and depends_on"));
      return { task };
    }
    problems.push(...problemsOf(each, at));
    const { title, files, depends_on: dependsOn, description, criteria, checks, labels } = each;
    const priority = priorities.find((word) => word === each.priority);
    const text = {
      ...(typeof description === "string" ? { description } : {}),
      ...(isTexts(criteria) ? { criteria } : {}),
      ...(isTexts(checks) ? { checks } : {}),
      ...(priority === undefined ? {} : { priority }),
      ...(isTexts(labels) ? { labels } : {}),
    };
    problems.push(...textProblems(text, at));
    return {
      task,
      ...text,
      ...(typeof title === "string" ? { title } : {}),
      ...(files === "none" ? { files } : isTexts(files) ? { files } : {}),
      ...(isTexts(dependsOn) ? { dependsOn } : {}),
    };
  });
  return problems.length > 0 ? err(problems) : ok(details);
}

const fields = ["title", "files", "depends_on", "description", "criteria", "checks", "priority", "labels"];

function problemsOf(each: JsonObject, at: string): readonly Problem[] {
  const { title, files, depends_on: dependsOn } = each;
  return [
    ...Object.keys(each)
      .filter((name) => !fields.includes(name))
      .map((name) =>
        makeProblem("unknown-field", `${at}.${name}`, "A task has no such field.", { expected: fields.join(" | ") }),
      ),
    ...(title === undefined || typeof title === "string" ? [] : [wrongType(`${at}.title`, "a string")]),
    ...(files === undefined || files === "none" || isTexts(files)
      ? []
      : [wrongType(`${at}.files`, 'a list of paths, or "none"')]),
    ...(dependsOn === undefined || isTexts(dependsOn) ? [] : [wrongType(`${at}.depends_on`, "a list of tasks")]),
    ...(each.description === undefined || typeof each.description === "string"
      ? []
      : [wrongType(`${at}.description`, "a string")]),
    ...["criteria", "checks", "labels"]
      .filter((name) => each[name] !== undefined && !isTexts(each[name]))
      .map((name) => wrongType(`${at}.${name}`, "a list of texts")),
    ...(each.priority === undefined || priorities.some((word) => word === each.priority)
      ? []
      : [wrongType(`${at}.priority`, priorities.join(", "))]),
  ];
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return isJsonList(value) && value.every((each) => typeof each === "string");
}

function wrongType(path: string, expected: string): Problem {
  return makeProblem("wrong-type", path, `This must be ${expected}.`, { expected });
}

/**
 * The events by which a contract's tasks come, with what it says of them; a task that is there already is changed. Refuses
 * `wrong-value` a task that the contract does not name, a list of files as `task add` does, and `dependency-cycle`.
 */
function withDetails(
  details: readonly TaskDetails[],
  { planId, tasks }: { readonly planId: string; readonly tasks: readonly string[] },
  adopted: readonly TaskEvent[],
  work: Work,
): Result<readonly TaskEvent[], readonly Problem[]> {
  if (details.length === 0) return ok(adopted);
  const byKey = new Map(details.map((each) => [keyOfTask(each.task, planId), each]));
  const named = new Set(tasks.map((task) => keyOfTask(task, planId)));
  const problems = details.flatMap((each) => detailErrors(each, named, planId));
  if (problems.length > 0) return err(problems);
  const needsOf = (key: string) =>
    beforeIt(work, key, byKey.get(key)?.dependsOn ?? [], (each) => keyOfTask(each, planId)).needs;
  for (const [key, { task }] of byKey) {
    const needs = needsOf(key);
    const cycle = reaches(key, needsOf)
      ? [task, task]
      : cycleClosedBy(work, { task: key, plan: planKey(planId), needs });
    if (cycle !== null) return err([waitsForItself(task, cycle)]);
  }
  const described = adopted.map((event) => {
    const each = event.event === "task-added" ? byKey.get(event.key) : undefined;
    return event.event === "task-added" && each !== undefined
      ? { ...event, ...fieldsOf(work, each, event, planId), ...addedText(each) }
      : event;
  });
  const changed = [...byKey].flatMap(([key, each]): readonly (TaskChanged | TaskDescribed)[] => {
    const known = work.tasks.get(key);
    if (known === undefined || isReported(known)) return [];
    const text = textOf(each, known.text);
    return [
      { event: "task-changed", task: known.task, key, ...fieldsOf(work, each, known, planId) },
      ...(text === undefined ? [] : [{ event: "task-described" as const, key, task: known.task, text }]),
    ];
  });
  return ok([...described, ...changed]);
}

function addedText(each: TaskDetails): Pick<TaskAdded, "text"> {
  const text = textOf(each);
  return text === undefined ? {} : { text };
}

type Described = Pick<TaskAdded, "title" | "files" | "dependsOn" | "needs"> & { readonly withoutFiles?: boolean };

/** The fields of a task that the details say, and the others as they were. */
function fieldsOf(work: Work, { task, title, files, dependsOn }: TaskDetails, known: Described, planId: string) {
  const isWithout = files === undefined ? known.withoutFiles === true : files === "none";
  return {
    title: title ?? known.title,
    files: files === undefined ? known.files : files === "none" ? [] : files,
    ...(isWithout ? { withoutFiles: true as const } : {}),
    ...(dependsOn === undefined
      ? { dependsOn: known.dependsOn, needs: known.needs }
      : beforeIt(work, keyOfTask(task, planId), dependsOn, (each) => keyOfTask(each, planId))),
  };
}

function detailErrors({ task, files }: TaskDetails, named: ReadonlySet<string>, planId: string): readonly Problem[] {
  const place = `$.body.${taskDetailsField}[${JSON.stringify(task)}]`;
  if (!named.has(keyOfTask(task, planId))) {
    const hint = "Name it in the tasks of the contract too.";
    return [makeProblem("wrong-value", place, `The contract does not name ${task}.`, { received: task, hint })];
  }
  if (files === undefined || files === "none") return [];
  return filesProblems(files).map((problem) => ({
    ...problem,
    path: problem.path.replace("$.body.files", `${place}.files`),
  }));
}

/** Whether a task waits for itself by what the details say alone. */
function reaches(start: string, needsOf: (key: string) => readonly string[]): boolean {
  const seen = new Set<string>();
  const left = [...needsOf(start)];
  for (let key = left.pop(); key !== undefined; key = left.pop()) {
    if (key === start) return true;
    if (seen.has(key)) continue;
    seen.add(key);
    left.push(...needsOf(key));
  }
  return false;
}

function waitsForItself(task: string, members: readonly string[]): Problem {
  const path = `$.body.${taskDetailsField}[${JSON.stringify(task)}].depends_on`;
  return makeProblem("dependency-cycle", path, `These would wait for each other: ${members.join(" -> ")}.`, {
    expected: "dependencies without a cycle",
    received: members.join(" -> "),
    hint: "Leave out one of these dependencies, or split a task.",
  });
}

/** The part of the state that a reassignment is decided on. */
interface State {
  readonly work: Work;
  readonly health: Health;
  readonly breakers: Breakers;
  readonly escalations: Escalations;
}

/** A reassignment as it is requested. */
export interface Reassignment {
  readonly taskId: string;
  readonly planId: string | null;
  /** The agent that gets the task, an active one, and its session. */
  readonly to: string;
  readonly session: number;
  /** The circuit breaker that counts this agent; null: none does. */
  readonly breaker: BreakerScope | null;
  /** The seq of the entry; the new fencing token. */
  readonly seq: number;
  readonly atMs: number;
  readonly leaseMs: number;
  readonly landsFirst?: boolean | undefined;
}

/**
 * Moves the claim with its files; a free task is claimed for the agent. Refuses `unknown-task`, `task-done`, as a claim
 * is refused, and with every reason there is: `not-ready` (the agent disappeared), `breaker-open`, `claim-overlap` (two
 * agents would hold one file). If the agent holds the task already, nothing changes.
 */
export function decideReassignment(state: State, reassignment: Reassignment): Outcome {
  const { taskId, planId, to, session, breaker, seq: token, atMs, leaseMs } = reassignment;
  const task = findTask(state.work, taskId, planId);
  if (task === null) return err([unknownTask(state.work, taskId, planId)]);
  const over = overProblem(task);
  if (over !== null) return err([{ ...over, hint: doneHint }]);
  const { key, claim, task: name } = task;
  const gone = isLost(state.health, to) ? [disappeared(to)] : [];
  if (claim === null) {
    if (gone.length > 0) return err(gone);
    const free = { files: null, holder: to, landsFirst: reassignment.landsFirst };
    return decideClaim(state, { ...free, taskId, planId, session, breaker, seq: token, atMs, leaseMs });
  }
  if (claim.holder === to) {
    const message = `${to} holds ${name} since entry ${claim.token}; nothing changed.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const barred = barOf(state, to, breaker);
  const met = meetingOnceMoved(state.work, task, to);
  const denials = [
    ...gone,
    ...(barred === null ? [] : [{ ...barred, path: argument("to") }]),
    ...(met.length === 0 ? [] : [{ ...overlap(state.work, met, "$.body.taskId"), hint: overlapHint }]),
  ];
  if (denials.length > 0) return err(denials);
  const { holder } = claim;
  // What the task names since the claim began comes along, unless its holder named the files or somebody has them.
  const isFree = (file: string) =>
    !claim.files.includes(file) &&
    meeting(state.work, [file], to).every(({ task: other }) => other === key) &&
    editsMeeting(state.work, [file], to, 1).length === 0;
  const files = claim.isNamed ? claim.files : [...claim.files, ...task.files.filter(isFree)];
  const grows = claim.grows && files.length === 0;
  const named = claim.isNamed ? { isNamed: true as const } : {};
  return ok({
    events: [
      { event: "claim-released", key, task: name, holder, reason: "reassigned" },
      ...freeEditsOf(state.work, holder, "reassigned", key),
      { event: "task-claimed", key, task: name, holder: to, session, token, files, grows, ...named, atMs, leaseMs },
    ],
    notes: askedAbout(state.escalations, task, to),
  });
}

const doneHint = "Nobody holds it, so there is no claim to reassign.";

const overlapHint = "Reassign the other task first, or wait until its claim has ended: no two agents hold one file.";

function disappeared(agent: string): Problem {
  return makeProblem("not-ready", argument("to"), `${agent} disappeared and has sent no heartbeat since.`, {
    expected: "an agent that is there",
    received: agent,
    hint: "`baton agent list` shows which agents are there.",
  });
}

/** Most of a decision that a note tells. */
const decisionCharactersMax = 400;

/** What was asked about the task: the new holder gets the decision, although another agent asked. */
function askedAbout(escalations: Escalations, { task, plan }: Task, to: string): readonly Note[] {
  const known = escalationOf(escalations, escalationIdOf(task, plan));
  if (known === null || known.status === "closed") return [];
  const { id, level, decision, originators } = known;
  if (decision !== null && originators.includes(to)) return [];
  const message =
    decision === null
      ? `${id} waits at ${level} about this task; ${to} gets the decision.`
      : `${id} about this task was decided by ${decision.decidedBy}: ${visible(shorten(decision.decision, decisionCharactersMax))}`;
  return [{ code: decision === null ? "escalation-open" : "escalation-decided", path: "$.body.taskId", message }];
}
