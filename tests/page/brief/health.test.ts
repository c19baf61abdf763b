/** Health on the page: an agent that disappears, the breaker that opens, and the agent that is back. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { withoutChromium } from "../browser.ts";
import { passDeadlines } from "../hub.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("health on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub();
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const attend = async (agent: string) => {
    const shown = await fetch(`${watched.hub.origin}/api/teams/checkout/agents/${agent}/alive`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "baton-program": `${agent}-program`,
        authorization: `Bearer ${await watched.tokenOf(agent)}`,
      },
      body: "{}",
    });
    assert.equal(shown.status, 200);
  };

  test("who disappears is shown so until it is back, and a breaker that lets nobody in", async () => {
    const { page } = watched;
    const row = page.locator("li").filter({ has: page.locator(".name", { hasText: "dev-1" }) });
    const gone = row.getByText("disappeared").first();
    await attend("dev-1");
    await passDeadlines(watched.folder, 101_000);
    await gone.waitFor();
    await attend("dev-1");
    await gone.waitFor({ state: "detached" });
    await passDeadlines(watched.folder, 202_000);
    const breaker = page.locator('[data-breaker="backend"]');
    await breaker.getByText("open", { exact: true }).waitFor();
    await breaker.getByText(/2 disappeared.*spawn: task/).waitFor();
    await gone.waitFor();
    await attend("dev-1");
    await gone.waitFor({ state: "detached" });
  });
});
