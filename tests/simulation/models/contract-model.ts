/**
 * Contracts by the entries alone: revisions in order, of a lead or an architect, or of who approves a scope change in the
 * same entry, by paths that were named. Written from docs/protocol/tasks.md, sections 17 to 20.
 */
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import { covered } from "./overlap.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";

/** What a plan may touch. */
export interface KnownScope {
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
}

export interface ContractModel {
  /** By the plan's key; undefined: it has no contract. */
  scopeOf(plan: string): KnownScope | undefined;
  readonly plans: ReadonlyMap<string, { readonly revision: number }>;
  /** Follows events about contracts, and leaves all others alone. */
  take(event: CoordinationEvent, seen: Seen): void;
}

/** No contracts. */
export function newContractModel(wrong: Wrong): ContractModel {
  const plans = new Map<string, { readonly revision: number; readonly scope: KnownScope }>();
  const asked = new Map<string, readonly string[]>();
  const issued = ({ plan, terms, revision }: EventOf<"contract-issued">, { entry, content }: Seen) => {
    const { agent, role } = entry.principal;
    if (role !== "lead" && role !== "architect" && agent !== "owner") wrong(`${agent} (${role}) issues a contract`);
    const before = plans.get(plan);
    const scope = { allowed: terms.allowedPaths, forbidden: terms.forbiddenPaths };
    const number = (before?.revision ?? 0) + 1;
    if (revision.revision !== number) wrong(`revision ${revision.revision} of plan ${plan} comes as the ${number}th`);
    if (revision.permit !== null) {
      const given = content.events?.find((each) => each.event === "approval-answered");
      const isGiven = given?.event === "approval-answered" && given.answer.approved && given.key === revision.permit;
      if (!isGiven) wrong(`plan ${plan} widens by ${revision.permit}, which nobody approves here`);
      const own = isGiven ? given.answer.modifications.filter((each) => typeof each === "string") : [];
      const paths = own.length > 0 ? own : (asked.get(revision.permit) ?? []);
      const more = before === undefined ? 0n : filesOf(scope) & ~filesOf(before.scope);
      if (paths.length > 0 && (more & ~covered(paths)) !== 0n) wrong(`plan ${plan} widens beyond ${paths.join(", ")}`);
    } else if (agent === "owner") wrong("owner issues a contract that nobody asked for");
    plans.set(plan, { revision: number, scope });
  };
  return {
    plans,
    scopeOf: (plan) => plans.get(plan)?.scope,
    take(event, seen) {
      if (event.event === "contract-issued") issued(event, seen);
      if (event.event === "approval-requested")
        asked.set(`${event.request.requester}/${event.request.requestId}`, event.request.paths ?? []);
    },
  };
}

function filesOf({ allowed, forbidden }: KnownScope): bigint {
  return covered(allowed) & ~covered(forbidden);
}
