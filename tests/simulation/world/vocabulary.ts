/**
 * What the simulated work is about: plans, tasks and paths, in the spellings that agents use. Few, so that agents meet.
 */
import type { Chance } from "./chance.ts";

/** A plan and how many tasks it has. */
export interface PlanOutline {
  readonly phase: number;
  readonly number: number;
  readonly tasks: number;
}

/** Plans of a simulated team, in the order in which their work comes up. */
export const planOutlines: readonly PlanOutline[] = [1, 2, 3, 4, 5, 6].map((number) => ({
  phase: 1,
  number,
  tasks: 3,
}));

/** Files, folders and globs that contracts, tasks and claims name. Each meets several others. */
export const pathPatterns = [
  "src/a/",
  "src/a/one.ts",
  "src/a/*.ts",
  "src/b/",
  "src/b/two.ts",
  "src/b/deep/",
  "src/b/deep/x.ts",
  "src/*/one.ts",
  "src/**/two.ts",
  "src/c.ts",
  "src/?.ts",
  "tests/a.test.ts",
  "docs/",
] as const;

/** Files that reports name: no wildcards. */
export const reportedFiles = [
  "src/a/one.ts",
  "src/a/two.ts",
  "src/b/two.ts",
  "src/b/deep/x.ts",
  "src/c.ts",
  "docs/guide.md",
] as const;

/** A plan's id in one of its spellings. */
export function planSpelling(chance: Chance, { phase, number }: PlanOutline): string {
  const padded = (value: number) => String(value).padStart(2, "0");
  return chance.pick([`${phase}-${number}`, `${padded(phase)}-${padded(number)}`, `phase-${phase}-plan-${number}`]);
}

/** A task's id in one of the spellings that name its plan. */
export function taskSpelling(chance: Chance, { phase, number }: PlanOutline, task: number): string {
  const padded = (value: number) => String(value).padStart(2, "0");
  return chance.pick([
    `${phase}-${number}-T${task}`,
    `${padded(phase)}-${padded(number)}/T${task}`,
    `${padded(phase)}-${padded(number)}/task-${task}`,
  ]);
}

/** Between 1 and `most` patterns, each once. */
export function somePatterns(chance: Chance, most: number): readonly string[] {
  const picked = Array.from({ length: chance.between(1, most) }, () => chance.pick<string>(pathPatterns));
  return [...new Set(picked)];
}

/** The numbers in a plan's or task's id, and what else it says: the form in which a reader compares ids. */
export function numbersOf(id: string): string {
  return (id.match(/\d+/g) ?? [id]).map((each) => String(Number.isNaN(Number(each)) ? each : Number(each))).join("-");
}
