/**
 * Handoffs through a door: what waits for whom, and the answers to them. A handoff is issued by sending its document,
 * so there is one way in; its answers are operations, because no dialect has messages for them. The others are notified
 * by Baton. Source: docs/protocol/phases.md, sections 12 to 14.
 */
import { aheadMsOf, type Clock, timestampOf } from "../../base/clock.ts";
import { invariant } from "../../base/invariant.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Message, Note } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import { contentOf, wireOf } from "../../perform/content.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import { decideAcceptance, decideHandoffs } from "../../perform/deciders.ts";
import type {
  AcceptHandoff,
  CompleteHandoff,
  ListEarlierHandoffs,
  ListHandoffs,
  RejectHandoff,
  ShowHandoff,
} from "../../perform/operations/generated/calls.ts";
import type { Operation } from "../../perform/perform.ts";
import { prose, quoted } from "../../perform/prose.ts";
import { entryAt } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { leadsOf } from "../../shutdown/services/agent-departure.ts";
import { findTask } from "../../tasks/state/task-state.ts";
import { unknownHandoff } from "../decide/handoffs.ts";
import type { HandoffDetail, MovedClaim } from "../operations.ts";
import { earlierHandoff, type Handoff, type HandoffAcceptance, lineUpTo } from "../state.ts";
import { isOpen } from "../view.ts";

/** Handoffs that wait for an answer or are worked on, or all, oldest first. */
export async function handoffs(
  context: TeamContext,
  _: Actor,
  options: ListHandoffs = {},
): Promise<Result<readonly Handoff[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const all = [...folded.value.state.coordination.handoffs.all.values()];
  return ok(asShown(context.clock, options.all === true ? all : all.filter(isOpen)));
}

/** Copies that the caller may keep, their times by the clock that people look at. */
function asShown(clock: Clock, handoffs: readonly Handoff[]): readonly Handoff[] {
  const aheadMs = aheadMsOf(clock);
  const shown = <Timed extends { readonly atMs: number }>(timed: Timed | null) =>
    timed === null ? null : { ...timed, atMs: timed.atMs + aheadMs };
  return handoffs.map((handoff) => {
    const { issuedAtMs, acceptance, rejection, completion } = handoff;
    return structuredClone({
      ...handoff,
      issuedAtMs: issuedAtMs + aheadMs,
      acceptance: shown(acceptance),
      rejection: shown(rejection),
      completion: shown(completion),
    });
  });
}

/** One handoff with its document, as the entry that issued it holds it. Refuses `unknown-request`. */
export async function handoff(
  context: TeamContext,
  _: Actor,
  { handoff: id }: ShowHandoff,
): Promise<Result<HandoffDetail, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const state = folded.value.state.coordination.handoffs;
  const known = state.all.get(id);
  if (known === undefined) return err(unknownHandoff(id));
  // Copied before the next await: the state is only lent.
  const line = asShown(context.clock, lineUpTo(state, id));
  const [last] = line.slice(-1);
  invariant(last !== undefined, `a line ends with the handoff that it leads to: ${id}`);
  const entry = await entryAt(context, known.seq);
  if (!entry.ok) return entry;
  const message = entry.value === null ? undefined : contentOf(entry.value).message;
  invariant(message !== undefined, `the entry that issued a handoff holds its document: ${known.seq}`);
  return ok({ handoff: last, line, document: wireOf(message), text: message.text });
}

/** Those that a handoff of this workflow or task would follow if `actor` issued it now. */
export async function handoffsBefore(
  context: TeamContext,
  actor: Actor,
  about: ListEarlierHandoffs = {},
): Promise<Result<readonly Handoff[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const state = folded.value.state.coordination.handoffs;
  const { workflow = null, task = null } = about;
  const latest = earlierHandoff(state, { agent: actor.agent, workflow, task });
  return ok(asShown(context.clock, lineUpTo(state, latest)));
}

/** Takes the work over, its files verified; the claim on its task comes along. Refuses as `decideAcceptance` does. */
export const acceptHandoff: Operation<AcceptHandoff, TeamContext, { readonly claim: MovedClaim | null }> = {
  name: "accept-handoff",
  // The operation itself wrote it.
  gives: ({ command }) => ({ claim: (command?.claim ?? null) as unknown as MovedClaim | null }),
  recorded: ({ handoff: id, verified = null }) => ({ handoff: id, verified }),
  decide(state, { handoff: id, verified = null }, at, { context }) {
    const { by, seq, atMs, breaker, rules } = at;
    const { agent, role } = by;
    const session = state.team.roster.get(agent)?.session ?? null;
    const order = { id, by: agent, role, session, breaker, verified, seq, atMs, leaseMs: rules.leaseMs };
    const decided = decideAcceptance(state.coordination, order);
    if (!decided.ok) return decided;
    const { events } = decided.value;
    const accepted = events.find((event) => event.event === "handoff-accepted");
    const known = handoffIn(state, id);
    const expiresAt = timestampOf(context.clock.now() + rules.leaseMs);
    if (accepted === undefined) return ok({ ...decided.value, told: toldOf(claimNow(state, known, expiresAt)) });
    const granted = events.find((event) => event.event === "task-claimed");
    const { task, token } = accepted;
    const files = granted?.files ?? findTask(state.coordination.work, known.task ?? "", null)?.claim?.files ?? [];
    const claim = task === null || token === null ? null : { task, token, expiresAt, files };
    const delivered = { message: acceptedNotice(known, agent, accepted), receivers: othersOf(state, known, agent) };
    return ok({ ...decided.value, told: toldOf(claim), delivered });
  },
};

/** Gives the work back, with reasons. Refuses as `handoffs.ts` does. */
export const rejectHandoff: Operation<RejectHandoff, TeamContext> = {
  name: "reject-handoff",
  decide(state, { handoff: id, reasons }, { by: { agent: by, role }, seq, atMs }) {
    const order = { command: "reject-handoff", id, by, role, reasons, seq, atMs } as const;
    const decided = decideHandoffs(state.coordination, order);
    const rejected = decided.ok ? decided.value.events.find((event) => event.event === "handoff-rejected") : undefined;
    if (!decided.ok || rejected === undefined) return decided;
    const known = handoffIn(state, id);
    const message = rejectedNotice(known, by, rejected.reasons);
    // Where its issuer left, who leads it hears what became of the work.
    const instead = state.team.roster.get(known.issuer)?.status === "retired" ? leadsOf(state, known.issuer) : [];
    const receivers = [...new Set([...othersOf(state, known, by), ...instead])].filter((agent) => agent !== by);
    return ok({ ...decided.value, delivered: { message, receivers } });
  },
};

/** Says that the work is done. Refuses as `handoffs.ts` does. */
export const completeHandoff: Operation<CompleteHandoff, TeamContext> = {
  name: "complete-handoff",
  recorded: ({ handoff: id, verified = null }) => ({ handoff: id, verified }),
  decide(state, { handoff: id, verified = null }, { by: { agent: by }, seq, atMs }) {
    const decided = decideHandoffs(state.coordination, { command: "complete-handoff", id, by, verified, seq, atMs });
    if (!decided.ok || decided.value.events.length === 0) return decided;
    const known = handoffIn(state, id);
    const receivers = othersOf(state, known, by).filter((agent) =>
      [known.issuer, known.acceptance?.by].includes(agent),
    );
    const task = known.task === null ? null : findTask(state.coordination.work, known.task, null);
    const notes = task === null || task.claim === null ? [] : [stillHeld(task.task, task.claim.holder)];
    return ok({ ...decided.value, notes, delivered: { message: completedNotice(known, by), receivers } });
  },
};

/** The handoff is done, and its task counts as done only once it is reported. */
function stillHeld(task: string, holder: string): Note {
  const message = `${holder} still holds ${task}, which is done once it is reported with its commit.`;
  return { code: "task-open", path: "handoff", message };
}

/** The handoff that a decision was about. */
function handoffIn({ coordination }: TeamState, id: string): Handoff {
  const known = coordination.handoffs.all.get(id);
  invariant(known !== undefined, `what was decided about a handoff was decided about one that is kept: ${id}`);
  return known;
}

/** The claim that came with an acceptance, if it is still held. */
function claimNow({ coordination }: TeamState, { acceptance }: Handoff, expiresAt: string): MovedClaim | null {
  const task =
    acceptance === null || acceptance.task === null ? null : findTask(coordination.work, acceptance.task, null);
  const claim = task?.claim ?? null;
  if (task === null || claim === null || claim.token !== acceptance?.token) return null;
  return { task: task.task, token: claim.token, expiresAt, files: claim.files };
}

function toldOf(claim: MovedClaim | null): JsonObject {
  // It is plain JSON by its type.
  return { claim } as unknown as JsonObject;
}

/** Everyone who has to do with it but the one who acts: its issuer and those it was addressed to, as far as they read. */
function othersOf({ team }: TeamState, { issuer, receivers }: Handoff, by: string): readonly string[] {
  return [...new Set([issuer, ...receivers])].filter(
    (agent) => agent !== by && (agent === ownerName || team.roster.get(agent)?.status === "active"),
  );
}

/*
 * What Baton says of handoffs to those who have to do with them, as prose: no dialect has words for it.
 * Source: docs/protocol/phases.md, sections 12 to 14.
 */

/** That it was accepted, and what moved with it. */
function acceptedNotice(
  handoff: Handoff,
  by: string,
  { files, weak, task, token }: Pick<HandoffAcceptance, "files" | "weak" | "task" | "token">,
): Message {
  const sums = weak === 0 ? "" : `, ${weak} of them with a checksum that tells nothing`;
  return prose([
    answered(handoff, by, "accepted"),
    `Files looked at: ${files}${sums}.`,
    ...(task === null
      ? []
      : [`${visible(task)} is ${by}'s now, with the token ${token ?? ""}; an earlier claim on it has ended.`]),
  ]);
}

/** That it was rejected, and why. */
function rejectedNotice(handoff: Handoff, by: string, reasons: readonly string[]): Message {
  const { id, source, target, timestamp } = handoff;
  const name = `${visible(id)} (${visible(source)} to ${visible(target)}, ${visible(timestamp)})`;
  return prose([
    answered(handoff, by, "rejected"),
    ...reasons.map((reason) => quoted("Reason", reason)),
    `What to do: mend it and issue it again, under a new id and with ${name} among its previous_handoffs.`,
  ]);
}

/** That what was handed over is done. */
function completedNotice(handoff: Handoff, by: string): Message {
  return prose([answered(handoff, by, "completed"), `Generated files that are there: ${handoff.generated}.`]);
}

function answered({ id, source, target, summary }: Handoff, by: string, how: string): string {
  return quoted(`${by} ${how} the handoff ${visible(id)} (${visible(source)} to ${visible(target)})`, summary);
}
