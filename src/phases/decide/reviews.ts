/**
 * Reviews of a plan: its specification, its tests before the code, and rounds of code review. A round begins with the
 * first word about code that was not judged yet; there are at most two, whatever number the reviewer writes, and after
 * that the lead decides. Where only small things were asked for, the developer's fix approves. Source:
 * docs/protocol/verdicts.md, section 10.
 */
import { unreachable } from "../../base/invariant.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { canonicalFile, fileLine, placeOf } from "../../base/paths/paths.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shortList } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Note } from "../../messages/message.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import type { Said } from "../state/phase-state.ts";
import {
  type FixAnswer,
  type FixFinding,
  isMinorOnly,
  type MustFix,
  type PlanReview,
  type RedTests,
  type Review,
  type ReviewEvent,
  type Reviews,
  reviewOf,
  type Specification,
} from "../state/review-state.ts";
import { saidBefore, saysTheSame } from "./phase-facts.ts";

/** Orders about reviews. */
export type ReviewCommand =
  | { readonly command: "record-specification"; readonly plan: string; readonly specification: Specification }
  | { readonly command: "record-tests"; readonly plan: string; readonly tests: RedTests }
  | RequestChanges
  | JudgeCode
  | JudgeFixes;

/** Refuses nothing: what is out of step is noted and does not advance. */
export const reviews: Decider<Reviews, ReviewCommand, ReviewEvent> = {
  name: "reviews",
  initial: () => ({ plans: new Map() }),
  decide(command, state) {
    switch (command.command) {
      case "record-specification": {
        const { plan, specification } = command;
        const known = reviewOf(state, plan);
        if (saysTheSame(known.specification, specification)) return saidBefore(known.specification);
        return ok({
          events: [{ event: "plan-specified", key: known.key, plan: known.plan, specification }],
          notes: [],
        });
      }
      case "record-tests": {
        const { plan, tests } = command;
        const known = reviewOf(state, plan);
        if (saysTheSame(known.tests, tests)) return saidBefore(known.tests);
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
      return { ...known, review: known.review === null ? null : withFindings(known.review, event.fixes, event.seq) };
    default:
      return unreachable(event);
  }
}

function greenNotes({ allRed, totalTests }: RedTests): readonly Note[] {
  if (allRed) return [];
  const message = `Not all of the ${totalTests} tests fail, and the code they are for is not there yet: what passes tests nothing.`;
  return [{ code: "tests-pass", path: "$.body.allRed", message }];
}

/*
 * What answers a review: the report of a fix, and what the repository shows of it, kept next to each place that must be
 * fixed. Source: docs/protocol/verdicts.md, section 10.
 */

/** What the repository shows of a fix that was reported. */
interface JudgeFixes {
  readonly command: "judge-fixes";
  readonly plan: string;
  readonly fixes: readonly FixFinding[];
  readonly seq: number;
}

type Outcome = Result<Decided<ReviewEvent>, readonly Problem[]>;

/** A report of complete work, with what the reviews need to know of its task. */
interface FollowedReport {
  readonly key: string;
  readonly plan: string | null;
  readonly commit: string;
  readonly files: readonly string[] | null;
  readonly reporter: string;
  readonly seq: number;
  readonly awaitsVerdict?: true;
  /** The task needs no files, so its report changes nothing that was asked for. */
  readonly withoutFiles?: boolean;
}

/** What the repository says of a report. */
interface FollowedVerdict {
  readonly key: string;
  readonly plan: string | null;
  readonly report: number;
  readonly isVerified: boolean;
  /** Paths that were changed; null: they are not known. */
  readonly files: readonly string[] | null;
  readonly seq: number;
}

/** Keeps that a task of a plan was reported as complete: it answers what a review asked for. In place. */
export function followReport(state: Reviews, report: FollowedReport): void {
  if (report.plan === null) return;
  const known = reviewOf(state, report.plan);
  const { review } = known;
  state.plans.set(known.key, {
    ...known,
    commit: report.commit === "" ? known.commit : report.commit,
    review: review === null || review.status === "approved" ? review : fixed(review, report),
  });
}

function fixed(review: Review, report: FollowedReport): Review {
  const { commit, files, reporter, seq } = report;
  const named = files === null ? null : new Set(files.map(canonicalFile));
  const mustFix = review.mustFix.map((each): MustFix => {
    const isUnanswered = each.state === "open" || each.state === "untouched";
    const isAnswered = isUnanswered && (named === null || named.has(each.file));
    if (!isAnswered) return each;
    return { ...each, state: "reported", commit: commit === "" ? null : commit, claimedBy: reporter, claimedAt: seq };
  });
  const answered: Review = { ...review, mustFix, fixedAt: seq, status: "fix-reported", approvedAt: null };
  // Reviews of earlier versions did not keep the files: a fix approved them when it was reported, and replays so.
  if (review.changes?.files === undefined)
    return isMinorOnly(review) ? { ...answered, status: "approved", approvedAt: seq } : answered;
  const isAll = report.awaitsVerdict !== true && report.withoutFiles !== true;
  return isAll ? withAnswer(answered, { task: report.key, report: seq, files: files ?? [] }, seq) : answered;
}

/**
 * Keeps what the repository says of a report, in place. A verified one approves a review that asked for small things only,
 * once all files that it named were changed; a report that is found to be wrong opens what it approved.
 */
export function followVerdict(state: Reviews, verdict: FollowedVerdict): void {
  if (verdict.plan === null) return;
  const known = reviewOf(state, verdict.plan);
  const { review } = known;
  if (review === null || review.changes?.files === undefined) return;
  const { key: task, report, isVerified, files, seq } = verdict;
  const isAnswer = report > review.changes.seq && review.fixedAt !== null;
  const judged = !isVerified
    ? withoutAnswer(review, verdict)
    : isAnswer
      ? withAnswer(review, { task, report, files: files ?? [] }, seq)
      : review;
  if (judged !== review) state.plans.set(known.key, { ...known, review: judged });
}

function withAnswer(review: Review, answer: FixAnswer, seq: number): Review {
  const answers = [...(review.answers ?? []).filter(({ task }) => task !== answer.task), answer];
  const next = { ...review, answers };
  const isFixed = review.status === "fix-reported" && isMinorOnly(review) && isCovered(next);
  return isFixed ? { ...next, status: "approved", approvedAt: seq } : next;
}

/** A report that approved by itself and is found wrong opens the round again; an approval by the reviewer stays. */
function withoutAnswer(review: Review, { key, report }: FollowedVerdict): Review {
  const known = review.answers ?? [];
  const answers = known.filter((each) => each.task !== key || each.report !== report);
  const next = { ...review, answers };
  const isOpen = { ...next, status: "changes-requested" as const, fixedAt: null, approvedAt: null };
  if (review.status === "fix-reported" && review.fixedAt === report) return isOpen;
  const isOwnApproval = review.status === "approved" && review.approvedAt !== review.result?.seq;
  if (answers.length === known.length) return review;
  return isOwnApproval && !isCovered(next) ? isOpen : next;
}

/** Whether the answers change every file that was asked for; where none was named, whether one of them changes any. */
function isCovered({ changes, answers = [] }: Review): boolean {
  const changed = new Set(answers.flatMap(({ files }) => files.map(canonicalFile)));
  return changed.size > 0 && (changes?.files ?? []).every((file) => changed.has(file));
}

/** Keeps it next to each place that is still reported as fixed by that commit; where there is none, notes that. */
function judgeFixes({ plan, fixes, seq }: JudgeFixes, state: Reviews): Outcome {
  const { key, plan: name, review } = reviewOf(state, plan);
  const open = review?.mustFix.filter((each) => each.state === "reported") ?? [];
  const meant = fixes.filter(({ at, cycle, commit }) =>
    open.some((each) => each.at === at && each.cycle === cycle && commit.startsWith(each.commit?.toLowerCase() ?? "-")),
  );
  if (meant.length === 0) return nothing("already-so", "None of these places waits to be looked at.");
  return ok({ events: [{ event: "fixes-judged", key, plan: name, fixes: meant, seq }], notes: [] });
}

/** The review with what was found, by the entry `seq`, of its places that are still reported as fixed. */
function withFindings(review: Review, fixes: readonly FixFinding[], seq: number): Review {
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

/** Rounds of review that a plan may have. */
export const reviewCyclesMax = 2;

/** A developer gets a list of changes. */
interface RequestChanges {
  readonly command: "request-changes";
  readonly body: FactBodies["review-changes"];
  readonly said: Said;
}

/** The lead gets the findings of a review. */
interface JudgeCode {
  readonly command: "judge-code";
  readonly body: FactBodies["review-result"];
  readonly said: Said;
}

/** What must be changed, in the round it belongs to, with the places that must be fixed. */
function requestChanges({ body, said }: RequestChanges, state: Reviews): Outcome {
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
    status: "changes-requested",
    changes: asked,
    approvedAt: null,
    mustFix: [
      // A place that nobody has fixed is asked for once, however often a review names it.
      ...round.mustFix.filter(
        (each) => !body.mustFix.includes(each.at) || (each.cycle !== round.cycle && each.state !== "open"),
      ),
      ...mustFix,
    ],
  };
  return reviewed(known, review, body.cycle);
}

/** What the code was found to be, in the round it belongs to. Notes where the message names another, and the last round. */
function judgeCode({ body, said }: JudgeCode, state: Reviews): Outcome {
  const known = reviewOf(state, body.planId);
  const { result, critical, findingsCount: findings } = body;
  const judged = { ...said, cycleSaid: body.cycle, result, findings, critical };
  const before = unanswered(known)?.result ?? null;
  if (saysTheSame(before, judged)) return saidBefore(before);
  const isApproved = result === "approve";
  const review: Review = {
    ...roundFor(known, body.cycle),
    status: isApproved ? "approved" : "changes-requested",
    result: judged,
    approvedAt: isApproved ? said.seq : null,
  };
  return reviewed(known, review, body.cycle, isApproved ? unfixedNotes(known.plan, review) : []);
}

function reviewed({ key, plan }: PlanReview, review: Review, cycleSaid: number, told: readonly Note[] = []): Outcome {
  const isAtLimit = review.status !== "approved" && isPastLimit(review);
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

/** Approval while no task's report names a place that must be fixed: the developer may have told the reviewer alone. */
function unfixedNotes(plan: string, { mustFix }: Review): readonly Note[] {
  const unfixed = mustFix.filter(({ state }) => state === "open" || state === "untouched");
  if (unfixed.length === 0) return [];
  const places = shortList(unfixed.map(({ at }) => at));
  const message = `Not fixed as far as is known: ${places}. Plan ${plan} is approved all the same.`;
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
    status: "changes-requested",
    changes: null,
    result: null,
    fixedAt: null,
    approvedAt: null,
    mustFix: [],
  };
  if (review === null) return first;
  const isOver = review.fixedAt !== null || review.status === "approved";
  return isOver || said > review.cycle ? { ...first, cycle: review.cycle + 1, mustFix: review.mustFix } : review;
}

/** The round under way, where nothing was reported since. */
function unanswered({ review }: PlanReview): Review | null {
  return review !== null && review.fixedAt === null ? review : null;
}

/** The files that the changes and the places to fix name, each once, in canonical form. */
export function filesOf({ changes, mustFix }: FactBodies["review-changes"]): readonly string[] {
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
