/**
 * Free tasks that nobody can claim as they are, because the contract of their plan does not allow their files.
 * Rule: docs/protocol/reading-the-record.md, section 5.
 */
import type { StepBudget } from "../../base/paths/glob-sets.ts";
import { keepsOut } from "../../base/paths/scope.ts";
import { planKey } from "../tasks/work-ids.ts";
import { type ContractTerms, scopeOf } from "./contract-terms.ts";
import { type Contracts, contractOf } from "./contracts.ts";

/** Answers by contract and list of files, as long as both are there: a board asks the same again each time. */
const known = new WeakMap<ContractTerms, WeakMap<readonly string[], boolean>>();

/** Whether the contract keeps out a file of the task. False also where the budget was used up before that was known. */
export function isOutsideContract(
  contracts: Contracts,
  { plan, files }: { readonly plan: string | null; readonly files: readonly string[] },
  budget: StepBudget,
): boolean {
  const terms = plan === null || files.length === 0 ? undefined : contractOf(contracts, planKey(plan))?.terms;
  if (terms === undefined) return false;
  const answers = known.get(terms) ?? new WeakMap<readonly string[], boolean>();
  known.set(terms, answers);
  const before = answers.get(files);
  if (before !== undefined) return before;
  const isOutside = keepsOut(scopeOf(terms), files, budget);
  if (budget.left > 0) answers.set(files, isOutside);
  return isOutside;
}
