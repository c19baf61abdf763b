/**
 * A person gives the team work, in a real browser: the page of a new team leads there, a title and Enter is a task, more is
 * said where it is wanted, and a pasted list is shown as it was read before it is added.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { axeFindings } from "../axe.ts";
import { live, withoutChromium } from "../browser.ts";
import { moveTo, nextFrame } from "../every-view.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("giving a team work", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let page: Page;

  before(async () => {
    watched = await watchedHub();
    page = watched.page;
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const field = (name: string) => page.locator(`[data-field="$.${name}"]`);
  const input = (name: string) => field(name).locator("input, textarea, select").first();
  /** What was added is said where it is seen. */
  const added = async (words: RegExp) => {
    const status = page.locator("[role=status]", { hasText: words });
    await status.waitFor();
    const { y = -1, height = 0 } = (await status.boundingBox()) ?? {};
    assert.ok(y >= 48 && y + height <= (page.viewportSize()?.height ?? 0), `in view: at ${y}`);
  };
  const tasks = async () => {
    const answer = await watched.asOwner("/api/teams/checkout/tasks");
    return ((await answer.json()) as { tasks: readonly Record<string, unknown>[] }).tasks;
  };

  test("the page of a new team says how its agents start, and leads to the first task: a title and Enter", async () => {
    await page.goto(`${watched.hub.origin}/t/checkout/`);
    await live(page);
    await page.getByText("baton run dev-1 --program claude-code", { exact: true }).waitFor();
    await page.getByRole("link", { name: "New task" }).click();
    await page.waitForURL("**/board/new");
    // The title has the focus.
    await page.locator(":focus").pressSequentially("Totals carry tax");
    await page.keyboard.press("Enter");
    await added(/^Added 1: Totals carry tax\./);
    assert.equal(await input("title").inputValue(), "", "the next can be typed");
    await page.locator("[data-task='1']").waitFor();
  });

  test("more is said of a task by its fields, what is wrong is at its field, and a draft outlasts a reload", async () => {
    await page.locator("summary", { hasText: "More" }).click();
    await input("title").fill("A page about it");
    await input("criteria").fill("It says what tax is\nIt has an example");
    await input("dependsOn").fill("1,");
    await input("priority").selectOption("high");
    await input("agent").fill("Nobody!");
    await input("title").press("Enter");
    await field("agent").locator(".bad").waitFor();
    assert.ok(await input("agent").evaluate((each) => each === document.activeElement));
    await page.reload();
    await input("agent").fill("dev-1");
    await input("files").fill("none");
    // The form is longer than the window.
    await page.setViewportSize({ width: 1280, height: 420 });
    await input("labels").press("Control+Enter");
    await added(/^Added 2: A page about it\./);
    await page.setViewportSize({ width: 1280, height: 800 });
    const [, second] = await tasks();
    const { dependsOn, priority, agent, filesKind } = second ?? {};
    assert.deepEqual(
      { dependsOn, priority, agent, filesKind },
      { dependsOn: ["1"], priority: "high", agent: "dev-1", filesKind: "none" },
    );
    await page.getByRole("link", { name: "2: A page about it" }).click();
    await page.getByText("It has an example").waitFor();
    // What is there is in the fields; only what is changed is told anew.
    await page.getByRole("link", { name: "Edit or assign" }).click();
    assert.equal(await input("criteria").inputValue(), "It says what tax is\nIt has an example");
    await input("agent").fill("dev-2");
    await input("labels").fill("docs");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("form", { name: "Edit the task" }).waitFor({ state: "detached" });
    const [, edited] = await tasks();
    assert.deepEqual({ agent: edited?.agent, labels: edited?.labels }, { agent: "dev-2", labels: ["docs"] });
    assert.deepEqual(
      { dependsOn: edited?.dependsOn, filesKind: edited?.filesKind },
      { dependsOn: ["1"], filesKind: "none" },
    );
    // Who holds a task loses it to nobody.
    const claimed = await fetch(`${watched.hub.origin}/api/teams/checkout/tasks/1/claim`, {
      method: "POST",
      headers: { authorization: `Bearer ${await watched.tokenOf("dev-1")}`, "content-type": "application/json" },
      body: "{}",
    });
    assert.ok(claimed.ok);
    await page.goto(`${watched.hub.origin}/t/checkout/tasks/1`);
    await page.getByRole("button", { name: "Free it" }).click();
    await page.getByRole("button", { name: "Free it" }).waitFor({ state: "detached" });
    assert.equal((await tasks())[0]?.holder, null);
    // A task that is not wanted any more is withdrawn, with the reason.
    await page.getByRole("button", { name: "Withdraw it" }).press("Enter");
    await page.getByRole("textbox", { name: "Reason" }).fill("Bought instead");
    await page.getByRole("button", { name: "Withdraw it" }).click();
    await page.getByText("ended", { exact: true }).first().waitFor();
    await page.getByText("Withdrawn by owner: Bought instead").waitFor();
    assert.equal((await tasks())[0]?.state, "ended");
  });

  test("a pasted list is shown as it was read, what cannot be read is named by its line, and all of it is added", async () => {
    await page.getByRole("link", { name: "Board", exact: true }).first().click();
    await page.getByRole("link", { name: "Paste a list" }).click();
    const text = page.getByLabel("The list", { exact: true });
    const read = page.getByRole("region", { name: "What was read" });
    await text.fill("# Cart\n1. Carts empty\n   after: 9\n");
    await read.getByText(/9/).first().waitFor();
    const add = page.getByRole("button", { name: /^Add/ });
    assert.ok(await add.isDisabled());
    await text.fill(
      "# Cart\n1. Carts empty (high) #cart\n   - clear() leaves no item\n   - files: src/cart.js\n2. Docs\n   after: 1\n- [x] old\n",
    );
    await read.getByText("Cart: 2 tasks").waitFor();
    await read.getByText("clear() leaves no item").waitFor();
    await read.getByText("(high; #cart; files src/cart.js)").waitFor();
    await read.getByText("(after Carts empty)").waitFor();
    await read.getByText(/line 7/).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole("button", { name: "Add 2 tasks" }).click();
    await added(/^Added 3: Carts empty, 4: Docs/);
    assert.equal((await tasks()).length, 4);
    assert.equal(await text.inputValue(), "");
    // The day's page leads to each of them.
    await moveTo(page, "/t/checkout/shutdown");
    const open = page
      .getByRole("region", { name: "The day" })
      .getByRole("definition")
      .filter({ hasText: "Carts empty" });
    await open.getByRole("link", { name: "3", exact: true }).waitFor();
    // Who comes back to the board finds it where it was.
    await page.setViewportSize({ width: 800, height: 500 });
    await page.goto(`${watched.hub.origin}/t/checkout/board`);
    const columns = page.getByRole("region", { name: "Tasks by state" });
    await columns.locator("[data-task]").first().waitFor();
    await columns.evaluate((each) => each.scrollTo({ left: 40 }));
    // The browser says that it scrolled with the next frame, which a person who scrolls has seen.
    await page.evaluate(nextFrame);
    await moveTo(page, "/t/checkout/tasks/2");
    await page.getByRole("link", { name: "Edit or assign" }).waitFor();
    await page.goBack();
    await columns.locator("[data-task]").first().waitFor();
    assert.equal(await columns.evaluate((each) => each.scrollLeft), 40);
    const wrongs = (await watched.wrongs()).filter((wrong) => !/status of 4(04|09|22)/.test(wrong));
    assert.deepEqual(wrongs, []);
  });
});
