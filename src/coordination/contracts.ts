/**
 * Contracts: what a plan may touch. A plan's first contract is revision 1; the same plan again is the next revision,
 * which may only narrow the scope, unless an approved scope change permits one widening. Every revision keeps its
 * hash and that of the one before. Source: semantics.md section 3, Contracts.
 */
import { sha256 } from "../base/digest.ts";
import { unreachable } from "../base/invariant.ts";
import { checkScope, readPath } from "../base/paths.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FactBodies, Json } from "../message/facts.ts";
import type { Note } from "../message/message.ts";
import type { Decided, Decider } from "./decider.ts";
import { planKey, planKeyOfTask } from "./work-ids.ts";

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

/** One revision's place in history. */
export interface ContractRevision {
  readonly revision: number;
  /** SHA-256 over the canonical JSON of the terms as issued. */
  readonly hash: string;
  /** Hash of the revision before; null for the first. */
  readonly previousHash: string | null;
  readonly seq: number;
  readonly issuedBy: string;
  /** The request whose approval permitted this revision to widen; null: it did not need one. */
  readonly permit: string | null;
}

/** A plan's contract in force, with the history of its revisions, oldest first. */
export interface ContractState {
  /** The form by which plan ids are compared (`work-ids.ts`). */
  readonly plan: string;
  readonly revision: number;
  readonly hash: string;
  readonly terms: ContractTerms;
  readonly revisions: readonly ContractRevision[];
}
