/**
 * The moments in a value: where its form asks for a timestamp, and which of those are wrong. Validators leave them
 * out, because the calendar is beyond them. Source: docs/protocol/messages.md, section 3.
 */
import { isJsonList, isJsonObject, type Json } from "../base/json.ts";
import { jsonPath, type PathStep } from "../base/json-path.ts";
import { type Problem, problem } from "../base/problem.ts";
import { shortened } from "./preview.ts";
import { isDateTime, isTimestamp } from "./timestamp.ts";
import type { ValueForm } from "./value-form.ts";

/** The way to a moment; `null` is a step into every entry of a list. */
export interface Moment {
  readonly steps: readonly (string | null)[];
  readonly time: "timestamp" | "date-time";
}

/** Every moment that values of `form` may hold. */
export function momentsOf(form: ValueForm, steps: readonly (string | null)[] = []): readonly Moment[] {
  if (form.time !== undefined) return [{ steps, time: form.time }];
  if (form.entry !== undefined) return momentsOf(form.entry, [...steps, null]);
  return Object.entries(form.fields ?? {}).flatMap(([name, inner]) => momentsOf(inner, [...steps, name]));
}

/** Adds to `found` a problem for each moment of `value` that is a text and no moment of the calendar. */
export function addWrongMoments(found: Problem[], moments: readonly Moment[], value: Json): void {
  for (const moment of moments) walk(found, value, moment, 0, noSteps);
}

const noSteps: readonly number[] = [];

/** Goes on from the step `from`; `entries` are the numbers of the list entries gone through so far. */
function walk(found: Problem[], value: Json, moment: Moment, from: number, entries: readonly number[]): void {
  const { steps, time } = moment;
  let here: Json | undefined = value;
  for (let at = from; at < steps.length; at++) {
    const step = steps[at];
    if (typeof step === "string") {
      if (!isJsonObject(here)) return;
      here = here[step];
    } else {
      if (!isJsonList(here)) return;
      for (const [index, one] of here.entries()) walk(found, one, moment, at + 1, [...entries, index]);
      return;
    }
  }
  if (typeof here === "string" && !isMoment(here, time)) found.push(wrongMoment(wayOf(steps, entries), here, time));
}

function wayOf(steps: readonly (string | null)[], entries: readonly number[]): readonly PathStep[] {
  let passed = 0;
  return steps.map((step) => step ?? entries[passed++] ?? "");
}

function isMoment(text: string, time: Moment["time"]): boolean {
  return time === "timestamp" ? isTimestamp(text) : isDateTime(text);
}

function wrongMoment(way: readonly PathStep[], text: string, time: Moment["time"]): Problem {
  const path = jsonPath(way);
  const alsoDates = time === "timestamp";
  const expected = `an RFC 3339 date-time${alsoDates ? " or full date" : ""}`;
  const message = `${path} must be an RFC 3339 date-time${alsoDates ? " or a full date" : ""} of the calendar.`;
  return problem("wrong-format", path, message, {
    expected,
    received: shortened(text),
    hint: `for example 2026-03-04T10:00:00Z${alsoDates ? " or 2026-03-04" : ""}`,
  });
}
