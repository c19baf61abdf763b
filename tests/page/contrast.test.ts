/** Every text that the page shows stands out from its ground as WCAG 2.2 asks at level AA, in light and in dark. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { openPage, startBrowser, withoutChromium } from "./browser.ts";
import { type HttpAgent, startHub, teamFolder } from "./hub.ts";
import { phase } from "./phase.ts";

suite("contrast", { skip: withoutChromium }, () => {
  test("every text stands out by 4.5 to 1, and a faint one is noticed", async () => {
    using folder = teamFolder();
    await using hub = await startHub(folder.path);
    await using browser = await startBrowser();
    const { page, agent } = await openPage(browser, hub);
    const speakers = new Map<string, HttpAgent>();
    for (const { sender, text, to } of phase) {
      const speaker = speakers.get(sender) ?? (await agent(sender));
      speakers.set(sender, speaker);
      await speaker.send(text, to);
    }
    await page.locator("[data-request]").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await page.evaluate(faintTexts, 4.5), [], `${colorScheme}, what stands now`);
      await page.locator("[role=option]", { hasText: "refused" }).click();
      await page.getByText("did you mean").waitFor();
      assert.deepEqual(await page.evaluate(faintTexts, 4.5), [], `${colorScheme}, a refusal`);
      await page.locator("[role=option]", { hasText: "qa_verdict" }).click();
      await page.getByText("Keep the key").first().waitFor();
      assert.deepEqual(await page.evaluate(faintTexts, 4.5), [], `${colorScheme}, a verdict`);
      await page.keyboard.press("Escape");
    }
    await page.locator(".logo").evaluate((logo) => {
      logo.style.color = "#3a3a3a";
    });
    assert.equal((await page.evaluate(faintTexts, 4.5)).length, 1, "a text made faint on purpose");
  });
});

/** Runs in the page: the texts in sight whose contrast to what is behind them is less than `least`. */
function faintTexts(least: number): readonly string[] {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (canvas === null) throw new Error("the browser draws nothing");
  /** What is seen where these colours lie on each other, the last one on top. */
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
