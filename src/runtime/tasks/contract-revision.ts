/**
 * A revision of a contract as the record has it. The state keeps the active terms and the history's hashes; an earlier
 * revision is in the entry that issued it. Also: what changed from one revision to the next.
 */
import type { ContractTerms } from "../../coordination/contracts/contracts.ts";
import type { Shown } from "../../operations/entries.ts";
import { contentOf } from "../record/content.ts";

/** The terms that the entry issued for the plan with this key, or null: it issued none. */
export function termsIssuedBy({ entry }: Pick<Shown, "entry">, plan: string): ContractTerms | null {
  const issued = (contentOf(entry).events ?? []).find(
    (event) => event.event === "contract-issued" && event.plan === plan,
  );
  return issued?.event === "contract-issued" ? issued.terms : null;
}

/** One term that differs: what went and what came; a list by its entries, another value whole. */
export interface TermChange {
  readonly term: keyof ContractTerms;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What differs from one revision to another, in the order of the terms; the plan's id may be spelled again. */
export function changesBetween(before: ContractTerms, after: ContractTerms): readonly TermChange[] {
  // The terms of one type have the same keys.
  const terms = (Object.keys(after) as (keyof ContractTerms)[]).filter((term) => term !== "planId");
  return terms.flatMap((term): readonly TermChange[] => {
    const [old, now] = [entriesOf(before[term]), entriesOf(after[term])];
    const [removed, added] = [without(old, now), without(now, old)];
    return removed.length === 0 && added.length === 0 ? [] : [{ term, removed, added }];
  });
}

function entriesOf(value: ContractTerms[keyof ContractTerms]): readonly string[] {
  if (value === null) return [];
  return typeof value === "object" ? value : [String(value)];
}

function without(entries: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return entries.filter((entry) => !known.has(entry));
}
