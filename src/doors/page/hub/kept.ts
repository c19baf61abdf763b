/** What this browser keeps for the page, by name. It belongs to the page's origin: no page of another port reads it. */

/** Keeps a value in this browser, or forgets it (null). */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing uses the value until the page is left, which is all that it allows.
  }
}

/** What this browser keeps under a name; null: nothing. */
export function keptIn(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // Storage may be forbidden; then it is as it is without a choice.
    return null;
  }
}
