/**
 * Decisions, and continuing after them: there is one decision, it comes from where the escalation waits or above, and
 * only the person who owns the team decides what has come to the user. Source: docs/protocol/asking.md, sections 5
 * to 10.
 */

import { canonical, sha256 } from "../../base/canonical.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { chainLevelOf, isAtOrAbove, type Level, personal } from "../../messages/authority/chain-of-command.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { ownerName, type Principal } from "../../messages/principal.ts";
import type { Department } from "../../messages/role.ts";
import { taskKey } from "../../messages/task-ids.ts";
import { type Judge, ownHand, ownMatter } from "../../perform/conflict-of-interest.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import { type Escalation, type EscalationEvent, type Escalations, escalationOf, heldUp, isBeside } from "../state.ts";
import { foreign } from "./escalation-raising.ts";

/**
 * Somebody decides an escalation. `level` null: it is in no chain. `isPerson`: it is the one who owns the team, and no
 * agent, whatever its role is called.
 */
export interface Resolve {
  readonly command: "resolve";
  readonly agent: string;
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
export interface GoOn {
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
export function resolve(command: Resolve, state: Escalations): Outcome {
  const { id, agent, decision, rationale, actionItems, seq, atMs } = command;
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
  if (known.standing === "closed") {
    const message = `${known.id} is closed: what it was about was settled without a decision.`;
    return err([
      makeProblem("already-answered", "$.body.originalEscalation", message, {
        hint: "Nobody waits for it; if it happens again, it is opened again.",
      }),
    ]);
  }
  const level = decidingLevel(command, known);
  if (!level.ok) return err([level.error]);
  const decided = { decision, rationale, actionItems, level: level.value, decidedBy: agent, seq, atMs };
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
  escalation: Pick<Escalation, "standing" | "level" | "department" | "chain">,
  { agent, role, department }: Pick<Principal, "agent" | "role" | "department">,
): boolean {
  if (escalation.standing !== "open") return false;
  if (agent === ownerName) return personal.includes(escalation.level);
  const level = role === null ? null : chainLevelOf(role);
  // Whatever an agent's role is called, what has come to the user is the person's.
  return level === escalation.level && level !== "user" && isBeside(escalation, { department, level });
}

/** Closes what held the agent up on that task and is decided. */
export function goOn({ agent, task, plan, seq, atMs }: GoOn, state: Escalations): Decided<EscalationEvent> {
  const held = heldUp(state, agent);
  if (held.length === 0) return { events: [], notes: [] };
  const key = taskKey(task, plan);
  const closed = held.filter(
    (each) => each.standing === "resolved" && (each.task === null || taskKey(each.task, each.plan) === key),
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
