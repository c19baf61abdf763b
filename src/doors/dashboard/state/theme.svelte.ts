/**
 * What a person chooses for this browser, where it is kept: light or dark (as the system says until then), and whether keys
 * that are one character do anything.
 */

export type Theme = "system" | "light" | "dark";

const key = "baton-theme";
const singleKeysKey = "baton-single-keys";

/** The theme, shown on the document's root; kept only where the browser lets it. */
export class ThemeChoice {
  theme = $state<Theme>("system");
  singleKeys = $state(true);

  constructor() {
    const kept = keptIn(key);
    if (kept === "light" || kept === "dark") this.choose(kept);
    this.singleKeys = keptIn(singleKeysKey) !== "off";
  }

  useSingleKeys(use: boolean): void {
    this.singleKeys = use;
    keep(singleKeysKey, use ? null : "off");
  }

  choose(theme: Theme): void {
    this.theme = theme;
    if (theme === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
    keep(key, theme === "system" ? null : theme);
  }

  /** The next of system, light and dark. */
  next(): void {
    const order: readonly Theme[] = ["system", "light", "dark"];
    this.choose(order[(order.indexOf(this.theme) + 1) % order.length] ?? "system");
  }
}

/** Keeps a choice in this browser, or forgets it (null). */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing uses the choice until the page is left, which is all that it allows.
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
