/**
 * Files against the contract of their plan. Without a contract only the form of the paths is judged, which is noted.
 * Source: docs/protocol/contracts.md.
 */

import { checkEntries, checkScope, type Scope } from "../../base/paths/scope.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Note } from "../../message/message.ts";
import { shortList, shownMax } from "../short-list.ts";
import { planKey, planKeyOfTask } from "../tasks/work-ids.ts";
import { scopeOf } from "./contract-terms.ts";
import { type ContractState, type Contracts, contractOf } from "./contracts.ts";

/** Files of one plan. */
export interface PlanFiles {
  readonly planId: string;
  /** The task they belong to; null: it is not said. */
  readonly taskId: string | null;
  readonly files: readonly string[];
  /** `paths`: files that were changed. `entries`: they may be folders and globs, and mean all that these match. */
  readonly reads: "paths" | "entries";
  /** Where the list stands, for problems and notes, and what of each entry names the file (`.f`). */
  readonly place: string;
  readonly inEntry?: string;
}

/** Without a contract only the form of the paths is judged. */
const everything: Scope = { allowed: ["**"], forbidden: [] };

/**
 * Whether the plan's contract allows the files. Refuses `invalid-path` and `invalid-glob` for each that is none, and
 * `outside-contract` once, naming all others that are not allowed. Notes `no-contract`, and `plan-mismatch` where the
 * task's id names another plan: the files are judged by `planId`.
 */
export function checkFiles(state: Contracts, asked: PlanFiles): Result<readonly Note[], readonly Problem[]> {
  const { planId, files, place } = asked;
  const notes = mismatchNotes(asked);
  if (files.length === 0) return ok(notes);
  const contract = contractOf(state, planId);
  const scope = contract === null ? everything : scopeOf(contract.terms);
  const faults = asked.reads === "paths" ? checkScope(scope, files, place) : checkEntries(scope, files, place);
  if (faults.length === 0 && contract !== null) return ok(notes);
  const malformed = faults
    .filter(({ code }) => code !== "outside-contract")
    .slice(0, shownMax)
    .map((fault) => ({ ...fault, path: `${fault.path}${asked.inEntry ?? ""}` }));
  if (contract === null) {
    const message = `Plan ${planId} has no contract, so its files are not checked.`;
    return malformed.length > 0 ? err(malformed) : ok([...notes, { code: "no-contract", path: place, message }]);
  }
  const strays = faults.filter(({ code }) => code === "outside-contract").map(({ received }) => received ?? "");
  const problems = strays.length === 0 ? malformed : [...malformed, outside(contract, strays, place)];
  return problems.length > 0 ? err(problems) : ok(notes);
}

function mismatchNotes({ planId, taskId }: PlanFiles): readonly Note[] {
  const plan = planKey(planId);
  const taskPlan = taskId === null ? null : planKeyOfTask(taskId);
  if (taskPlan === null || taskPlan === plan) return [];
  const message = `The task's id names plan ${taskPlan}, the message plan ${plan}; files are judged by the message's plan.`;
  return [{ code: "plan-mismatch", path: "$.body.taskId", message }];
}

function outside({ terms, revision }: ContractState, files: readonly string[], place: string): Problem {
  const { planId, allowedPaths, forbiddenPaths } = terms;
  const none = forbiddenPaths.length === 0 ? "" : `, none of ${shortList(forbiddenPaths)}`;
  return problem(
    "outside-contract",
    place,
    `Outside the contract of plan ${planId} (revision ${revision}): ${shortList(files)}.`,
    {
      expected: `files inside ${shortList(allowedPaths)}${none}`,
      received: shortList(files),
      hint: "Leave these files as they were, or ask for them with an approval_request of type scope_change.",
    },
  );
}
