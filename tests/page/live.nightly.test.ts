/**
 * The page as a person uses it, in a real browser on a real hub with agents that speak HTTP: messages appear by
 * themselves, entries are opened, narrowed and reached by keyboard. What waits for an answer: `brief/answering.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { live, visit, watchedPage, withoutChromium } from "./browser.ts";
import { phase, update } from "./phase.ts";
import { type WatchedHub, watchedHub } from "./watched-hub.ts";

suite("the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub();
  });
  after(() => watched?.[Symbol.asyncDispose]());

  /** The row of the entry that says `text`. */
  const row = (text: string) => watched.page.locator("[role=option]").filter({ hasText: text });

  test("the code has left the address bar, and is good once", async () => {
    assert.equal(watched.page.url(), `${watched.hub.origin}/t/checkout/`);
    const stranger = await watchedPage(watched.browser, watched.hub.origin);
    await stranger.page.goto(watched.hub.url);
    await stranger.page.getByRole("heading", { name: "This page needs the owner's session" }).waitFor();
    assert.match((await stranger.page.getByRole("alert").textContent()) ?? "", /code is wrong, used or too old/);
    await stranger.context.close();
  });

  test("a visitor without a code learns how to get one, in words, and an owner's token opens the page", async () => {
    const token = await watched.tokenOf("owner");
    const stranger = await watchedPage(watched.browser, watched.hub.origin);
    await stranger.page.goto(watched.hub.origin);
    await stranger.page.getByText("baton start --link", { exact: true }).waitFor();
    assert.equal(await stranger.page.getByRole("alert").count(), 0);
    assert.doesNotMatch((await stranger.page.locator("main").textContent()) ?? "", /`/);
    const field = stranger.page.getByLabel("Owner token");
    const signIn = stranger.page.getByRole("button", { name: "Sign in" });
    for (const [given, said] of [
      ["a token ✗", /This is no token/],
      ["A".repeat(43), /not known here/],
      [watched.tokenOf("dev-1"), /proves dev-1, not the owner/],
    ] as const) {
      await field.fill(await given);
      await signIn.click();
      await stranger.page.getByRole("alert").filter({ hasText: said }).waitFor();
      assert.equal(await field.inputValue(), "", "the field keeps nothing");
    }
    await field.fill(token);
    await field.press("Enter");
    await live(stranger.page);
    assert.equal(stranger.page.url(), `${watched.hub.origin}/t/checkout/`);
    const kept = await stranger.page.evaluate<string>(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.session])",
    );
    assert.ok(!kept.includes(token));
    await stranger.context.close();
  });

  test("an empty team shows what to do first", async () => {
    const steps = watched.page.getByRole("region", { name: "The hub is ready" });
    const line = "baton run lead-1 --program claude-code";
    await steps.getByText(line, { exact: true }).waitFor();
    await watched.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: watched.hub.origin });
    const copy = steps.getByRole("button", { name: `Copy: ${line}` });
    await copy.click();
    await copy.getByText("Copied").waitFor();
    assert.equal(await watched.page.evaluate("navigator.clipboard.readText()"), line);
    await visit(watched.page, "Timeline");
    await watched.page.getByRole("heading", { name: "Nothing was said yet" }).waitFor();
    await watched.page.getByRole("link", { name: "First steps" }).click();
    await steps.waitFor();
  });

  test("a message that an agent sends appears without a reload", async () => {
    const dev = await watched.agent("dev-1");
    await watched.page.evaluate("window.__sameDocument = true");
    await visit(watched.page, "Timeline");
    const sent = await dev.send(update("live-1", "2-1-T1", { status: "partial" }), ["lead-1"]);
    assert.equal(sent.status, 201);
    await row("2-1-T1: partial").waitFor();
    assert.equal(await watched.page.evaluate("window.__sameDocument"), true);
    await visit(watched.page, "Overview");
    await watched.page.getByRole("region", { name: /^Agents/ }).waitFor();
    await watched.page.getByRole("region", { name: "The hub is ready" }).waitFor({ state: "detached" });
    await visit(watched.page, "Timeline");
  });

  test("a refused message is opened with its problem, the hint, and what is kept of it", async () => {
    const dev = await watched.agent("dev-1");
    const sent = await dev.send(update("live-2", "2-1-T1", { status: "complet" }), ["lead-1"]);
    assert.equal(sent.status, 422);
    await row("refused: status must be").click();
    const detail = watched.page.getByRole("article", { name: /^Entry/ });
    await detail.getByText('did you mean "complete"?').waitFor();
    assert.equal(
      await detail.getByText("$.payload.status", { exact: true }).isVisible(),
      false,
      "a sentence, no place",
    );
    await detail.getByText("Raw message, problem codes, receipt").click();
    await detail.getByText("$.payload.status", { exact: true }).waitFor();
    assert.match(
      (await detail.locator("pre[aria-label='What was refused']").textContent()) ?? "",
      /"status":"complet"/,
    );
    await watched.page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
  });

  test("an opened message shows fields, its words, how far it got and its receipt, and the receipt is the sender's", async () => {
    const dev = await watched.agent("dev-1");
    const lead = await watched.agent("lead-1");
    const text = update("live-3", "2-1-T3", { evidence: "Nine tests pass.", concerns: ["One is slow."] });
    const { body } = await dev.send(text, ["lead-1"]);
    const receipt = body.receipt as Record<string, string | number>;
    await row("2-1-T3: partial").click();
    const detail = watched.page.getByRole("article", { name: /^Entry/ });
    await detail.getByRole("listitem").filter({ hasText: "One is slow." }).waitFor();
    assert.equal(await detail.locator("pre[aria-label='Word for word']").textContent(), text);
    for (const field of ["seq", "epoch", "durability", "id", "digest", "hash", "prevHash"]) {
      assert.equal(await detail.locator(`[data-receipt="${field}"]`).textContent(), String(receipt[field]), field);
    }
    await detail.locator('[data-state="waiting"]', { hasText: "lead-1" }).waitFor();
    await lead.inbox();
    await lead.acknowledge(Number(receipt.seq));
    await detail.locator('[data-state="acknowledged"]', { hasText: "lead-1" }).waitFor();
    await watched.page.keyboard.press("Escape");
  });

  test("filters narrow what is there and what comes", async () => {
    const { page } = watched;
    const qa = await watched.agent("qa-1");
    const dev = await watched.agent("dev-2");
    for (const { sender, text, to } of phase) {
      if (sender === "dev-2") await dev.send(text, to);
      if (sender === "qa-1") await qa.send(text, to);
    }
    await row("PARTIAL, 11 of 12").waitFor();
    const rows = page.locator("[role=option]");
    /** The summaries shown once they are the expected ones. */
    const shows = (...texts: readonly string[]) =>
      page.waitForFunction(
        (expected) => {
          const shown = [...document.querySelectorAll("[role=option] .summary")].map((each) => each.textContent);
          return JSON.stringify(shown) === JSON.stringify(expected);
        },
        [...texts],
      );
    await page.getByLabel("Agent", { exact: true }).selectOption("qa-1");
    await shows("2-1-T1: PARTIAL, 11 of 12 checks passed");
    await page.getByLabel("Agent", { exact: true }).selectOption("");
    // Any type and task can be typed, also one that is not loaded.
    await page.getByLabel("Type", { exact: true }).fill("blocker_report");
    await page.keyboard.press("Enter");
    await shows("2-1-T2: The provider's sandbox refuses our test cards");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Task", { exact: true }).fill("2-1-T3");
    await page.keyboard.press("Enter");
    await shows("2-1-T3: partial, 1 concern");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Refusals" }).click();
    await shows("refused: status must be one of complete | partial | failed.");
    await page.getByRole("button", { name: "Messages" }).click();
    await page.getByRole("searchbox", { name: "Text" }).fill("TWO CHARGES");
    await shows("2-1-T1: PARTIAL, 11 of 12 checks passed");
    // What comes is asked of the hub, because the words may be anywhere in it.
    await dev.send("Nothing about it.", ["lead-1"]);
    await dev.send("First line.\nI saw two charges as well.", ["lead-1"]);
    await shows("First line.", "2-1-T1: PARTIAL, 11 of 12 checks passed");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await row("Nothing about it.").waitFor();
    assert.ok((await rows.count()) > 5);
  });

  test("what has become of entries narrows the timeline, also as it changes, and the address keeps it", async () => {
    const { page } = watched;
    await visit(page, "Timeline");
    const dev = await watched.agent("dev-2");
    const posted = async (path: string, by: string, body: object) => {
      const answer = await fetch(`${watched.hub.origin}/api/teams/checkout/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${await watched.tokenOf(by)}` },
        body: JSON.stringify(body),
      });
      assert.ok(answer.ok, await answer.text());
    };
    await posted("tasks", "owner", { task: "2-1-T9", plan: "2-1", files: ["src/form.ts"] });
    await posted("tasks/2-1-T9/claim", "dev-2", {});
    const report = (id: string, status: string) => dev.send(update(id, "2-1-T9", { status }), ["lead-1"]);
    await report("became-1", "partial");
    await row("2-1-T9: partial").first().waitFor();
    const seqs = () => page.locator("[role=option]").evaluateAll((all) => all.map((each) => Number(each.dataset.seq)));
    const seqOf = ({ body }: { readonly body: Record<string, unknown> }) => (body.receipt as { seq: number }).seq;
    await page.getByLabel("Outcome", { exact: true }).selectOption("failed");
    await page.waitForURL(/outcome=failed/);
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    const failed = seqOf(await report("became-2", "failed"));
    await row("2-1-T9: failed").waitFor();
    await page.getByLabel("Outcome", { exact: true }).selectOption("superseded");
    await page.waitForURL(/outcome=superseded/);
    await page.locator(`#entry-${failed}`).waitFor({ state: "detached" });
    const before = await seqs();
    assert.ok(!before.includes(failed) && before.length > 0);
    // A report on the same task takes the place of the one that failed, which this list does not hold yet.
    await report("became-3", "complete");
    await page.locator(`#entry-${failed}`).waitFor();
    assert.deepEqual(await seqs(), [failed, ...before]);
    await page.reload();
    await page.locator(`#entry-${failed}`).waitFor();
    assert.deepEqual(await seqs(), [failed, ...before]);
    await page.getByLabel("Outcome", { exact: true }).selectOption("refused");
    await row("refused: status must be").first().waitFor();
    for (const words of await page.locator("[role=option]").allTextContents()) assert.match(words, /refused/);
    await page.goto(`${watched.hub.origin}/t/checkout/timeline?outcome=%3Cscript%3E`);
    await row("2-1-T9: complete").waitFor();
  });

  test("entries that repeat each other are one row, which opens in place; a search counts and marks each", async () => {
    const { page } = watched;
    const dev = await watched.agent("dev-2");
    const ids = ["again-1", "again-2", "again-3", "again-4"];
    for (const id of ids) assert.equal((await dev.send(update(id, "2-1-T8", { status: "halfway" }))).status, 422);
    // What comes after them is there only once the page has them all.
    await dev.send("That is enough.", ["lead-1"]);
    await row("That is enough.").waitFor();
    // Of what an agent repeats the record keeps a few.
    const repeated = row("refused: status must be").filter({ hasText: /[2-4] × ▸/ });
    await repeated.waitFor();
    const toggle = repeated.getByRole("button", { name: / ×/ });
    const count = Number.parseInt((await toggle.textContent()) ?? "", 10);
    const newest = Number(await repeated.getAttribute("data-seq"));
    assert.equal(await page.locator(`#entry-${newest - 1}`).count(), 0, "the others have no row");
    await toggle.click();
    for (let back = 1; back < count; back++) await page.locator(`#entry-${newest - back}`).waitFor();
    await page.locator(`#entry-${newest}`).getByRole("button", { name: / ×/ }).click();
    await page.locator(`#entry-${newest - 1}`).waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: "Text" }).fill("HALFWAY");
    await page.waitForURL(/q=HALFWAY/);
    await page.locator(`#entry-${newest - count + 1}`).waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: `${count} found` })
      .waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    // Nobody types before the filters are cleared: the box is emptied then.
    await page.waitForURL((url) => !url.href.includes("q=HALFWAY"));
    await page.getByRole("searchbox", { name: "Text" }).fill("complete");
    await page
      .locator("[role=option] mark")
      .filter({ hasText: /^complete$/ })
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.locator("[role=option] mark").first().waitFor({ state: "detached" });
    await dev.send("I read the contract again.", ["lead-1"]);
    await row("I read the contract again.").waitFor();
  });

  test("everything is reached by keyboard", async () => {
    const { page } = watched;
    await page.locator("body").press("Home");
    const marked = page.locator('[role="option"][aria-selected="true"]');
    const first = Number(await marked.getAttribute("data-seq"));
    await page.keyboard.press("j");
    const second = Number(await marked.getAttribute("data-seq"));
    assert.ok(second < first, "j goes to what is older");
    assert.equal(
      await page.getByRole("listbox").getAttribute("aria-activedescendant"),
      `entry-${second}`,
      "the list says which row is marked",
    );
    await page.keyboard.press("Enter");
    const heading = page.getByRole("heading", { name: /^Entry/ });
    await heading.waitFor();
    assert.equal(await heading.textContent(), `Entry ${second}`);
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: `Entry ${first}` }).waitFor();
    await page.keyboard.press("Escape");
    await heading.waitFor({ state: "detached" });
    assert.equal(await page.getByRole("listbox").evaluate((list) => list === document.activeElement), true);
    await page.keyboard.press("/");
    assert.equal(await page.getByRole("searchbox").evaluate((field) => field === document.activeElement), true);
    await page.keyboard.type("jk?");
    assert.equal(await page.getByRole("searchbox").inputValue(), "jk?", "letters in a field are letters");
    await page.getByRole("searchbox").fill("");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });
    await page.keyboard.press("Tab");
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    assert.equal(outline, "solid", "the focus is seen");
  });

  test("agents show their role, what they have not read and when they last acted", async () => {
    await visit(watched.page, "Overview");
    const agents = watched.page.getByRole("region", { name: /^Agents/ });
    const lead = agents.getByRole("listitem").filter({ hasText: "lead-1" });
    await lead.filter({ hasText: /lead · vbw\/2.*[0-9]+ unread/s }).waitFor();
    const idle = agents.getByRole("listitem").filter({ hasText: "architect-1" });
    await idle.filter({ hasText: "never seen" }).waitFor();
  });

  test("a browser whose clock is a day off shows ages and deadlines by the hub's time", async () => {
    const day = 86_400_000;
    for (const offMs of [-day, day]) {
      const context = await watched.browser.newContext({ storageState: await watched.context.storageState() });
      await context.clock.install({ time: systemClock.now() + offMs });
      const page = await context.newPage();
      await page.goto(`${watched.hub.origin}/t/checkout/`);
      const apart = await page.evaluate<number>("Date.now()");
      assert.ok(Math.abs(apart - systemClock.now() - offMs) < day / 2, "the control: the browser's clock is off");
      const age = page.locator("[data-agent=dev-2] time");
      await age.waitFor();
      assert.match((await age.textContent()) ?? "", /^(now|\d+ ?(s|m|min))$/);
      await page.goto(`${watched.hub.origin}/t/checkout/timeline`);
      const when = page.locator("[role=option] time").first();
      await when.waitFor();
      assert.match((await when.textContent()) ?? "", /^\d\d:\d\d:\d\d$/, "what is of today has a time of day");
      await context.close();
    }
  });

  test("light and dark follow the system, and a choice is kept", async () => {
    const { page } = watched;
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.getByRole("button", { name: "Theme: as the system" }).click();
    assert.equal(await ground(), light, "chosen light in a dark system");
    await page.reload();
    await live(page);
    assert.equal(await ground(), light, "kept over a reload");
    await page.getByRole("button", { name: "Theme: light" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).click();
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await ground(), light, "as the system again");
  });

  test("a phone's width holds everything without scrolling sideways", async () => {
    const { page } = watched;
    await page.setViewportSize({ width: 390, height: 844 });
    const fits = async (part: string) => {
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.ok(wide <= 390, `${part} is ${wide} pixels wide`);
      const out = await page.evaluate<string[]>(`[...document.querySelectorAll("main *, header *, nav *")]
        .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest("pre, .only-read, svg"))
        .filter((each) => each.getBoundingClientRect().right > 391 && getComputedStyle(each.parentElement).overflowX === "visible")
        .filter((each) => !each.closest(".bar, .cut, .columns"))
        .map((each) => each.className)`);
      assert.deepEqual(out, [], part);
    };
    await fits("the overview");
    await visit(page, "Timeline");
    await page.locator("[role=option]").first().waitFor();
    await fits("the timeline");
    assert.ok(await page.locator("[role=option] .to bdi").first().isVisible(), "to whom it was sent");
    await page.locator("[role=option]").first().click();
    await page.getByText("Raw message, problem codes, receipt").click();
    await page.locator("pre[aria-label='Word for word']").waitFor();
    await fits("an opened entry");
    await page.getByRole("button", { name: "Close" }).first().click();
    await visit(page, "Needs you");
    await page.locator("[data-need]").first().waitFor();
    await fits("what needs somebody");
    await page.locator('[data-need^="approval:"]').first().click();
    await page.getByRole("button", { name: "Deny" }).waitFor();
    await fits("a decision");
    await visit(page, "Board");
    await fits("the board");
    await visit(page, "More");
    await page.getByRole("link", { name: "Journal" }).click();
    await page.locator("[data-journal=ready]").waitFor();
    await fits("the journal");
    await visit(page, "Overview");
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("nothing went wrong behind any of it", async () => {
    assert.deepEqual(await watched.wrongs(), []);
  });
});
