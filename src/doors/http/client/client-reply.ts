/** What comes back of an act or a look at a hub, as a `Team` gives it. */
import { type Problem, type ProblemCode, problemCodes } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import type { Reply } from "../../../operations/reply.ts";
import type * as answers from "./client-answers.ts";
import type { Asked, Caller, Refused } from "./client-caller.ts";

/** Asks for an act, and what became of it. */
export async function reply(caller: Caller, asked: Asked<answers.Accepted>): Promise<Reply> {
  const came = await caller.ask(asked);
  if (!came.ok) return replyOf(came.error);
  const { receipt, receivers, notes } = came.value;
  return { outcome: "accepted", receipt, receivers, notes };
}

/** The journal, the way or the credential is at fault, not what was asked: nobody has judged it. */
const unjudged: ReadonlySet<ProblemCode> = new Set([
  "wrong-media-type",
  "foreign-request",
  "unauthenticated",
  "token-revoked",
  "too-many-requests",
  "unknown-team",
  "hub-unreachable",
  "not-a-hub",
]);

/** The reply of an act that the hub refused, or that did not come to it. */
export function replyOf({ problems, receipt, notes }: Refused): Reply {
  const [first] = problems;
  const isJournals = first.code.startsWith("journal-") || problemCodes[first.code].fault === "machine";
  const isRecorded = receipt !== undefined && receipt !== null;
  if (!isRecorded && (isJournals || unjudged.has(first.code))) return { outcome: "failed", problem: first };
  return { outcome: "refused", receipt: receipt ?? null, problems, notes };
}

/** Asks for something to be shown. */
export async function reading<Value>(caller: Caller, asked: Asked<Value>): Promise<Result<Value, Problem>> {
  const came = await caller.ask(asked);
  return came.ok ? came : err(came.error.problems[0]);
}
