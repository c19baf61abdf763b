/**
 * Reviews of a plan: its specification, its tests before the code, and rounds of code review. A round begins with the
 * first word about code that was not judged yet; there are at most two, whatever number the reviewer writes, and after
 * that the lead decides. Where only small things were asked for, the developer's fix approves.
 * Source: semantics.md section 3 (Phase: review).
 */
import { unreachable } from "../base/invariant.ts";
import { isJsonObject, type Json } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { FactBodies } from "../message/facts.ts";
import type { Note } from "../message/message.ts";
import { type Decided, type Decider, nothing } from "./decider.ts";
import type { Said } from "./phase-state.ts";
import {
  isMinorOnly,
  type MustFix,
  type PlanReview,
  type RedTests,
  type Review,
  type Reviews,
  reviewOf,
  type Specification,
} from "./review-state.ts";

/** Rounds of review that a plan may have. */
export const reviewCyclesMax = 2;

/** Orders about reviews. */
export type ReviewCommand =
  | { readonly command: "record-specification"; readonly plan: string; readonly specification: Specification }
  | { readonly command: "record-tests"; readonly plan: string; readonly tests: RedTests }
  | { readonly command: "request-changes"; readonly body: FactBodies["review-changes"]; readonly said: Said }
  | { readonly command: "judge-code"; readonly body: FactBodies["review-result"]; readonly said: Said }
  | {
      readonly command: "judge-fixes";
      readonly plan: string;
      readonly fixes: readonly FixFinding[];
      readonly seq: number;
    };

/** What the repository shows of a place that must be fixed. */
export interface FixFinding extends Pick<MustFix, "at" | "cycle"> {
  /** Whether the commit changes the line. */
  readonly isTouched: boolean;
  /** Its full id. */
  readonly commit: string;
}

/** What can happen to reviews. Each holds the plan's record as it is afterwards, so that folding decides nothing. */
export type ReviewEvent =
  | {
      readonly event: "plan-specified";
      readonly key: string;
      readonly plan: string;
      readonly specification: Specification;
    }
  | { readonly event: "tests-recorded"; readonly key: string; readonly plan: string; readonly tests: RedTests }
  | {
      readonly event: "code-reviewed";
      readonly key: string;
      readonly plan: string;
      readonly review: Review;
      /** Whether the rounds are used up and the code is not approved. */
      readonly isAtLimit: boolean;
    }
  | {
      readonly event: "fixes-judged";
      readonly key: string;
      readonly plan: string;
      readonly fixes: readonly FixFinding[];
      readonly seq: number;
    };

type Outcome = Result<Decided<ReviewEvent>, readonly Problem[]>;

/** Refuses nothing: what is out of step is noted and does not advance. */
export const reviews: Decider<Reviews, ReviewCommand, ReviewEvent> = {
  name: "reviews",
  initial: () => ({ plans: new Map() }),
  decide(command, state) {
    switch (command.command) {
      case "record-specification": {
        const { plan, specification } = command;
        const known = reviewOf(state, plan);
        if (sameBut(known.specification, specification)) return unchanged(known.specification);
        return ok({
          events: [{ event: "plan-specified", key: known.key, plan: known.plan, specification }],
          notes: [],
        });
      }
      case "record-tests": {
        const { plan, tests } = command;
        const known = reviewOf(state, plan);
        if (sameBut(known.tests, tests)) return unchanged(known.tests);
        return ok({
          events: [{ event: "tests-recorded", key: known.key, plan: known.plan, tests }],
          notes: greenNotes(tests),
        });
      }
      case "request-changes":
        return requestChanges(command, state);
      case "judge-code":
        return judgeCode(command, state);
      case "judge-fixes":
        return judgeFixes(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    const known = reviewOf(state, event.plan);
    state.plans.set(event.key, after(known, event));
    return state;
  },
};

function after(known: PlanReview, event: ReviewEvent): PlanReview {
  switch (event.event) {
    case "plan-specified":
      return { ...known, specification: event.specification };
    case "tests-recorded":
      return { ...known, tests: event.tests };
    case "code-reviewed":
      return { ...known, review: event.review };
    case "fixes-judged":
      return { ...known, review: known.review === null ? null : withFindings(known.review, event.fixes) };
    default:
      return unreachable(event);
  }
}

/** Keeps that a task of a plan was reported as complete: it answers what a review asked for. In place. */
export function followReport(
  state: Reviews,
  report: {
    readonly plan: string | null;
    readonly commit: string;
    readonly files: readonly string[] | null;
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

function fixed(
  review: Review,
  { commit, files, seq }: { readonly commit: string; readonly files: readonly string[] | null; readonly seq: number },
): Review {
  const mustFix = review.mustFix.map((each): MustFix => {
    const isUnanswered = each.state === "open" || each.state === "untouched";
    const isAnswered = isUnanswered && (files === null || files.includes(each.file));
    return isAnswered ? { ...each, state: "reported", commit: commit === "" ? null : commit } : each;
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

/** What the repository shows, kept beside each place that is still reported as fixed by that commit. */
function judgeFixes(
  { plan, fixes, seq }: Extract<ReviewCommand, { readonly command: "judge-fixes" }>,
  state: Reviews,
): Outcome {
  const { key, plan: name, review } = reviewOf(state, plan);
  const open = review?.mustFix.filter((each) => each.state === "reported") ?? [];
  const meant = fixes.filter(({ at, cycle, commit }) =>
    open.some((each) => each.at === at && each.cycle === cycle && commit.startsWith(each.commit?.toLowerCase() ?? "-")),
  );
  if (meant.length === 0) return nothing("already-so", "None of these places waits to be looked at.");
  return ok({ events: [{ event: "fixes-judged", key, plan: name, fixes: meant, seq }], notes: [] });
}

function withFindings(review: Review, fixes: readonly FixFinding[]): Review {
  const mustFix = review.mustFix.map((each): MustFix => {
    const found = fixes.find(({ at, cycle }) => at === each.at && cycle === each.cycle);
    if (found === undefined || each.state !== "reported") return each;
    return { ...each, state: found.isTouched ? "touched" : "untouched", commit: found.commit };
  });
  return { ...review, mustFix };
}

function requestChanges(
  { body, said }: Extract<ReviewCommand, { readonly command: "request-changes" }>,
  state: Reviews,
): Outcome {
  const known = reviewOf(state, body.planId);
  const asked = { ...said, cycleSaid: body.cycle, mustFix: body.mustFix, changes: body.changes.length };
  const before = unanswered(known)?.changes ?? null;
  if (sameBut(before, asked)) return unchanged(before);
  const round = roundFor(known, body.cycle);
  const mustFix = body.mustFix.map((at) =>
    mustFixOf(at, body.changes, {
      reviewed: known.commit === "" ? null : known.commit,
      cycle: round.cycle,
      seq: said.seq,
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

function judgeCode(
  { body, said }: Extract<ReviewCommand, { readonly command: "judge-code" }>,
  state: Reviews,
): Outcome {
  const known = reviewOf(state, body.planId);
  const { result, critical, findingsCount: findings } = body;
  const judged = { ...said, cycleSaid: body.cycle, result, findings, critical };
  const before = unanswered(known)?.result ?? null;
  if (sameBut(before, judged)) return unchanged(before);
  const round = roundFor(known, body.cycle);
  const isApproved = result === "approve";
  const review: Review = {
    ...round,
    standing: isApproved ? "approved" : "changes-requested",
    result: judged,
    approvedAt: isApproved ? said.seq : null,
  };
  return reviewed(known, review, body.cycle);
}

function reviewed({ key, plan }: PlanReview, review: Review, cycleSaid: number): Outcome {
  const isAtLimit = review.standing !== "approved" && isPastLimit(review);
  const notes: Note[] = [];
  if (review.cycle !== cycleSaid) {
    const message = `This is round ${review.cycle} of the review of plan ${plan}, counted by what was said before; the message says ${cycleSaid}.`;
    notes.push({ code: "cycle-differs", path: "$.body.cycle", message });
  }
  if (isAtLimit) {
    const message = `Plan ${plan} is not approved after ${reviewCyclesMax} rounds of review; the lead decides how it goes on.`;
    notes.push({ code: "review-limit", path: "$.body.cycle", message });
  }
  return ok({ events: [{ event: "code-reviewed", key, plan, review, isAtLimit }], notes });
}

/** A last round that ends without approval, or one beyond it. What is minor only needs no further round. */
function isPastLimit(review: Review): boolean {
  if (isMinorOnly(review)) return false;
  return review.cycle > reviewCyclesMax || (review.cycle === reviewCyclesMax && review.result !== null);
}

/**
 * The round that a word belongs to: the one under way, or the next where the reviewer says so, where a fix came since, or
 * where the code was approved before. Several words about the same code are one round, whoever they go to.
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

function mustFixOf(
  at: string,
  changes: readonly Json[],
  { reviewed: commit, cycle, seq }: Pick<MustFix, "reviewed" | "cycle" | "seq">,
): MustFix {
  const cut = at.lastIndexOf(":");
  const [file, line] = cut === -1 ? [at, 0] : [at.slice(0, cut), Number(at.slice(cut + 1))];
  const change = changes.find((each) => isJsonObject(each) && each.f === file && each.ln === line);
  const issue = isJsonObject(change) && typeof change.issue === "string" ? change.issue : null;
  return {
    at,
    file,
    line: Number.isSafeInteger(line) ? line : 0,
    issue,
    reviewed: commit,
    cycle,
    seq,
    state: "open",
    commit: null,
  };
}

function greenNotes({ allRed, totalTests }: RedTests): readonly Note[] {
  if (allRed) return [];
  const message = `Not all of the ${totalTests} tests fail, and the code they are for is not there yet: what passes tests nothing.`;
  return [{ code: "tests-pass", path: "$.body.allRed", message }];
}

function sameBut<Told extends Said>(before: Told | null, told: Told): before is Told {
  return (
    before !== null && JSON.stringify({ ...before, by: "", seq: 0 }) === JSON.stringify({ ...told, by: "", seq: 0 })
  );
}

function unchanged({ by, seq }: Said): Outcome {
  return nothing("already-so", `${by} said so before, at ${seq}; nothing changed.`);
}
