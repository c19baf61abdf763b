/** What a team can do about handoffs: the part of `Team` that is about them, and what its calls answer. */
import type { JsonObject } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Handoff } from "../coordination/handoff-state.ts";
import type { VerifiedFiles } from "../message/handoff-files.ts";
import type { Reply } from "../operations/reply.ts";

/** One handoff with its document. */
export interface HandoffDetail {
  readonly handoff: Handoff;
  /** It and those that it follows, the first of all first. */
  readonly line: readonly Handoff[];
  /** The document as an object, with everything under `handoff`. */
  readonly document: JsonObject;
  /** The document as it was issued, comments and all. */
  readonly text: string;
}

/** The claim that came with a handoff. */
export interface MovedClaim {
  readonly task: string;
  /** The fencing token. */
  readonly token: number;
  /** Until when the claim lives without another sign of life, RFC 3339. */
  readonly expiresAt: string;
  readonly files: readonly string[];
}

/** What becomes of an acceptance. `claim`: null where none came with it. */
export interface HandoffAnswer {
  readonly reply: Reply;
  readonly claim: MovedClaim | null;
}

/** Handoffs of a team. Issuing is sending the document. */
export interface HandoffWork {
  /** Handoffs that wait for an answer or are worked on, or all, oldest first. */
  handoffs(options?: { readonly all?: boolean }): Promise<Result<readonly Handoff[], Problem>>;
  /** One with its document. Refuses `unknown-request`. */
  handoff(id: string): Promise<Result<HandoffDetail, Problem>>;
  /** Those that a handoff of this workflow or task would follow if the acting agent issued it now, the first first. */
  handoffsBefore(about: {
    readonly workflow?: string;
    readonly task?: string;
  }): Promise<Result<readonly Handoff[], Problem>>;
  /** Takes the work over: `verified` is what was found of its files, where the work goes on. */
  acceptHandoff(
    id: string,
    given: { readonly verified?: VerifiedFiles },
    options?: { readonly id?: string },
  ): Promise<HandoffAnswer>;
  rejectHandoff(
    id: string,
    given: { readonly reasons: readonly string[] },
    options?: { readonly id?: string },
  ): Promise<Reply>;
  /** Says that the work is done: `verified` is what was found of the generated files. */
  completeHandoff(
    id: string,
    given: { readonly verified?: VerifiedFiles },
    options?: { readonly id?: string },
  ): Promise<Reply>;
}
