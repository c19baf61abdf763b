/**
 * Rounds of code review: which one a word belongs to, what it asks for, and when the rounds are used up.
 * Source: docs/protocol/verdicts.md, section 10.
 */

import { isJsonObject, type Json } from "../../base/json.ts";
import { canonicalFile, fileLine, placeOf } from "../../base/paths/paths.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shortList } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Note } from "../../messages/message.ts";
import type { Decided } from "../../perform/decider.ts";
import type { Said } from "../state/phase-state.ts";
import {
  isMinorOnly,
  type MustFix,
  type PlanReview,
  type Review,
  type ReviewEvent,
  type Reviews,
  reviewOf,
} from "../state/review-state.ts";
import { saidBefore, saysTheSame } from "./phase-facts.ts";

/** Rounds of review that a plan may have. */
export const reviewCyclesMax = 2;

/** A developer gets a list of changes. */
export interface RequestChanges {
  readonly command: "request-changes";
  readonly body: FactBodies["review-changes"];
  readonly said: Said;
}

/** The lead gets the findings of a review. */
export interface JudgeCode {
  readonly command: "judge-code";
  readonly body: FactBodies["review-result"];
  readonly said: Said;
}

type Outcome = Result<Decided<ReviewEvent>, readonly Problem[]>;

/** What must be changed, in the round it belongs to, with the places that hold up approval. */
export function requestChanges({ body, said }: RequestChanges, state: Reviews): Outcome {
  const known = reviewOf(state, body.planId);
  const asked = {
    ...said,
    cycleSaid: body.cycle,
    mustFix: body.mustFix,
    changes: body.changes.length,
    files: filesOf(body),
  };
  const before = unanswered(known)?.changes ?? null;
  if (saysTheSame(before, asked)) return saidBefore(before);
  const round = roundFor(known, body.cycle);
  const issues = issuesOf(body.changes);
  const mustFix = body.mustFix.map((at) =>
    mustFixOf(at, issues, {
      reviewed: known.commit === "" ? null : known.commit,
      cycle: round.cycle,
      seq: said.seq,
      askedBy: said.by,
    }),
  );
  const review: Review = {
    ...round,
    standing: "changes-requested",
    changes: asked,
    approvedAt: null,
    mustFix: [
      ...round.mustFix.filter((each) => each.cycle !== round.cycle || !body.mustFix.includes(each.at)),
      ...mustFix,
    ],
  };
  return reviewed(known, review, body.cycle);
}

/** What the code was found to be, in the round it belongs to. Notes where the message names another, and the last round. */
export function judgeCode({ body, said }: JudgeCode, state: Reviews): Outcome {
  const known = reviewOf(state, body.planId);
  const { result, critical, findingsCount: findings } = body;
  const judged = { ...said, cycleSaid: body.cycle, result, findings, critical };
  const before = unanswered(known)?.result ?? null;
  if (saysTheSame(before, judged)) return saidBefore(before);
  const held = heldBy(known);
  const isApproved = result === "approve" && held === null;
  const round = result === "approve" && held !== null ? held : roundFor(known, body.cycle);
  const review: Review = {
    ...round,
    standing: isApproved ? "approved" : "changes-requested",
    result: judged,
    approvedAt: isApproved ? said.seq : null,
  };
  const told = result === "approve" ? unfixedNotes(known.plan, review) : [];
  return reviewed(known, review, body.cycle, told);
}

/** The round under way, where a place of it must be fixed and nothing was reported since; null: approval is not held. */
function heldBy(known: PlanReview): Review | null {
  const review = unanswered(known);
  if (review === null || review.standing === "approved") return null;
  return review.mustFix.some(({ state }) => state === "open") ? review : null;
}

/** `told`: that approval comes too early; then the round goes on, and is no reason to escalate. */
function reviewed({ key, plan }: PlanReview, review: Review, cycleSaid: number, told: readonly Note[] = []): Outcome {
  const isAtLimit = review.standing !== "approved" && told.length === 0 && isPastLimit(review);
  const notes: Note[] = [...told];
  if (review.cycle !== cycleSaid) {
    const message = `This is round ${review.cycle} of the review of plan ${plan}, counted by the earlier reviews; the message says ${cycleSaid}.`;
    notes.push({ code: "cycle-differs", path: "$.body.cycle", message });
  }
  if (isAtLimit) {
    const message = `Plan ${plan} is not approved after ${reviewCyclesMax} rounds of review; the lead decides how it goes on.`;
    notes.push({ code: "review-limit", path: "$.body.cycle", message });
  }
  return ok({ events: [{ event: "code-reviewed", key, plan, review, isAtLimit }], notes });
}

/** Approval while places that must be fixed are not. What nothing was reported for holds it; the rest is only told. */
function unfixedNotes(plan: string, { mustFix, standing }: Review): readonly Note[] {
  const unfixed = mustFix.filter(({ state }) => state === "open" || state === "untouched");
  if (unfixed.length === 0) return [];
  const places = shortList(unfixed.map(({ at }) => at));
  const effect = standing === "approved" ? "is approved all the same" : "is not approved before a fix is reported";
  const message = `Not fixed as far as is known: ${places}. Plan ${plan} ${effect}.`;
  return [{ code: "must-fix-open", path: "$.body.result", message }];
}

/** A last round that ends without approval, or one beyond it. What is minor only needs no further round. */
function isPastLimit(review: Review): boolean {
  if (isMinorOnly(review)) return false;
  return (
    review.cycle > reviewCyclesMax ||
    (review.cycle === reviewCyclesMax && review.result?.result === "changes_requested")
  );
}

/**
 * The round that a verdict belongs to: the current one, or the next where the reviewer says so, where a fix came since,
 * or where the code was approved before. Several verdicts about the same code are one round, for all receivers.
 */
function roundFor({ review }: PlanReview, said: number): Review {
  const first: Review = {
    cycle: 1,
    standing: "changes-requested",
    changes: null,
    result: null,
    fixedAt: null,
    approvedAt: null,
    mustFix: [],
  };
  if (review === null) return first;
  const isOver = review.fixedAt !== null || review.standing === "approved";
  return isOver || said > review.cycle ? { ...first, cycle: review.cycle + 1, mustFix: review.mustFix } : review;
}

/** The round under way, where nothing was reported since. */
function unanswered({ review }: PlanReview): Review | null {
  return review !== null && review.fixedAt === null ? review : null;
}

/** The files that the changes and the places to fix name, each once. */
function filesOf({ changes, mustFix }: FactBodies["review-changes"]): readonly string[] {
  const named = changes.flatMap((change) => (isJsonObject(change) && typeof change.f === "string" ? [change.f] : []));
  return [...new Set([...named, ...mustFix.map((at) => fileLine(at).file)].map(canonicalFile))];
}

/** What is wrong at each place that the changes are about, in canonical form; the first that says so counts. */
function issuesOf(changes: readonly Json[]): ReadonlyMap<string, string> {
  const issues = new Map<string, string>();
  for (const change of changes) {
    if (!isJsonObject(change)) continue;
    const { f, ln, issue } = change;
    const place = placeOf(f, ln);
    if (place !== null && typeof issue === "string" && !issues.has(place)) issues.set(place, issue);
  }
  return issues;
}

function mustFixOf(
  at: string,
  issues: ReadonlyMap<string, string>,
  {
    reviewed: commit,
    cycle,
    seq,
    askedBy,
  }: Pick<MustFix, "reviewed" | "cycle" | "seq"> & Required<Pick<MustFix, "askedBy">>,
): MustFix {
  const { file, line } = fileLine(at);
  const issue = issues.get(`${file}:${line}`) ?? null;
  return {
    at,
    file,
    line: line ?? 0,
    issue,
    reviewed: commit,
    cycle,
    seq,
    state: "open",
    commit: null,
    askedBy,
  };
}
