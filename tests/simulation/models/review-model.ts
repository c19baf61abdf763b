/**
 * Code reviews by the entries alone: rounds in their order, at most two before the lead decides, approval by the reviewer or
 * by a fix that counts, and a dispute that opens the round again. Written from docs/protocol/verdicts.md, section 10.
 */
import { isJsonList, isJsonObject, type Json } from "../../../src/base/json.ts";
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";
import type { KnownTask } from "./work-model.ts";

const roundsMax = 2;

/** A place that must be fixed. */
interface KnownPlace {
  readonly at: string;
  readonly round: number;
}

/** The state of a plan's review by the entries. */
export interface KnownReview {
  round: number;
  status: "changes-requested" | "fix-reported" | "approved";
  /** Whether the reviewer's own word approved it. */
  isReviewers: boolean;
  /** Files of the changes that were asked for in this round, and when; null: none were. */
  changes: { readonly files: readonly string[]; readonly seq: number } | null;
  result: { readonly isApproval: boolean; readonly critical: number } | null;
  /** The report that answered last; null: none did in this round. */
  fixedAt: number | null;
  /** Reports that count, by task. */
  readonly answers: Map<string, { readonly report: number; readonly files: readonly string[] }>;
  places: KnownPlace[];
}

export interface ReviewModel {
  /** By the plan's key. */
  readonly plans: ReadonlyMap<string, KnownReview>;
  /** Who reported on a plan. */
  workersOf(plan: string): ReadonlySet<string>;
  /** Follows events about reviews and about the reports that answer them; before the tasks do. */
  take(event: CoordinationEvent, seen: Seen): void;
}

/** What reviews ask of others. */
export interface AroundReviews {
  taskOf(key: string): KnownTask | undefined;
  /** Whether an escalation waits for a decision. */
  isOpen(escalation: string): boolean;
  registrarsOf(agent: string): readonly string[];
}

/** What is kept of reviews. */
interface Book {
  readonly wrong: Wrong;
  readonly around: AroundReviews;
  readonly plans: Map<string, KnownReview>;
  /** By plan, who reported on it, and the escalation of the rounds that were used up. */
  readonly workers: Map<string, Set<string>>;
  readonly escalations: Map<string, string>;
}

/** No reviews. */
export function newReviewModel(wrong: Wrong, around: AroundReviews): ReviewModel {
  const book: Book = { wrong, around, plans: new Map(), workers: new Map(), escalations: new Map() };
  return {
    plans: book.plans,
    workersOf: (plan) => book.workers.get(plan) ?? new Set(),
    take(event, seen) {
      if (event.event === "code-reviewed") reviewed(book, event, seen);
      if (event.event === "task-reported") reported(book, event);
      if (event.event === "task-verified" || event.event === "task-disputed" || event.event === "task-stale")
        judged(book, event);
      if (event.event === "verdict-opened") unconfirmed(book, event);
      if (event.event === "limit-reached" && event.limit.kind === "review-cycles")
        book.escalations.set(event.limit.about, event.limit.escalation);
    },
  };
}

function isUndecided({ escalations, around }: Book, plan: string): boolean {
  const escalation = escalations.get(plan);
  return escalation !== undefined && around.isOpen(escalation);
}

function reviewed(book: Book, { key, review, isAtLimit }: EventOf<"code-reviewed">, seen: Seen) {
  const { wrong, plans } = book;
  const { agent, role } = seen.entry.principal;
  if (role !== "senior") wrong(`${agent} (${role}) reviews plan ${key}`);
  if (isOwnWork(book, key, agent)) wrong(`${agent} reviews plan ${key}, on which it worked`);
  const known = plans.get(key) ?? null;
  const said = seen.said("cycle");
  const isApproval = seen.said("result") === "approve";
  const isAnswered = known === null || known.fixedAt !== null || known.status === "approved";
  const isNext = known !== null && (isAnswered || (typeof said === "number" && said > known.round));
  const now = known === null || isNext ? nextRound(known) : known;
  plans.set(key, now);
  if (seen.said("result") === undefined) takeChanges(now, seen);
  else now.result = { isApproval, critical: Number(seen.said("critical")) };
  now.status = isApproval ? "approved" : "changes-requested";
  now.isReviewers = now.status === "approved";
  if (review.cycle !== now.round) wrong(`plan ${key} is in round ${review.cycle} of its review, expected ${now.round}`);
  if (review.status !== now.status) wrong(`the review of plan ${key} is ${review.status}, expected ${now.status}`);
  const isLast = now.round > roundsMax || (now.round === roundsMax && now.result?.isApproval === false);
  const isOver = now.status !== "approved" && isLast && !isMinor(now);
  if (isAtLimit !== isOver) wrong(`round ${now.round} of plan ${key} is the last: ${isAtLimit}, expected ${isOver}`);
  const reached = seen.content.events?.some((each) => each.event === "limit-reached" && each.limit.about === key);
  if (isOver && reached !== true && !isUndecided(book, key))
    wrong(`the rounds of plan ${key} are used up, and nobody is asked`);
}

function nextRound(before: KnownReview | null): KnownReview {
  const begun = {
    status: "changes-requested",
    isReviewers: false,
    changes: null,
    result: null,
    fixedAt: null,
  } as const;
  return { round: (before?.round ?? 0) + 1, ...begun, answers: new Map(), places: before?.places ?? [] };
}

function takeChanges(review: KnownReview, { entry, said }: Seen) {
  const places = listOf(said("must_fix")).flatMap((at) => (typeof at === "string" ? [at] : []));
  const named = listOf(said("changes")).flatMap((each) =>
    isJsonObject(each) && typeof each.f === "string" ? [each.f] : [],
  );
  const files = [...new Set([...named, ...places.map(fileOf)])];
  review.changes = { files, seq: entry.seq };
  const { round } = review;
  const others = review.places.filter((place) => place.round !== round || !places.includes(place.at));
  review.places = [...others, ...places.map((at) => ({ at, round }))];
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}

function fileOf(place: string): string {
  return place.replace(/:\d+$/, "");
}

/** Whether only small things were asked for in this round. */
function isMinor({ round, changes, result, places }: KnownReview): boolean {
  return (
    changes !== null && places.every((place) => place.round !== round) && (result === null || result.critical === 0)
  );
}

function isOwnWork({ workers, around }: Book, plan: string, agent: string): boolean {
  const all = workers.get(plan) ?? new Set<string>();
  return [agent, ...around.registrarsOf(agent)].some((each) => all.has(each));
}

function reported(book: Book, event: EventOf<"task-reported">) {
  const { key, plan, reporter, status, files, seq, awaitsVerdict, withdraws } = event;
  if (plan === null) return;
  book.workers.set(plan, new Set([...(book.workers.get(plan) ?? []), reporter]));
  const review = book.plans.get(plan);
  if (withdraws !== undefined && review !== undefined && review.changes !== null) uncount(review, key, withdraws);
  if (status !== "complete" || review === undefined || review.status === "approved") return;
  Object.assign(review, { fixedAt: seq, status: "fix-reported" });
  if (review.changes !== null && awaitsVerdict !== true) answer(review, key, { report: seq, files: files ?? [] });
}

function judged(
  book: Book,
  { event, key, report, files }: EventOf<"task-verified" | "task-disputed" | "task-gone" | "task-stale">,
) {
  const { plan = null } = book.around.taskOf(key) ?? {};
  const review = plan === null ? undefined : book.plans.get(plan);
  if (review === undefined || review.changes === null) return;
  if (event === "task-verified") {
    if (report > review.changes.seq && review.fixedAt !== null) answer(review, key, { report, files: files ?? [] });
    return;
  }
  uncount(review, key, report);
}

/** What cannot be seen confirms nothing any more. */
function unconfirmed(book: Book, { key, report }: EventOf<"verdict-opened">) {
  const { plan = null } = book.around.taskOf(key) ?? {};
  const review = plan === null ? undefined : book.plans.get(plan);
  if (review !== undefined && review.changes !== null) uncount(review, key, report);
}

/** A report that is found wrong or taken back counts no longer, and what it alone answered is open again. */
function uncount(review: KnownReview, task: string, report: number) {
  const wasCounted = review.answers.get(task)?.report === report && review.answers.delete(task);
  const isFixOnly = review.status === "approved" && !review.isReviewers && wasCounted && !isFixed(review);
  const isLastAnswer = review.status === "fix-reported" && review.fixedAt === report;
  if (isFixOnly || isLastAnswer) Object.assign(review, { status: "changes-requested", fixedAt: null });
}

/** A report that counts; it approves where only small things were asked for and all of them are changed. */
function answer(
  review: KnownReview,
  task: string,
  told: { readonly report: number; readonly files: readonly string[] },
) {
  review.answers.set(task, told);
  if (review.status === "fix-reported" && isMinor(review) && isFixed(review)) review.status = "approved";
}

function isFixed({ changes, answers }: KnownReview): boolean {
  const changed = [...answers.values()].flatMap(({ files }) => files);
  return changed.length > 0 && changes !== null && changes.files.every((file) => changed.includes(file));
}
