/**
 * A claim's fencing token on the command line. It shares the option `--token` with the hub's credential, because both are
 * spelled so where they are known from; a whole number is never a credential, so each word says itself what it is.
 */
import type { Problem } from "../../../base/problem.ts";
import { type Arguments, type OptionFacts, usageProblem } from "./arguments.ts";
import type { Command } from "./command.ts";

/** The option of a command that speaks of one claim. It stands before the global one of the same name. */
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
