/** Places in a value: the steps that lead to one, what stands there, and how problems write them. */
import { isObject } from "./preview.ts";

/** The steps of a JSON Pointer, which is how validators name a place. */
export function stepsOf(place: string): readonly string[] {
  return place.split("/").slice(1).map(unescaped);
}

/** The value that `steps` lead to, or undefined. */
export function valueAt(value: unknown, steps: readonly string[]): unknown {
  let here: unknown = value;
  for (const step of steps) {
    if (Array.isArray(here)) here = here[Number(step)];
    else if (isObject(here) && Object.hasOwn(here, step)) here = here[step];
    else return undefined;
  }
  return here;
}

/** The same in an example, whose lists may be shorter: their first entry stands for every further one. */
export function sampleAt(example: unknown, steps: readonly string[]): unknown {
  let here: unknown = example;
  for (const step of steps) here = Array.isArray(here) ? (here[Number(step)] ?? here[0]) : valueAt(here, [step]);
  return here;
}

/** `$.payload.failures[0].check`; a key that is no plain word is quoted. */
export function jsonPath(steps: readonly string[]): string {
  return steps.reduce((path, step) => {
    if (/^[0-9]+$/.test(step)) return `${path}[${step}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
  }, "$");
}

/** A step as JSON Pointer (RFC 6901) writes it. */
export function escapedStep(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
