/**
 * What is known of each plan before and after its code: its specification, its tests that must fail, the rounds of its code
 * review and what each asked to be changed. The rules are `reviews.ts`.
 * Records are replaced, never changed; the map around them is changed in place.
 */
import { planKey } from "../../messages/task-ids.ts";
import { type Part, partKey, type Said } from "./phase-state.ts";

/** A plan's tasks have what a developer needs. */
export interface Specification extends Said {
  readonly tasksEnriched: number;
  readonly concerns: readonly string[];
}

/** The tests that were written before a plan's code. */
export interface RedTests extends Said {
  readonly tasksTested: number;
  readonly tasksSkipped: number;
  readonly totalTests: number;
  /** Whether all of them fail, as they must. */
  readonly allRed: boolean;
  readonly artifact: string | null;
}

/** A place in the code that holds up approval, followed to the report that answers it. */
export interface MustFix {
  /** As written, `file:line`. */
  readonly at: string;
  readonly file: string;
  readonly line: number;
  readonly issue: string | null;
  /** The last commit of the plan when it was asked for: lines are counted there. Null: none was reported. */
  readonly reviewed: string | null;
  readonly cycle: number;
  /** Seq of the review that asked for it. */
  readonly seq: number;
  /**
   * `open`: nothing was reported since. `reported`: a later report names the file, or does not say which files it
   * changed. `touched`: the repository shows that the commit changes that line. `untouched`: it shows that none does.
   */
  readonly state: "open" | "reported" | "touched" | "untouched";
  /** The commit that was reported, or that touches the line. */
  readonly commit: string | null;
  /** Who asked for it, and who reported it as fixed last, in which entry. Absent: nobody did, or it was not kept yet. */
  readonly askedBy?: string;
  readonly claimedBy?: string;
  readonly claimedAt?: number;
  /** Seq of the entry that found it untouched. Absent: none did, or it was found touched since. */
  readonly untouchedAt?: number;
}

/** The state of a plan's review. */
export type ReviewStatus = "changes-requested" | "fix-reported" | "approved";

/** What a developer was notified to change. `cycleSaid`: the round that the message names, which is not what counts. */
export interface RequestedChanges extends Said {
  readonly cycleSaid: number;
  readonly mustFix: readonly string[];
  readonly changes: number;
  /** Files that the changes name, in canonical form, each once; absent: recorded before they were kept. */
  readonly files?: readonly string[];
}

/** A report that answers what a review asked for, with the files that were changed. */
export interface FixAnswer {
  /** Key of the task. */
  readonly task: string;
  /** Seq of the report. */
  readonly report: number;
  readonly files: readonly string[];
}

/** What the lead was notified of a review. */
export interface ReviewResult extends Said {
  readonly cycleSaid: number;
  readonly result: "approve" | "changes_requested";
  readonly findings: number;
  readonly critical: number;
}

/** The rounds of review that a plan has had. */
export interface Review {
  /** The round that is under way; the first is 1. */
  readonly cycle: number;
  readonly status: ReviewStatus;
  /** What was said in this round: changes to a developer, a result to the lead. Null: not yet. */
  readonly changes: RequestedChanges | null;
  readonly result: ReviewResult | null;
  /** Seq of the developer's report that answered; null: none did. */
  readonly fixedAt: number | null;
  /** The entry by which it was approved: a result, or the fix of what was minor only. Null: it is not. */
  readonly approvedAt: number | null;
  /** Reports that count as answers in this round: verified ones, or any where there is no repository. Absent: none. */
  readonly answers?: readonly FixAnswer[];
  /** Every place that ever held up approval. */
  readonly mustFix: readonly MustFix[];
}

/** What is known of one plan. */
export interface PlanReview {
  readonly key: string;
  readonly plan: string;
  readonly specification: Specification | null;
  readonly tests: RedTests | null;
  readonly review: Review | null;
  /** The last commit that was reported as complete; empty: none was named. */
  readonly commit: string;
}

/** By plan key. */
export interface Reviews {
  readonly plans: Map<string, PlanReview>;
}

/** What is known of a plan, however its id is spelled; what nothing was said of is empty. */
export function reviewOf(state: Reviews, plan: string): PlanReview {
  const key = planKey(plan);
  const known = state.plans.get(key) ?? { key, plan, specification: null, tests: null, review: null, commit: "" };
  // Reports name a plan by its key alone; its author first gives it its name.
  return known.plan === key ? { ...known, plan } : known;
}

/**
 * Whether only small things were asked for, so that a confirmed fix approves. Rule: docs/protocol/verdicts.md,
 * section 10.
 */
export function isMinorOnly({ cycle, changes, result, mustFix }: Review): boolean {
  const mustBeFixed = mustFix.some((each) => each.cycle === cycle);
  return changes !== null && !mustBeFixed && (result === null || result.critical === 0);
}

/* What can happen to the reviews of a plan, as facts of the journal. */

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

/*
 * What the verifiers said of each part of a phase: verdicts by tier, the code's own verdict, security audits, and the hard
 * stops that a failed audit sets. The rules are `quality.ts`.
 * Records are replaced, never changed; the maps around them are changed in place.
 */

/** Depths of verification, the shallowest first. */
export const tiers = ["quick", "standard", "deep"] as const;
export type Tier = (typeof tiers)[number];

/** A verdict on a part's work. */
export interface Verdict extends Said {
  /** Key of the task that it is about; absent: the whole part. */
  readonly task?: string;
  readonly tier: Tier;
  readonly result: "PASS" | "FAIL" | "PARTIAL";
  readonly passed: number;
  readonly failed: number;
  readonly total: number;
  /** The checks that failed, as they are called. */
  readonly failures: readonly string[];
}

/** A verdict on the code itself. */
export interface CodeVerdict extends Said {
  readonly result: "PASS" | "FAIL" | "PARTIAL";
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly lintErrors: number;
  readonly critical: number;
}

/** A security audit. */
export interface Audit extends Said {
  readonly result: "PASS" | "FAIL" | "WARN";
  readonly findings: number;
  readonly critical: number;
  readonly categories: readonly string[];
}

/** A hard stop that a failed audit set. It is active until the person who owns the team lifts it. */
export interface SecurityStop extends Said {
  /** The seq of the audit. */
  readonly stop: string;
  /** Null: it was not known which phase it was about, so it holds them all. */
  readonly part: Part | null;
  readonly findings: number;
  readonly critical: number;
  /** Who lifted it, and why; null: it is active. */
  readonly lifted: (Said & { readonly reason: string }) | null;
}

/** What is known of one part. */
export interface PartQuality {
  /** The last verdict of each tier. */
  readonly verdicts: { readonly [tier in Tier]?: Verdict };
  /** Failed verdicts, until their task or the whole part passes. */
  readonly failing: readonly Verdict[];
  readonly code: CodeVerdict | null;
  readonly audit: Audit | null;
  /** Failed verdicts since the last that passed, of the work and of its code. */
  readonly failed: { readonly work: number; readonly code: number };
}

export interface Quality {
  /** By `partKey`. */
  readonly parts: Map<string, PartQuality>;
  /** By the audit's seq, in the order they came. */
  readonly stops: Map<string, SecurityStop>;
}

const nothingJudged: PartQuality = { verdicts: {}, failing: [], code: null, audit: null, failed: { work: 0, code: 0 } };

/** What is known of a part; what nothing was said of is empty. */
export function qualityOf(state: Quality, part: Pick<Part, "phase" | "department">): PartQuality {
  return state.parts.get(partKey(part)) ?? nothingJudged;
}

/** The last verdict that counts: the last that failed and was not cured, else the last. */
export function validVerdict({ verdicts, failing }: Pick<PartQuality, "verdicts" | "failing">): Verdict | null {
  const said = tiers.flatMap((tier) => verdicts[tier] ?? []).toSorted((a, b) => b.seq - a.seq);
  return failing.at(-1) ?? said[0] ?? null;
}

/** The failed verdicts that no later one cured, after one more. */
export function failingAfter(failing: readonly Verdict[], verdict: Verdict): readonly Verdict[] {
  const left = failing.filter((each) => !cures(verdict, each) && !isAgain(verdict, each));
  return verdict.result === "PASS" ? left : [...left, verdict];
}

function isAgain({ task, tier }: Verdict, before: Verdict): boolean {
  return task === before.task && tier === before.tier;
}

/** A pass of its tier or a deeper one, about the same task or the whole part. */
function cures({ result, seq, tier, task }: Verdict, failed: Verdict): boolean {
  const isAbout = task === undefined || task === failed.task;
  return result === "PASS" && seq > failed.seq && isAtLeast(tier, failed.tier) && isAbout;
}

function isAtLeast(tier: Tier, other: Tier): boolean {
  return tiers.indexOf(tier) >= tiers.indexOf(other);
}

/** Active stops that hold a part: those of the part, of the whole phase, and those of no known phase. */
export function stopsOf(
  state: Quality,
  { phase, department }: Pick<Part, "phase" | "department">,
): readonly SecurityStop[] {
  return [...state.stops.values()].filter(({ lifted, part }) => {
    if (lifted !== null) return false;
    if (part === null) return true;
    return part.phase === phase && (part.department === null || department === null || part.department === department);
  });
}
