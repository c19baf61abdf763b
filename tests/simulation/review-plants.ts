/** Errors planted into code reviews, and into the verdicts that their fixes wait for. */
import { reviews } from "../../src/phases/decide/reviews.ts";
import type { Review } from "../../src/phases/state/review-state.ts";
import { workFolds } from "../../src/tasks/state/task-events.ts";
import { decides, evolves, type Plant, type Planted, replaces } from "./planting.ts";

/** Reviews are kept otherwise than the entries say. */
function keeping(change: (review: Review) => Review): () => Planted {
  return evolves(reviews, (evolve) => (state, event) => {
    const after = evolve(state, event);
    for (const [key, plan] of after.plans)
      if (plan.review !== null) after.plans.set(key, { ...plan, review: change(plan.review) });
    return after;
  });
}

export const reviewPlants: readonly Plant[] = [
  {
    problem: "the rounds of a review never end",
    plant: decides(reviews, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.map((event) =>
        event.event === "code-reviewed" ? { ...event, isAtLimit: false } : event,
      );
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    problem: "every word of a review belongs to its first round",
    plant: keeping((review) => ({ ...review, cycle: 1 })),
  },
  {
    problem: "a reported fix approves a review before the repository confirms it",
    plant: evolves(reviews, (evolve) => (state, event) => {
      const after = evolve(state, event);
      for (const [key, plan] of after.plans) {
        const changes = plan.review?.changes ?? null;
        if (plan.review === null || changes === null) continue;
        const { files: _, ...former } = changes;
        after.plans.set(key, { ...plan, review: { ...plan.review, changes: former } });
      }
      return after;
    }),
  },
  {
    problem: "a dispute leaves a reported task as it is",
    plant: replaces(workFolds, "task-disputed", () => () => undefined),
  },
  {
    problem: "a report counts before the repository confirms it",
    plant: replaces(workFolds, "task-reported", (fold) => (work, event) => {
      const { awaitsVerdict: _, ...told } = event;
      fold(work, told);
    }),
  },
];
