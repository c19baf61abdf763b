/** A time as people type it: RFC 3339, a date, or how long ago (`10m`, `2h`, `3d`). */
import { systemClock, timestampOf } from "../../../base/clock.ts";
import { invariant } from "../../../base/invariant.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { type Arguments, type OptionFacts, usageProblem } from "./arguments.ts";
import type { Command } from "./command.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `text` as RFC 3339 in UTC; else `wrong-usage` about `option`. */
export function readMoment(option: string, text: string): Result<string, Problem> {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined) {
    return ok(timestampOf(systemClock.now() - Number(amount) * (unitMs[unit] ?? 0)));
  }
  const isTime = /^\d{4}-\d{2}-\d{2}([Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ok(timestampOf(ms));
  return err(
    usageProblem(
      option,
      "This is not a time.",
      "write 2026-02-12T10:00:00Z, 2026-02-12, or 10m, 2h, 3d for a time ago",
      text,
    ),
  );
}

/* Reading an entry's number from the command line. */

/** `text` as the seq of an entry, a whole number from 1; else `wrong-usage`. */
export function readSequence(text: string): Result<number, Problem> {
  if (/^[1-9]\d{0,14}$/.test(text)) return ok(Number(text));
  return err(usageProblem("SEQ", "SEQ is the number of an entry.", "baton inbox and baton log show the numbers", text));
}

/* From a checked word of the command line back to its type. */

/**
 * The word as one of `choices`. Only for options that declare the same choices and are given: reading the arguments
 * has refused every other word already.
 */
export function chosen<const Choice extends string>(word: string | undefined, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === word);
  invariant(found !== undefined, "an option with choices was read as one of them");
  return found;
}

/** The same for an option that may be left out; undefined where it was. */
export function choiceIfGiven<const Choice extends string>(
  word: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  return word === undefined ? undefined : chosen(word, choices);
}

/*
 * A claim's fencing token on the command line. It shares the option `--token` with the hub's credential, because both are
 * spelled so where they are known from; a whole number is never a credential, so each word says itself what it is.
 */

/** The option of a command that speaks of one claim. It overrides the global one of the same name. */
export const fencingToken: OptionFacts = {
  name: "token",
  kind: "text",
  value: "N",
  repeatable: true,
  summary: "the number that claim printed: it tells a claim from an older one. A word is the credential for the hub",
};

/** The number given, or undefined. */
export function fencingTokenOf(given: Arguments): number | undefined {
  const word = given.texts("token").find(isNumber);
  return word === undefined ? undefined : Number(word);
}

/** The credential given for the hub, or undefined. */
export function credentialOf(given: Arguments): string | undefined {
  return given.texts("token").findLast((word) => !isNumber(word));
}

/** What is wrong with the words of `--token`, given what the command takes; null: nothing. */
export function misreadToken(given: Arguments, { options = [] }: Pick<Command, "options">): Problem | null {
  const numbers = given.texts("token").filter(isNumber);
  const words = given.texts("token").length - numbers.length;
  if (numbers.length > 1 || words > 1) return usageProblem("--token", "--token was given twice.", "give it once");
  if (numbers.length === 0 || options.some(({ name }) => name === fencingToken.name)) return null;
  return usageProblem("--token", "This cannot be a credential for a hub.", "it begins with baton_", numbers[0]);
}

function isNumber(word: string): boolean {
  return /^\d{1,15}$/.test(word);
}
