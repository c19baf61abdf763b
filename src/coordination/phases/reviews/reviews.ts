/**
 * Reviews of a plan: its specification, its tests before the code, and rounds of code review. A round begins with the
 * first word about code that was not judged yet; there are at most two, whatever number the reviewer writes, and after
 * that the lead decides. Where only small things were asked for, the developer's fix approves. One decider in parts:
 * `review-rounds.ts` has the rounds, `review-fixes.ts` what answers them; its state is `review-state.ts`.
 * Source: docs/protocol/reviews.md.
 */
import { unreachable } from "../../../base/invariant.ts";
import { ok } from "../../../base/result.ts";
import type { Note } from "../../../message/message.ts";
import type { Decider } from "../../decider.ts";
import { saidBefore, saysTheSame } from "../said-again.ts";
import type { ReviewEvent } from "./review-events.ts";
import { type JudgeFixes, judgeFixes, withFindings } from "./review-fixes.ts";
import { type JudgeCode, judgeCode, type RequestChanges, requestChanges } from "./review-rounds.ts";
import { type PlanReview, type RedTests, type Reviews, reviewOf, type Specification } from "./review-state.ts";

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
