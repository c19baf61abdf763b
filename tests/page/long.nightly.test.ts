/**
 * Thousands of messages in a real browser, ten thousand in a long run: few of them are in the document at any time, all of
 * them are reached, and what comes while one reads further down does not move what is read.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Locator } from "playwright-core";
import { inLongRun } from "../run-size.ts";
import { visit, withoutChromium } from "./browser.ts";
import { crowdTests } from "./crowd.ts";
import { record } from "./hub.ts";
import { update } from "./phase.ts";
import { type WatchedHub, watchedHub } from "./watched-hub.ts";

// More than the hub lists; ten thousand are in the long suite.
crowdTests(1_020);

const messages = inLongRun(10_000, 3_000);
/** Rows from the newest to one in the middle. */
const above = messages / 2;
/** The first message; the entry before it records the team. */
const oldest = 2;
/** Rows of a window of 800 pixels, and those kept ready around them. */
const rowsMax = 60;

suite(`${messages} messages`, { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let list: Locator;

  before(async () => {
    const texts = Array.from({ length: messages }, (_, n) => update(`update-${n}`, `2-1-T${n % 7}`));
    watched = await watchedHub((folder) => record(folder, "dev-1", texts, "lead-1"));
    await visit(watched.page, "Timeline");
    list = watched.page.getByRole("listbox");
    await watched.page.locator("[role=option]").first().waitFor();
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const rows = () =>
    watched.page.locator("[role=option]").evaluateAll((all) => all.map((row) => Number(row.dataset.seq)));

  test("the newest are at the top and few rows are in the document", async () => {
    const seqs = await rows();
    assert.equal(seqs[0], messages + 1);
    assert.ok(seqs.length <= rowsMax, `${seqs.length} rows`);
  });

  test("scrolling reaches the oldest and never fills the document", async () => {
    let most = 0;
    for (;;) {
      await list.evaluate((each) => each.scrollTo(0, each.scrollHeight));
      await watched.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      const seqs = await rows();
      most = Math.max(most, seqs.length);
      if (seqs.at(-1) === oldest) break;
    }
    assert.ok(most <= rowsMax, `${most} rows at once`);
    assert.ok(await watched.page.evaluate<boolean>("document.querySelectorAll('*').length < 1500"));
  });

  test("what is read stays where it is when something comes, and the page says so", async () => {
    const { page } = watched;
    await list.evaluate((each, top) => each.scrollTo(0, top), 32 * above);
    await page.locator(`#entry-${messages + 1 - above - 3}`).waitFor();
    const place = async () => (await page.locator(`#entry-${messages + 1 - above - 3}`).boundingBox())?.y;
    const before = await place();
    const dev = await watched.agent("dev-2");
    await dev.send("Are you still reading?", ["lead-1"]);
    const told = page.getByRole("button", { name: /new entr/ });
    await told.waitFor();
    await page.waitForFunction((seq) => document.querySelector(`#entry-${seq}`) !== null, messages + 1 - above - 3);
    assert.equal(await place(), before);
    await told.click();
    await page.locator("[role=option]", { hasText: "Are you still reading?" }).waitFor();
    await told.waitFor({ state: "detached" });
  });

  test("the keys go to both ends", async () => {
    const { page } = watched;
    // What lies far below was let go of when something came, so the last of what is loaded is reached in steps.
    while ((await page.locator(`#entry-${oldest}`).count()) === 0) {
      await page.keyboard.press("End");
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    await page.keyboard.press("Home");
    await page.locator("[role=option]", { hasText: "Are you still reading?" }).waitFor();
  });

  test("a filter finds what is not loaded", async () => {
    const { page } = watched;
    await page.reload();
    await page.getByRole("searchbox").fill('update-17"');
    await page.locator("#entry-19").waitFor();
    assert.deepEqual(await rows(), [19]);
    assert.deepEqual(await watched.wrongs(), []);
  });
});
