/** The page's colours for a canvas, which takes no tokens: as the browser computed them. */
import type { Tone } from "./lanes-model.ts";

/** Colours as the browser computed them from the page's tokens. */
export type Palette = Readonly<
  Record<
    Tone | "claim" | "surface" | "sunk" | "line" | "firm" | "strong" | "text" | "soft" | "faint" | "accent",
    string
  >
> & {
  readonly font: string;
};

const paletteTokens: Readonly<Record<Exclude<keyof Palette, "font">, string>> = {
  bad: "--bar-bad",
  warn: "--bar-warn",
  said: "--bar-said",
  good: "--bar-good",
  quiet: "--bar-idle",
  claim: "--bar-claim",
  surface: "--surface",
  sunk: "--sunk",
  line: "--line",
  firm: "--line-firm",
  strong: "--line-strong",
  text: "--text",
  soft: "--text-soft",
  faint: "--text-faint",
  accent: "--accent",
};

/** The colours at an element: a canvas takes no tokens. */
export function paletteAt(element: HTMLElement): Palette {
  const probe = element.appendChild(document.createElement("i"));
  const colours = Object.entries(paletteTokens).map(([name, token]) => {
    probe.style.color = `var(${token})`;
    return [name, getComputedStyle(probe).color];
  });
  const { fontFamily } = getComputedStyle(probe);
  probe.remove();
  // One colour for each token, and the names are those of the tokens' table.
  return { ...(Object.fromEntries(colours) as Omit<Palette, "font">), font: fontFamily };
}

/** Calls when the theme changes, so that colours are read again; the answer ends it. */
export function watchTheme(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributes: true });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => {
    watch.disconnect();
    dark.removeEventListener("change", changed);
  };
}

/** Black or white, whichever is better to read on a colour of the form `rgb(1, 2, 3)`. */
export function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) ** 2 > 0.0525 ? "#000000" : "#ffffff";
}
