/**
 * A company on the page: phases with what each step waits for and what a lead says otherwise; what the person does there:
 * skipping a step, lifting a hold; handoffs with what was found of their files. All on one hub, in one browser.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { openStage } from "../../examples/stage.ts";
import { visible } from "../../src/base/text.ts";
import { visit, withoutChromium } from "./browser.ts";
import { handoffDocument, readyToShip, tellCompany } from "./company.ts";
import { handoffTests } from "./company-handoffs.ts";
import { audit } from "./company-messages.ts";
import { faintTexts } from "./faint.ts";
import { scriptPayloads } from "./script-payloads.ts";
import { type WatchedHub, watchedHub } from "./watched-hub.ts";

suite("a company on the page", { skip: withoutChromium }, () => {
  let company: ReturnType<typeof openStage>;
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub(async (folder) => {
      company = await tellCompany(folder);
    });
  });
  after(async () => {
    await company?.close();
    await watched?.[Symbol.asyncDispose]();
  });

  const rowOf = (department: string) => watched.page.locator("[data-phase]").filter({ hasText: `· ${department}` });
  const partOf = (department: string) => watched.page.locator(`[data-part="${department}"]`);
  const stepOf = (department: string, step: string) => partOf(department).locator(`[data-step="${step}"]`);

  test("what holds a phase up is shown as text, and goes when it is decided", async () => {
    const { stage } = company;
    await visit(watched.page, "Phases");
    const row = rowOf("uiux");
    // All its plans are done, and it goes on.
    await row
      .getByText(/^\d{1,2}%$/)
      .last()
      .waitFor();
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
    await stage.done(lead.resolve({ escalation: "ESC-01-01-T1", decision: "Use these" }));
    await row.getByText("<b>No names</b>").waitFor({ state: "detached" });
    await rowOf("backend").getByText("Only you can lift the hold.").waitFor();
  });

  test("an opened phase says of every step its state and what it waits for", async () => {
    const { page } = watched;
    await visit(page, "Needs you");
    const hold = page.locator('[data-need^="hold:"]');
    await hold.click();
    await page.locator("[data-detail]").getByRole("link", { name: "Open the phase" }).press("Enter");
    await page.getByRole("article", { name: "Phase 01" }).waitFor();
    await page.keyboard.press("Escape");
    await hold.waitFor();
    await visit(page, "Phases");
    await rowOf("frontend").getByRole("button").click();
    await page.getByRole("article", { name: "Phase 01" }).waitFor();
    await partOf("frontend").waitFor();
    assert.equal(await partOf("frontend").locator("[data-step]").count(), 11);
    assert.equal(await page.getByText(/: not yet$/).count(), 0);
    await page.locator('[data-cell="backend/security"].stopped').click();
    await page.locator("[data-part=backend] [data-step=security]:focus").waitFor();
    for (const [department, step, says] of [
      ["uiux", "signoff", "not yet: the owner ships the phase: no decision"],
      ["frontend", "critique", "done"],
      ["frontend", "design_review", "skipped"],
      ["frontend", "design_review", "The plan says <b>all</b> there is to say · by frontend-lead"],
      ["frontend", "implementation", "no escalation is open: ESC-01-1"],
      [
        "frontend",
        "code_review",
        "every plan's code is approved by another than who wrote it, after its last report: not 01-02",
      ],
      ["frontend", "qa", "the verification passed: standard FAIL"],
      ["frontend", "security", "qa is done or skipped"],
      ["backend", "security", "no failed audit is open: 41-backend by security-1"],
    ] as const) {
      const text = await stepOf(department, step).textContent();
      assert.ok(text?.includes(says), `${department}, ${step}: ${text}`);
    }
    const frontend = partOf("frontend");
    await frontend.getByText("step security is reported, implementation is computed").waitFor();
    await frontend.locator('[data-plan="01-02"]').getByText("review round 2: changes requested").waitFor();
    await frontend.getByText("src/page.js:1").waitFor();
    await frontend.getByText("remediation round 1").waitFor();
    await frontend.getByText("a code <script>is</script> used once").waitFor();
    const missing = page.getByRole("list", { name: "Missing to ship" }).getByRole("listitem");
    assert.deepEqual((await missing.allTextContents()).slice(0, 2), [
      "frontend has not reported.",
      "backend has not reported.",
    ]);
    await page.locator('[data-part="uiux"]').getByText("Reported to the owner").waitFor();
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
    await held.getByText("baton phase lift").waitFor();
    assert.equal(await held.getByText("human-required").count(), 0, "a code is no sentence");
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
    await hold.getByRole("button", { name: "Lift the hold" }).click();
    await hold.getByText("Say why").waitFor();
    assert.ok(await hold.getByLabel("Reason").evaluate((field) => field === document.activeElement));
    assert.match(await hold.ariaSnapshot(), /Only you can lift it.*textbox "Reason".*button "Lift the hold"/s);
    await hold.getByLabel("Reason").fill("The key was rotated and is worthless");
    await hold.getByRole("button", { name: "Lift the hold" }).click();
    await page.getByText(/^Lifted, entry \d+: the phase goes on\.$/).waitFor();
    await hold.waitFor({ state: "detached" });
    await stepOf("backend", "security").getByText("done").waitFor();
    const view = await company.stage.part("01", "backend");
    assert.deepEqual([view.status, view.stops], ["running", []]);
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

  const handoffRow = (id: string) => watched.page.locator(`.list [data-handoff="${id}"]`);

  handoffTests(() => ({ watched, company }));

  test("hostile strings in reasons, documents and rejections are shown letter by letter, and do nothing", async () => {
    const { page } = watched;
    const { stage } = company;
    const texts = scriptPayloads.filter((text) => text.trim() !== "" && text.isWellFormed() && !text.includes("\0"));
    const [first = "x", second = "x"] = texts;
    await stage.say("frontend-senior", {
      handoff: {
        ...handoffDocument("hostile-1", first, { constraints: texts, secondary: [second] }).handoff,
        history: { lessons_learned: texts.slice(0, 20) },
      },
    });
    await stage.done(
      (await stage.as("frontend-dev")).rejectHandoff({ handoff: "hostile-1", reasons: texts.slice(0, 40) }),
    );
    await stage.done(
      (await stage.as("chief")).skipStep({ step: "qa", reason: texts.join("\n"), department: "frontend" }),
    );
    await visit(page, "Handoffs");
    await page.getByRole("button", { name: "Show those that are over too" }).click();
    await handoffRow("hostile-1").getByRole("button").click();
    const detail = page.getByRole("article", { name: "Handoff hostile-1" });
    await detail.getByText("rejected by").waitFor();
    const shown = (await detail.textContent()) ?? "";
    for (const text of texts) assert.ok(shown.includes(visible(text)), `not shown: ${text}`);
    await visit(page, "Phases");
    await rowOf("frontend").getByRole("button").click();
    const skipped = stepOf("frontend", "qa");
    await skipped.getByText("skipped").waitFor();
    assert.ok((await skipped.textContent())?.includes(visible(texts.join("\n"))));
    assert.equal(await page.evaluate("window.__ran"), undefined, "a script ran");
    await page.keyboard.press("Escape");
  });

  test("artifacts that the repository does not confirm count where the person says so, with a reason", async () => {
    const { page } = watched;
    await company.stage.say("scout-1", {
      type: "scout_findings",
      domain: "quality",
      findings: [{ query: "How long?", finding: "Ten minutes", confidence: "high" }],
      artifact: "phases/01-sign-in/<b>nowhere</b>.jsonl",
      committed: true,
    });
    await visit(page, "Needs you");
    const need = page.locator('[data-need^="artifact:"]');
    await need.click();
    const ways = page.locator("[data-detail]").getByRole("region", { name: "What you can decide" });
    await ways.getByText("they hold nothing up, until a later message speaks of them").waitFor();
    await ways.getByRole("button", { name: "They count" }).click();
    assert.ok(await ways.getByLabel("Reason").evaluate((field) => field === document.activeElement));
    await ways.getByRole("button", { name: "They count" }).click();
    await ways.getByText("Say why").waitFor();
    await page.keyboard.type("It is on <i>my</i> disk");
    await page.keyboard.press("Control+Enter");
    await ways.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("window.__ran"), undefined, "a script ran");
  });

  test("every string contrasts in light and in dark, and on a phone nothing is cut off", async () => {
    const { page } = watched;
    for (const [view, row] of [
      ["Handoffs", handoffRow("sign-in-3")],
      ["Phases", rowOf("frontend")],
    ] as const) {
      await visit(page, view);
      await row.getByRole("button").click();
      await page.locator(".detail .body section").first().waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await page.evaluate(faintTexts, 4.5), [], colorScheme);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      const wide = await page.locator(".detail .body").evaluate((body) => body.scrollWidth - body.clientWidth);
      assert.equal(wide, 0);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press("Escape");
      assert.deepEqual(await page.evaluate(faintTexts, 4.5), [], "what stands now");
    }
  });

  test("a phase that is ready is shipped by the person where no agent owns it; it can be opened all the same", async () => {
    const { page } = watched;
    const { stage } = company;
    const owner = await stage.as("owner");
    await readyToShip(stage);
    await stage.done(owner.retire({ agent: "chief" }));
    await visit(page, "Needs you");
    await page.locator('[data-need="signoff:01"]').click();
    await page.getByText("By shipping you say that the departments' work together passed.").waitFor();
    await page.locator('[data-decision] [aria-disabled="true"]').first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Ship the phase" }).click();
    await page
      .locator('[data-need="signoff:01"]')
      .getByText(/^Shipped, entry \d+/)
      .waitFor();
    await stage.done(owner.register({ agent: "chief", role: "owner" }));
    await visit(page, "Phases");
    await page.getByText("No phase is under way.").waitFor();
    await page.getByRole("article", { name: "Phase 01" }).waitFor();
    await page.getByRole("button", { name: /^signed off phase 01/ }).click();
    await page.locator("[data-signoff]").getByText("SHIP by owner").waitFor();
    assert.deepEqual(await page.locator("[data-part] .status").allTextContents(), ["shipped", "shipped", "shipped"]);
    // What departments said and the record does not confirm is listed, as the phase has it.
    const known = await (await company.stage.as("chief")).phases();
    assert.ok(known.ok);
    const unconfirmed = known.value.flatMap((phase) => phase.unconfirmed);
    assert.ok(unconfirmed.length > 0, "the story reports what the record does not show");
    const listed = page.getByRole("list", { name: "Not confirmed" }).getByRole("listitem");
    assert.deepEqual(await listed.allTextContents(), unconfirmed.map(visible));
    await page.keyboard.press("Escape");
  });

  test("what is found after a phase was shipped is shown as bad, and waits for the person", async () => {
    const { stage } = company;
    const chief = await stage.as("chief");
    const waiting = async () => {
      const found = await chief.needs();
      assert.ok(found.ok);
      return found.value.needs.filter(({ kind }) => kind === "finding");
    };
    assert.deepEqual(await waiting(), []);
    const { page } = watched;
    await visit(page, "Phases");
    const counted = async () => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
    const before = await counted();
    await stage.say("security-1", audit("FAIL", 1, 1), ["backend-lead"]);
    const status = rowOf("backend").locator(".state");
    await status.getByText("shipped-with-findings").waitFor();
    assert.equal(
      await status.evaluate((each) => getComputedStyle(each).color),
      await rowOf("backend")
        .locator(".blocker")
        .first()
        .evaluate((each) => getComputedStyle(each).color),
    );
    assert.equal(await status.evaluate((each) => each.scrollWidth - each.clientWidth), 0);
    await visit(page, "Needs you");
    const row = page.locator('[data-need="finding:01/backend"]');
    await row.click();
    const detail = page.locator('[data-detail="finding:01/backend"]');
    await detail.getByText("It is over, so nothing here undoes it").waitFor();
    await detail.getByText(/the security audit of entry \d+ failed/).waitFor();
    await page.getByText("You cannot decide this here").waitFor();
    // The audit holds the phase, and that is a need of its own.
    assert.equal(await counted(), before + 2);
    const [found, ...more] = await waiting();
    assert.deepEqual([found?.id, more], ["finding:01/backend", []]);
    // The hold is lifted where it is listed, by keyboard, and what was found goes with it.
    const context = await watched.browser.newContext({ storageState: await watched.context.storageState() });
    await context.clock.install();
    const inbox = await context.newPage();
    await inbox.goto(page.url());
    await inbox.locator('[data-need^="hold:"]').click();
    await inbox.getByText("Only you can lift it: no later audit").waitFor();
    await inbox.getByRole("region", { name: "What was found" }).getByText("findings").first().waitFor();
    await inbox.getByRole("region", { name: "Thread" }).getByText("audited").waitFor();
    await context.clock.runFor(1_000);
    await inbox.locator('[data-decision] [aria-disabled="true"]').waitFor({ state: "detached" });
    await inbox.getByRole("listbox", { name: /needs you/ }).focus();
    await inbox.keyboard.press("a");
    await inbox.getByText("Say why").waitFor();
    await inbox.keyboard.type("The second key is a test's");
    await inbox.keyboard.press("Control+Enter");
    await inbox
      .getByText(/^Lifting the hold/)
      .first()
      .waitFor();
    await context.clock.runFor(5_100);
    await inbox
      .getByText(/^Lifted, entry \d+$/)
      .first()
      .waitFor();
    await inbox.locator('[data-need="finding:01/backend"]').getByText("It no longer needs you").waitFor();
    await context.close();
    assert.deepEqual(await waiting(), []);
  });

  test("a report that failed, is disputed or superseded looks and reads so, also when it is repaired, and a loaded one as soon as it is known", async () => {
    const { page } = watched;
    const { stage } = company;
    const [lead, dev] = [await stage.as("frontend-lead"), await stage.as("frontend-dev")];
    await stage.done(lead.addTask({ task: "91-01/T1", files: ["docs/resend.md"] }));
    assert.equal((await dev.claim({ task: "91-01/T1" })).outcome, "accepted");
    const report = async (given: Parameters<typeof dev.complete>[0]) => {
      const reply = await dev.complete(given);
      assert.ok(reply.outcome === "accepted");
      return page.locator(`#entry-${reply.receipt.seq}`);
    };
    await visit(page, "Timeline");
    await page.getByRole("button", { name: "Everything" }).click();
    /** The colours of the row's picture and of the word for what became of it. */
    const colourOf = (row: typeof failed) =>
      row.locator(".look, [data-outcome]").evaluateAll((all) => all.map((each) => getComputedStyle(each).color));
    const failed = await report({ task: "91-01/T1", status: "failed" });
    await failed.locator("[data-outcome=failed]").waitFor();
    const bad = await colourOf(failed);
    const commit = stage.commit("frontend-dev", { "docs/unasked.md": "# Else\n" }, "Something unasked");
    const lie = await report({ task: "91-01/T1", commit, files: ["docs/resend.md"] });
    await lie.locator("[data-outcome=disputed]").waitFor();
    assert.deepEqual(await colourOf(lie), bad, "nothing of a disputed report is green");
    await lie.click();
    await page.locator('[data-contradiction="91-01/T1"]').getByText("docs/unasked.md").first().waitFor();
    await failed
      .locator("[data-outcome=superseded]")
      .getByText(/^superseded by \d+$/)
      .waitFor();
    assert.notDeepEqual(await colourOf(failed), bad);
    assert.equal((await dev.claim({ task: "91-01/T1" })).outcome, "accepted");
    const good = stage.commit("frontend-dev", { "docs/resend.md": "# Resend\n" }, "How a code is sent again");
    const mended = await report({ task: "91-01/T1", commit: good, files: ["docs/resend.md"] });
    const repaired = lie.locator("[data-outcome=repaired]").getByText(/^disputed, then repaired by \d+$/);
    await repaired.waitFor();
    await mended.locator("[data-outcome=verified]").waitFor();
    assert.notDeepEqual(await colourOf(mended), bad);
    // A page that is opened now hears the same of the record.
    await page.reload();
    await repaired.waitFor();
  });

  test("a diff marks the words that changed, and what is large, binary or controls a terminal is bounded text", async () => {
    const { page } = watched;
    const { stage } = company;
    const [lead, dev] = [await stage.as("frontend-lead"), await stage.as("frontend-dev")];
    const task = "90-02/T1";
    await stage.done(lead.addTask({ task, files: ["shop/"] }));
    assert.equal((await dev.claim({ task })).outcome, "accepted");
    const line = "export const price = (cents) => round(cents / 100);";
    stage.commit("frontend-dev", { "shop/price.js": `${line}\n`, "shop/logo.bin": "a\0b\n" }, "A base");
    const commit = stage.commit(
      "frontend-dev",
      {
        "shop/price.js": `${line.replace("round", "exact")}\n`,
        "shop/logo.bin": "a\0c\n",
        "shop/long.txt": "a line of ten megabytes\n".repeat(440_000),
        "shop/screen.txt": "\u001b[2J\u001b]0;owned\u0007 <img src=x onerror=alert(1)> \u202egnp.exe\n",
      },
      "What is hard to draw",
    );
    const files = ["shop/price.js", "shop/logo.bin", "shop/long.txt", "shop/screen.txt"];
    await stage.done(dev.complete({ task, commit, files }));
    await page.goto(`${watched.hub.origin}/t/checkout/tasks/${encodeURIComponent(task)}`);
    const diff = (path: string) => page.locator(`[data-diff="${path}"]`);
    await diff("shop/price.js").waitFor();
    for (const _ of files) await page.keyboard.press("]"); // unfolds one after the other
    await diff("shop/price.js").locator(".add mark").waitFor();
    assert.deepEqual(await diff("shop/price.js").locator("mark").allTextContents(), ["round", "exact"]);
    await diff("shop/logo.bin").getByText("A binary file; open it in git.").waitFor();
    await diff("shop/long.txt")
      .getByText(/There is more: open it in git|too large/)
      .waitFor();
    assert.ok((await diff("shop/long.txt").locator(".line").count()) <= 2_000);
    const screen = diff("shop/screen.txt").locator(".line.add");
    await screen.getByText("<img src=x onerror=alert(1)>").waitFor();
    assert.ok((await screen.locator(".named").count()) >= 3, "what would not be seen is named");
  });

  test("the board shows who holds which files, and a task what it waits for", async () => {
    const [{ page }, { stage }] = [watched, company];
    const [lead, dev] = [await stage.as("frontend-lead"), await stage.as("frontend-dev")];
    for (const [id, more] of [
      ["90-03/T1", { files: ["graph/one.md"] }],
      ["90-03/T2", { files: ["graph/two.md"], dependsOn: ["90-03/T1"] }],
      ["90-03/T3", { files: ["graph/three.md"], dependsOn: ["90-03/T2"] }],
      ["90-03/T4", { files: ["graph/one.md"] }],
    ] as const)
      await stage.done(lead.addTask({ task: id, plan: "90-03", ...more }));
    assert.equal((await dev.claim({ task: "90-03/T1" })).outcome, "accepted");
    await visit(page, "Board");
    await page.getByLabel("Plan").selectOption("90-03");
    await page.getByRole("button", { name: "Files", exact: true }).click();
    const held = /^graph\/one\.md.*frontend-dev.*90-03\/T1.*claimed.*90-03\/T4/;
    await page.getByRole("row", { name: held }).waitFor();
    await page.goto(`${watched.hub.origin}/t/checkout/tasks/90-03%2FT4`);
    await page.getByText("It waits for 90-03/T1, because frontend-dev holds files that both change.").waitFor();
  });

  test("a disputed task says of each reason which file it is about, and nothing of it is cut off", async () => {
    const [{ page }, { stage }] = [watched, company];
    const [lead, dev] = [await stage.as("frontend-lead"), await stage.as("frontend-dev")];
    await stage.done(lead.addTask({ task: "90-01/T1", files: ["docs/codes.md"] }));
    assert.equal((await dev.claim({ task: "90-01/T1" })).outcome, "accepted");
    const commit = stage.commit(
      "frontend-dev",
      { "docs/a-page-about-something-else.md": "# Else\n" },
      "Something else",
    );
    await stage.done(dev.complete({ task: "90-01/T1", commit, files: ["docs/codes.md"] }));
    await visit(page, "Board");
    const row = page.locator('[data-task="90-01/T1"]');
    const why = row
      .locator("p")
      .filter({ hasText: /^docs\/a-page-about-something-else\.md: The file is outside the claim/ });
    await why.waitFor();
    assert.equal(await why.evaluate((text) => text.scrollWidth - text.clientWidth), 0);
    // Its page says first what the repository says, and shows what the commit changes, outside the claim first.
    await row.getByRole("link").click();
    await page.locator('[data-verdict="disputed"]').getByText("The repository says otherwise.").waitFor();
    const files = page.getByRole("row").filter({ hasText: "docs/a-page-about-something-else.md" });
    assert.equal((await files.textContent())?.replace(/\s+/g, ""), "docs/a-page-about-something-else.mdyesnononone");
    const diff = page.locator("[data-diff]").first();
    await diff.getByText("outside", { exact: true }).waitFor();
    await diff.locator(".add").getByText("# Else").waitFor();
    await page.reload();
    await diff.locator(".add").getByText("# Else").waitFor();
    await visit(page, "Needs you");
    await page.locator('[data-need^="dispute:"]').filter({ hasText: "90-01/T1" }).click();
    const need = page.locator("[data-detail]");
    await need.locator('[data-verdict="disputed"]').getByText("The repository says otherwise.").waitFor();
    await need.locator("[data-diff]").first().locator(".add").getByText("# Else").waitFor();
    await need.getByRole("region", { name: "Thread" }).getByText("frontend-dev").first().waitFor();
    await page.getByLabel("Question").fill("Why <b>this</b> file?");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Asked frontend-dev: Why <b>this</b> file?").waitFor();
    const mail = await dev.inbox();
    assert.match(JSON.stringify(mail), /Why <b>this<\/b> file\?/);
    await visit(page, "Board");
    // The browser itself reports the refusal that a test provokes; nothing else is wrong.
    const wrongs = (await watched.wrongs()).filter((wrong) => !wrong.includes("status of 403"));
    assert.deepEqual(wrongs, []);
  });
});
