/** From a checked word of the command line back to its type. */
import { invariant } from "../../../base/invariant.ts";

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
