/** A person answers what waits, in a real browser: requests with a reason or none, once each; decisions in words. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Locator } from "playwright-core";
import { live, visit, withoutChromium } from "../browser.ts";
import { passDeadlines } from "../hub.ts";
import { scopeRequest, typed } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("answering on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub();
    await visit(watched.page, "Needs you");
  });
  after(() => watched?.[Symbol.asyncDispose]());

  test("Deny wants a reason, and the reason reaches the asker's inbox", async () => {
    const dev = await watched.agent("dev-2");
    await dev.send(scopeRequest("ask-deny", "Form styles too"), ["lead-1"]);
    const card = watched.page.locator('[data-request="ask-deny"]');
    await card.getByRole("button", { name: "Deny" }).click();
    await card.getByText("Say why").waitFor();
    assert.equal(await card.getByLabel("Reason").evaluate((field) => field === document.activeElement), true);
    await card.getByLabel("Reason").fill("The styles belong to phase 3.");
    await card.getByRole("button", { name: "Deny" }).click();
    await card.waitFor({ state: "detached" });
    const [answer] = await dev.inbox();
    const message = answer?.message as { type: string; payload: Record<string, unknown> };
    assert.equal(message.type, "approval_response");
    assert.equal(message.payload.approved, false);
    assert.equal(message.payload.reason, "The styles belong to phase 3.");
  });

  test("Approve reaches the asker too, and needs no reason", async () => {
    const dev = await watched.agent("dev-1");
    await dev.send(scopeRequest("ask-approve", "The mail templates too"), ["lead-1"]);
    const card = watched.page.locator('[data-request="ask-approve"]');
    await card.getByRole("button", { name: "Approve" }).click();
    await card.waitFor({ state: "detached" });
    const answers = (await dev.inbox()).map(({ message }) => message as { payload: Record<string, unknown> });
    assert.deepEqual(
      answers.map(({ payload }) => [payload.request_id, payload.approved]),
      [["ask-approve", true]],
    );
  });

  test("a double-click answers one request, and the card says which entry holds the answer", async () => {
    // A separate window, whose clock the test moves: what the page does for a moment lasts as long as it is looked at.
    const context = await watched.browser.newContext({ storageState: await watched.context.storageState() });
    await context.clock.install();
    const page = await context.newPage();
    await page.goto(`${watched.hub.origin}/t/checkout/inbox`);
    await live(page);
    const dev = await watched.agent("dev-1");
    const first = await dev.send(scopeRequest("twice-1", "The first of two"), ["lead-1"]);
    const second = await dev.send(scopeRequest("twice-2", "The second of two"), ["lead-1"]);
    assert.deepEqual([first.status, second.status], [201, 201]);
    const one = page.locator('[data-request="twice-1"]');
    const other = page.locator('[data-request="twice-2"]');
    await other.waitFor();
    assert.match((await one.locator(".from").textContent()) ?? "", /^dev-1 asks lead-1 for 2-1-T2/);
    /** How far the second card lies below the first; the browser may scroll both. */
    const distance = async () => ((await other.boundingBox())?.y ?? 0) - ((await one.boundingBox())?.y ?? 0);
    const approve = one.getByRole("button", { name: "Approve", disabled: false });
    await approve.waitFor();
    await context.clock.pauseAt(await page.evaluate<number>("Date.now() + 1_000"));
    const before = await distance();
    await approve.dblclick({ delay: 120 });
    await one.getByText(/^Approved, entry \d+$/).waitFor();
    assert.equal(await distance(), before, "the next card stays where it is");
    // Where the answered card was, the next one slides; somebody who continues clicking there answers nothing.
    await page.evaluate(`window.__slid = new Promise((resolve) => {
      const gone = document.querySelector('[data-request="twice-1"]');
      const next = document.querySelector('[data-request="twice-2"]');
      new MutationObserver((_, observer) => {
        if (gone.isConnected) return;
        observer.disconnect();
        const button = [...next.querySelectorAll("button")].find((each) => each.textContent === "Approve");
        button.click();
        const { x, y } = button.getBoundingClientRect();
        resolve({ x: x + 5, y: y + 5 });
      }).observe(document.body, { childList: true, subtree: true });
    }); void 0`);
    await context.clock.runFor(2_000);
    const at = await page.evaluate<{ x: number; y: number }>("window.__slid");
    await page.mouse.click(at.x, at.y);
    const open = await page.evaluate<{ approvals: { requestId: string }[] }>(
      `fetch("/api/teams/checkout/approvals").then((answer) => answer.json())`,
    );
    assert.deepEqual(
      open.approvals.map(({ requestId }) => requestId),
      ["twice-2"],
    );
    await context.clock.resume();
    await other.getByRole("button", { name: "Approve" }).click();
    await other.getByText(/^Approved, entry/).waitFor();
    await other.waitFor({ state: "detached" });
    await page.getByText("Nothing needs you.").waitFor();
    await context.close();
  });

  /** What waits for the person is counted, and a key leads to it, whatever is open: approvals first, then this card. */
  async function ledTo(card: Locator): Promise<void> {
    const { page } = watched;
    const waiting = 1 + (await page.locator("[data-request][data-waits]").count());
    await page.waitForFunction((count) => document.title.startsWith(`(${count}) `), waiting);
    const words = waiting === 1 ? "1 needs you" : `${waiting} need you`;
    await page.getByRole("status").filter({ hasText: words }).waitFor({ state: "attached" });
    await visit(page, "Timeline");
    await page.locator("[role=option]").first().click();
    await page.getByRole("button", { name: words }).waitFor();
    for (let each = 0; each < waiting; each++) await page.keyboard.press("w");
    await card.and(page.locator(":focus")).waitFor();
    // The keyboard's focus moves to the card's question.
    await page.keyboard.press("w");
    assert.equal(
      await card.and(page.locator(":focus")).count(),
      waiting === 1 ? 1 : 0,
      "the first comes after the last",
    );
  }

  test("what has come to the person is decided in words, and the agent that was held up reads them", async () => {
    const dev = await watched.agent("dev-2");
    const options = { options: ["Stub the mailer", "Wait for 2-2"] };
    const blocked = {
      plan_id: "2-1",
      task_id: "2-1-T9",
      blocker: "The mailer is missing",
      needs: "Plan 2-2",
      ...options,
    };
    await dev.send(typed({ id: "blocked-9", type: "blocker_report", task: "2-1-T9", role: "dev" }, blocked), [
      "lead-1",
    ]);
    const { page } = watched;
    const card = page.locator('[data-escalation="ESC-2-1-T9"]');
    await card.getByText("waits at lead").waitFor();
    assert.equal(await card.getByRole("button", { name: "Decide" }).count(), 0, "it is not the person's yet");
    // Lead and architect say nothing: another process, whose clock is ahead, passes them by.
    for (const minutes of [6, 12]) await passDeadlines(watched.folder, minutes * 60_000);
    await card.getByText("waits for you").waitFor();
    await ledTo(card);
    const decide = card.getByRole("button", { name: "Decide" });
    assert.equal(await decide.isDisabled(), true, "nothing is decided without words");
    await card.getByRole("button", { name: "Stub the mailer" }).click();
    assert.equal(await card.getByLabel("Decision").inputValue(), "Stub the mailer");
    await decide.click();
    await card.waitFor({ state: "detached" });
    await page.locator(":focus").and(page.locator("[data-waits], main")).waitFor();
    const told = (await dev.inbox()).at(-1)?.message;
    assert.match(JSON.stringify(told), /ESC-2-1-T9 is decided by owner: Stub the mailer/);
  });

  test("nothing went wrong behind any of it", async () => {
    assert.deepEqual(await watched.wrongs(), []);
  });
});
