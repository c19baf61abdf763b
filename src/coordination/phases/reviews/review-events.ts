/** What can happen to the reviews of a plan, as facts of the journal. */
import type { MustFix, RedTests, Review, Specification } from "./review-state.ts";

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
