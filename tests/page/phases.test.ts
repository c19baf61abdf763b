/** Phases on the page: a department's part each, how far it is, and what holds it up, live. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { openPage, startBrowser, withoutChromium } from "./browser.ts";
import { type RunningHub, startHub, teamFolder } from "./hub.ts";
import { phase, typed, update } from "./phase.ts";

suite("phases on the page", { skip: withoutChromium }, () => {
  const folder = teamFolder();
  let hub: RunningHub;
  let browser: Browser;
  let watched: Awaited<ReturnType<typeof openPage>>;

  before(async () => {
    [hub, browser] = await Promise.all([startHub(folder.path), startBrowser()]);
    watched = await openPage(browser, hub);
  });
  after(async () => {
    await browser?.close();
    await hub?.stop();
    folder[Symbol.dispose]();
  });

  test("what holds a phase up is shown as text, and goes when it is decided", async () => {
    const contract = phase.find(({ text }) => text.includes('"plan_contract"'));
    assert.ok(contract !== undefined);
    await (await watched.agent(contract.sender)).send(contract.text, contract.to);
    const one = await watched.agent("dev-1");
    await one.send(update("u-1", "2-1-T1"), ["lead-1"]);
    const row = watched.page.locator('[data-phase="2"]').filter({ hasText: "backend" });
    await row.getByText("0%", { exact: true }).first().waitFor();
    const blocker = { plan_id: "2-1", task_id: "2-1-T1", blocker: "<b>No names</b>", needs: "Names" };
    await one.send(typed({ id: "b-1", type: "blocker_report", task: "2-1-T1", role: "dev" }, blocker), ["lead-1"]);
    await row.getByText("<b>No names</b>").waitFor();
    const decided = await fetch(`${hub.origin}/api/teams/checkout/escalations/ESC-2-1-T1`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await watched.tokenOf("lead-1")}` },
      body: JSON.stringify({ decision: "Use these", id: "d-1" }),
    });
    assert.equal(decided.status, 201);
    await row.getByText("<b>No names</b>").waitFor({ state: "detached" });
  });
});
