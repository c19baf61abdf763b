/** For programs that prefer exceptions: the value of an answer, or an error with its problems. */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { ClaimAnswer, Reply } from "../operations/reply.ts";

/** What `orThrow` throws: every problem, and the first of them as the message. */
export class BatonError extends Error {
  override readonly name = "BatonError";
  /** The problems in their order; the first decides. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const [first] = problems;
    const hint = first?.hint === undefined ? "" : ` ${first.hint}`;
    super(first === undefined ? "Baton refused this." : `${first.code} at ${first.path}: ${first.message}${hint}`);
    this.problems = problems;
  }
}

/** A reply that was accepted. */
type Accepted = Extract<Reply, { readonly outcome: "accepted" }>;
/** A claim that was granted. */
type Granted = Extract<ClaimAnswer, { readonly granted: true }>;

/**
 * The value of a `Result`, the accepted `Reply`, the granted claim, or the answer whose `reply` was accepted. Anything
 * else is thrown as a `BatonError`.
 *
 * @example
 * const team = orThrow(await openTeam({ agent: "dev-1" }));
 * const claim = orThrow(await team.claim({ task: "1-1-T1" }));
 * const { receipt } = orThrow(await team.complete({ task: "1-1-T1", token: claim.token, commit }));
 */
export function orThrow<Value>(answer: Result<Value, Problem | readonly Problem[]>): Value;
export function orThrow(answer: Reply): Accepted;
export function orThrow(answer: ClaimAnswer): Granted;
export function orThrow<Answer extends { readonly reply: Reply }>(answer: Answer): Answer;
export function orThrow(
  answer: Result<unknown, Problem | readonly Problem[]> | Reply | { readonly reply: Reply },
): unknown {
  if ("ok" in answer) {
    if (answer.ok) return answer.value;
    throw new BatonError(isList(answer.error) ? answer.error : [answer.error]);
  }
  const reply = "reply" in answer ? answer.reply : answer;
  if (reply.outcome === "accepted") return answer;
  throw new BatonError(reply.outcome === "failed" ? [reply.problem] : reply.problems);
}

function isList(error: Problem | readonly Problem[]): error is readonly Problem[] {
  return Array.isArray(error);
}
