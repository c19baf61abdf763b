/** Light or dark: as the system says until a person chooses, then as chosen, kept in this browser. */

export type Theme = "system" | "light" | "dark";

const key = "baton-theme";

/** The theme, shown on the document's root; kept only where the browser lets it. */
export class ThemeChoice {
  theme = $state<Theme>("system");

  constructor() {
    const kept = keptTheme();
    if (kept === "light" || kept === "dark") this.choose(kept);
  }

  choose(theme: Theme): void {
    this.theme = theme;
    if (theme === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
    try {
      if (theme === "system") localStorage.removeItem(key);
      else localStorage.setItem(key, theme);
    } catch {
      // A browser that keeps nothing shows the choice until the page is left, which is all that it allows.
    }
  }

  /** The next of system, light and dark. */
  next(): void {
    const order: readonly Theme[] = ["system", "light", "dark"];
    this.choose(order[(order.indexOf(this.theme) + 1) % order.length] ?? "system");
  }
}

function keptTheme(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage may be forbidden; then the system decides.
    return null;
  }
}
