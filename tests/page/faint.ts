/** Contrast as a page has it: the colours that are drawn, not those that were meant (WCAG 2.2, 1.4.3). */

/** Runs in the page: the strings in sight whose contrast to what is behind them is less than `least`. */
export function faintTexts(least: number): readonly string[] {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (canvas === null) throw new Error("the browser draws nothing");
  /** What is seen where these colours are on each other, the last one on top. */
  const blend = (colours: readonly string[]): readonly number[] => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (colour: readonly number[]): number => {
    const [red = 0, green = 0, blue = 0] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const faint: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== "");
    const box = element.getBoundingClientRect();
    if (!own || box.width < 2 || !element.checkVisibility({ visibilityProperty: true })) continue;
    const grounds: string[] = [];
    for (let at: Element | null = element; at !== null; at = at.parentElement)
      grounds.unshift(getComputedStyle(at).backgroundColor);
    const [light = 0, dark = 0] = [blend(["white", ...grounds]), blend([...grounds, getComputedStyle(element).color])]
      .map(luminance)
      .toSorted((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < least) faint.push(`${ratio.toFixed(2)} ${element.className}: ${element.textContent?.slice(0, 40)}`);
  }
  return faint;
}

/**
 * Runs in the page where it has the colours that its reader forces: states without a line around them, samples of a legend
 * that look alike, and a focus that is not seen (WCAG 2.2, 1.4.1 and 2.4.7).
 */
export function lostInForcedColours(): readonly string[] {
  const seen = (selector: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].filter((each) => each.checkVisibility());
  const hasLine = (each: Element) => {
    const { outlineStyle, borderTopStyle, borderTopWidth } = getComputedStyle(each);
    return outlineStyle !== "none" || (borderTopStyle !== "none" && borderTopWidth !== "0px");
  };
  const flat = seen('.tag, .card, [aria-selected="true"], [aria-pressed="true"], [aria-current]')
    .filter((each) => !hasLine(each))
    .map((each) => `no line: ${each.className} ${each.textContent?.slice(0, 30)}`);
  const alike = [...new Set(seen("i").map((each) => each.closest("ul, ol, p, table")))].flatMap((legend) => {
    const samples = [...(legend?.querySelectorAll("i") ?? [])].filter((each) => each.checkVisibility());
    const colours = new Set(samples.map((each) => getComputedStyle(each).backgroundColor));
    return colours.size === samples.length ? [] : [`alike: ${legend?.textContent?.slice(0, 60)}`];
  });
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
  const unseen = outlineStyle === "none" || outlineWidth === "0px";
  return [...flat, ...alike, ...(unseen ? [`no focus: ${document.activeElement?.className}`] : [])];
}
