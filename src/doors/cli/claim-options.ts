/** Options that several commands about tasks take: lists of paths and tasks, and which claim is meant. */
import type { Arguments } from "./arguments.ts";
import { fencingTokenOf } from "./fencing-token.ts";

/** Which of the agent's claims is meant, and the act's name for retries. */
export function claimOptions(given: Arguments): { readonly token?: number; readonly id?: string } {
  const token = fencingTokenOf(given);
  const id = given.text("id");
  return { ...(token === undefined ? {} : { token }), ...(id === undefined ? {} : { id }) };
}

/** `["a,b/", "c"]` as `["a", "b/", "c"]`; undefined where the option was not given. Empty entries say nothing. */
export function listOf(given: readonly string[]): readonly string[] | undefined {
  if (given.length === 0) return undefined;
  return given.flatMap((words) => words.split(",")).flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
}
