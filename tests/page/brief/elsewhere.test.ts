/** What is answered elsewhere while a person looks at it: it says by whom where it was, and the keyboard goes on. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { live, visit, withoutChromium } from "../browser.ts";
import { scopeRequest, typed } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("what is answered elsewhere", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  /** A separate window, whose clock the tests move. */
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    watched = await watchedHub();
    context = await watched.browser.newContext({ storageState: await watched.context.storageState() });
    context.setDefaultTimeout(60_000);
    await context.clock.install();
    page = await context.newPage();
    await page.goto(`${watched.hub.origin}/t/checkout/inbox`);
    await live(page);
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const act = async (agent: string, path: string, body: object) => {
    const response = await fetch(`${watched.hub.origin}/api/teams/checkout/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await watched.tokenOf(agent)}` },
      body: JSON.stringify(body),
    });
    assert.ok(response.ok, await response.text());
  };
  const focused = () => page.locator(":focus");
  /** Lets the moment pass for which it is said what became of a card. */
  const passMoment = () => context.clock.fastForward(7_000);

  test("an approval says who answered it and why, and a focus in it goes on to what waits next", async () => {
    const dev = await watched.agent("dev-1");
    for (const id of ["else-1", "else-2"]) await dev.send(scopeRequest(id, `The ${id}`), ["lead-1"]);
    const [card, next] = [page.locator('[data-request="else-1"]'), page.locator('[data-request="else-2"]')];
    await next.waitFor();
    await card.getByLabel("Reason").fill("Half a reas");
    await act("lead-1", "approvals/else-1", { approved: false, reason: "Not <b>now</b>" });
    const said = card.getByRole("status").filter({ hasText: /^Denied by lead-1, entry \d+: Not <b>now<\/b>$/ });
    await said.waitFor();
    await said.and(focused()).waitFor();
    assert.equal(await card.getByRole("button", { name: "Approve" }).count(), 0);
    await passMoment();
    await card.waitFor({ state: "detached" });
    await next.and(focused()).waitFor();
    // A focus elsewhere stays there, and the last card moves it to the list when it goes.
    await act("lead-1", "approvals/else-2", { approved: true, reason: "Fine" });
    await next.getByText(/^Approved by lead-1, entry \d+: Fine$/).waitFor();
    await page.getByRole("link", { name: "Baton, overview" }).focus();
    await passMoment();
    await next.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Baton, overview" }).and(focused()).waitFor();
  });

  test("what is held up says who decided it and how, regardless of who raised it", async () => {
    const dev = await watched.agent("dev-2");
    const blocked = { plan_id: "2-1", task_id: "2-1-T7", blocker: "No names yet", needs: "Plan 2-0" };
    await dev.send(typed({ id: "blocked-7", type: "blocker_report", task: "2-1-T7", role: "dev" }, blocked), [
      "lead-1",
    ]);
    const card = page.locator('[data-escalation="ESC-2-1-T7"]');
    await card.getByText("waits at lead").waitFor();
    await card.focus();
    await act("lead-1", "escalations/ESC-2-1-T7", { decision: "Call them a and b" });
    const said = card.getByRole("status").filter({ hasText: /^Decided by lead-1, entry \d+: Call them a and b$/ });
    await said.waitFor();
    await said.and(focused()).waitFor();
    assert.equal(await card.getByText("waits at lead").count(), 0);
    await passMoment();
    await card.waitFor({ state: "detached" });
    await page.locator("main").and(focused()).waitFor();
  });

  test("a claim that ends says whose it was in the task's row, and to those who listen", async () => {
    await act("lead-1", "tasks", { task: "2-1-T8", files: ["src/names.ts"] });
    await act("dev-1", "tasks/2-1-T8/claim", {});
    await visit(page, "Board");
    const row = page.locator('[data-task="2-1-T8"]');
    await row.getByText("dev-1", { exact: true }).waitFor();
    await act("dev-1", "tasks/2-1-T8/release", {});
    const words = "dev-1 no longer holds it: available";
    await row.getByText(words).waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: `2-1-T8: ${words}` })
      .waitFor({ state: "attached" });
    await passMoment();
    await row.getByText(words).waitFor({ state: "detached" });
    assert.equal(await row.count(), 1);
  });
});
