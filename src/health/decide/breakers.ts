/**
 * Circuit breakers, one a department: when agents disappear one after the other, no further ones are let in for a while,
 * then one to try. What runs goes on.
 *
 *     closed -- failures within the window --> open -- time --> half-open -- the probe shows life --> closed
 *                                               ^                  |
 *                                               +-- it stays silent, or disappears
 *
 * The person who owns the team may close one at any time, with a reason.
 * Source: docs/protocol/asking.md, section 19.
 */
import { argument } from "../../base/argument.ts";
import { unreachable } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { counted } from "../../base/text.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Decided, Decider } from "../../perform/decider.ts";
import type { BreakerLimits } from "../../team/state/definition.ts";
import type { BreakerEvent, BreakerScope } from "../state.ts";

export const breakerStates = ["closed", "open", "half-open"] as const;

/** One breaker. Kept from its first failure on. */
export interface Breaker {
  readonly scope: BreakerScope;
  readonly state: (typeof breakerStates)[number];
  /** When agents disappeared, those that count; none after it closed. */
  readonly failures: readonly number[];
  /** Who they were, each once, with the last time; none after it closed. */
  readonly lost: readonly (readonly [agent: string, atMs: number])[];
  /** Seq of the entry since which it is not closed; null while it is. Agents from before it are at work. */
  readonly sinceSeq: number | null;
  /** When it last opened; null: never. */
  readonly openedAtMs: number | null;
  readonly lastProbeAtMs: number | null;
  /** The agent that is let in to try; null: none yet. */
  readonly probe: { readonly agent: string; readonly atMs: number } | null;
  /** When it becomes half-open, or the probe is given up; null: nothing is waited for. */
  readonly dueAtMs: number | null;
}

/** Breakers by scope. */
export type Breakers = Map<BreakerScope, Breaker>;

/** Orders that breakers take. */
export type BreakerCommand =
  | {
      readonly command: "count-failures";
      readonly scope: BreakerScope;
      /** Agents that disappeared, in one entry. */
      readonly agents: readonly string[];
      readonly limits: BreakerLimits;
      readonly seq: number;
      readonly atMs: number;
    }
  | {
      readonly command: "pass-time";
      /** The last heartbeat of each probe that is waited for. */
      readonly signs: readonly (readonly [agent: string, signMs: number])[];
      readonly limits: BreakerLimits;
      readonly seq: number;
      readonly atMs: number;
    }
  | {
      readonly command: "admit-agent";
      readonly scope: BreakerScope;
      readonly agent: string;
      /** The person who owns the team registers it, which is never refused: the agent is let in to try. */
      readonly byPerson?: boolean;
      readonly limits: BreakerLimits;
      readonly atMs: number;
    }
  | {
      /** An agent showed itself that was not at work before the breaker opened. */
      readonly command: "show-agent";
      readonly scope: BreakerScope;
      readonly agent: string;
      readonly atMs: number;
    }
  | {
      /** The person closes it. `scope` null: the only one that is not closed. */
      readonly command: "close-breaker";
      readonly scope: string | null;
      readonly by: string;
      readonly reason: string;
      readonly atMs: number;
    };

/**
 * Refuses `breaker-open`: an agent that would be let in while none may be; `human-required`: somebody other than the
 * owner closes one; `not-found`: no such breaker is open, or nobody can say which of several is meant.
 */
export const breakers: Decider<Breakers, BreakerCommand, BreakerEvent> = {
  name: "breakers",
  initial: () => new Map(),
  decide(command, state) {
    switch (command.command) {
      case "count-failures":
        return ok({ events: countFailures(command, state), notes: [] });
      case "pass-time":
        return ok({ events: [...state.values()].flatMap((breaker) => passTime(command, breaker)), notes: [] });
      case "admit-agent":
        return admit(command, state);
      case "show-agent": {
        const { scope, agent, atMs } = command;
        const breaker = state.get(scope);
        const isProbe = breaker?.state === "half-open" && (breaker.probe === null || breaker.probe.agent === agent);
        return ok({ events: isProbe ? [{ event: "breaker-closed", scope, agent, atMs }] : [], notes: [] });
      }
      case "close-breaker":
        return closeByHand(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    state.set(event.scope, evolveBreaker(state.get(event.scope) ?? closedBreaker(event.scope), event));
    return state;
  },
};

/** A breaker that nothing has happened to. */
export function closedBreaker(scope: BreakerScope): Breaker {
  return {
    scope,
    state: "closed",
    failures: [],
    lost: [],
    sinceSeq: null,
    openedAtMs: null,
    lastProbeAtMs: null,
    probe: null,
    dueAtMs: null,
  };
}

/** When the next breaker becomes half-open or gives its probe up; null: none waits. There are as many as departments. */
export function nextBreakerDeadline(state: Breakers): number | null {
  let next: number | null = null;
  for (const { dueAtMs } of state.values()) if (dueAtMs !== null && (next === null || dueAtMs < next)) next = dueAtMs;
  return next;
}

/** Whether a new agent may be let in: none while it is open, one while it is half-open. */
export function maySpawn({ state, probe }: Breaker): boolean {
  return state === "closed" || (state === "half-open" && probe === null);
}

/**
 * Why an agent may not begin to work; null: it may. `startedSeq`: since when it is at work, null where it is not yet. Who
 * was at work before the breaker opened goes on, and so does the probe.
 */
export function barredBy(breaker: Breaker | undefined, agent: string, startedSeq: number | null): Problem | null {
  if (breaker === undefined || maySpawn(breaker) || breaker.probe?.agent === agent) return null;
  if (startedSeq !== null && startedSeq < (breaker.sinceSeq ?? 0)) return null;
  return breakerOpen(breaker, agent);
}

function countFailures(
  { scope, agents, limits, seq, atMs }: Extract<BreakerCommand, { readonly command: "count-failures" }>,
  state: Breakers,
): readonly BreakerEvent[] {
  const breaker = state.get(scope) ?? closedBreaker(scope);
  // One agent that comes and goes counts once.
  const failures = lostAfter(breaker, agents, atMs).flatMap(([, at]) => (at + limits.windowMs > atMs ? [at] : []));
  const counted: BreakerEvent = { event: "breaker-counted", scope, agents, failures, atMs };
  const isProbeLost = breaker.probe !== null && agents.includes(breaker.probe.agent);
  const isFull = breaker.state === "closed" && failures.length >= limits.failures;
  if (!isProbeLost && !isFull) return [counted];
  return [counted, { event: "breaker-opened", scope, seq, atMs, dueAtMs: atMs + limits.openMs }];
}

function lostAfter({ lost }: Breaker, agents: readonly string[], atMs: number): Breaker["lost"] {
  return [...lost.filter(([agent]) => !agents.includes(agent)), ...agents.map((agent) => [agent, atMs] as const)];
}

function passTime(
  { signs, limits, seq, atMs }: Extract<BreakerCommand, { readonly command: "pass-time" }>,
  { scope, state, probe, dueAtMs }: Breaker,
): readonly BreakerEvent[] {
  if (dueAtMs === null || dueAtMs > atMs) return [];
  if (state === "open") return [{ event: "breaker-half-opened", scope, atMs }];
  if (probe === null) return [];
  const { agent } = probe;
  const isThere = signs.some(([name, signMs]) => name === agent && signMs > probe.atMs);
  if (isThere) return [{ event: "breaker-closed", scope, agent, atMs }];
  return [{ event: "breaker-opened", scope, seq, atMs, dueAtMs: atMs + limits.openMs }];
}

function admit(
  { scope, agent, byPerson = false, limits, atMs }: Extract<BreakerCommand, { readonly command: "admit-agent" }>,
  state: Breakers,
): Result<Decided<BreakerEvent>, readonly Problem[]> {
  const breaker = state.get(scope);
  const barred = barredBy(breaker, agent, null);
  if (barred !== null && !byPerson) return err([barred]);
  const probed = { event: "breaker-probed", scope, agent, atMs, dueAtMs: atMs + limits.probeMs } as const;
  if (breaker?.state === "open")
    return ok({ events: [{ event: "breaker-half-opened", scope, atMs }, probed], notes: [] });
  const isTried = breaker?.state === "half-open" && breaker.probe === null;
  return ok({ events: isTried ? [probed] : [], notes: [] });
}

function closeByHand(
  { scope: asked, by, reason, atMs }: Extract<BreakerCommand, { readonly command: "close-breaker" }>,
  state: Breakers,
): Result<Decided<BreakerEvent>, readonly Problem[]> {
  const path = argument("scope");
  if (by !== ownerName) {
    const message = "Only the person who owns the team closes a circuit breaker.";
    return err([makeProblem("human-required", path, message, { expected: ownerName, received: by })]);
  }
  const open = [...state.values()].filter((each) => each.state !== "closed");
  const meant = asked === null ? open : open.filter(({ scope }) => scope === asked);
  const [breaker] = meant;
  if (breaker === undefined || meant.length > 1) return err([noneToClose(asked, open, path)]);
  return ok({ events: [{ event: "breaker-closed", scope: breaker.scope, agent: by, atMs, reason }], notes: [] });
}

function noneToClose(asked: string | null, open: readonly Breaker[], path: string): Problem {
  const several = asked === null && open.length > 1;
  const message = several ? "Several circuit breakers are not closed." : "There is no such circuit breaker to close.";
  return makeProblem("not-found", path, message, {
    expected: open.length === 0 ? "one that is not closed" : open.map(({ scope }) => scope).join(", "),
    ...(asked === null ? {} : { received: asked }),
    hint: "`baton agent list --breakers` shows the state of each.",
  });
}

function evolveBreaker(breaker: Breaker, event: BreakerEvent): Breaker {
  switch (event.event) {
    case "breaker-counted":
      return { ...breaker, failures: event.failures, lost: lostAfter(breaker, event.agents, event.atMs) };
    case "breaker-opened": {
      const { seq, atMs: openedAtMs, dueAtMs } = event;
      return { ...breaker, state: "open", sinceSeq: breaker.sinceSeq ?? seq, openedAtMs, probe: null, dueAtMs };
    }
    case "breaker-half-opened":
      return { ...breaker, state: "half-open", probe: null, dueAtMs: null };
    case "breaker-probed": {
      const { agent, atMs, dueAtMs } = event;
      return { ...breaker, probe: { agent, atMs }, lastProbeAtMs: atMs, dueAtMs };
    }
    case "breaker-closed":
      return { ...breaker, state: "closed", failures: [], lost: [], sinceSeq: null, probe: null, dueAtMs: null };
    default:
      return unreachable(event);
  }
}

function breakerOpen({ scope, state, probe, failures }: Breaker, agent: string): Problem {
  const whose = scope === "team" ? "The team's circuit breaker" : `The circuit breaker of ${scope}`;
  const why =
    state === "open"
      ? `is open: ${counted(failures.length, "agent")} disappeared`
      : `waits for its probe, ${probe?.agent ?? "nobody"}, to show life`;
  return makeProblem("breaker-open", agent, `${whose} ${why}. No new agent may begin to work.`, {
    expected: "a closed breaker",
    received: state,
    hint: `spawn: task. Agents registered with \`${argument("mode")}\` task go on, and so do those at work; \`baton agent list --breakers\` shows until when.`,
  });
}
