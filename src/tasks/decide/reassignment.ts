/**
 * Reassignment: a claim moves from its holder to another agent because a lead or the owner says so. The release and the
 * new grant are events of one entry, so the task is never free in between, and the new token fences the old holder.
 * Rules: docs/protocol/tasks.md, section 10.
 */
import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Escalations, escalationIdOf, escalationOf } from "../../escalations/state.ts";
import type { Breakers } from "../../health/decide/breakers.ts";
import { barOf } from "../../health/decide/disappearance.ts";
import { type Health, isLost } from "../../health/decide/health.ts";
import type { BreakerScope } from "../../health/state.ts";
import type { Note } from "../../messages/message.ts";
import type { Decided } from "../../perform/decider.ts";
import type { WorkEvent } from "../state/task-events.ts";
import { findTask, type Task, type Work } from "../state/task-state.ts";
import { meetingOnceMoved, overlap, unknownTask } from "./claims.ts";
import { freeEditsOf } from "./edit-claims.ts";
import { overProblem } from "./tasks.ts";

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
}

/**
 * Moves the claim with its files. Refuses `unknown-task`, `task-done`, `not-holder` (nobody holds the task), and with every
 * reason there is: `not-ready` (the agent disappeared), `breaker-open`, `claim-overlap` (two agents would hold one file). If
 * the agent holds the task already, nothing changes.
 */
export function decideReassignment(
  state: State,
  reassignment: Reassignment,
): Result<Decided<WorkEvent>, readonly Problem[]> {
  const { taskId, planId, to, session, breaker, seq: token, atMs, leaseMs } = reassignment;
  const task = findTask(state.work, taskId, planId);
  if (task === null) return err([unknownTask(state.work, taskId, planId)]);
  const over = overProblem(task);
  if (over !== null) return err([{ ...over, hint: doneHint }]);
  const { key, claim, task: name } = task;
  if (claim === null) return err([heldByNobody(task)]);
  if (claim.holder === to) {
    const message = `${to} holds ${name} since entry ${claim.token}; nothing changed.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const barred = barOf(state, to, breaker);
  const met = meetingOnceMoved(state.work, task, to);
  const denials = [
    ...(isLost(state.health, to) ? [disappeared(to)] : []),
    ...(barred === null ? [] : [{ ...barred, path: argument("to") }]),
    ...(met.length === 0 ? [] : [{ ...overlap(state.work, met, "$.body.taskId"), hint: overlapHint }]),
  ];
  if (denials.length > 0) return err(denials);
  const { holder, files, grows } = claim;
  const named = claim.isNamed ? { isNamed: true as const } : {};
  return ok({
    events: [
      { event: "claim-released", key, task: name, holder, reason: "reassigned" },
      ...freeEditsOf(state.work, holder, "reassigned", key),
      { event: "task-claimed", key, task: name, holder: to, session, token, files, grows, ...named, atMs, leaseMs },
    ],
    notes: openEscalation(state, task, to),
  });
}

const doneHint = "Nobody holds it, so there is no claim to reassign.";

const overlapHint = "Reassign the other task first, or wait until its claim has ended: no two agents hold one file.";

function heldByNobody({ task, verdict }: Task): Problem {
  const why = verdict === null ? "" : ` Its report is ${verdict.state}.`;
  return makeProblem("not-holder", "$.body.taskId", `Nobody holds ${task}, so there is no claim to reassign.${why}`, {
    expected: "a task that an agent holds",
    received: verdict?.state ?? "a task without a holder",
    hint: "Tell the agent to claim it; any agent may.",
  });
}

function disappeared(agent: string): Problem {
  return makeProblem("not-ready", argument("to"), `${agent} disappeared and has sent no heartbeat since.`, {
    expected: "an agent that is there",
    received: agent,
    hint: "`baton agent list` shows which agents are there.",
  });
}

/** The decision that the task waits for: the new holder gets it, although another agent asked. */
function openEscalation({ escalations }: State, { task, plan }: Task, to: string): readonly Note[] {
  const known = escalationOf(escalations, escalationIdOf(task, plan));
  if (known?.status !== "open") return [];
  const message = `${known.id} waits at ${known.level} about this task; ${to} gets the decision.`;
  return [{ code: "escalation-open", path: "$.body.taskId", message }];
}
