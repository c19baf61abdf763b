/**
 * Rules between handoffs and tasks: an agent that accepts a handoff gets the claim on its task, with a new token, in
 * the same entry; so the previous holder is fenced from then on. Source: docs/protocol/phases.md, section 14;
 * docs/protocol/tasks.md.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Breakers } from "../../health/decide/breakers.ts";
import { barOf } from "../../health/decide/disappearance.ts";
import type { Health } from "../../health/decide/health.ts";
import type { BreakerScope } from "../../health/state.ts";
import type { Note } from "../../messages/message.ts";
import type { Decided } from "../../perform/decider.ts";
import { claimTask, meetingOnceMoved, overlap } from "../../tasks/decide/claims.ts";
import { freeEditsOf } from "../../tasks/decide/edit-claims.ts";
import type { TaskClaimed } from "../../tasks/state/claim-events.ts";
import type { IndexedGlob } from "../../tasks/state/claim-index.ts";
import { scopeOfPlan } from "../../tasks/state/contract-files.ts";
import type { Contracts } from "../../tasks/state/contract-terms.ts";
import { isReported } from "../../tasks/state/report-status.ts";
import type { WorkEvent } from "../../tasks/state/task-events.ts";
import { findTask, type Task, type Work } from "../../tasks/state/task-state.ts";
import type { AcceptHandoff, Handoff, HandoffEvent, Handoffs } from "../state.ts";
import { acceptanceProblem, handoffs, unknownHandoff } from "./handoffs.ts";

/** The part of the state that acceptances are decided on. */
interface State {
  readonly handoffs: Handoffs;
  readonly contracts: Contracts;
  readonly work: Work;
  readonly breakers: Breakers;
  readonly health: Health;
}

/** An acceptance, with what a claim needs. */
export interface Acceptance extends Omit<AcceptHandoff, "command" | "claim"> {
  /** The accepting agent's session; null: it is no agent of the team and holds no tasks. */
  readonly session: number | null;
  /** The breaker that lets it begin to work; null: none does. */
  readonly breaker: BreakerScope | null;
  readonly leaseMs: number;
}

type Outcome = Result<Decided<HandoffEvent | WorkEvent>, readonly Problem[]>;

/**
 * Accepts, and moves the claim on the handoff's task. Refuses as `handoffs.ts` does, and as a claim is denied if an
 * agent other than the issuer blocks it. A task that nobody knows or that is done moves nothing.
 */
export function decideAcceptance(state: State, acceptance: Acceptance): Outcome {
  const known = state.handoffs.all.get(acceptance.id);
  const problem = known?.acceptance?.by === acceptance.by ? null : acceptanceProblem(state.handoffs, acceptance);
  if (known === undefined || problem !== null) return err([problem ?? unknownHandoff(acceptance.id)]);
  const moved = known.acceptance === null ? moveClaim(state, known, acceptance) : ok(noMove);
  if (!moved.ok) return moved;
  const { id, by, role, verified, seq, atMs } = acceptance;
  const { events, notes, claim } = moved.value;
  const order = { command: "accept-handoff", id, by, verified, claim, seq, atMs } as const;
  const accepted = handoffs.decide(role === undefined ? order : { ...order, role }, state.handoffs);
  if (!accepted.ok) return accepted;
  return ok({ events: [...accepted.value.events, ...events], notes: [...accepted.value.notes, ...notes] });
}

interface Move extends Decided<WorkEvent> {
  readonly claim: AcceptHandoff["claim"];
}

const noMove: Move = { events: [], notes: [], claim: null };

function moveClaim(state: State, handoff: Handoff, acceptance: Acceptance): Result<Move, readonly Problem[]> {
  if (handoff.task === null) return ok(noMove);
  const { by, session, breaker, seq, atMs, leaseMs } = acceptance;
  const task = findTask(state.work, handoff.task, null);
  if (task === null) return ok(withoutMove(`There is no task ${handoff.task} on the board, so no claim moves.`));
  // Work that is handed over for repair is to be done again.
  const isRepair = isReported(task) && handoff.unfit.length > 0 && task.ended === undefined && session !== null;
  if (isRepair) return repairing(state, handoff, acceptance, task);
  if (isReported(task)) return ok(withoutMove(`${task.task} is reported as complete, so no claim moves.`));
  if (session === null) return ok(withoutMove(`${by} holds no tasks, so no claim moves.`));
  const barred = barOf(state, by, breaker);
  if (isGivenBy(task, handoff, by)) {
    // One agent's own claims may share files; two agents never hold the same file.
    const met = meetingOnceMoved(state.work, task, by);
    const denials = [
      ...(barred === null ? [] : [barred]),
      ...(met.length === 0 ? [] : [overlapOnceMoved(state, met, acceptance.id)]),
    ];
    return denials.length === 0 ? ok(moveHeld(state.work, task, acceptance, session)) : err(denials);
  }
  const claimed = claimTask(
    {
      taskId: handoff.task,
      planId: null,
      files: null,
      holder: by,
      session,
      scope: scopeOfPlan(state.contracts, task.plan),
      barred,
      seq,
      atMs,
      leaseMs,
    },
    state.work,
  );
  if (!claimed.ok) return err(claimed.error);
  const { events, notes } = claimed.value;
  const token =
    events.find((event): event is TaskClaimed => event.event === "task-claimed")?.token ?? task.claim?.token;
  return ok({ events, notes, claim: token === undefined ? null : { task: task.task, token } });
}

/** The task is open again, and the receiver's. Refuses as a claim is denied. */
function repairing(
  state: State,
  handoff: Handoff,
  acceptance: Acceptance,
  task: Task,
): Result<Move, readonly Problem[]> {
  const { key, task: name } = task;
  const reopened = { event: "task-reopened", key, task: name, by: acceptance.by, seq: acceptance.seq } as const;
  const reason = `${handoff.id} hands it over for repair: ${handoff.unfit.join(", ")}`;
  const free = { ...task, report: null, verdict: null };
  const work = { ...state.work, tasks: new Map([...state.work.tasks, [key, free]]) };
  const moved = moveClaim({ ...state, work }, handoff, acceptance);
  if (!moved.ok) return moved;
  const { events, notes, claim } = moved.value;
  return ok({ events: [{ ...reopened, reason }, ...events], notes, claim });
}

function overlapOnceMoved({ work }: State, met: readonly IndexedGlob[], id: string): Problem {
  const hint = "Reject the handoff, or wait until the other claim has ended or was handed over too.";
  return { ...overlap(work, met, id), hint };
}

/** Whether the issuer may give the current claim: its own, or one that a lead or the owner may take. */
function isGivenBy({ claim }: Task, { issuer, issuerRole }: Handoff, by: string): boolean {
  if (claim === null || claim.holder === by) return false;
  return claim.holder === issuer || issuerRole === "lead" || issuerRole === "owner";
}

/** The claim as it is, with its files, in other hands. */
function moveHeld(
  work: Work,
  task: Task,
  { by: holder, seq: token, atMs, leaseMs }: Acceptance,
  session: number,
): Move {
  const { claim, key } = task;
  const { files = [], grows = true, holder: giver = "" } = claim ?? {};
  const named = claim?.isNamed === true ? { isNamed: true as const } : {};
  return {
    events: [
      { event: "claim-released", key, task: task.task, holder: giver, reason: "handed-over" },
      ...freeEditsOf(work, giver, "handed-over", key),
      { event: "task-claimed", key, task: task.task, holder, session, token, files, grows, ...named, atMs, leaseMs },
    ],
    notes: [],
    claim: { task: task.task, token },
  };
}

function withoutMove(message: string): Move {
  const note: Note = { code: "no-claim-moved", path: "$.body.metadata", message };
  return { ...noMove, notes: [note] };
}
