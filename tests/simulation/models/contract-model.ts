/**
 * Contracts by the entries alone: revisions in order, widened only by an approval that is current, each used once.
 * Written from docs/protocol/tasks.md, sections 17 to 20.
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

interface Permit {
  readonly key: string;
  readonly paths: readonly string[];
  isUsed: boolean;
}

/** No contracts. */
export function newContractModel(wrong: Wrong): ContractModel {
  const plans = new Map<string, { readonly revision: number; readonly scope: KnownScope }>();
  const permits = new Map<string, Permit[]>();
  const issued = ({ plan, terms, revision }: EventOf<"contract-issued">, { entry }: Seen) => {
    const { agent, role } = entry.principal;
    if (role !== "lead" && role !== "architect") wrong(`${agent} (${role}) issues a contract`);
    const before = plans.get(plan);
    const scope = { allowed: terms.allowedPaths, forbidden: terms.forbiddenPaths };
    const number = (before?.revision ?? 0) + 1;
    if (revision.revision !== number) wrong(`revision ${revision.revision} of plan ${plan} comes as the ${number}th`);
    const more = before === undefined ? 0n : filesOf(scope) & ~filesOf(before.scope);
    const permit = permits.get(plan)?.find(({ key }) => key === revision.permit);
    if (more !== 0n && permit === undefined) wrong(`plan ${plan} widens without an approval`);
    if (permit?.isUsed === true) wrong(`plan ${plan} widens twice by ${permit.key}`);
    if (permit !== undefined && permit.paths.length > 0 && (more & ~covered(permit.paths)) !== 0n) {
      wrong(`plan ${plan} widens beyond ${permit.paths.join(", ")}`);
    }
    if (permit !== undefined) permit.isUsed = true;
    plans.set(plan, { revision: number, scope });
  };
  return {
    plans,
    scopeOf: (plan) => plans.get(plan)?.scope,
    take(event, seen) {
      if (event.event === "contract-issued") issued(event, seen);
      if (event.event !== "widening-permitted") return;
      const { plan, permit, paths } = event;
      const answer = seen.content.events?.find((each) => each.event === "approval-answered");
      if (answer?.event !== "approval-answered" || !answer.answer.approved || answer.key !== permit) {
        wrong(`plan ${plan} may widen by ${permit}, which nobody approves here`);
      }
      permits.set(plan, [...(permits.get(plan) ?? []), { key: permit, paths, isUsed: false }]);
    },
  };
}

function filesOf({ allowed, forbidden }: KnownScope): bigint {
  return covered(allowed) & ~covered(forbidden);
}
