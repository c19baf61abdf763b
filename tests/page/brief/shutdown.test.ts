/** A shutdown round on the page: who was asked, how each answers, live; and the certificate once it is over. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { axeFindings } from "../axe.ts";
import { visit, withoutChromium } from "../browser.ts";
import { moveTo } from "../every-view.ts";
import { typed } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("shutdown rounds on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub();
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const answer = (id: string, approve: boolean, more: object = {}) => {
    const payload = { request_id: "stop-1", approve, final_status: approve ? "complete" : "in_progress", ...more };
    return typed({ id, type: "shutdown_response", task: "", role: "dev" }, payload);
  };

  test("a round is shown as it goes, agent by agent, and stays as its certificate", async () => {
    const { page } = watched;
    const [one, other] = [await watched.agent("dev-1"), await watched.agent("dev-2")];
    const started = await fetch(`${watched.hub.origin}/api/teams/checkout/shutdowns`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await watched.tokenOf("lead-1")}` },
      body: JSON.stringify({ reason: "phase_complete", agents: ["dev-1", "dev-2"], deadlineMs: 600_000, id: "stop-1" }),
    });
    assert.equal(started.status, 201);
    const card = page.locator('[data-shutdown="stop-1"]');
    const row = (agent: string) => card.locator(`[data-agent="${agent}"]`);
    await card.getByText(/\d+ min left/).waitFor();
    await row("dev-1").getByText("waited for").waitFor();
    await one.send(answer("yes-1", true), ["lead-1"]);
    await row("dev-1").getByText("stopped").waitFor();
    // The view of its own says who has answered and who is waited for, as it comes.
    await visit(page, "Day");
    const answers = page.locator(".answers");
    await answers.getByText(/2 of 3 have stopped|1 of 3 have stopped|1 of 2 have stopped/).waitFor();
    await answers.getByText(/waited for: .*dev-2/).waitFor();
    await other.send(answer("no-1", false, { pending_work: "<b>mid-write</b>" }), ["lead-1"]);
    await row("dev-2").getByText("refused, works on").waitFor();
    await row("dev-2").getByText("pending: <b>mid-write</b>").waitFor();
    await other.send(answer("yes-2", true), ["lead-1"]);
    await card.getByText("complete", { exact: true }).waitFor();
    await row("dev-2").getByText("refused-then-clean").waitFor();
    await page.getByRole("heading", { name: "Certificates" }).waitFor();
    await answers.getByText(/^(\d) of \1 stopped$/).waitFor();
    for (const [width, colorScheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axeFindings(page), [], `at ${width}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.reload();
    await row("dev-2").getByText("refused-then-clean").waitFor();
    // One agent alone is stopped on its own page, by a second press, and the line that starts it again is there.
    await moveTo(page, "/t/checkout/agents/qa-1");
    await page.getByText("baton run qa-1").waitFor();
    await page.getByRole("button", { name: "Stop it…" }).click();
    await page.getByRole("button", { name: "Not yet" }).click();
    await page.getByRole("button", { name: "Stop it…" }).click();
    await page.getByRole("button", { name: "Stop it", exact: true }).click();
    await page.getByRole("group", { name: "Stop it" }).waitFor({ state: "detached" });
    await visit(page, "Day");
    await page.locator("[data-shutdown]", { hasText: "asked by owner" }).locator('[data-agent="qa-1"]').waitFor();
    // The person ends the day: what is open is said before, and nobody is asked by the first press.
    assert.equal((await watched.asOwner("/api/teams/checkout/tasks", { title: "Not begun" })).status, 201);
    const day = page.getByRole("region", { name: "The day" });
    await day.getByText("1", { exact: true }).waitFor();
    await day.getByRole("button", { name: "Stop the day…" }).click();
    await day.getByText(/^4 agents will be asked to stop: lead-1, architect-1, scout-1, qa-1\./).waitFor();
    await day.getByRole("button", { name: "Not yet" }).click();
    await day.getByRole("button", { name: "Stop the day…" }).click();
    assert.deepEqual(await axeFindings(page), []);
    await day.getByRole("button", { name: "Stop the day", exact: true }).click();
    await page
      .getByText(/asked by owner/)
      .nth(1)
      .waitFor();
    await day.getByText("baton stop").waitFor();
    assert.deepEqual(await watched.wrongs(), []);
  });
});
