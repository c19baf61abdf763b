/**
 * A team with something of every kind to decide, as somebody sees it for the first time, by keyboard alone: the false
 * report, the overlap, the silent agent and the blocked one are found on the page, and what is open is decided.
 */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { live, openPage, withoutChromium } from "./browser.ts";
import { type RunningHub, startHub } from "./hub.ts";
import { ownWindows } from "./shared-browser.ts";
import { tellTrial } from "./trial-team.ts";

suite("the page of a team at work", { skip: withoutChromium }, () => {
  const opened = new AsyncDisposableStack();
  let page: Page;
  let hub: RunningHub;

  before(async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-trial-")));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    await tellTrial(folder);
    hub = opened.use(await startHub(folder));
    const browser = opened.use(await ownWindows());
    const signedIn = await openPage(browser, hub);
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      storageState: await signedIn.context.storageState(),
    });
    context.setDefaultTimeout(60_000);
    await context.clock.install();
    page = await context.newPage();
    await page.goto(`${hub.origin}/t/shop/`);
    await live(page);
  });
  after(() => opened.disposeAsync());

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Goes down the list until a need of that kind is opened. */
  const open = async (kind: string) => {
    await press("w", "Home");
    const detail = page.locator("[data-detail]");
    const isThere = async () => (await detail.getAttribute("data-detail"))?.startsWith(`${kind}:`) === true;
    const rows = await page
      .getByRole("listbox", { name: /needs you/ })
      .getByRole("option")
      .count();
    for (let row = 0; row < rows && !(await isThere()); row++) {
      await press("j");
      await page.locator("[aria-selected=true]").first().waitFor();
    }
    assert.ok(await isThere(), `${kind} is in the list`);
    // No key decides just after rows moved.
    await context().clock.runFor(1_000);
    return detail;
  };
  const context = () => page.context();

  test("the overview names the false report, the silent agent, the blocked one and the overlap without scrolling", async () => {
    const { height } = page.viewportSize() ?? { height: 0 };
    for (const words of [
      /^dev-2 reported 2-1-T2 as done; the repository does not confirm it\.$/,
      /^dev-3 is silent: it lost 2-1-T3/,
      /^Nobody has said where the exchange rates come from$/,
      /dev-2 was refused: dev-1 holds src\/currency for 2-1-T4\./,
    ]) {
      const line = page.getByText(words).first();
      await line.waitFor();
      const box = await line.boundingBox();
      assert.ok(box !== null && box.y + box.height <= height, `in sight: ${words}`);
    }
    const row = (agent: string) => page.locator(`[data-agent=${agent}]`);
    await row("dev-3").getByText("disappeared").last().waitFor();
    await row("dev-1").getByText("waits for an answer").last().waitFor();
  });

  test("the false report is opened by keyboard, its diff is read file by file, and the keyboard is back in the list", async () => {
    const detail = await open("dispute");
    await detail.getByText("The repository says otherwise.").waitFor();
    const facts = detail.getByRole("region", { name: "Facts" });
    await facts.getByText("was told", { exact: true }).waitFor();
    // Nobody holds anything that waits for it, so nobody is said to wait.
    assert.match((await facts.textContent()) ?? "", /blocks\s*no task\s*was told\s*dev-2, lead-1/);
    assert.equal(await detail.getByText("Who is waiting").count(), 0);
    const files = detail.locator("[data-diff]");
    await files.first().locator(".add").first().waitFor();
    const focused = () => files.evaluateAll((all) => all.findIndex((file) => file.contains(document.activeElement)));
    for (const [key, at] of [
      ["]", 0],
      ["]", 1],
    ] as const) {
      await press(key);
      assert.equal(await focused(), at);
    }
    await press("[");
    assert.equal(await focused(), 0);
    await press("w");
    await page
      .getByRole("listbox", { name: /needs you/ })
      .and(page.locator(":focus"))
      .waitFor();
  });

  test("the blocked one gets a decision and the request an answer, without a mouse", async () => {
    const blocked = await open("escalation");
    await blocked.getByRole("button", { name: /^The central bank's rates.* recommended$/ }).waitFor();
    assert.equal(await blocked.getByText("recommended").count(), 1);
    await press("a");
    await page.getByLabel("Decision").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("The central bank's rates");
    await press("Control+Enter");
    await page
      .getByText(/^Deciding in/)
      .first()
      .waitFor();
    await context().clock.runFor(5_100);
    await page.locator(".last", { hasText: "Decided: “The central bank's rates”" }).waitFor();
    await context().clock.runFor(7_000);
    const request = await open("approval");
    await request.getByText("If you approve:").waitFor();
    await press("a");
    await page
      .getByText(/^Approving in/)
      .first()
      .waitFor();
    await context().clock.runFor(5_100);
    await page.locator(".last", { hasText: "Approved: The guide needs pictures" }).waitFor();
  });

  test("keys lead to the lanes, and a search in the timeline to the refusal behind the overlap", async () => {
    await press("g", "l");
    await page.waitForURL(/\/lanes/);
    await page.locator("[data-lane=dev-3]").waitFor();
    await press("g", "t");
    await page.waitForURL(/\/timeline/);
    const refusal = page.getByRole("option").filter({ hasText: "dev-1 holds src/currency for 2-1-T4" });
    await refusal.first().waitFor();
    await press("/");
    await page.keyboard.type("src/currency");
    await press("Enter");
    await page.waitForURL(/q=src/);
    const found = page.getByRole("search").getByRole("status");
    await found.filter({ hasText: "found" }).waitFor();
    await press("n");
    await found.filter({ hasText: /^1 of/ }).waitFor();
  });
});
