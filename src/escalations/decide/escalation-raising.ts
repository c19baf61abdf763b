/**
 * Handing an issue up: which escalation is meant, and whether the level is the next.
 * Source: docs/protocol/asking.md, sections 5 to 10.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortList } from "../../base/text.ts";
import { isAtOrAbove, type Level, levelAbove } from "../../messages/authority/chain-of-command.ts";
import type { Department } from "../../messages/role.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import {
  type Escalation,
  type EscalationEvent,
  type Escalations,
  escalationIdOf,
  escalationOf,
  heldUp,
  isBeside,
  waitingAt,
} from "../state.ts";
import {
  again,
  dueAt,
  escalationRoundsMax,
  idFor,
  newIn,
  offered,
  open,
  type Spoken,
  tell,
} from "./escalation-opening.ts";

/** An agent hands an issue up. `original`: the escalation it names; null: none. */
export interface Raise extends Spoken {
  readonly command: "raise";
  readonly level: Level;
  readonly target: Level;
  readonly original: string | null;
  /** Whether an escalation at the sender's level waits for the sender and for nobody else there; absent: it does. */
  readonly isOnlyAt?: (level: Level, originator: string) => boolean;
  /** Its level in the chain, null for an agent outside it; absent: the level that it names. */
  readonly chainLevel?: Level | null;
}

type Outcome = Result<Decided<EscalationEvent>, readonly Problem[]>;

/**
 * Brings an escalation up one level, or opens it there. Refuses `wrong-value` (a level that is not the next),
 * `ambiguous-request`, `unknown-request` and `must-decide`.
 */
export function raise(command: Raise, state: Escalations): Outcome {
  const { agent, level, target, seq, atMs, trouble, levelSilentMs } = command;
  const bound = boundTo(command, state);
  if (!bound.ok) return bound;
  // If its own task already waits for an escalation, it is the same one, even if another agent raised it.
  const known = bound.value ?? escalationOf(state, idFor(trouble, state));
  if (known?.standing !== "open") {
    const next = levelAbove(command.chain, level);
    if (next !== target) return err([notNext(target, next)]);
    return known === null ? openSeparately(command, state) : again(command, known);
  }
  const { id } = known;
  // It waits at the requested level or higher: what the message adds is kept.
  if (isAtOrAbove(known.level, target)) {
    if (newIn(trouble, known).length === 0)
      return nothing("escalation-unchanged", `${id} waits at ${known.level} already.`);
    return tell(known, command);
  }
  if (known.mustDecide) return err([mustDecide(known)]);
  const next = levelAbove(known.chain, known.level);
  if (next !== target) return err([notNext(target, next)]);
  const { chainLevel = level } = command;
  if (chainLevel !== known.level) return err([elsewhere(known, chainLevel, "$.body.from")]);
  return raisedTo(target, known, { agent, seq, atMs, levelSilentMs, ...trouble });
}

/** A new escalation. Others that wait at the sender's level are named, in case the sender meant one of them. */
function openSeparately(command: Raise, state: Escalations): Outcome {
  const { level, target, department, trouble } = command;
  const opened = open(command, idFor(trouble, state), target);
  const others = waitingAt(state, level).filter((each) => isBeside(each, { department, level }));
  if (!opened.ok || trouble.task !== null || others.length === 0) return opened;
  const ids = shortList(others.map(({ id }) => id));
  const message = `This is a new escalation. At your level waits ${ids}; to raise it, name it in original_escalation.`;
  return ok({ ...opened.value, notes: [{ code: "escalation-separate", path: "$.original_escalation", message }] });
}

/** An agent of the level where an escalation waits hands it to the next, whatever that level is called. */
export interface HandUp {
  readonly command: "hand-up";
  readonly agent: string;
  readonly department?: Department;
  readonly id: string;
  /** Null: the agent is in no chain. */
  readonly level: Level | null;
  readonly evidence: readonly string[];
  readonly options: readonly string[];
  /** What it would do; null: it does not say. */
  readonly recommendation: string | null;
  readonly levelSilentMs: number;
  readonly seq: number;
  readonly atMs: number;
}

/** There is no escalation of this id; somebody who names a task means the escalation about it. */
export function unknownEscalation(state: Escalations, id: string): Problem {
  const ofTask = escalationOf(state, escalationIdOf(id, null));
  const hint = ofTask === null ? listHint : `did you mean "${ofTask.id}"?`;
  return makeProblem("unknown-request", id, `There is no escalation "${id}".`, { received: id, hint });
}

/**
 * Brings an escalation one level up from where it waits, also above the architect, where no dialect has a word for it.
 * Refuses `unknown-request`, `already-answered`, `sender-not-authorised` (it waits at another level), `must-decide` and
 * `wrong-value` (nobody is above).
 */
export function handUp(command: HandUp, state: Escalations): Outcome {
  const { id, level, department } = command;
  const known = escalationOf(state, id);
  if (known === null) {
    return err([unknownEscalation(state, id)]);
  }
  if (known.standing !== "open") {
    const message = `${known.id} was decided by ${known.decision?.decidedBy ?? "its level"}; it waits nowhere.`;
    const hint = "A new blocker on the task opens it again.";
    return err([makeProblem("already-answered", id, message, { hint })]);
  }
  if (!isBeside(known, { department, level })) return err([foreign(known, id)]);
  if (level !== known.level) {
    return err([elsewhere(known, level, id)]);
  }
  if (known.mustDecide) return err([mustDecide(known)]);
  const next = levelAbove(known.chain, known.level);
  if (next === null) {
    const message = `${known.id} waits at ${known.level}, and nobody is above.`;
    return err([makeProblem("wrong-value", id, message, { hint: "Decide it." })]);
  }
  return raisedTo(next, known, command);
}

/** It waits at another level than the one that wants to hand it up. */
function elsewhere({ id, level }: Escalation, received: Level | null, path: string): Problem {
  const message = `${id} waits at ${level}, and only that level hands it up.`;
  return makeProblem("sender-not-authorised", path, message, { expected: level, received: received ?? "no level" });
}

type Handed = Pick<HandUp, "agent" | "seq" | "atMs" | "levelSilentMs" | "evidence" | "options" | "recommendation">;

function raisedTo(level: Level, known: Escalation, handed: Handed): Outcome {
  const { agent, seq, atMs, levelSilentMs, evidence, options, recommendation } = handed;
  const { id, round, mustDecide: must } = known;
  const step = { level, by: agent, how: "raised" as const, seq, atMs };
  const dueAtMs = dueAt(known.chain, level, atMs + levelSilentMs);
  const said = { evidence, ...offered(options), ...(recommendation === null ? {} : { recommendation }) };
  return ok({
    events: [{ event: "escalation-raised", id, step, round, mustDecide: must, ...said, dueAtMs }],
    notes: [],
  });
}

function mustDecide({ id, level }: Escalation): Problem {
  const message = `${id} was decided ${escalationRoundsMax} times without help; ${level} decides it now and raises it no further.`;
  return makeProblem("must-decide", "$.body.to", message, { hint: "Send an escalation_resolution." });
}

/**
 * The escalation that a message means; null: a new one. A name decides (`unknown-request` for a wrong one), then the task.
 * A message with neither means the sender's newest open blocker, or what it said in the same words before, or the only
 * escalation that waits for the sender and for nobody else; of several such `ambiguous-request` lists the ids.
 */
function boundTo(command: Raise, state: Escalations): Result<Escalation | null, readonly Problem[]> {
  const { agent, level, original, department, trouble, isOnlyAt } = command;
  const isOwn = (each: Escalation) => isBeside(each, { department, level });
  if (original !== null) {
    const named = escalationOf(state, original);
    if (named?.standing === "open" && !isOwn(named)) return err([foreign(named, "$.original_escalation")]);
    if (named?.standing === "open") return ok(named);
    const message = `No open escalation has the id "${original}".`;
    return err([
      makeProblem("unknown-request", "$.original_escalation", message, { received: original, hint: listHint }),
    ]);
  }
  if (trouble.task !== null) return ok(null);
  const isSameIssue = ({ issue }: Escalation) => issue === trouble.issue;
  const own = heldUp(state, agent).filter(({ standing }) => standing === "open");
  const meant = own.findLast(isSameIssue) ?? own.findLast(({ task }) => task !== null);
  if (meant !== undefined) return ok(meant);
  // Nothing waits for one that is outside the chain.
  const atLevel = command.chainLevel === null ? [] : waitingAt(state, level);
  const waiting = atLevel.filter(
    (each) => isOwn(each) && !own.includes(each) && isOnlyAt?.(level, each.originators[0] ?? "") !== false,
  );
  const candidates = waiting.some(isSameIssue) ? waiting.filter(isSameIssue) : waiting;
  const [only, ...others] = candidates;
  if (only === undefined || others.length === 0) return ok(only ?? null);
  const ids = candidates.map(({ id }) => id).join(" | ");
  return err([
    makeProblem("ambiguous-request", "$.original_escalation", `${candidates.length} escalations may be meant.`, {
      expected: ids,
      hint: "Name the one that is meant in the extra field original_escalation.",
    }),
  ]);
}

/** Somebody of another department speaks for it. */
export function foreign({ id, department }: Escalation, path: string): Problem {
  const message = `${id} is a matter of the department ${department}, up to the architect.`;
  return makeProblem("sender-not-authorised", path, message, { expected: department });
}

const listHint = "`baton needs --escalations` shows what waits, and for whom.";

function notNext(target: Level, next: Level | null): Problem {
  return makeProblem(
    "wrong-value",
    "$.body.to",
    `An escalation goes up one level at a time, and ${target} is not the next.`,
    {
      expected: next ?? "nobody: this is the highest level",
      received: target,
      hint: next === null ? undefined : `Write "${next}".`,
    },
  );
}
