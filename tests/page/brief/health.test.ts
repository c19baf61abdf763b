/** Health on the page: an agent that disappears, the breaker that opens, and the agent that is back. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { visit, withoutChromium } from "../browser.ts";
import { passDeadlines } from "../hub.ts";
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
});
