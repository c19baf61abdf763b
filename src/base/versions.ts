/** Versions of programs, compared number by number. */

/** Whether `version`, such as `24.15.0`, is `floor` or newer; what is no number counts as 0. */
export function isAtLeast(version: string, floor: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of floor.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
