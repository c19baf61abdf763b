/**
 * Claims: who holds a task, and which files nobody else may touch meanwhile. Decided at one place in the order of the
 * journal, so two agents never hold the same task or overlapping files.
 * Source: docs/protocol/tasks.md.
 */
import { claimWildcardsMax } from "../../base/limits.ts";
import { checkEntries, type Scope } from "../../base/paths/scope.ts";
import { inOrder, makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shownMax } from "../../base/text.ts";
import type { Decided } from "../../perform/decider.ts";
import type { ClaimGrown, ClaimReleased, FilesFreed, TaskClaimed } from "../state/claim-events.ts";
import { comparingCost } from "../state/claim-globs.ts";
import { globsMeeting } from "../state/claim-index.ts";
import type { IndexedGlob } from "../state/claim-places.ts";
import { findTask, type Task, type Work } from "../state/task-state.ts";
import { blockersOf, isBlocked } from "../view/dependencies.ts";
import {
  blocked,
  fenced,
  held,
  noneClaimed,
  notHolder,
  otherToken,
  outside,
  overlap,
  pathsOf,
  uncheckedScope,
  unknownTask,
} from "./claim-denials.ts";
import { editsBy, editsMeeting, freeEditsOf, heldByEdit } from "./edit-claims.ts";
import { filesProblems, isNone, overProblem } from "./tasks.ts";

/** A claim as it is asked for. */
export interface ClaimTask {
  readonly command: "claim-task";
  readonly taskId: string;
  readonly planId: string | null;
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
  /** The seq of the entry; the grant's fencing token. */
  readonly seq: number;
  readonly atMs: number;
  readonly leaseMs: number;
}

/** A holder shows that it still works on a task. */
export interface RenewTask {
  readonly command: "renew-task";
  readonly taskId: string;
  readonly planId: string | null;
  readonly token: number | null;
  readonly by: string;
}

/** An agent gives a task back, or `by` a lead or the owner it is taken from its holder. */
export interface ReleaseTask {
  readonly command: "release-task";
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
  const found = findTask(work, command.taskId, command.planId);
  if (found === null) return err([unknownTask(work, command.taskId, command.planId)]);
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
  return isPast ? fenced(task, token, holder, granted) : notHolder(task, holder, granted);
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
  if (claim === null && isBlocked(work, task)) denials.push(blocked(task, blockersOf(work, task)));
  const strays = command.scope === null ? [] : checkEntries(command.scope, asked);
  if (command.scope !== null && strays.length > 0) denials.push(outside(command.scope, strays, place));
  // The holder's own files come with the task; others may hold more.
  const met = meeting(work, asked, command.holder).filter(({ task: other }) => other !== task.key);
  if (met.length > 0) denials.push(overlap(work, met, place));
  for (const edit of editsMeeting(work, asked, command.holder, shownMax)) denials.push(heldByEdit(edit, place));
  return denials;
}
