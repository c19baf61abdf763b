/**
 * All deciders as one: which rules a fact of some kind touches, and in which order. The runtime decides with this file,
 * and folds with `coordination-state.ts` alone, so that a look at a team loads no rules. Nothing here looks through all
 * that is known: a decision costs what it changes.
 */
import { decideAnswer, decideRequest, takenBack } from "../approvals/decide/approvals.ts";
import { invariant } from "../base/invariant.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { decideEscalations } from "../escalations/decide/escalation-rules.ts";
import { heldUp } from "../escalations/state.ts";
import { nameArtifacts } from "../evidence/decide/artifact-disputes.ts";
import { handoffs } from "../handoffs/decide/handoffs.ts";
import type { HandoffCommand } from "../handoffs/state.ts";
import { type Fact, says } from "../messages/facts.ts";
import { handoffDigest } from "../messages/handoff-draft.ts";
import type { Note } from "../messages/message.ts";
import type { Principal } from "../messages/principal.ts";
import { planKey } from "../messages/task-ids.ts";
import { type DepartmentCommand, departments } from "../phases/decide/departments.ts";
import { decideLimits, decideUnseen, limitEscalation } from "../phases/decide/limit-rules.ts";
import { type PhaseCommand, phases } from "../phases/decide/phase.ts";
import type { Setting } from "../phases/decide/phase-facts.ts";
import { decidePhaseFact } from "../phases/decide/phase-rules.ts";
import { type QualityCommand, quality } from "../phases/decide/quality.ts";
import { type ReviewCommand, reviews } from "../phases/decide/reviews.ts";
import { oneTeam, placeOf } from "../phases/state/phase-state.ts";
import { reviewOf } from "../phases/state/review-state.ts";
import { foundBy } from "../phases/view/shipped-findings.ts";
import { type RemoteCommand, remotes } from "../remotes/decide.ts";
import { decideStop } from "../shutdown/decide/ending-rules.ts";
import { type InspectRound, type StartRound, shutdowns } from "../shutdown/decide/shutdowns.ts";
import { contracts } from "../tasks/decide/contracts.ts";
import { decideTaskFact, issueWithTasks, listIn, taskDetailsIn } from "../tasks/decide/task-rules.ts";
import { checkNamedFiles } from "../tasks/state/contract-files.ts";
import { tokensIn } from "../tasks/state/contract-terms.ts";
import type { WorkEvent } from "../tasks/state/task-events.ts";
import type { Work } from "../tasks/state/task-state.ts";
import type { CoordinationEvent, CoordinationState } from "./coordination-state.ts";
import type { Decided } from "./decider.ts";
import type { FactCommand } from "./fact-command.ts";

export type { ApprovalState } from "../approvals/decide/approvals.ts";
export { decideOwnerAnswer, withPaths } from "../approvals/decide/approvals.ts";
export { decideHandUp, decideResolution } from "../escalations/decide/escalation-rules.ts";
export type { RecordedResolution } from "../escalations/decide/escalations.ts";
export { type Escalation, escalationOf } from "../escalations/state.ts";
export { decideAcceptance } from "../handoffs/decide/handoff-rules.ts";
export { beginProgram, decideAdmission, decideHeartbeat, endProgram } from "../health/decide/disappearance.ts";
export { decideDeparture, decidePassing } from "../shutdown/decide/ending-rules.ts";
export type { ShutdownRound, StoppingAgent } from "../shutdown/decide/shutdown-rounds.ts";
export {
  decideClaim,
  decideCompletion,
  decideList,
  decideReassignment,
  decideTask,
} from "../tasks/decide/task-rules.ts";
export type { ContractState, ContractView } from "../tasks/state/contract-terms.ts";
export {
  type CoordinationEvent,
  type CoordinationState,
  evolveCoordination,
  initialCoordination,
  keepPlans,
  partOf,
  type StatePart,
} from "./coordination-state.ts";
export type { FactCommand } from "./fact-command.ts";

type Outcome = Result<Decided<CoordinationEvent>, readonly Problem[]>;

/**
 * The events of a fact. The files that it names are first checked against their plan's contract, for every kind of
 * fact. Refuses what `contract-files.ts`, `contracts.ts`, `approvals.ts` and `shutdowns.ts` refuse; paths of the
 * problems start with `$.body` and the neutral field's name. A fact that is out of step has no events and says so in a
 * note.
 */
export function decideFact(state: CoordinationState, command: FactCommand): Outcome {
  const { fact, principal } = command;
  const files = checkNamedFiles(state.contracts, fact);
  if (!files.ok) return files;
  const kind = decideKind(state, command);
  const risen = kind.ok ? withEscalations(state, command, kind.value) : kind;
  const decided = risen.ok ? withPhases(state, command, risen.value) : risen;
  if (!decided.ok) return decided;
  const tokens = tokensOf(state, fact, principal);
  const named = {
    fact,
    type: command.type,
    sender: principal.agent,
    seq: command.seq,
  } as const;
  const artifacts = nameArtifacts(named, state.work);
  const others = withoutRepeats(decided.value.notes, files.value);
  return ok({
    events: [...decided.value.events, ...tokens.events, ...artifacts.events],
    notes: [...files.value, ...others, ...tokens.notes, ...artifacts.notes],
  });
}

/** Another decider may also note that there is no contract; it is reported once. */
function withoutRepeats(notes: readonly Note[], told: readonly Note[]): readonly Note[] {
  if (told.length === 0 || notes.length === 0) return notes;
  return notes.filter(({ code, path }) => !told.some((other) => other.code === code && other.path === path));
}

/** The tokens that a report says were used, counted towards its plan's budget. */
function tokensOf(state: CoordinationState, fact: Fact, { agent: reporter }: Principal): Decided<CoordinationEvent> {
  const said = tokensIn(fact);
  if (said === null) return { events: [], notes: [] };
  if ("code" in said) return { events: [], notes: [said] };
  const counted = contracts.decide({ command: "report-tokens", reporter, ...said }, state.contracts);
  invariant(counted.ok, "counting tokens is never refused");
  return counted.value;
}

/** A fact's own effect, and what it does to escalations. */
function withEscalations(
  state: CoordinationState,
  command: FactCommand,
  { events, notes }: Decided<CoordinationEvent>,
): Outcome {
  const { fact, company = oneTeam } = command;
  const further = decideEscalations(state, command, () => placeOf(state.phases, fact, company)[0]?.name ?? null);
  if (!further.ok) return further;
  if (further.value.events.length === 0 && further.value.notes.length === 0) return ok({ events, notes });
  const told = decideUnseen(state, further.value.events, command);
  return ok({ events: [...events, ...further.value.events, ...told], notes: [...notes, ...further.value.notes] });
}

/** Whether a review puts a decision into words that nobody worked on yet: no round. */
function isInstruction({ escalations, limits, reviews }: CoordinationState, { fact, receivers }: FactCommand) {
  if (!says(fact, "review-changes") && !says(fact, "review-result")) return false;
  const key = planKey(fact.body.planId);
  const rounds = limitEscalation({ limits, escalations }, { kind: "review-cycles", about: key });
  const decided = rounds?.status === "resolved" ? rounds.decision : null;
  const isApproval = says(fact, "review-result") && fact.body.result === "approve";
  if (decided !== null && (reviewOf(reviews, key).review?.fixedAt ?? 0) < decided.seq) return !isApproval;
  if (!says(fact, "review-changes")) return false;
  return receivers.some((agent) =>
    heldUp(escalations, agent).some(
      ({ status, plan }) => status === "resolved" && (plan === null || planKey(plan) === key),
    ),
  );
}

/** What a fact reports about its phase, and the limits that it reaches. */
function withPhases(state: CoordinationState, command: FactCommand, before: Decided<CoordinationEvent>): Outcome {
  const { fact, principal, company = oneTeam, setting = silentTeam, levelSilentMs, seq, atMs } = command;
  if (isInstruction(state, command)) return ok(before);
  const told = decidePhaseFact(state, { ...command, company, setting });
  if (!told.ok) return told;
  // Nothing else follows from a fact that changes nothing about a phase, as most do.
  if (told.value.events.length === 0)
    return told.value.notes.length === 0
      ? ok(before)
      : ok({ events: before.events, notes: [...before.notes, ...told.value.notes] });
  const speaker = {
    agent: principal.agent,
    chain: command.chain ?? [],
    levelSilentMs,
    phase: placeOf(state.phases, fact, company)[0]?.name ?? fact.head.phase,
    seq,
    atMs,
  };
  const limit = decideLimits(state, told.value.events, speaker);
  if (!limit.ok) return limit;
  return ok({
    events: [...before.events, ...told.value.events, ...limit.value.events, ...foundBy(state, told.value.events, seq)],
    notes: [...before.notes, ...told.value.notes, ...limit.value.notes],
  });
}

/** What a fact brings about by its kind; the files that it names are inside their contract. */
function decideKind(state: CoordinationState, command: FactCommand): Outcome {
  const { fact, principal, isAdvisory = false, seq, atMs } = command;
  if (says(fact, "contract")) {
    const withoutFiles = listIn(fact, "tasks_without_files");
    const details = taskDetailsIn(fact);
    if (!details.ok) return details;
    const told = { withoutFiles, details: details.value };
    const issued = issueWithTasks(state, { body: fact.body, ...told, issuedBy: principal.agent, isAdvisory, seq });
    if (!issued.ok) return issued;
    const lost = issued.value.events.flatMap((event) =>
      event.event === "contract-issued" ? takenBack(state, event) : [],
    );
    return ok({ events: issued.value.events, notes: [...issued.value.notes, ...lost] });
  }
  const ofTask = decideTaskFact(state, command);
  if (ofTask !== null) return ofTask;
  if (says(fact, "approval-request")) {
    const { agent: requester, role: requesterRole } = principal;
    const { phase, task, timestamp } = fact.head;
    const { wireId: requestId, receivers: addressees } = command;
    return decideRequest(state, {
      requestId,
      requester,
      requesterRole,
      body: fact.body,
      phase,
      task,
      timestamp,
      addressees,
      seq,
      atMs,
    });
  }
  if (says(fact, "approval-response")) {
    const { agent: answerer, role } = principal;
    const { answererRoles: roles, registrars = [] } = command;
    return decideAnswer(state, { answerer, role, roles, registrars, body: fact.body, seq, atMs });
  }
  if (says(fact, "shutdown-request")) return startRound(state, command, fact);
  if (says(fact, "shutdown-response")) {
    const { agent: answerer } = principal;
    return decideStop(state, { answerer, body: fact.body, seq, atMs });
  }
  if (says(fact, "handoff")) return decideHandoff(state, command, fact);
  return quiet;
}

/** A handoff that comes as a message is issued by it. */
function decideHandoff(state: CoordinationState, command: FactCommand, fact: Fact<"handoff">): Outcome {
  const { principal, receivers, seq, atMs } = command;
  const { agent: issuer, role: issuerRole } = principal;
  const digest = handoffDigest(fact);
  const roles = receivers.flatMap((agent) => {
    const role = command.roleOf?.(agent) ?? null;
    return role === null ? [] : [[agent, role] as const];
  });
  return decideHandoffs(state, {
    command: "issue-handoff",
    issuer,
    issuerRole,
    receivers,
    ...(roles.length === 0 ? {} : { receiverRoles: Object.fromEntries(roles) }),
    body: fact.body,
    digest,
    seq,
    atMs,
  });
}

/** An operation on handoffs that moves no claim. Refuses as `handoffs.ts` does. */
export function decideHandoffs(state: CoordinationState, command: HandoffCommand): Outcome {
  return handoffs.decide(command, state.handoffs);
}

function startRound(state: CoordinationState, command: FactCommand, fact: Fact<"shutdown-request">): Outcome {
  const { wireId: requestId, principal, asked = [], seq, atMs } = command;
  const { body, head, extra } = fact;
  // A second revision has no field for it; what was written as an extra field still counts.
  const seconds = body.deadlineSeconds ?? extra?.payload?.deadline_seconds;
  const deadlineMs = typeof seconds === "number" ? seconds * 1000 : null;
  const reasonText = extra?.payload?.reason_text;
  return decideRound(state, {
    requestId,
    requester: principal.agent,
    body,
    ...(typeof reasonText === "string" ? { reasonText } : {}),
    phase: head.phase,
    deadlineMs,
    agents: asked,
    everybody: command.asksEverybody === true,
    seq,
    atMs,
  });
}

/** A shutdown round's start, by message or by command. Refuses as `shutdowns.ts` does. */
export function decideRound(state: CoordinationState, start: Omit<StartRound, "command">): Outcome {
  return shutdowns.decide({ command: "start-round", ...start }, state.shutdowns);
}

/** What was uncommitted after a round. Refuses nothing: what is out of step is noted. */
export function decideInspection(state: CoordinationState, found: Omit<InspectRound, "command">): Outcome {
  return shutdowns.decide({ command: "inspect-round", ...found }, state.shutdowns);
}

/** An operation on remotes. Refuses as `remotes.ts` does. */
export function decideRemotes(state: CoordinationState, command: RemoteCommand): Outcome {
  return remotes.decide(command, state.remotes);
}

/** What a rule about tasks decides, and what of it is found in phases that were shipped. Refuses as the rule does. */
export function decideWork<Command extends { readonly seq: number }>(
  state: CoordinationState,
  rule: (command: Command, work: Work) => Result<Decided<WorkEvent>, readonly Problem[]>,
  command: Command,
): Outcome {
  const decided = rule(command, state.work);
  if (!decided.ok) return decided;
  const found = foundBy(state, decided.value.events, command.seq);
  return found.length === 0 ? decided : ok({ ...decided.value, events: [...decided.value.events, ...found] });
}

/** An operation on phases by a door. Refuses as its decider does. */
export function decidePhaseCommand(
  state: CoordinationState,
  asked:
    | { readonly decider: "phases"; readonly command: PhaseCommand }
    | { readonly decider: "reviews"; readonly command: ReviewCommand }
    | { readonly decider: "quality"; readonly command: QualityCommand }
    | { readonly decider: "departments"; readonly command: DepartmentCommand },
): Outcome {
  if (asked.decider === "phases") return phases.decide(asked.command, state.phases);
  if (asked.decider === "reviews") return reviews.decide(asked.command, state.reviews);
  if (asked.decider === "departments") return departments.decide(asked.command, state.departments);
  return quality.decide(asked.command, state.quality);
}

const quiet: Outcome = ok({ events: [], notes: [] });

/** A team of which it is not known what it can say, nor who is in it. */
const silentTeam: Setting = { kinds: [], roles: [], active: [] };
