/**
 * Which limits a message ran into, and whom Baton hands that to: rounds of review to the lead, rounds of remediation to the
 * architect, tests that pass before their code to the senior, a third counter-proposal to the owner.
 * Source: docs/protocol/phases.md.
 */
import { invariant } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Trouble } from "../../escalations/decide/escalation-raising.ts";
import { escalations, type ResolutionEvent } from "../../escalations/decide/escalations.ts";
import { type Escalation, type EscalationEvent, type Escalations, escalationOf } from "../../escalations/state.ts";
import type { Level } from "../../messages/authority/chain-of-command.ts";
import type { FactKind } from "../../messages/facts.ts";
import type { Decided, Decider } from "../../perform/decider.ts";
import type { FactCommand } from "../../perform/fact-command.ts";
import { nameOfApi, partKey } from "../state/phase-state.ts";
import { type Quality, qualityOf, type ReviewEvent, validVerdict } from "../state/review-state.ts";
import { counterProposalsMax, type DepartmentEvent } from "./departments.ts";
import type { PhaseEvent } from "./phase.ts";
import { type QualityEvent, remediationRoundsMax } from "./quality.ts";
import { reviewCyclesMax } from "./reviews.ts";

/** Kinds of message that may run into a limit. */
export const limitKinds: readonly FactKind[] = [
  "review-changes",
  "review-result",
  "test-plan",
  "verdict",
  "code-verdict",
  "api-contract",
];

/** The part of the state that limits are decided on. */
interface State {
  readonly limits: Limits;
  readonly escalations: Escalations;
  readonly quality: Quality;
}

/** Who ran into it, and the chain above. */
interface Speaker {
  readonly agent: string;
  readonly chain: readonly Level[];
  readonly levelSilentMs: number;
  /** The phase that the message is about, as first written. */
  readonly phase: string | number | null;
  readonly seq: number;
  readonly atMs: number;
}

type Event = ReviewEvent | QualityEvent | DepartmentEvent | PhaseEvent;
type Outcome = Result<Decided<EscalationEvent | LimitEvent>, readonly Problem[]>;

/**
 * The escalation that follows where one of these events is a limit; a message runs into one at most. Where an event shows
 * that a limit is settled, the escalation that it opened closes.
 */
export function decideLimits(state: State, events: readonly Event[], speaker: Speaker): Outcome {
  const [reached] = events.flatMap((event) => reachedBy(event) ?? []);
  if (reached === undefined) return closeSettled(state, events, speaker);
  const { kind, about, level, others = [] } = reached;
  const { agent, chain, levelSilentMs, seq, atMs } = speaker;
  const known = limitEscalation(state, { kind, about })?.id ?? null;
  const trouble: Trouble = { ...emptyTrouble, ...reached.trouble, phase: speaker.phase };
  const handed = escalations.decide(
    { command: "escalate-limit", level, known, agent, others, chain, trouble, levelSilentMs, seq, atMs },
    state.escalations,
  );
  if (!handed.ok || handed.value.events.length === 0) return handed;
  const escalation = handed.value.events.flatMap((event) =>
    event.event === "escalation-opened" ? [event.escalation.id] : "id" in event ? [event.id] : [],
  )[0];
  if (escalation === undefined) return handed;
  const kept = limits.decide({ command: "reach-limit", limit: { kind, about, escalation, seq } }, state.limits);
  if (!kept.ok) return kept;
  const notes = [{ code: "escalated", path: "$", message: `${escalation} is escalated: ${trouble.issue}` }];
  return ok({ events: [...handed.value.events, ...kept.value.events], notes });
}

/** The escalation that was opened when this limit was reached last; null: it never was. */
export function limitEscalation(
  { limits, escalations: all }: Pick<State, "limits" | "escalations">,
  limit: Pick<Limit, "kind" | "about">,
): Escalation | null {
  const known = limits.reached.get(limitKey(limit));
  return known === undefined ? null : escalationOf(all, known.escalation);
}

function closeSettled(state: State, events: readonly Event[], { seq, atMs }: Speaker): Outcome {
  const settled = events.flatMap((event) => {
    const limit = settledBy(event, state.quality);
    const escalation = limit === null ? null : limitEscalation(state, limit);
    return escalation === null || escalation.status === "closed" ? [] : [escalation.id];
  });
  return ok({
    events: settled.map((id) => ({ event: "escalation-closed", id, seq, atMs })),
    notes: settled.map((id) => ({
      code: "escalation-settled",
      path: "$",
      message: `${id} is closed: this settles it.`,
    })),
  });
}

/** The limit that an event shows to be settled; null: none. */
function settledBy(event: Event, quality: Quality): Pick<Limit, "kind" | "about"> | null {
  if (event.event === "tests-recorded") return event.tests.allRed ? { kind: "tests-pass", about: event.key } : null;
  if (event.event === "code-reviewed")
    return event.review.status === "approved" ? { kind: "review-cycles", about: event.key } : null;
  if (event.event === "api-negotiated")
    return event.contract.status === "agreed"
      ? { kind: "api-contract", about: nameOfApi(event.phase, event.contract) }
      : null;
  if (event.event !== "work-judged" && event.event !== "code-judged") return null;
  const known = qualityOf(quality, event.part);
  // Both verdicts count rounds of remediation towards one limit.
  const other = event.event === "work-judged" ? known.code : validVerdict(known);
  const isPassed = event.verdict.result === "PASS" && (other === null || other.result === "PASS");
  return isPassed ? { kind: "remediation", about: partKey(event.part) } : null;
}

/**
 * The notifications about escalations that a message opened, raised or added to, if nobody of the level where the
 * escalation waits received the message.
 */
export function decideUnseen(
  state: Pick<State, "limits" | "escalations">,
  events: readonly (EscalationEvent | ResolutionEvent)[],
  { isReachedAt, seq }: Pick<FactCommand, "isReachedAt" | "seq">,
): readonly LimitEvent[] {
  if (isReachedAt === undefined) return [];
  return events.flatMap((event) => {
    const waiting = waitingIn(event, state.escalations);
    if (waiting === null || isReachedAt(waiting.level, waiting.originator)) return [];
    const limit = { kind: "unheard", about: waiting.id, escalation: waiting.id, seq } as const;
    const kept = limits.decide({ command: "reach-limit", limit }, state.limits);
    invariant(kept.ok, "keeping a limit is never refused");
    return kept.value.events;
  });
}

/** The escalation that waits by this event, or learned more, where, and for whom first; null: none does. */
function waitingIn(
  event: EscalationEvent | ResolutionEvent,
  state: Escalations,
): { readonly id: string; readonly level: Level; readonly originator: string } | null {
  if (event.event !== "escalation-opened" && event.event !== "escalation-raised" && event.event !== "escalation-told")
    return null;
  const escalation = event.event === "escalation-opened" ? event.escalation : escalationOf(state, event.id);
  if (escalation === null) return null;
  const { id, originators } = escalation;
  const level = event.event === "escalation-raised" ? event.step.level : escalation.level;
  return { id, level, originator: originators[0] ?? "" };
}

interface Reached extends Pick<Limit, "kind" | "about"> {
  /** The level above this one decides. */
  readonly level: Level;
  /** Who is held up beside the speaker; absent: nobody. */
  readonly others?: readonly string[];
  readonly trouble: Partial<Trouble> & Pick<Trouble, "issue">;
}

const emptyTrouble: Omit<Trouble, "issue"> = {
  needs: null,
  recommendation: null,
  severity: "blocking",
  evidence: [],
  options: [],
  phase: null,
  plan: null,
  task: null,
};

function reachedBy(event: Event): Reached | null {
  if (event.event === "code-reviewed") return ofReview(event);
  if (event.event === "tests-recorded") return ofTests(event);
  if (event.event === "work-judged" || event.event === "code-judged") return ofVerdict(event);
  return event.event === "api-negotiated" ? ofEndpoints(event) : null;
}

type EventOf<Name extends Event["event"]> = Extract<Event, { readonly event: Name }>;

function ofReview({ isAtLimit, review, key, plan }: EventOf<"code-reviewed">): Reached | null {
  if (!isAtLimit) return null;
  const open = review.mustFix.filter(({ cycle }) => cycle === review.cycle);
  const evidence = open.map(({ at, issue }) => (issue === null ? at : `${at}: ${issue}`));
  const issue = `The code of plan ${plan} is not approved after ${reviewCyclesMax} rounds of review`;
  return { kind: "review-cycles", about: key, level: "senior", trouble: { issue, evidence, plan } };
}

function ofTests({ tests, key, plan }: EventOf<"tests-recorded">): Reached | null {
  if (tests.allRed) return null;
  const issue = `Tests of plan ${plan} pass before its code is there`;
  const evidence = [`${tests.totalTests} tests, of which not all fail`];
  return { kind: "tests-pass", about: key, level: "dev", trouble: { issue, evidence, plan } };
}

function ofVerdict({ part, verdict, failed }: EventOf<"work-judged"> | EventOf<"code-judged">): Reached | null {
  if (verdict.result === "PASS" || failed <= remediationRoundsMax) return null;
  const issue = `Phase ${part.name} fails its verification after ${remediationRoundsMax} rounds of remediation`;
  const evidence = "failures" in verdict ? verdict.failures : [];
  return { kind: "remediation", about: partKey(part), level: "lead", trouble: { issue, evidence } };
}

function ofEndpoints({ isAtLimit, phase, contract }: EventOf<"api-negotiated">): Reached | null {
  if (!isAtLimit) return null;
  const issue = `Frontend and backend do not agree on their endpoints after ${counterProposalsMax} counter-proposals`;
  const evidence = contract.steps.at(-1)?.differences ?? [];
  const others = contract.steps.map(({ by }) => by);
  const about = nameOfApi(phase, contract);
  return { kind: "api-contract", about, level: "architect", others, trouble: { issue, evidence } };
}

/*
 * Limits that agents reached and that Baton itself escalates: rounds of review and of remediation that are used up,
 * tests that pass before their code is there, a third counter-proposal. Each is a separate escalation that its level is
 * notified of, because the message that reached it went to somebody else. The same applies to an agent's escalation if
 * nobody of its level got the message. Source: docs/protocol/asking.md, sections 5 to 10; docs/protocol/phases.md.
 */

/** What a limit is about. */
export type LimitKind = "review-cycles" | "remediation" | "tests-pass" | "api-contract" | "unheard";

/** A limit that was reached. */
export interface Limit {
  readonly kind: LimitKind;
  /** What it is about: a plan's key, a part of a phase, an escalation. */
  readonly about: string;
  /** The escalation that it opened, or opened again. */
  readonly escalation: string;
  readonly seq: number;
}

export interface Limits {
  /** The last one of each kind about each thing. */
  readonly reached: Map<string, Limit>;
  /** Keys of those whose level was not notified yet, in their order. */
  readonly untold: Map<string, true>;
}

/** Orders about limits. */
export type LimitCommand =
  | { readonly command: "reach-limit"; readonly limit: Limit }
  | { readonly command: "tell-limit" };

/** What can happen to limits. */
export type LimitEvent =
  | { readonly event: "limit-reached"; readonly limit: Limit }
  | { readonly event: "limit-told"; readonly key: string; readonly escalation: string };

/** Refuses nothing. Each limit is reported once. */
export const limits: Decider<Limits, LimitCommand, LimitEvent> = {
  name: "limits",
  initial: () => ({ reached: new Map(), untold: new Map() }),
  decide(command, state) {
    if (command.command === "reach-limit") {
      const { limit } = command;
      const isKnown = state.reached.get(limitKey(limit))?.seq === limit.seq;
      return ok({ events: isKnown ? [] : [{ event: "limit-reached", limit }], notes: [] });
    }
    const [key] = state.untold.keys();
    const limit = key === undefined ? undefined : state.reached.get(key);
    if (key === undefined || limit === undefined) return ok({ events: [], notes: [] });
    return ok({ events: [{ event: "limit-told", key, escalation: limit.escalation }], notes: [] });
  },
  evolve(state, event) {
    if (event.event === "limit-reached") {
      const key = limitKey(event.limit);
      state.reached.set(key, event.limit);
      state.untold.set(key, true);
    } else state.untold.delete(event.key);
    return state;
  },
};

/** The key of a limit. */
function limitKey({ kind, about }: Pick<Limit, "kind" | "about">): string {
  return `${kind} ${about}`;
}

/** Whether somebody has to be notified of a limit. */
export function isLimitUntold(state: Limits): boolean {
  return state.untold.size > 0;
}
