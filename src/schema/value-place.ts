/** Places in a value as validators name them, by JSON Pointers (RFC 6901), and the like place in an example. */
import { type PathStep, valueAt } from "../base/json-path.ts";

/** The steps of a JSON Pointer into `value`, which alone tells the number of an entry from a key of digits. */
export function stepsOf(pointer: string, value: unknown): readonly PathStep[] {
  const steps: PathStep[] = [];
  let here = value;
  for (const written of pointer.split("/").slice(1)) {
    const step = Array.isArray(here) ? Number(written) : unescaped(written);
    steps.push(step);
    here = valueAt(here, [step]);
  }
  return steps;
}

/**
 * The value that `steps` lead to in an example, whose lists may be shorter: their first entry stands for every further
 * one.
 */
export function sampleAt(example: unknown, steps: readonly PathStep[]): unknown {
  let here: unknown = example;
  for (const step of steps) here = Array.isArray(here) ? (valueAt(here, [step]) ?? here[0]) : valueAt(here, [step]);
  return here;
}

/** A step as a JSON Pointer writes it. */
export function escapedStep(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
