/**
 * Phases on the page: a department's part each, what each step waits for, what a lead says otherwise, and what the person
 * does there: skipping a step, lifting a hold. One company on one hub, in one browser.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import type { openStage } from "../../examples/stage.ts";
import { openPage, startBrowser, withoutChromium } from "./browser.ts";
import { tellCompany } from "./company.ts";
import { faintTexts } from "./faint.ts";
import { type RunningHub, startHub, teamFolder } from "./hub.ts";

suite("phases on the page", { skip: withoutChromium }, () => {
  const folder = teamFolder();
  let company: ReturnType<typeof openStage>;
  let hub: RunningHub;
  let browser: Browser;
  let watched: Awaited<ReturnType<typeof openPage>>;

  before(async () => {
    company = await tellCompany(folder.path);
    [hub, browser] = await Promise.all([startHub(folder.path), startBrowser()]);
    watched = await openPage(browser, hub);
  });
  after(async () => {
    await browser?.close();
    await hub?.stop();
    await company?.close();
    folder[Symbol.dispose]();
  });

  const rowOf = (department: string) => watched.page.locator("[data-phase]").filter({ hasText: `· ${department}` });
  const partOf = (department: string) => watched.page.locator(`[data-part="${department}"]`);
  const stepOf = (department: string, step: string) => partOf(department).locator(`[data-step="${step}"]`);

  test("what holds a phase up is shown as text, and goes when it is decided", async () => {
    const { stage } = company;
    const row = rowOf("uiux");
    await row.getByText("100%", { exact: true }).last().waitFor();
    await stage.say("uiux-dev", {
      type: "dev_blocker",
      task: "01-01/T1",
      plan_id: "01-01",
      blocker: "<b>No names</b>",
      needs: "Names",
      attempted: [],
    });
    await row.getByText("<b>No names</b>").waitFor();
    const lead = await stage.as("uiux-lead");
    await stage.done(lead.resolve("ESC-01-01-T1", { decision: "Use these" }));
    await row.getByText("<b>No names</b>").waitFor({ state: "detached" });
    await rowOf("backend").getByText("Only you can lift the hold.").waitFor();
  });

  test("an opened phase says of every step how it stands and what it waits for", async () => {
    const { page } = watched;
    await rowOf("frontend").getByRole("button").click();
    await page.getByRole("article", { name: "Phase 01" }).waitFor();
    await partOf("frontend").waitFor();
    assert.equal(await partOf("frontend").locator("[data-step]").count(), 11);
    for (const [department, step, says] of [
      ["uiux", "signoff", "the owner ships the phase: no decision"],
      ["frontend", "critique", "done"],
      ["frontend", "design_review", "skipped"],
      ["frontend", "design_review", "The plan says <b>all</b> there is to say · by frontend-lead"],
      ["frontend", "implementation", "no escalation is open: ESC-01-1"],
      ["frontend", "code_review", "every plan's code is approved: not 01-02"],
      ["frontend", "qa", "the verification passed: standard FAIL"],
      ["frontend", "security", "qa is done or skipped"],
      ["backend", "security", "no failed audit stands: 41-backend by security-1"],
    ] as const) {
      const text = await stepOf(department, step).textContent();
      assert.ok(text?.includes(says), `${department}, ${step}: ${text}`);
    }
    const frontend = partOf("frontend");
    await frontend.getByText("step security is told, implementation is computed").waitFor();
    await frontend.locator('[data-plan="01-02"]').getByText("review round 2: changes requested").waitFor();
    await frontend.getByText("src/page.js:1").waitFor();
    await frontend.getByText("remediation round 1").waitFor();
    await frontend.getByText("a code <script>is</script> used once").waitFor();
    const missing = page.getByRole("list", { name: "Missing to ship" }).getByRole("listitem");
    assert.deepEqual((await missing.allTextContents()).slice(0, 2), [
      "frontend has not reported.",
      "backend has not reported.",
    ]);
    await page.locator('[data-part="uiux"]').getByText("Told to the owner").waitFor();
  });

  test("a step is skipped by keyboard, with a reason; one that is held is refused with the hint, in place", async () => {
    const { page } = watched;
    const held = stepOf("backend", "security");
    await held.getByRole("button", { name: "Skip Security" }).press("Enter");
    const reason = held.getByLabel("Reason");
    assert.ok(await reason.evaluate((field) => field === document.activeElement));
    await page.keyboard.press("Control+Enter");
    await held.getByText("Say why").waitFor();
    await page.keyboard.type("We are late <i>");
    await page.keyboard.press("Control+Enter");
    await held.getByText("human-required").waitFor();
    await held.getByText("baton phase lift").waitFor();
    await page.keyboard.press("Escape");
    await reason.waitFor({ state: "detached" });
    assert.ok(await held.getByRole("button").evaluate((button) => button === document.activeElement));
    const open = stepOf("frontend", "security");
    await open.getByRole("button", { name: "Skip Security" }).press("Enter");
    await page.keyboard.type("No <i>secrets</i> here");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await open.getByText("No <i>secrets</i> here · by owner").waitFor();
    assert.ok(await open.evaluate((row) => row === document.activeElement), "the focus stays at the step");
    assert.equal(await open.getByRole("button").count(), 0);
  });

  test("a hold is lifted with a reason, and by nobody without one", async () => {
    const { page } = watched;
    const hold = page.locator("[data-stop]");
    await hold.getByText("Only you can lift it").waitFor();
    await hold.getByRole("button", { name: "Lift the hold" }).click();
    await hold.getByText("Say why").waitFor();
    assert.ok(await hold.getByLabel("Reason").evaluate((field) => field === document.activeElement));
    await hold.getByLabel("Reason").fill("The key was rotated and is worthless");
    await hold.getByRole("button", { name: "Lift the hold" }).click();
    await page.getByText(/^Lifted, entry \d+: the phase goes on\.$/).waitFor();
    await hold.waitFor({ state: "detached" });
    await stepOf("backend", "security").getByText("done").waitFor();
    const view = await company.stage.part("01", "backend");
    assert.deepEqual([view.standing, view.stops], ["running", []]);
  });

  test("an entry that is opened from a phase leads back to it", async () => {
    const { page } = watched;
    await partOf("frontend")
      .getByRole("button", { name: /^#\d+$/ })
      .first()
      .click();
    await page.getByRole("article", { name: /^Entry/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("article", { name: "Phase 01" }).waitFor();
  });

  test("every text stands out in light and in dark, and on a phone nothing is cut off", async () => {
    const { page } = watched;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await page.evaluate(faintTexts, 4.5), [], colorScheme);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    const wide = await page.locator(".detail .body").evaluate((body) => body.scrollWidth - body.clientWidth);
    assert.equal(wide, 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press("Escape");
    // The browser itself reports the refusal that the second test provokes; nothing else is wrong.
    const wrongs = (await watched.wrongs()).filter((wrong) => !wrong.includes("status of 403"));
    assert.deepEqual(wrongs, []);
  });
});
