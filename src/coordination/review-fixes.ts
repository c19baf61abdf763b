/**
 * What answers a review: the report of a fix, and what the repository shows of it, kept beside each place that must be
 * fixed.
 * Source: semantics.md section 3 (Phase: review).
 */
import { canonicalFile } from "../base/file-line.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { type Decided, nothing } from "./decider.ts";
import type { FixFinding, ReviewEvent } from "./review-events.ts";
import { isMinorOnly, type MustFix, type Review, type Reviews, reviewOf } from "./review-state.ts";

/** What the repository shows of a fix that was reported. */
export interface JudgeFixes {
  readonly command: "judge-fixes";
  readonly plan: string;
  readonly fixes: readonly FixFinding[];
  readonly seq: number;
}

type Outcome = Result<Decided<ReviewEvent>, readonly Problem[]>;

/** Keeps that a task of a plan was reported as complete: it answers what a review asked for. In place. */
export function followReport(
  state: Reviews,
  report: {
    readonly plan: string | null;
    readonly commit: string;
    readonly files: readonly string[] | null;
    readonly reporter: string;
    readonly seq: number;
  },
): void {
  if (report.plan === null) return;
  const known = reviewOf(state, report.plan);
  const { review } = known;
  state.plans.set(known.key, {
    ...known,
    commit: report.commit === "" ? known.commit : report.commit,
    review: review === null || review.standing === "approved" ? review : fixed(review, report),
  });
}

function fixed(review: Review, { commit, files, reporter, seq }: Parameters<typeof followReport>[1]): Review {
  const named = files === null ? null : new Set(files.map(canonicalFile));
  const mustFix = review.mustFix.map((each): MustFix => {
    const isUnanswered = each.state === "open" || each.state === "untouched";
    const isAnswered = isUnanswered && (named === null || named.has(each.file));
    if (!isAnswered) return each;
    return { ...each, state: "reported", commit: commit === "" ? null : commit, claimedBy: reporter, claimedAt: seq };
  });
  const approves = isMinorOnly(review);
  return {
    ...review,
    mustFix,
    fixedAt: seq,
    standing: approves ? "approved" : "fix-reported",
    approvedAt: approves ? seq : null,
  };
}

/** Keeps it beside each place that is still reported as fixed by that commit; where there is none, notes that. */
export function judgeFixes({ plan, fixes, seq }: JudgeFixes, state: Reviews): Outcome {
  const { key, plan: name, review } = reviewOf(state, plan);
  const open = review?.mustFix.filter((each) => each.state === "reported") ?? [];
  const meant = fixes.filter(({ at, cycle, commit }) =>
    open.some((each) => each.at === at && each.cycle === cycle && commit.startsWith(each.commit?.toLowerCase() ?? "-")),
  );
  if (meant.length === 0) return nothing("already-so", "None of these places waits to be looked at.");
  return ok({ events: [{ event: "fixes-judged", key, plan: name, fixes: meant, seq }], notes: [] });
}

/** The review with what was found, by the entry `seq`, of its places that are still reported as fixed. */
export function withFindings(review: Review, fixes: readonly FixFinding[], seq: number): Review {
  const mustFix = review.mustFix.map((each): MustFix => {
    const found = fixes.find(({ at, cycle }) => at === each.at && cycle === each.cycle);
    if (found === undefined || each.state !== "reported") return each;
    const { untouchedAt: _, ...place } = each;
    const { isTouched, commit } = found;
    return isTouched
      ? { ...place, state: "touched", commit }
      : { ...place, state: "untouched", commit, untouchedAt: seq };
  });
  return { ...review, mustFix };
}
