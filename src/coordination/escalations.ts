/**
 * Escalations: what holds somebody up goes up the chain one level at a time, by the agent that raises it or by silence,
 * until a level decides; the decision goes down only. Whoever was held up closes it by going on. A decision that did
 * not help is followed by one more round; after that the level where it waits must decide. Only the person who owns
 * the team decides what has come to the user.
 * Source: semantics.md section 3, Escalations.
 */
import { unreachable } from "../base/invariant.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { batonName } from "../message/principal.ts";
import { isAtOrAbove, type Level, levelAbove } from "./chain.ts";
import { type Decided, type Decider, nothing } from "./decider.ts";
import { escalationIdOf, escalationKey } from "./escalation-ids.ts";
import {
  type Escalation,
  type EscalationDecision,
  type EscalationStep,
  type Escalations,
  escalationOf,
  firstEscalationDue,
  heldUp,
  keepEscalation,
  noEscalations,
  waitingAt,
} from "./escalation-state.ts";
import { taskKey } from "./work-ids.ts";

/** How long a level may be silent. */
export const levelSilentMs = 300_000;
/** How often a task may be escalated. */
export const escalationRoundsMax = 2;

/** Who speaks, and when. */
interface Moment {
  readonly agent: string;
  readonly seq: number;
  readonly atMs: number;
}

/** What somebody is held up by. */
export interface Trouble {
  readonly issue: string;
  readonly needs: string | null;
  readonly recommendation: string | null;
  readonly severity: Escalation["severity"];
  readonly evidence: readonly string[];
  readonly options: readonly string[];
  readonly phase: number | string | null;
  readonly plan: string | null;
  readonly task: string | null;
}

/** Orders that escalations take. */
export type EscalationCommand =
  /** An agent cannot go on with a task. */
  | (Moment & {
      readonly command: "report-blocker";
      readonly level: Level;
      readonly chain: readonly Level[];
      readonly trouble: Trouble;
    })
  /** An agent hands an issue up. `original`: the escalation it names; null: none. */
  | (Moment & {
      readonly command: "raise";
      readonly level: Level;
      readonly target: Level;
      readonly original: string | null;
      readonly chain: readonly Level[];
      readonly trouble: Trouble;
    })
  /** `level` null: the agent stands in no chain. */
  | (Moment & {
      readonly command: "resolve";
      readonly id: string;
      readonly level: Level | null;
      readonly decision: string;
      readonly rationale: string;
      readonly actionItems: readonly string[];
    })
  /** The agent reports progress on a task. */
  | (Moment & { readonly command: "go-on"; readonly task: string; readonly plan: string | null })
  /** The level that was silent longest beyond its time: each is an entry of its own. */
  | (Omit<Moment, "agent"> & { readonly command: "pass-level" });

/** What happened to escalations. */
export type EscalationEvent =
  | { readonly event: "escalation-opened"; readonly escalation: Escalation }
  | {
      readonly event: "escalation-told";
      readonly id: string;
      readonly agent: string;
      readonly evidence: readonly string[];
      readonly mustDecide: boolean;
    }
  | {
      readonly event: "escalation-raised";
      readonly id: string;
      readonly step: EscalationStep;
      readonly round: number;
      readonly mustDecide: boolean;
      readonly evidence: readonly string[];
      readonly dueAtMs: number | null;
    }
  | { readonly event: "escalation-resolved"; readonly id: string; readonly decision: EscalationDecision }
  | { readonly event: "escalation-closed"; readonly id: string; readonly seq: number; readonly atMs: number };

type Command<Name extends EscalationCommand["command"]> = Extract<EscalationCommand, { readonly command: Name }>;
type Outcome = Result<Decided<EscalationEvent>, readonly Problem[]>;

/**
 * Refuses `wrong-value` (a level that is not the next), `ambiguous-request`, `must-decide`, `human-required`,
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
      case "resolve":
        return resolve(command, state);
      case "go-on":
        return goOn(command, state);
      case "pass-level":
        return passLevel(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    if (event.event === "escalation-opened") {
      const { phase, task } = event.escalation;
      const counter = escalationKey(`${phase ?? 0}`);
      if (task === null) state.numbered.set(counter, (state.numbered.get(counter) ?? 0) + 1);
      return keepEscalation(state, event.escalation);
    }
    const known = escalationOf(state, event.id);
    return known === null ? state : keepEscalation(state, after(known, event));
  },
};

function after(
  known: Escalation,
  event: Exclude<EscalationEvent, { readonly event: "escalation-opened" }>,
): Escalation {
  switch (event.event) {
    case "escalation-told":
      return {
        ...known,
        originators: [...new Set([...known.originators, event.agent])],
        evidence: together(known.evidence, event.evidence),
        mustDecide: known.mustDecide || event.mustDecide,
      };
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
        steps: [...known.steps, step],
        standing: "open",
        decision: null,
      };
    }
    case "escalation-resolved":
      return { ...known, standing: "resolved", decision: event.decision, dueAtMs: null };
    case "escalation-closed":
      return { ...known, standing: "closed" };
    default:
      return unreachable(event);
  }
}

function reportBlocker(command: Command<"report-blocker">, state: Escalations): Outcome {
  const { trouble, agent, level, chain } = command;
  const { task, plan } = trouble;
  const id = task === null ? numberedId(state, trouble.phase) : escalationIdOf(task, plan);
  const known = escalationOf(state, id);
  if (known === null) {
    const target = levelAbove(chain, level);
    return target === null
      ? nothing("top-level", "Nobody stands above the sender; it decides itself.")
      : open(command, id, target);
  }
  if (known.standing === "open") {
    if (known.originators.includes(agent) && trouble.evidence.every((each) => known.evidence.includes(each))) {
      return nothing("escalation-unchanged", `${known.id} waits at ${known.level} since ${known.steps.at(-1)?.seq}.`);
    }
    return ok({
      events: [{ event: "escalation-told", id: known.id, agent, evidence: trouble.evidence, mustDecide: false }],
      notes: [],
    });
  }
  return again(command, known);
}

/** What was decided did not help: once more, from the level that decided, and then it must decide for good. */
function again(command: Command<"report-blocker" | "raise">, known: Escalation): Outcome {
  const { agent, seq, atMs, trouble } = command;
  const round = Math.min(known.round + 1, escalationRoundsMax);
  const mustDecide = known.round >= escalationRoundsMax;
  const level = known.decision?.level ?? known.level;
  const step = { level, by: agent, how: "again" as const, seq, atMs };
  const dueAtMs = dueAt(known.chain, level, atMs);
  const { evidence } = trouble;
  return ok({
    events: [{ event: "escalation-raised", id: known.id, step, round, mustDecide, evidence, dueAtMs }],
    notes: [],
  });
}

function open(command: Command<"report-blocker" | "raise">, id: string, level: Level): Outcome {
  const { agent, seq, atMs, chain, trouble } = command;
  const escalation: Escalation = {
    ...trouble,
    id,
    originators: [agent],
    chain,
    level,
    round: 1,
    mustDecide: false,
    steps: [{ level, by: agent, how: "opened", seq, atMs }],
    openedAtMs: atMs,
    dueAtMs: dueAt(chain, level, atMs),
    standing: "open",
    decision: null,
  };
  return ok({ events: [{ event: "escalation-opened", escalation }], notes: [] });
}

function raise(command: Command<"raise">, state: Escalations): Outcome {
  const { agent, level, target, seq, atMs, trouble } = command;
  const bound = boundTo(command, state);
  if (!bound.ok) return bound;
  const known = bound.value;
  if (known === null) {
    const next = levelAbove(command.chain, level);
    if (next !== target) return err([notNext(target, next)]);
    const { task, plan } = trouble;
    const id = task === null ? numberedId(state, trouble.phase) : escalationIdOf(task, plan);
    const before = escalationOf(state, id);
    return before === null ? open(command, id, target) : again(command, before);
  }
  const { id, evidence } = known;
  // It waits where it was to be brought, or higher: what is said of it is kept.
  if (isAtOrAbove(known.level, target)) {
    const isNew = trouble.evidence.some((each) => !evidence.includes(each));
    if (!isNew) return nothing("escalation-unchanged", `${id} waits at ${known.level} already.`);
    return ok({
      events: [{ event: "escalation-told", id, agent, evidence: trouble.evidence, mustDecide: false }],
      notes: [],
    });
  }
  if (known.mustDecide) {
    const message = `${id} was decided ${escalationRoundsMax} times without help; ${known.level} decides it now and raises it no further.`;
    return err([problem("must-decide", "$.body.to", message, { hint: "Send an escalation_resolution." })]);
  }
  const next = levelAbove(known.chain, known.level);
  if (next !== target) return err([notNext(target, next)]);
  const step = { level: target, by: agent, how: "raised" as const, seq, atMs };
  const { round, mustDecide } = known;
  const dueAtMs = dueAt(known.chain, target, atMs);
  return ok({
    events: [{ event: "escalation-raised", id, step, round, mustDecide, evidence: trouble.evidence, dueAtMs }],
    notes: [],
  });
}

/**
 * The escalation that a message hands up: the one it names, the sender's own, or the only one that waits at the sender's
 * level; null: it is a new one. Refuses `ambiguous-request` where several may be meant, `unknown-request` for a wrong name.
 */
function boundTo(command: Command<"raise">, state: Escalations): Result<Escalation | null, readonly Problem[]> {
  const { agent, level, original } = command;
  if (original !== null) {
    const named = escalationOf(state, original);
    if (named?.standing === "open") return ok(named);
    const message = `No open escalation has the id "${original}".`;
    return err([problem("unknown-request", "$.original_escalation", message, { received: original, hint: listHint })]);
  }
  const own = heldUp(state, agent).filter(({ standing }) => standing === "open");
  const candidates = own.length > 0 ? own : waitingAt(state, level);
  const [only, ...others] = candidates;
  if (only === undefined || others.length === 0) return ok(only ?? null);
  const ids = candidates.map(({ id }) => id).join(" | ");
  return err([
    problem("ambiguous-request", "$.original_escalation", `${candidates.length} escalations may be meant.`, {
      expected: ids,
      hint: "Name the one that is meant in the extra field original_escalation.",
    }),
  ]);
}

const listHint = "`baton escalation list` shows what waits, and for whom.";

function notNext(target: Level, next: Level | null): Problem {
  return problem(
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

function resolve(command: Command<"resolve">, state: Escalations): Outcome {
  const { id, level, agent, decision, rationale, actionItems, seq, atMs } = command;
  const known = escalationOf(state, id);
  if (known === null)
    return nothing("unknown-escalation", `No escalation has the id "${id}"; the decision is delivered as it is.`);
  if (known.decision !== null) {
    if (known.decision.decision === decision) return nothing("answer-unchanged", `${known.id} was decided so before.`);
    const message = `${known.id} was decided by ${known.decision.decidedBy}, at ${known.decision.seq}.`;
    return err([
      problem("already-answered", "$.body.originalEscalation", message, {
        hint: "One decision stands; a new blocker on the task opens it again.",
      }),
    ]);
  }
  if (known.level === "user" && level !== "user") {
    const message = `${known.id} has come to the user; only the person who owns the team decides it.`;
    return err([
      problem("human-required", "$.body.resolvedBy", message, {
        expected: "user",
        received: level ?? "no level",
        hint: "The owner answers with `baton escalation resolve`, or on the page.",
      }),
    ]);
  }
  if (level === null || !isAtOrAbove(level, known.level)) {
    const message = `${known.id} waits at ${known.level}, and a decision comes from there or above.`;
    return err([
      problem("sender-not-authorised", "$.body.resolvedBy", message, {
        expected: known.level,
        received: level ?? "no level",
      }),
    ]);
  }
  const decided = { decision, rationale, actionItems, level, decidedBy: agent, seq, atMs };
  return ok({ events: [{ event: "escalation-resolved", id: known.id, decision: decided }], notes: [] });
}

/** Progress of somebody who was held up, after the decision. */
function goOn({ agent, task, plan, seq, atMs }: Command<"go-on">, state: Escalations): Outcome {
  const key = taskKey(task, plan);
  const closed = heldUp(state, agent).filter(
    (each) => each.standing === "resolved" && (each.task === null || taskKey(each.task, each.plan) === key),
  );
  return ok({ events: closed.map(({ id }) => ({ event: "escalation-closed", id, seq, atMs })), notes: [] });
}

function passLevel({ seq, atMs }: Command<"pass-level">, state: Escalations): Outcome {
  const due = firstEscalationDue(state, atMs);
  const next = due === null ? null : levelAbove(due.chain, due.level);
  if (due === null || next === null) return ok({ events: [], notes: [] });
  const step = { level: next, by: batonName, how: "silence" as const, seq, atMs };
  const { id, round, mustDecide } = due;
  const dueAtMs = dueAt(due.chain, next, atMs);
  return ok({
    events: [{ event: "escalation-raised", id, step, round, mustDecide, evidence: [], dueAtMs }],
    notes: [],
  });
}

/** When a level is passed by. The highest is not: there is nobody above it. */
function dueAt(chain: readonly Level[], level: Level, atMs: number): number | null {
  return levelAbove(chain, level) === null ? null : atMs + levelSilentMs;
}

/** The first free number of the phase: a task may be called so too. */
function numberedId(state: Escalations, phase: number | string | null): string {
  for (let count = (state.numbered.get(escalationKey(`${phase ?? 0}`)) ?? 0) + 1; ; count++) {
    const id = `ESC-${phase ?? 0}-${count}`;
    if (escalationOf(state, id) === null) return id;
  }
}

function together(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}
