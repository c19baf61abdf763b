/** Every string that the page shows has the contrast that WCAG 2.2 asks for at level AA, in light and in dark. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { openPage, visit, withoutChromium } from "../browser.ts";
import { faintTexts } from "../faint.ts";
import { type HttpAgent, startHub, teamFolder } from "../hub.ts";
import { phase } from "../phase.ts";
import { ownWindows } from "../shared-browser.ts";

suite("contrast", { skip: withoutChromium }, () => {
  test("every string contrasts by 4.5 to 1, and a faint one is noticed", async () => {
    using folder = teamFolder();
    await using hub = await startHub(folder.path);
    await using browser = await ownWindows();
    const { page, agent } = await openPage(browser, hub);
    const speakers = new Map<string, HttpAgent>();
    for (const { sender, text, to } of phase) {
      const speaker = speakers.get(sender) ?? (await agent(sender));
      speakers.set(sender, speaker);
      await speaker.send(text, to);
    }
    await visit(page, "Needs you");
    await page.locator("[data-need]").first().waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const view of ["Overview", "Needs you", "Board", "Journal", "Timeline"] as const) {
        await visit(page, view);
        assert.deepEqual(await page.evaluate(faintTexts, 4.5), [], `${colorScheme}, ${view}`);
      }
      await page.locator("[role=option]", { hasText: "refused" }).click();
      await page.getByText("did you mean").waitFor();
      assert.deepEqual(await page.evaluate(faintTexts, 4.5), [], `${colorScheme}, a refusal`);
      await page.locator("[role=option]", { hasText: "PARTIAL, 11 of 12" }).click();
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
