/**
 * The page in many tabs of one browser, which allows a host six connections in all of them together: a tab that nobody
 * looks at holds none. A browser without a screen shows every tab, so the tests say which of them is looked at.
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Page } from "playwright-core";
import { live, openPage, visit, withoutChromium } from "../browser.ts";
import { startHub, teamFolder } from "../hub.ts";
import { update } from "../phase.ts";
import { ownWindows } from "../shared-browser.ts";

/** What the browser does to a tab that is put behind another, or before it again. */
async function look(page: Page, isLookedAt: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { value: ${!isLookedAt}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
  await page.locator(isLookedAt ? ".connection.live" : ".connection.paused").waitFor();
}

suite("the page in many tabs", { skip: withoutChromium }, () => {
  test("a seventh opens as soon as one is no longer looked at, and that one misses nothing", async () => {
    using folder = teamFolder();
    await using hub = await startHub(folder.path);
    await using browser = await ownWindows();
    const { page: first, context, agent, wrongs } = await openPage(browser, hub);
    const dev = await agent("dev-1");
    await visit(first, "Timeline");
    const rows = (page: Page, text: string) => page.locator("[role=option]", { hasText: text });
    await dev.send(update("before", "2-1-T1"), ["lead-1"]);
    await rows(first, "2-1-T1: partial").waitFor();
    for (let open = 1; open < 6; open++) {
      const page = await context.newPage();
      await page.goto(`${hub.origin}/t/checkout/timeline`);
      await live(page);
    }
    const seventh = await context.newPage();
    let isLoaded = false;
    const loading = seventh.goto(`${hub.origin}/t/checkout/timeline`).then(() => {
      isLoaded = true;
    });
    // These use separate connections.
    for (let n = 0; n < 20; n++) assert.equal((await context.request.get(`${hub.origin}/api/session`)).status(), 200);
    assert.equal(isLoaded, false, "the control: six streams leave no connection to a seventh tab");
    await look(first, false);
    await loading;
    await live(seventh);

    await dev.send(update("meanwhile", "2-1-T2"), ["lead-1"]);
    await rows(seventh, "2-1-T2: partial").waitFor();
    assert.equal(await rows(first, "2-1-T2: partial").count(), 0, "nothing comes to a tab that nobody looks at");
    await look(seventh, false);
    await look(first, true);
    await rows(first, "2-1-T2: partial").waitFor();
    await dev.send(update("after", "2-1-T3"), ["lead-1"]);
    await rows(first, "2-1-T3: partial").waitFor();
    for (const task of ["2-1-T1", "2-1-T2", "2-1-T3"]) assert.equal(await rows(first, `${task}: partial`).count(), 1);
    assert.deepEqual(await wrongs(), []);
  });
});
