/** What reviewers do: ask for changes in a plan's code, and tell the lead how it is. */

import { reportedFiles } from "../world/vocabulary.ts";
import type { Asked } from "./act.ts";
import { type Acting, type Choice, say } from "./agent.ts";

/** Choices of those who review code. */
export const reviewChoices: readonly Choice[] = [
  [16, askForChanges],
  [9, judgeCode],
];

/** A plan on which somebody has worked mostly; null: there is none. */
function somePlan({ chance, models }: Acting): string | null {
  const known = [...models.work.tasks.values()];
  const done = known.flatMap(({ plan, doneBy }) => (doneBy === null ? [] : (plan ?? [])));
  const plans = done.length > 0 && chance.happens(0.8) ? done : known.flatMap(({ plan }) => plan ?? []);
  return plans.length === 0 ? null : chance.pick(plans);
}

/** The round that the reviewer writes: mostly the one under way, and now and then another. */
function roundOf({ chance, models }: Acting, plan: string): number {
  const round = models.reviews.plans.get(plan)?.round ?? 1;
  return chance.happens(0.7) ? round : chance.pick([1, 2, 3]);
}

/** Small changes only, or places that must be fixed too. */
function askForChanges(acting: Acting): Asked | null {
  const { chance } = acting;
  const plan = somePlan(acting);
  if (plan === null) return null;
  const files = reportedFiles.slice(0, chance.between(1, 2));
  const mustFix = chance.happens(0.3) ? [`${chance.pick(files)}:1`] : [];
  return say(acting, "review", { plan, round: roundOf(acting, plan), files, mustFix });
}

function judgeCode(acting: Acting): Asked | null {
  const { chance } = acting;
  const plan = somePlan(acting);
  if (plan === null) return null;
  const isApproval = chance.happens(0.4);
  const critical = isApproval ? 0 : chance.below(2);
  return say(acting, "judgement", { plan, round: roundOf(acting, plan), isApproval, critical });
}
