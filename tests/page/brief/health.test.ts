/** Agents on the page: one that disappears and is back, the breaker that opens, one that is held up, one that is read. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { visit, withoutChromium } from "../browser.ts";
import { moveTo } from "../every-view.ts";
import { passDeadlines } from "../hub.ts";
import { typed } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("health on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub();
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const posted = async (path: string, by: string, body: object) => {
    const answer = await fetch(`${watched.hub.origin}/api/teams/checkout/${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "baton-program": `${by}-program`,
        authorization: `Bearer ${await watched.tokenOf(by)}`,
      },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.text());
  };
  const attend = (agent: string) => posted(`agents/${agent}/alive`, agent, {});

  test("who disappears is shown so until it is back, and a breaker that lets nobody in", async () => {
    const { page } = watched;
    const row = page.locator('[data-agent="dev-1"]');
    const gone = row.getByText("disappeared").first();
    await attend("dev-1");
    await passDeadlines(watched.folder, 101_000);
    await gone.waitFor();
    await attend("dev-1");
    await gone.waitFor({ state: "detached" });
    // One agent alone opens no breaker, however often it disappears.
    await posted("agents", "owner", { agent: "dev-3", role: "dev", department: "backend" });
    await posted("agents", "owner", { agent: "lead-2", role: "lead", department: "backend" });
    await attend("dev-3");
    await posted("tasks", "owner", { task: "2-1-T7", files: ["src/names.ts"] });
    await posted("tasks/2-1-T7/claim", "dev-3", {});
    await passDeadlines(watched.folder, 202_000);
    const breaker = page.locator('[data-breaker="backend"]');
    await breaker.getByText("open", { exact: true }).waitFor();
    await breaker.getByText(/2 disappeared.*spawn: task/).waitFor();
    await gone.waitFor();
    await attend("dev-1");
    await gone.waitFor({ state: "detached" });
    await page.locator('[data-agent="dev-3"]').getByText("disappeared and lost 2-1-T7").waitFor();
    await page.locator('[data-agent="dev-3"]').getByRole("link", { name: "dev-3" }).click();
    await page
      .locator('[data-claim="2-1-T7"]')
      .getByText(/^lost it/)
      .waitFor();
    // What can be done about one that is still away is next to it.
    await visit(page, "Needs you");
    await page.locator('[data-need="unresponsive:dev-3"]').click();
    const offers = page.getByRole("region", { name: "What you can do" });
    await offers.getByText("2-1-T7, which is available for any agent to claim").waitFor();
    await page.getByText("What you can do is above").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Ask/ }).count(), 0, "one that is silent answers nobody");
    await offers.getByRole("link", { name: "Ask dev-1 to take it" }).waitFor();
    await offers.getByRole("link", { name: "Message lead-2" }).click();
    await page.waitForURL(/\/compose\/prose\?/);
    assert.equal(await page.getByLabel("message").inputValue(), "dev-3 is silent. Please see to 2-1-T7.");
    await page.getByRole("button", { name: "Remove lead-2" }).waitFor();
  });

  test("who is held up says for whom it waits, since when and why, before that needs the owner", async () => {
    const { page } = watched;
    const blocked = { plan_id: "2-1", task_id: "2-1-T9", blocker: "The mailer is missing", needs: "It", attempted: [] };
    const report = typed(
      { id: "blocked-9", type: "blocker_report", task: "2-1-T9", role: "dev" },
      { ...blocked, severity: "blocking" },
    );
    assert.equal((await (await watched.agent("dev-2")).send(report)).status, 201);
    await visit(page, "Overview");
    const row = page.locator('[data-agent="dev-2"]');
    await row.getByText("waits for the lead").waitFor();
    await row.getByText(/^(now|\d+ (s|min)): The mailer is missing$/).waitFor();
    assert.equal(await page.locator('[data-need^="escalation:"]').count(), 0);
    await page.setViewportSize({ width: 390, height: 844 });
    const gone = page.locator('[data-agent="dev-3"] strong.gone');
    const height = await gone.evaluate((word) => word.getBoundingClientRect().height);
    assert.ok(height < 24, `a phone breaks no word in two, ${height}`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await row.getByRole("link", { name: "dev-2" }).click();
    await page.getByText(/waits for the lead \(.*\): The mailer is missing/).waitFor();
  });

  test("what is not read yet is not said to be nothing", async () => {
    const { page } = watched;
    const held = Promise.withResolvers<void>();
    await page.route(/\/(lanes|messages)(\?|$)/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await visit(page, "Overview");
    await moveTo(page, "/t/checkout/agents/scout-1");
    await page.getByRole("heading", { name: "scout-1" }).waitFor();
    const claims = page.getByRole("region", { name: "Claims" });
    await claims.waitFor();
    assert.deepEqual(await page.getByText(/^(It has|Nothing)/).allTextContents(), []);
    held.resolve();
    await claims.getByText("It has claimed nothing.").waitFor();
    await page.getByText("Nothing that it did was refused.").waitFor();
    await page.unroute(/\/(lanes|messages)(\?|$)/);
    assert.deepEqual(await watched.wrongs(), []);
  });
});
