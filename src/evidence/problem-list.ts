/** One problem a path, but not thousands: what one verdict lists is read by agents. */
import { type Problem, problem } from "../base/problem.ts";

/** Most problems of one code in a verdict; the last then says how many more there are. */
export const problemsOfCodeMax = 20;

/** `problems` of one code, cut where there are too many. */
export function cutList(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= problemsOfCodeMax) return problems;
  const shown = problems.slice(0, problemsOfCodeMax - 1);
  const [first] = problems;
  if (first === undefined) return shown;
  const more = problem(first.code, "$", `${problems.length - shown.length} more paths have the same error.`);
  return [...shown, more];
}
