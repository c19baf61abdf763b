/**
 * What the verifiers said of each part of a phase: verdicts by tier, the code's own verdict, security audits, and the hard
 * stops that a failed audit sets. The rules are `quality.ts`.
 * Records are replaced, never changed; the maps around them are changed in place.
 */
import { type Part, partKey, type Said } from "../phase-state.ts";

/** Depths of verification, the shallowest first. */
export const tiers = ["quick", "standard", "deep"] as const;
export type Tier = (typeof tiers)[number];

/** A verdict on a part's work. */
export interface Verdict extends Said {
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

/** What is known of a part; what nothing was said of is empty. */
export function qualityOf(state: Quality, part: Pick<Part, "phase" | "department">): PartQuality {
  return state.parts.get(partKey(part)) ?? { verdicts: {}, code: null, audit: null, failed: { work: 0, code: 0 } };
}

/**
 * The last verdict that counts: the one that failed and was not followed by a pass of its tier or a deeper one, else
 * the last.
 */
export function validVerdict({ verdicts }: PartQuality): Verdict | null {
  const said = tiers.flatMap((tier) => verdicts[tier] ?? []).toSorted((a, b) => b.seq - a.seq);
  const isCured = (failed: Verdict) =>
    said.some(({ result, seq, tier }) => result === "PASS" && seq > failed.seq && isAtLeast(tier, failed.tier));
  return said.find((each) => each.result !== "PASS" && !isCured(each)) ?? said[0] ?? null;
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
