/**
 * Escalations: what holds somebody up goes up the chain one level at a time, by the agent that raises it or by silence,
 * until a level decides; the decision goes down only. There is one decision, from where the escalation waits or above;
 * only the person who owns the team decides what has come to the user. The agent that was held up closes it by
 * continuing. A decision that did not help is followed by one more round; after that the level where it waits must
 * decide. Source: docs/protocol/asking.md, sections 5 to 10.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import { unreachable } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import {
  chainLevelOf,
  isAtOrAbove,
  type Level,
  levelAbove,
  personal,
} from "../../messages/authority/chain-of-command.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { ownerName, type Principal } from "../../messages/principal.ts";
import type { Department } from "../../messages/role.ts";
import { taskKey } from "../../messages/task-ids.ts";
import { type Judge, ownHand, ownMatter } from "../../perform/conflict-of-interest.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import {
  type Escalation,
  type EscalationEvent,
  type EscalationOpened,
  type Escalations,
  escalationIdOf,
  escalationKey,
  escalationOf,
  heldUp,
  isBeside,
  keepEscalation,
  noEscalations,
} from "../state.ts";
import {
  again,
  foreign,
  type HandUp,
  handUp,
  idFor,
  open,
  type PassLevel,
  passLevel,
  type Raise,
  type ReportBlocker,
  raise,
  reportBlocker,
  type Spoken,
  type TellLevel,
  tellLevel,
} from "./escalation-raising.ts";

/** Orders that escalations take. */
export type EscalationCommand = ReportBlocker | Raise | HandUp | Resolve | GoOn | PassLevel | TellLevel | EscalateLimit;

/**
 * Refuses `wrong-value` (a level that is not the next), `must-decide`, `human-required`,
 * `sender-not-authorised` (a level below the one where it waits), `already-answered`. A resolution of an escalation
 * that nobody knows is out of step and noted.
 */
export const escalations: Decider<Escalations, EscalationCommand, EscalationEvent> = {
  name: "escalations",
  initial: noEscalations,
  decide(command, state) {
    switch (command.command) {
      case "report-blocker":
        return reportBlocker(command, state);
      case "raise":
        return raise(command, state);
      case "hand-up":
        return handUp(command, state);
      case "resolve":
        return resolve(command, state);
      case "go-on":
        return ok(goOn(command, state));
      case "escalate-limit":
        return escalateLimit(command, state);
      case "tell-level":
        return ok(tellLevel(command, state));
      case "pass-level":
        return ok(passLevel(command, state));
      default:
        return unreachable(command);
    }
  },
  evolve: evolveEscalations,
};

/* Folds what happened to escalations into what is kept of them, in place. */

/** The escalations after the event. */
export function evolveEscalations(state: Escalations, event: EscalationEvent): Escalations {
  if (event.event === "escalation-opened") {
    const { phase, task } = event.escalation;
    const counter = escalationKey(`${phase ?? 0}`);
    if (task === null) state.numbered.set(counter, (state.numbered.get(counter) ?? 0) + 1);
    return keepEscalation(state, event.escalation);
  }
  const known = escalationOf(state, event.id);
  return known === null ? state : keepEscalation(state, after(known, event));
}

function after(known: Escalation, event: Exclude<EscalationEvent, EscalationOpened>): Escalation {
  switch (event.event) {
    case "escalation-told":
      return {
        ...known,
        originators: [...new Set([...known.originators, event.agent])],
        evidence: together(known.evidence, event.evidence),
        options: together(known.options, event.options ?? []),
        severity: event.severity ?? known.severity,
        mustDecide: known.mustDecide || event.mustDecide,
      };
    case "level-told":
      return { ...known, dueAtMs: event.dueAtMs };
    case "escalation-raised": {
      const { step, round, mustDecide, dueAtMs, evidence } = event;
      const originators = step.how === "again" ? [...new Set([...known.originators, step.by])] : known.originators;
      return {
        ...known,
        originators,
        level: step.level,
        round,
        mustDecide,
        dueAtMs,
        evidence: together(known.evidence, evidence),
        options: together(known.options, event.options ?? []),
        recommendation: event.recommendation ?? known.recommendation,
        severity: event.severity ?? known.severity,
        steps: [...known.steps, step],
        status: "open",
        decision: null,
      };
    }
    case "escalation-resolved":
      return { ...known, status: "resolved", decision: event.decision, dueAtMs: null };
    case "escalation-closed":
      return { ...known, status: "closed" };
    default:
      return unreachable(event);
  }
}

function together(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}

/*
 * What Baton itself escalates, because a limit was reached: a separate escalation above a level, or the one that this
 * limit opened before, once more. Source: docs/protocol/phases.md; docs/protocol/asking.md, sections 5 to 10.
 */

/** A limit goes to the level above `level`. `known`: the escalation that it opened before; null: none. */
interface EscalateLimit extends Spoken {
  readonly command: "escalate-limit";
  readonly level: Level;
  readonly known: string | null;
}

/** Opens the escalation, or opens it again where it was decided; one that waits goes on waiting. Never refused. */
function escalateLimit(
  command: EscalateLimit,
  state: Escalations,
): Result<Decided<EscalationEvent>, readonly Problem[]> {
  const known = command.known === null ? null : escalationOf(state, command.known);
  if (known?.status === "open") return ok({ events: [], notes: [] });
  if (known !== null) return again(command, known);
  const target = levelAbove(command.chain, command.level) ?? "user";
  return open(command, idFor(command.trouble, state), target);
}

/**
 * Somebody decides an escalation. `level` null: it is in no chain. `isPerson`: it is the one who owns the team, and no
 * agent, whatever its role is called.
 */
interface Resolve {
  readonly command: "resolve";
  readonly agent: string;
  /** Under which name it is recorded; absent: the agent's. */
  readonly decidedBy?: string;
  readonly isPerson: boolean;
  /** The chain of agents that registered its name, as in `Judge`; absent: none did. */
  readonly registrars?: readonly string[];
  /** An agent that passes on what the user decided, as the team file lets it; absent: it speaks for itself. */
  readonly isSpeaker?: boolean;
  readonly department?: Department;
  readonly id: string;
  readonly level: Level | null;
  readonly decision: string;
  readonly rationale: string;
  readonly actionItems: readonly string[];
  readonly seq: number;
  readonly atMs: number;
}

/** The agent reports progress on a task. */
interface GoOn {
  readonly command: "go-on";
  readonly agent: string;
  readonly task: string;
  readonly plan: string | null;
  readonly seq: number;
  readonly atMs: number;
}

type Outcome = Result<Decided<EscalationEvent>, readonly Problem[]>;

/**
 * Decides an escalation. Refuses `already-answered`, `human-required`, `own-request` (the agent waits for it itself, or
 * registered the one that does) and `sender-not-authorised` (a level below the one where it waits, or no level of the
 * chain). A decision on one that nobody knows is out of step and noted.
 */
function resolve(command: Resolve, state: Escalations): Outcome {
  const { id, agent, decidedBy = agent, decision, rationale, actionItems, seq, atMs } = command;
  const known = escalationOf(state, id);
  if (known === null)
    return nothing("unknown-escalation", `No escalation has the id "${id}"; the decision is delivered as it is.`);
  if (known.decision !== null) {
    if (known.decision.decision === decision) return nothing("answer-unchanged", `${known.id} was decided so before.`);
    const message = `${known.id} was decided by ${known.decision.decidedBy}, at entry ${known.decision.seq}.`;
    return err([
      makeProblem("already-answered", "$.body.originalEscalation", message, {
        hint: "An escalation has one decision; a new blocker on the task opens it again.",
      }),
    ]);
  }
  if (known.status === "closed") {
    const message = `${known.id} is closed: what it was about was settled without a decision.`;
    return err([
      makeProblem("already-answered", "$.body.originalEscalation", message, {
        hint: "Nobody waits for it; if it happens again, it is opened again.",
      }),
    ]);
  }
  const level = decidingLevel(command, known);
  if (!level.ok) return err([level.error]);
  const decided = { decision, rationale, actionItems, level: level.value, decidedBy, seq, atMs };
  return ok({ events: [{ event: "escalation-resolved", id: known.id, decision: decided }], notes: [] });
}

/** The level at which this decider decides the escalation, or why it may not. */
function decidingLevel(
  decider: Pick<Resolve, "agent" | "isPerson" | "isSpeaker" | "registrars" | "department" | "level">,
  known: Escalation,
): Result<Level, Problem> {
  const { agent, department, level, isPerson, isSpeaker = false } = decider;
  if (known.level === "user" && !isPerson && !isSpeaker) {
    const message = `${known.id} has come to the user; only the person who owns the team decides it.`;
    return err(
      makeProblem("human-required", "$.body.resolvedBy", message, {
        expected: "the person who owns the team",
        received: agent,
        hint: "The owner answers with `baton escalation resolve`, or on the page.",
      }),
    );
  }
  const own = ownHand(decider, known.originators);
  if (own !== null) return err(ownMatter(decider, own, "$.body.originalEscalation", known.id));
  if (!isBeside(known, { department, level })) return err(foreign(known, "$.body.resolvedBy"));
  if (level !== null && isAtOrAbove(level, known.level)) return ok(level);
  const message =
    level === null
      ? `${agent} is outside the chain of command, and ${known.id} is decided at ${known.level} or above.`
      : `${known.id} waits at ${known.level}, and a decision comes from there or above.`;
  return err(
    makeProblem("sender-not-authorised", "$.body.resolvedBy", message, {
      expected: known.level,
      received: level ?? "no level",
      hint: `Leave it to the ${known.level}.`,
    }),
  );
}

/** Whether this caller may decide an open escalation, by `baton escalation resolve` or its like at another door. */
export function mayResolve(
  { agent, role, department, registrars = [] }: Judge & Pick<Principal, "role" | "department">,
  escalation: Escalation,
): boolean {
  const isPerson = agent === ownerName;
  const level = isPerson ? "user" : role === null ? null : chainLevelOf(role);
  const place = department === undefined ? {} : { department };
  return decidingLevel({ agent, isPerson, level, registrars, ...place }, escalation).ok;
}

/**
 * Whether an open escalation waits for this agent's decision: for the agents of its level in its department, and at the
 * two highest levels for the person. A higher level may decide it too, but the escalation does not wait for it.
 */
export function waitsFor(
  escalation: Pick<Escalation, "status" | "level" | "department" | "chain">,
  { agent, role, department }: Pick<Principal, "agent" | "role" | "department">,
): boolean {
  if (escalation.status !== "open") return false;
  if (agent === ownerName) return personal.includes(escalation.level);
  const level = role === null ? null : chainLevelOf(role);
  // Whatever an agent's role is called, what has come to the user is the person's.
  return level === escalation.level && level !== "user" && isBeside(escalation, { department, level });
}

/** Closes what held the agent up on that task and is decided. */
function goOn({ agent, task, plan, seq, atMs }: GoOn, state: Escalations): Decided<EscalationEvent> {
  // The task's own escalation too, when its work went on in other hands.
  const ofTask = escalationOf(state, escalationIdOf(task, plan));
  const held = new Set([...heldUp(state, agent), ...(ofTask === null ? [] : [ofTask])]);
  if (held.size === 0) return { events: [], notes: [] };
  const key = taskKey(task, plan);
  const closed = [...held].filter(
    (each) => each.status === "resolved" && (each.task === null || taskKey(each.task, each.plan) === key),
  );
  return { events: closed.map(({ id }) => ({ event: "escalation-closed", id, seq, atMs })), notes: [] };
}

/*
 * Resolutions of escalations, as far as others may forward them: decision and decider, as one digest each. An agent
 * that forwards a resolution in another's name repeats the record verbatim, or is refused. Source:
 * docs/protocol/authority.md, section 7; docs/protocol/asking.md, sections 5 to 10.
 */

/** A resolution as it was first recorded. */
export interface RecordedResolution {
  /** Who decided, as the message says: proven when it was recorded. */
  readonly resolvedBy: string;
  readonly sender: string;
  readonly seq: number;
}

export interface Resolutions {
  /** By the digest of everything that a resolution says. */
  readonly recorded: Map<string, RecordedResolution>;
}

/** Orders about resolutions. */
export interface ResolutionCommand {
  readonly command: "record-resolution";
  readonly body: FactBodies["resolution"];
  readonly sender: string;
  readonly seq: number;
}

/** What happened to resolutions. */
export interface ResolutionEvent extends RecordedResolution {
  readonly event: "resolution-recorded";
  readonly digest: string;
}

/** Refuses nothing. A resolution that says what is recorded already is passed on, which changes nothing. */
export const resolutions: Decider<Resolutions, ResolutionCommand, ResolutionEvent> = {
  name: "resolutions",
  initial: () => ({ recorded: new Map() }),
  decide({ body, sender, seq }, state) {
    const before = resolutionLike(state, body);
    if (before !== null) {
      const message = `Repeats what ${before.sender} decided at entry ${before.seq}; it is passed on.`;
      return ok({ events: [], notes: [{ code: "resolution-repeated", path: "$", message }] });
    }
    const { resolvedBy } = body;
    return ok({
      events: [{ event: "resolution-recorded", digest: digestOf(body), resolvedBy, sender, seq }],
      notes: [],
    });
  },
  evolve(state, { digest, resolvedBy, sender, seq }) {
    state.recorded.set(digest, { resolvedBy, sender, seq });
    return state;
  },
};

/** The recorded resolution that says the same, word for word, or null. */
export function resolutionLike(state: Resolutions, body: FactBodies["resolution"]): RecordedResolution | null {
  return state.recorded.get(digestOf(body)) ?? null;
}

function digestOf({
  originalEscalation,
  decision,
  rationale,
  actionItems,
  resolvedBy,
}: FactBodies["resolution"]): string {
  return sha256(canonical({ originalEscalation, decision, rationale, actionItems, resolvedBy }));
}
