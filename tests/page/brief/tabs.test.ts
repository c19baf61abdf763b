/**
 * The page in many tabs of one browser, which allows a host six connections in all of them together: a tab that nobody
 * looks at holds none. A browser without a screen shows every tab, so the tests say which of them is looked at.
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Page } from "playwright-core";
import { live, openPage, visit, withoutChromium } from "../browser.ts";
import { startHub, teamFolder } from "../hub.ts";
import { scopeRequest, update } from "../phase.ts";
import { ownWindows } from "../shared-browser.ts";

/** What the browser does to a tab that is put behind another, or before it again. */
async function look(page: Page, isLookedAt: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { value: ${!isLookedAt}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
  await page.locator(isLookedAt ? ".connection.live" : ".connection.paused").waitFor();
}

/** The browser's notifications as they are given to it, which a browser without a screen does not show. */
const given = `
  window.__notices = [];
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options);
      window.__notices.push({ atMs: performance.now(), said: title + ": " + options.body, notice: this });
    }
  };
`;

suite("the page in many tabs", { skip: withoutChromium }, () => {
  test("a seventh opens as soon as one is no longer looked at, and that one misses nothing", async () => {
    using folder = teamFolder();
    await using hub = await startHub(folder.path);
    await using browser = await ownWindows();
    const { page: first, context, agent, asOwner, wrongs } = await openPage(browser, hub);
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
    for (let n = 0; n < 20; n++) assert.equal((await asOwner("/api/session")).status, 200);
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

  test("notifications are off until asked for; then a hidden tab says what is new and urgent, in Baton's words, and a click opens it", async () => {
    using folder = teamFolder();
    await using hub = await startHub(folder.path);
    await using browser = await ownWindows();
    const opened = await openPage(browser, hub);
    const dev = await opened.agent("dev-1");
    const context = await browser.newContext({ storageState: await opened.context.storageState() });
    await context.grantPermissions(["notifications"], { origin: hub.origin });
    await context.clock.install();
    await context.addInitScript(given);
    const page = await context.newPage();
    await page.goto(`${hub.origin}/t/checkout/`);
    await live(page);
    const notices = () =>
      page.evaluate<{ atMs: number; said: string }[]>("window.__notices.map(({ atMs, said }) => ({ atMs, said }))");
    const asks = async (id: string) =>
      assert.equal(
        (await dev.send(scopeRequest(id, "Secret words", { request_type: "gate_override" }), ["lead-1"])).status,
        201,
      );
    /** Lets the page's time go on until its title counts so many. */
    const counted = async (count: number) => {
      while (!(await page.title()).startsWith(`(${count}) `)) await context.clock.runFor(5_000);
    };
    const button = page.getByRole("button", { name: "Notifications" });
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await asks("one");
    await page.waitForFunction(() => document.title.startsWith("(1) "));
    await button.click();
    await page.locator('[aria-pressed="true"]').and(button).waitFor();
    // From here the page's time stands but for what `runFor` lets pass, however slow the machine is.
    await context.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 60_000);
    await look(page, false);
    // What is there when they are switched on is known. The first answer may be one that the page asked for as it was looked
    // at; the second is the hidden page's own.
    let answers = 0;
    page.on("response", (response) => {
      if (response.url().endsWith("/needs")) answers += 1;
    });
    while (answers < 2) await context.clock.runFor(5_000);
    await asks("two");
    await counted(2);
    assert.deepEqual(
      (await notices()).map(({ said }) => said),
      ["Baton · checkout: dev-1 asks to override a gate, which only you can."],
    );
    await page.evaluate("window.__notices[0].notice.onclick()");
    await page.waitForURL(`${hub.origin}/t/checkout/inbox/approval%3Adev-1%2Ftwo`);
    // Within a minute nothing more is said; after it, all of it at once.
    await asks("three");
    await asks("four");
    await counted(4);
    while ((await notices()).length < 2) await context.clock.runFor(5_000);
    const [before, after] = await notices();
    assert.equal(after?.said, "Baton · checkout: 2 urgent matters need you.");
    assert.ok(before !== undefined && after.atMs - before.atMs >= 60_000, "two notices within a minute");
    // A reload keeps the choice; switched off, nothing is said.
    await look(page, true);
    await page.reload();
    await live(page);
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    await button.click();
    assert.equal(await page.evaluate("localStorage.getItem('baton-notices')"), null);
  });
});
