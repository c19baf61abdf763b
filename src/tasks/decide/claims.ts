/**
 * Claims: who holds a task, and which files nobody else may touch meanwhile; and why a claim is denied, in words.
 * Decided at one place in the order of the journal, so two agents never hold the same task or overlapping files.
 * Source: docs/protocol/tasks.md, section 13.
 */
import { argument } from "../../base/argument.ts";
import { claimWildcardsMax } from "../../base/limits.ts";
import { checkEntries, type Scope } from "../../base/paths/scope.ts";
import { inOrder, makeProblem, type Problem, type ProblemCode } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList, shownMax } from "../../base/text.ts";
import type { Escalation } from "../../escalations/state.ts";
import type { Note } from "../../messages/message.ts";
import { taskKey } from "../../messages/task-ids.ts";
import type { Decided } from "../../perform/decider.ts";
import type { ClaimGrown, ClaimReleased, FilesFreed, TaskClaimed } from "../state/claim-events.ts";
import { comparingCost, globsMeeting, type IndexedGlob } from "../state/claim-index.ts";
import { askingFor } from "../state/contract-files.ts";
import { whyUnlanded } from "../state/report-status.ts";
import { type Claim, findTask, isBatons, type PlanHold, type Task, type Work } from "../state/task-state.ts";
import { blockersOf, goneBefore, holdOf, isBefore, isBlocked, unlandedBefore } from "../view/dependencies.ts";
import { editsBy, editsMeeting, freeEditsOf, heldByEdit } from "./edit-claims.ts";
import { filesProblems, isNone, overProblem } from "./tasks.ts";

/** A claim as it is asked for. */
export interface ClaimTask {
  readonly taskId: string;
  readonly planId: string | null;
  /** The task, where the same entry lists it; absent: it is on the board, or unknown. */
  readonly listed?: Task | undefined;
  /** What it shall cover; null: what the task names, else what its holder names later. */
  readonly files: readonly string[] | null;
  readonly holder: string;
  readonly session: number;
  /** The agent begins the task's plan, and this is one of its tasks; absent: the task itself is asked for. */
  readonly ofPlan?: true | undefined;
  /** What the task's plan may touch; null: no contract says. */
  readonly scope: Scope | null;
  /** Why the holder may not begin to work at all; null or absent: it may. */
  readonly barred?: Problem | null;
  /** A hub lands work, and what the task depends on is done once it has landed. */
  readonly landsFirst?: boolean | undefined;
  /** Work that the tree has not in which the holder begins; absent: it has all, or nobody knows. */
  readonly lacking?: readonly LackingWork[];
  /** The seq of the entry; the grant's fencing token. */
  readonly seq: number;
  readonly atMs: number;
  readonly leaseMs: number;
}

/** Work of another task that a tree does not have. */
export interface LackingWork {
  /** Key of that task. */
  readonly key: string;
  /** Says so, and how the tree gets it. */
  readonly note: Note;
}

/** A holder shows that it still works on a task. */
export interface RenewTask {
  readonly taskId: string;
  readonly planId: string | null;
  readonly token: number | null;
  readonly by: string;
}

/** An agent gives a task back, or `by` a lead or the owner it is taken from its holder. */
export interface ReleaseTask {
  readonly taskId: string;
  readonly planId: string | null;
  readonly token: number | null;
  readonly by: string;
  /** Whether `by` may take it from another. */
  readonly mayTake: boolean;
}

/** Who and what blocks a claim's. */
export interface Obstacle {
  /** The one who holds the task, or else a path of it; null: nobody does. */
  readonly holder: string | null;
  /** Paths that others hold, as they are compared, each once. */
  readonly paths: readonly string[];
}

type Outcome<Event> = Result<Decided<Event>, readonly Problem[]>;

/**
 * Grants, or refuses with every reason there is: `unknown-task`, `task-done`, `task-held`, `breaker-open`,
 * `task-blocked`, `outside-contract`, `claim-overlap`; `invalid-glob`, `wrong-value` and `too-large` for what cannot be
 * claimed at all, `too-large` also for globs that cannot be compared cheaply (docs/protocol/tasks.md, sections 4
 * and 7). An agent that holds the task already learns that, and named files are added to what it holds.
 */
export function claimTask(command: ClaimTask, work: Work): Outcome<TaskClaimed | ClaimGrown | ClaimReleased> {
  const problems = isNone(command.files) ? [noneClaimed()] : filesProblems(command.files ?? []);
  if (problems.length > 0) return err(problems);
  const found = findTask(work, command.taskId, command.planId) ?? command.listed;
  if (found === undefined) return err([unknownTask(work, command.taskId, command.planId)]);
  const takenFrom = isLeftAlone(command, work, found) ? (found.claim?.holder ?? null) : null;
  const task = takenFrom === null ? found : { ...found, claim: null };
  const { claim } = task;
  // Who claims its own task again is asked about what it newly names only.
  const asked = command.files ?? (claim?.holder === command.holder ? [] : task.files);
  const cost = comparingCost([...(claim?.files ?? []), ...asked]);
  if (cost > claimWildcardsMax && comparingCost(asked) > 0) return err([tooCostly(cost, placeOfFiles(command))]);
  const denials = denialsOf(command, work, task, asked);
  if (denials.length > 0) return err(inOrder(denials));
  const notes = command.scope === null && asked.length > 0 ? [uncheckedScope(task, placeOfFiles(command))] : [];
  const { holder, session, seq: token, atMs, leaseMs } = command;
  if (claim !== null) {
    const files = (command.files ?? []).filter((file) => !claim.files.includes(file));
    const held = {
      code: "already-so",
      path: "$.body.taskId",
      message: `You hold ${task.task} since entry ${claim.token}.`,
    };
    if (files.length === 0) return ok({ events: [], notes: [held] });
    return ok({ events: [{ ...grown(task, holder, files, token), isNamed: true }], notes: [held, ...notes] });
  }
  const { key, task: name } = task;
  const taken: readonly ClaimReleased[] =
    takenFrom === null ? [] : [{ event: "claim-released", key, task: name, holder: takenFrom, reason: "reassigned" }];
  return ok({
    events: [
      ...taken,
      {
        event: "task-claimed",
        key: task.key,
        task: task.task,
        holder,
        session,
        token,
        files: [...new Set(asked)],
        grows: asked.length === 0 && !task.withoutFiles,
        ...(command.files === null || asked.length === 0 ? {} : { isNamed: true as const }),
        ...(command.ofPlan === true ? { ofPlan: true as const } : {}),
        atMs,
        leaseMs,
      },
    ],
    notes,
  });
}

/**
 * Whether an agent that begins the plan takes the task over: its holder has it with the plan, too, edits no file now, and
 * has begun nothing for a lease. A task that was claimed by itself is never taken over so.
 */
function isLeftAlone({ holder: by, ofPlan, atMs, leaseMs }: ClaimTask, work: Work, { claim, plan }: Task): boolean {
  if (ofPlan !== true || claim === null || claim.holder === by || !claim.ofPlan) return false;
  if (editsBy(work, claim.holder).length > 0) return false;
  const held = [...(work.held.get(claim.holder)?.keys() ?? [])].flatMap((key) => work.tasks.get(key) ?? []);
  const begun = held.flatMap((task) => (task.plan === plan && task.claim !== null ? [task.claim] : []));
  return begun.every(({ atMs: grantedMs, editedMs }) => atMs - (editedMs ?? grantedMs) >= leaseMs);
}

/** What blocks a claim, for the caller; nothing where the task is not known. */
export function obstacleTo(command: Pick<ClaimTask, "taskId" | "planId" | "files" | "holder">, work: Work): Obstacle {
  const task = findTask(work, command.taskId, command.planId);
  if (task === null || filesProblems(command.files ?? []).length > 0) return { holder: null, paths: [] };
  const met = meeting(work, command.files ?? task.files, command.holder);
  const holder = task.claim === null || task.claim.holder === command.holder ? null : task.claim.holder;
  const edits = editsMeeting(work, command.files ?? task.files, command.holder, shownMax);
  const paths = [...new Set([...pathsOf(met), ...edits.map(({ file }) => file)])];
  return { holder: holder ?? met[0]?.holder ?? edits[0]?.holder ?? null, paths };
}

/**
 * Renewing is a heartbeat, and the entry that records it is that heartbeat; nothing else follows. Refuses
 * `unknown-task`, `fenced-claim`, and `not-holder` also for a claim that has ended.
 */
export function renewTask(command: RenewTask, work: Work): Outcome<never> {
  const task = findTask(work, command.taskId, command.planId);
  if (task === null) return err([unknownTask(work, command.taskId, command.planId)]);
  const problem = holderProblem(task, command) ?? (task.claim === null ? notHolder(task, null, null) : null);
  return problem === null ? ok({ events: [], notes: [] }) : err([problem]);
}

/** Ends a claim. Refuses `unknown-task`, `not-holder`, `fenced-claim`. What nobody holds stays so. */
export function releaseTask(command: ReleaseTask, work: Work): Outcome<ClaimReleased | FilesFreed> {
  const task = findTask(work, command.taskId, command.planId);
  if (task === null) return err([unknownTask(work, command.taskId, command.planId)]);
  const { claim, key } = task;
  const problem = holderProblem(task, command);
  const isTaken = command.mayTake && command.token === null;
  if (problem !== null && !isTaken) return err([problem]);
  if (claim === null) {
    const message = `Nobody holds ${task.task}; nothing changed.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const { holder } = claim;
  const released: ClaimReleased = { event: "claim-released", key, task: task.task, holder, reason: "released" };
  return ok({ events: [released, ...freeEditsOf(work, holder, "released", key)], notes: [] });
}

/** Everything that an agent held, freed because it left the team, or for another reason that is not its own word. */
export function releaseAll(
  work: Work,
  holder: string,
  reason: Exclude<ClaimReleased["reason"], "released"> = "retired",
): readonly (ClaimReleased | FilesFreed)[] {
  const released = [...(work.held.get(holder)?.keys() ?? [])].map((key): ClaimReleased => {
    const task = work.tasks.get(key)?.task ?? key;
    return { event: "claim-released", key, task, holder, reason };
  });
  return [...released, ...freeEditsOf(work, holder, reason)];
}

/**
 * Why `by` may not act as the task's holder: `fenced-claim` where the task was granted to another since, `not-holder`
 * where another holds it or the token is none of this agent's. Null: it holds the task, or nobody does.
 */
export function holderProblem(
  task: Task,
  { by, token }: { readonly by: string; readonly token: number | null },
): Problem | null {
  const { claim, grants } = task;
  if (token === null && (claim === null || claim.holder === by)) return null;
  const own = grants.find(([agent]) => agent === by)?.[1] ?? null;
  const [holder, granted] = grants.at(-1) ?? [null, null];
  if (token === null) {
    if (own === null || claim === null) return notHolder(task, holder, granted);
    return fenced(task, own, claim.holder, claim.token);
  }
  if (holder === by && token === granted) return null;
  const isPast = own !== null && token <= own && holder !== null && granted !== null;
  if (claim?.holder === by) return otherToken(isPast ? "fenced-claim" : "not-holder", task, token, claim);
  return isPast ? fenced(task, token, holder, granted) : notHolder(task, claim === null ? null : holder, granted);
}

/** Globs of others that share a path with `files`. */
export function meeting(work: Work, files: readonly string[], except: string | null): readonly IndexedGlob[] {
  return globsMeeting(work.covered, files, { except, most: shownMax });
}

/** Globs of other claims, also of its present holder's, that share a path with this task's and would not be the agent's. */
export function meetingOnceMoved(work: Work, { key, claim }: Task, by: string): readonly IndexedGlob[] {
  return globsMeeting(work.covered, claim?.files ?? [], { except: by, without: key, most: shownMax });
}

/** Every board compares the files of every free task with every live claim. */
function tooCostly(cost: number, path: string): Problem {
  const message = `The wildcards of these files take ${cost} characters; a claim has at most ${claimWildcardsMax}.`;
  return makeProblem("too-large", path, message, {
    expected: `at most ${claimWildcardsMax} characters from the first wildcard of each glob on`,
    received: String(cost),
    hint: "Name files and folders, or fewer and shorter globs.",
  });
}

/** Files that came to a claim. */
export function grown(task: Task, holder: string, files: readonly string[], seq: number): ClaimGrown {
  return { event: "claim-grown", key: task.key, task: task.task, holder, files: [...new Set(files)], seq };
}

/** Where the files of a claim were named: by the caller, else by the task that it names. */
function placeOfFiles({ files }: ClaimTask): string {
  return files === null ? "$.body.taskId" : "$.body.files";
}

/** Why the task and the files that are asked for are not to be had. */
function denialsOf(command: ClaimTask, work: Work, task: Task, asked: readonly string[]): readonly Problem[] {
  const over = overProblem(task);
  if (over !== null) return [over];
  const { claim } = task;
  const denials: Problem[] = [];
  const place = placeOfFiles(command);
  if (claim !== null && claim.holder !== command.holder) denials.push(held(task.task, claim.holder, claim.token));
  if (command.barred) denials.push({ ...command.barred, path: "$.body.taskId" });
  if (claim === null) denials.push(...waitsFor(command, work, task));
  const strays = command.scope === null ? [] : checkEntries(command.scope, asked);
  if (command.scope !== null && strays.length > 0) denials.push(outside(task.task, command.scope, strays, place));
  // The holder's own files come with the task; others may hold more.
  const met = meeting(work, asked, command.holder).filter(({ task: other }) => other !== task.key);
  if (met.length > 0) denials.push(overlap(work, met, place));
  for (const edit of editsMeeting(work, asked, command.holder, shownMax)) denials.push(heldByEdit(edit, place));
  return denials;
}

/** Why a task that nobody holds cannot be begun yet, or not in the holder's tree. */
function waitsFor({ landsFirst, lacking = [] }: ClaimTask, work: Work, task: Task): readonly Problem[] {
  if (isBlocked(work, task, landsFirst)) return [blocked(work, task, landsFirst)];
  const before = lacking.filter(({ key }) => isBefore(work, task, key));
  return before.slice(0, shownMax).map(({ key, note }) => lacks(task, work.tasks.get(key)?.task ?? key, note));
}

/** `task-blocked`: what it depends on is done, and not there where the work begins. */
function lacks({ task }: Task, before: string, { message }: Note): Problem {
  return makeProblem("task-blocked", "$.body.taskId", `${task} depends on ${before}. ${message}`, {
    expected: `a work tree with the work of ${before}`,
    received: before,
    hint: "Then claim it again.",
  });
}

/** Why a claim is denied. */
export type DenialReason =
  | "held"
  | "overlap"
  | "blocked"
  | "done"
  | "outside-contract"
  | "breaker-open"
  | "unknown-task";

/** The code of each denial, once: answers derive their reason from it. */
export const denialCodes = {
  "unknown-task": "unknown-task",
  done: "task-done",
  held: "task-held",
  "breaker-open": "breaker-open",
  blocked: "task-blocked",
  "outside-contract": "outside-contract",
  overlap: "claim-overlap",
} as const satisfies { readonly [reason in DenialReason]: ProblemCode };

/** Every reason, for those who list them. */
export const denialReasons = Object.keys(denialCodes) as readonly DenialReason[]; // the keys of that table

/** The reason that a problem of a denied claim gives; null: it was refused for something else. */
export function denialReasonOf(code: ProblemCode): DenialReason | null {
  const found = Object.entries(denialCodes).find(([, denial]) => denial === code);
  // The keys of that table are the reasons.
  return found === undefined ? null : (found[0] as DenialReason);
}

/** The refusal of a task that is not in the list. */
export function unknownTask(work: Work, taskId: string, planId: string | null): Problem {
  const named = [...(work.names.get(taskKey(taskId))?.keys() ?? [])].flatMap((key) => work.tasks.get(key) ?? []);
  const where = planId === null ? "" : ` of plan ${planId}`;
  const problem = named.length > 1 && planId === null ? `Several plans have a task "${taskId}".` : null;
  return makeProblem("unknown-task", "$.body.taskId", problem ?? `There is no task "${taskId}"${where}.`, {
    received: taskId.slice(0, 200).toWellFormed(),
    hint:
      problem === null
        ? "`baton task list` shows the tasks; a contract or `baton task add` brings new ones."
        : `Name its number: ${shortList(named.map(({ number, plan }) => `${number} in plan ${plan}`))}.`,
  });
}

/** `wrong-value`: the word `none` in place of files. A claim without a bound would be the opposite of what it says. */
function noneClaimed(): Problem {
  const message = "A claim covers the files that it names, else those of its task; only a task is added without files.";
  return makeProblem("wrong-value", "$.body.files", message, {
    expected: "paths",
    received: "none",
    hint: `Leave \`${argument("files")}\` out: a task without files is claimed without any. A file of that name is ./none.`,
  });
}

/** The refusal, or the ground of a note, that files are another's. */
export function overlap(work: Work, met: readonly IndexedGlob[], path: string): Problem {
  const holders = [...new Set(met.map(({ holder }) => holder))];
  const tasks = [...new Set(met.map(({ task }) => work.tasks.get(task)?.task ?? task))];
  const paths = pathsOf(met).join(", ");
  return makeProblem(
    "claim-overlap",
    path,
    `${holders.join(" and ")} ${holders.length === 1 ? "holds" : "hold"} ${paths} for ${tasks.join(", ")}.`,
    {
      expected: "files that nobody else holds",
      received: paths,
      hint: "Take another task, name other files, or wait until that one is done.",
    },
  );
}

/** `task-held`: another has it. */
function held(task: string, holder: string, token: number): Problem {
  return makeProblem("task-held", "$.body.taskId", `${holder} holds ${task} since entry ${token}.`, {
    expected: "a task that nobody holds",
    received: holder,
    hint: "Take another one; `baton task list --available` lists them.",
  });
}

/** A denial because of a claim that outlives its holder's silence, with the escalations that it waits for. */
export function withBlockers(denial: Problem, waiting: readonly Pick<Escalation, "id" | "level">[]): Problem {
  if (waiting.length === 0) return denial;
  const named = shortList(waiting.map(({ id, level }) => `${id} (at ${level})`));
  const message = `${denial.message} The work there waits for a decision: ${named}.`;
  return {
    ...denial,
    message,
    hint: `${denial.hint ?? ""} \`baton needs --escalations\` shows what has to be decided.`.trim(),
  };
}

/** Why a task waits although what it depends on is done, in a sentence; null: it does not, or not for that. */
export function waitsAnyway(work: Work, task: Task, landsFirst: boolean): string | null {
  const hold = holdOf(work, task);
  if (hold !== null) return holdText(task, hold);
  const unlanded = landsFirst ? unlandedBefore(work, task) : [];
  const [first] = unlanded;
  if (first === undefined) return null;
  const late = unlanded.find((each) => whyUnlanded(work, each) !== null);
  if (late !== undefined) return `${late.task} is verified and does not land yet: ${late.notLanded?.why}`;
  const [held] = [...work.landings].flatMap(([branch, each]) => (isBatons(branch) ? (each.held ?? []) : []));
  if (held) return `${first.task} is verified, and nothing lands now: ${held.why}`;
  return `${shortList(unlanded.map((each) => each.task))} lands next: wait a moment, then claim again.`;
}

function holdText({ plan }: Task, { request, requester, denied }: PlanHold): string {
  const asked = `${requester} asked by ${request} whether plan ${plan} may begin`;
  if (denied === null) return `${asked}, and nobody has said yes.`;
  const why = denied.reason === "" ? "" : `: ${shorten(denied.reason, 200)}`;
  return `${asked}, and ${denied.by} said no${why}. ${requester} asks again, or the person releases it: \`baton approve ${request}\`.`;
}

/** `task-blocked`: what it depends on is not done. */
function blocked(work: Work, task: Task, landsFirst = false): Problem {
  const shown = shortList(blockersOf(work, task, landsFirst));
  const anyway = waitsAnyway(work, task, landsFirst);
  const [first, ...others] = goneBefore(work, task);
  const gone = first === undefined ? "" : ` The work of ${shortList([first, ...others])} is gone.`;
  const way = ` A lead says what becomes of it: \`baton task settle ${first} superseded\`, or \`baton task reopen ${first}\`.`;
  return makeProblem(
    "task-blocked",
    "$.body.taskId",
    `${task.task} waits for ${shown}.${gone}${anyway === null ? "" : ` ${anyway}`}`,
    {
      expected: "a task whose dependencies are done",
      received: shown,
      hint: `Take another one; \`baton task list --available\` lists them.${first === undefined ? "" : way}`,
    },
  );
}

/** `outside-contract`: files that the plan's contract does not allow; `path` says where they were named. */
function outside(task: string, { allowed, forbidden }: Scope, strays: readonly Problem[], path: string): Problem {
  const files = strays.flatMap(({ received }) => received ?? []);
  const named = shortList(files);
  return makeProblem("outside-contract", path, `Outside the contract of the task's plan: ${named}.`, {
    expected: `files inside ${shortList(allowed)}${forbidden.length === 0 ? "" : `, none of ${shortList(forbidden)}`}`,
    received: named,
    hint: `Claim what the contract allows, or ${askingFor(task, files)}`,
  });
}

/** `fenced-claim`: granted to another since, under the token `granted`. */
function fenced(task: Task, token: number, holder: string, granted: number): Problem {
  return makeProblem(
    "fenced-claim",
    "$.body.taskId",
    `${task.task} was granted to ${holder} since, at entry ${granted}.`,
    {
      expected: `the token ${granted} of ${holder}`,
      received: String(token),
      hint: "Your claim has ended. Leave its files alone and claim a task again.",
    },
  );
}

/** The agent holds the task itself and names a token that is not its claim's, perhaps of an earlier session. */
function otherToken(
  code: "fenced-claim" | "not-holder",
  { task }: Task,
  given: number,
  { holder, token }: Pick<Claim, "holder" | "token">,
): Problem {
  return makeProblem(code, "$.body.taskId", `You hold ${task} with token ${token}, not ${given}.`, {
    expected: `the token ${token} of ${holder}`,
    received: String(given),
    hint: `Use \`${argument("token")} ${token}\`, or leave \`${argument("token")}\` out. If another session of yours claimed it, leave its files alone.`,
  });
}

/** `not-holder`: the task is another's, or nobody's. */
function notHolder(task: Task, holder: string | null, token: number | null): Problem {
  const whose = holder === null ? "nobody does" : `${holder} has it since entry ${token}`;
  return makeProblem("not-holder", "$.body.taskId", `You do not hold ${task.task}: ${whose}.`, {
    expected: holder ?? "a claim of the task",
    hint: "Claim the task, or leave it to its holder.",
  });
}

/** The note of a claim whose files no contract judges; `path` says where they were named. */
function uncheckedScope(task: Task, path: string): Note {
  const message = `${task.plan === null ? `${task.task} has no plan` : `Plan ${task.plan} has no contract`}, so its files are not checked.`;
  return { code: "no-contract", path, message };
}

/** The globs that were met, each once. */
function pathsOf(met: readonly IndexedGlob[]): readonly string[] {
  return [...new Set(met.map(({ glob }) => glob))];
}
