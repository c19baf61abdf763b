/** The checker's models together: what each asks of the others comes from here. */
import { escalationSecondsDefault, leaseSecondsDefault } from "../../../src/base/limits.ts";
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import type { TeamDefinition } from "../../../src/team/state/definition.ts";
import { type ApprovalModel, newApprovalModel } from "./approval-model.ts";
import { type ContractModel, newContractModel } from "./contract-model.ts";
import { type EscalationModel, newEscalationModel } from "./escalation-model.ts";
import { type HandoffModel, newHandoffModel } from "./handoff-model.ts";
import { type HealthModel, newHealthModel } from "./health-model.ts";
import { type MailModel, newMailModel } from "./mail-model.ts";
import { newPhaseModel, type PhaseModel } from "./phase-model.ts";
import { newRecordCheck, type RecordCheck } from "./record-check.ts";
import { newReviewModel, type ReviewModel } from "./review-model.ts";
import { newRosterModel, type RosterModel } from "./roster-model.ts";
import type { Seen, Wrong } from "./seen.ts";
import { newShutdownModel, type ShutdownModel } from "./shutdown-model.ts";
import { newSigns, type Signs } from "./signs.ts";
import { newWorkModel, type WorkModel } from "./work-model.ts";

/** What the entries say, by models that know no decider. */
export interface Models {
  readonly record: RecordCheck;
  readonly roster: RosterModel;
  readonly work: WorkModel;
  readonly contracts: ContractModel;
  readonly approvals: ApprovalModel;
  readonly escalations: EscalationModel;
  readonly handoffs: HandoffModel;
  readonly reviews: ReviewModel;
  readonly phases: PhaseModel;
  readonly shutdowns: ShutdownModel;
  readonly mail: MailModel;
  readonly health: HealthModel;
  readonly signs: Signs;
  /** Entries of each kind. */
  readonly counts: Map<string, number>;
  leaseMs(): number;
  /** A revision of the team's file is in force. */
  takeDefinition(definition: TeamDefinition): void;
}

/** Models of a team that has no entry yet. */
export function newModels(wrong: Wrong, hasRepository: boolean): Models {
  let leaseMs = leaseSecondsDefault * 1_000;
  let dialects: readonly string[] = [];
  let silenceMs = escalationSecondsDefault * 1_000;
  const signs = newSigns();
  const sessionOf = (agent: string) => roster.agents.get(agent)?.session ?? 0;
  const roster: RosterModel = newRosterModel(wrong, {
    isStopped: (agent) => shutdowns.stoppedIn(agent) === sessionOf(agent),
    isBackNextDay: (agent) => shutdowns.isBackNextDay(agent),
    isLost: (agent) => health.isLost(agent),
    barOf: (agent) => health.barOf(agent),
  });
  const contracts = newContractModel(wrong);
  const escalations = newEscalationModel(wrong, roster, {
    silenceMs: () => silenceMs,
    isLost: (agent) => health.isLost(agent),
  });
  const work: WorkModel = newWorkModel(wrong, {
    signs,
    leaseMs: () => leaseMs,
    waitingFor: (agent) => escalations.waitingFor(agent),
    isActive: (agent) => roster.agents.get(agent)?.isActive === true,
    leads: (department, agent) => roster.leads(department, agent),
    barOf(agent) {
      const known = roster.agents.get(agent);
      return known === undefined ? null : health.barOf(known);
    },
    scopeOf: (plan) => contracts.scopeOf(plan),
    hasRepository,
  });
  const heldBy = (agent: string) => work.heldBy(agent).map(({ task }) => task);
  const health: HealthModel = newHealthModel(wrong, { signs, roster, heldBy });
  const mail = newMailModel(wrong);
  const shutdowns = newShutdownModel(wrong, {
    sessionOf,
    holds: (agent) => work.heldBy(agent).length,
    reportsOf: (agent) => work.reportsOf(agent),
    unread: (agent) => mail.waiting(agent),
    over: (agent, requests, at) => mail.over(agent, requests, at),
  });
  return {
    record: newRecordCheck(wrong),
    roster,
    work,
    contracts,
    approvals: newApprovalModel(wrong),
    escalations,
    ...newFollowers(wrong, { roster, work, escalations }, () => dialects),
    shutdowns,
    mail,
    health,
    signs,
    counts: new Map(),
    leaseMs: () => leaseMs,
    takeDefinition(definition) {
      const { leaseSeconds, escalationSeconds } = definition.limits;
      leaseMs = (leaseSeconds ?? leaseSecondsDefault) * 1_000;
      silenceMs = (escalationSeconds ?? escalationSecondsDefault) * 1_000;
      dialects = definition.dialects;
      health.takeDefinition(definition);
    },
  };
}

/** Models of what rests on agents, tasks and escalations. */
function newFollowers(
  wrong: Wrong,
  { roster, work, escalations }: Pick<Models, "roster" | "work" | "escalations">,
  dialects: () => readonly string[],
): Pick<Models, "handoffs" | "reviews" | "phases"> {
  const handoffs = newHandoffModel(wrong, {
    roleOf: (agent) => roster.agents.get(agent)?.role,
    isActive: (agent) => roster.agents.get(agent)?.isActive === true,
    leavers: (seen) => roster.leavers(seen),
    leadsOf: (agent) => escalations.agentsAtLevel("lead", agent),
    find: (taskId) => work.find(taskId, null),
  });
  const reviews = newReviewModel(wrong, {
    taskOf: (key) => work.tasks.get(key),
    isOpen: (escalation) => escalations.all.get(escalation)?.status === "open",
    registrarsOf: (agent) => roster.registrarsOf(agent),
  });
  const phases = newPhaseModel(wrong, {
    roster,
    tasks: () => work.tasks.values(),
    workersOf: (plan) => reviews.workersOf(plan),
    dialects,
  });
  return { handoffs, reviews, phases };
}

/** Hands an event to the models that follow it; the others leave it alone. */
export function takeEvent(models: Models, event: CoordinationEvent, seen: Seen): void {
  models.reviews.take(event, seen);
  models.phases.take(event, seen);
  models.work.take(event, seen);
  models.contracts.take(event, seen);
  models.approvals.take(event, seen);
  models.escalations.take(event, seen);
  models.handoffs.take(event, seen);
  models.shutdowns.take(event, seen);
  models.health.take(event, seen);
}
