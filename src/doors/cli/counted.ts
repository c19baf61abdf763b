/** How many of a thing there are, as people say it. */

/** `1 task`, `2 tasks`, `0 tasks`; `one` is a word that takes an `s`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
