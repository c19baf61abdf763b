/** What a person can say with an answer on the page: conditions, changes; and what only a person can say. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { visit, withoutChromium } from "../browser.ts";
import { scopeRequest } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("answers on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub();
    await visit(watched.page, "Needs you");
  });
  after(() => watched?.[Symbol.asyncDispose]());

  test("conditions and paths go along with a yes, a line each, and the opened entry shows them", async () => {
    const { page } = watched;
    const dev = await watched.agent("dev-1");
    await dev.send(scopeRequest("ask-bound", "The mail templates"), ["lead-1"]);
    const card = page.locator('[data-request="ask-bound"]');
    await card.getByText("Conditions and changes").click();
    await card.getByLabel("Conditions, one a line").fill("Leave the invoices alone\n\n  Add a test ");
    await card.getByLabel("Paths it lets in, one a line").fill("src/mail/templates/");
    await card.getByRole("button", { name: "Approve" }).click();
    await card.waitFor({ state: "detached" });
    const [answer] = await dev.inbox();
    assert.ok(answer !== undefined);
    const { payload } = answer.message as { readonly payload: Record<string, unknown> };
    assert.deepEqual(payload.conditions, ["Leave the invoices alone", "Add a test"]);
    assert.deepEqual(payload.modifications, ["src/mail/templates/"]);
    await visit(page, "Timeline");
    await page.locator("[role=option]").filter({ hasText: "approved ask-bound" }).click();
    const detail = page.getByRole("article", { name: /^Entry/ });
    await detail.getByRole("listitem").filter({ hasText: "Leave the invoices alone" }).waitFor();
    await detail
      .getByRole("listitem")
      .filter({ hasText: /^src\/mail\/templates\/$/ })
      .waitFor();
    await visit(page, "Needs you");
  });

  test("a gate says that only the person at the page can lift it, and an agent that tries is refused", async () => {
    const dev = await watched.agent("dev-1");
    const lead = await watched.agent("lead-1");
    await dev.send(scopeRequest("ask-gate", "Ship with one failing test", { request_type: "gate_override" }), [
      "lead-1",
    ]);
    const card = watched.page.locator('[data-request="ask-gate"]');
    await card.getByText("Only you can answer").waitFor();
    const tried = await fetch(`${watched.hub.origin}/api/teams/checkout/approvals/ask-gate`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await watched.tokenOf("lead-1")}` },
      body: JSON.stringify({ approved: true, reason: "Fine" }),
    });
    assert.equal(tried.status, 403);
    assert.equal(((await tried.json()) as { readonly code: string }).code, "human-required");
    assert.equal((await lead.inbox()).length, 2, "the gate and the request before it");
    await card.getByRole("button", { name: "Approve" }).click();
    await card.waitFor({ state: "detached" });
  });

  test("the person who answers what was just answered elsewhere learns by whom", async () => {
    const { page } = watched;
    const dev = await watched.agent("dev-1");
    await dev.send(scopeRequest("ask-late", "The footer"), ["lead-1"]);
    const card = page.locator('[data-request="ask-late"]');
    await card.waitFor();
    // The page's own request is held until the lead has answered, as a slow network would.
    let answered: Promise<unknown> = Promise.resolve();
    await page.route("**/approvals/ask-late", async (route) => {
      answered = fetch(`${watched.hub.origin}/api/teams/checkout/approvals/ask-late`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${await watched.tokenOf("lead-1")}` },
        body: JSON.stringify({ approved: false, reason: "Not now" }),
      });
      assert.equal(((await answered) as Response).status, 201);
      await route.continue();
    });
    await card.getByRole("button", { name: "Approve" }).click();
    await card.getByText(/denied by lead-1, at entry \d+/).waitFor();
  });
});
