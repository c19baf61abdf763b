/**
 * Limits that agents ran into and that Baton itself hands up: rounds of review and of remediation that are used up, tests
 * that pass before their code is there, a third counter-proposal. Each is an escalation of its own that its level is told
 * of, because the message that ran into it went to somebody else. So is an escalation of an agent's, where nobody of the
 * level at which it waits got the message.
 * Source: docs/protocol/escalations.md; docs/protocol/phases.md.
 */
import { ok } from "../../base/result.ts";
import type { Decider } from "../decider.ts";

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
  /** Keys of those that their level was not told of yet, in the order they came. */
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

/** Refuses nothing. Each limit is told of once. */
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
export function limitKey({ kind, about }: Pick<Limit, "kind" | "about">): string {
  return `${kind} ${about}`;
}

/** Whether somebody has to be told of a limit. */
export function isLimitUntold(state: Limits): boolean {
  return state.untold.size > 0;
}
