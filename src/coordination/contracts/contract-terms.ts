/**
 * What a contract says, and the hash that names it. Who may issue one and what a revision may change is `contracts.ts`.
 * Source: docs/protocol/contracts.md.
 */
import { canonical } from "../../base/canonical.ts";
import { sha256 } from "../../base/digest.ts";
import { readAskedGlobs, readGlobs, type Scope } from "../../base/paths/scope.ts";
import type { Problem } from "../../base/problem.ts";
import type { FactBodies } from "../../message/fact-bodies.ts";
import { shownMax } from "../short-list.ts";

/** What a contract says, values as written; lists that the message left out are empty, the budget is null. */
export interface ContractTerms {
  readonly planId: string;
  readonly phaseId: string;
  readonly objective: string;
  readonly tasks: readonly string[];
  readonly allowedPaths: readonly string[];
  readonly forbiddenPaths: readonly string[];
  readonly mustHaves: readonly string[];
  readonly dependsOn: readonly string[];
  readonly verificationChecks: readonly string[];
  readonly tokenBudget: number | null;
}

/** The terms that a contract's message says. */
export function termsOf(body: FactBodies["contract"]): ContractTerms {
  return {
    planId: body.planId,
    phaseId: body.phaseId,
    objective: body.objective,
    tasks: body.tasks,
    allowedPaths: body.allowedPaths,
    forbiddenPaths: body.forbiddenPaths ?? [],
    mustHaves: body.mustHaves,
    dependsOn: body.dependsOn ?? [],
    verificationChecks: body.verificationChecks ?? [],
    tokenBudget: body.tokenBudget ?? null,
  };
}

/** What the terms let be touched. */
export function scopeOf(terms: ContractTerms): Scope {
  return { allowed: terms.allowedPaths, forbidden: terms.forbiddenPaths };
}

/** SHA-256 over the canonical JSON of the terms. */
export function hashOf(terms: ContractTerms): string {
  return sha256(canonical({ ...terms }));
}

/** `invalid-glob` for each entry of the scope that is none, at most `shownMax`. */
export function scopeFaults(terms: ContractTerms): readonly Problem[] {
  const allowed = readAskedGlobs(terms.allowedPaths, "$.body.allowedPaths");
  const forbidden = readGlobs(terms.forbiddenPaths, "$.body.forbiddenPaths");
  return [...(allowed.ok ? [] : allowed.error), ...(forbidden.ok ? [] : forbidden.error)].slice(0, shownMax);
}
