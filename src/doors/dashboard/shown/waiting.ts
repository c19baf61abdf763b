/** What waits for the person who looks at the page, and how that is said. */
import type { Escalation } from "../../../coordination/escalations/escalation-state.ts";

/** Whether an escalation has come to a level at which the person decides. */
export function isPersons({ level }: Pick<Escalation, "level">): boolean {
  return level === "user" || level === "owner";
}

/** `1 waits for you`, `3 wait for you`, `Nothing waits for you`. */
export function waitingWords(number: number): string {
  if (number === 0) return "Nothing waits for you";
  return number === 1 ? "1 waits for you" : `${number} wait for you`;
}
