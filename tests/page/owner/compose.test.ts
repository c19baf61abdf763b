/**
 * A person composes, in a real browser: prose, agents and a token, by
 * keyboard alone; what is wrong is at its field, drafts outlast a reload, and a token is seen once.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { visible } from "../../../src/base/text.ts";
import { axeFindings, looksFor } from "../axe.ts";
import { withoutChromium } from "../browser.ts";
import { moveTo } from "../every-view.ts";
import { scriptPayloads } from "../script-payloads.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("composing", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let page: Page;
  let base: string;

  before(async () => {
    watched = await watchedHub();
    page = watched.page;
    base = `${watched.hub.origin}/t/checkout`;
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const open = async (key: string) => {
    await moveTo(page, `/t/checkout/compose/${encodeURIComponent(key)}`);
    await page.locator(`[data-form="${key}"]`).waitFor();
  };
  const field = (name: string) => page.locator(`[data-field="$.${name}"]`);
  const input = (name: string) => field(name).locator("input, textarea, select").first();
  const chosen = (name: string) => field("to").getByRole("button", { name: `Remove ${name}`, exact: true });
  const recorded = () => page.locator("[role=status]", { hasText: /^Recorded, entry/ });
  const inboxOf = async (agent: string) => JSON.stringify(await (await watched.agent(agent)).inbox());
  const tasks = async () => {
    const answer = await watched.asOwner("/api/teams/checkout/tasks");
    return ((await answer.json()) as { tasks: readonly Record<string, unknown>[] }).tasks;
  };

  test("prose is written and sent by keyboard alone, and the draft outlasts a reload", async () => {
    await page.goto(`${base}/`);
    await page.locator(".connection.live").waitFor();
    for (const key of "gc") await page.keyboard.press(key);
    await page.waitForURL(`${base}/compose`);
    await input("to").focus();
    await page.keyboard.type("lead,dev");
    // What is typed narrows the names that there are; a comma ends one, and arrows and Enter choose another.
    await field("to")
      .getByRole("option", { name: /^lead-1/ })
      .waitFor({ state: "detached" });
    await field("to")
      .getByRole("option", { name: /^role:dev/ })
      .waitFor();
    for (const key of ["ArrowDown", "Enter", "q", ",", "Backspace"]) await page.keyboard.press(key);
    await chosen("lead").click();
    await page.keyboard.type("lead-1");
    await page.keyboard.press("Enter");
    await input("message").focus();
    await page.keyboard.type("Please <b>look</b> at the form");
    await page.reload();
    assert.equal(await input("message").inputValue(), "Please <b>look</b> at the form");
    await chosen("lead-1").waitFor();
    await page.getByText(", a draft").waitFor({ state: "attached" });
    await input("message").press("Control+Enter");
    await recorded().waitFor();
    assert.match((await recorded().textContent()) ?? "", /to dev-1, lead-1\./);
    assert.equal(await input("message").inputValue(), "");
    assert.match(await inboxOf("dev-1"), /Please <b>look<\/b> at the form/);
  });

  test("what is missing or wrong is said at its field, which gets the focus, and nothing is sent before it can be", async () => {
    await open("prose");
    const head = async () => {
      const status = await watched.asOwner("/api/teams/checkout/status");
      return ((await status.json()) as { head: { seq: number } }).head.seq;
    };
    const before = await head();
    await page.getByRole("button", { name: /^Send/ }).click();
    await field("message").getByText("This is needed.").waitFor();
    assert.ok(await input("to").evaluate((each) => each === document.activeElement));
    assert.equal(await head(), before, "nothing was sent");
    await input("to").fill("lead-9,");
    await chosen("lead-9").waitFor();
    await input("message").fill("x");
    await input("message").press("Control+Enter");
    await field("to").getByText('There is no agent "lead-9" in the team.').waitFor();
    assert.equal(await input("to").getAttribute("aria-invalid"), "true");
    const described = (await input("to").getAttribute("aria-describedby"))?.split(" ") ?? [];
    const texts = await page.evaluate((ids) => ids.map((id) => document.getElementById(id)?.textContent), described);
    assert.match(texts.join(" "), /There is no agent "lead-9"/);
    await chosen("lead-9").press("Enter");
    await input("message").fill("");
  });

  test("an agent is registered, and a task moves to it", async () => {
    const added = { task: "3-1-T1", title: "Wire it up", files: ["src/a.ts", "src/b/"] };
    assert.equal((await watched.asOwner("/api/teams/checkout/tasks", added)).status, 201);
    await open("agent");
    await input("agent").fill("Bad name!");
    await input("role").selectOption("dev");
    await page.getByRole("button", { name: /^Register/ }).click();
    await field("agent").getByText("This cannot be the name of an agent.").waitFor();
    await input("agent").fill("dev-7");
    await page.getByRole("button", { name: /^Register/ }).click();
    await recorded().waitFor();
    // What an agent needs next is one step away, with its name in the field.
    await page.getByRole("link", { name: "Create a token for dev-7" }).click();
    await page.locator('[data-form="token"]').waitFor();
    assert.equal(await page.locator('[data-form="token"] input').first().inputValue(), "dev-7");
    await input("agent").fill("");
    const claimed = await fetch(`${watched.hub.origin}/api/teams/checkout/tasks/3-1-T1/claim`, {
      method: "POST",
      headers: { authorization: `Bearer ${await watched.tokenOf("dev-1")}`, "content-type": "application/json" },
      body: "{}",
    });
    assert.ok(claimed.ok, await claimed.text());
    await open("reassign");
    await input("task").fill("3-1-T1");
    // Not to the one that holds it.
    await field("to")
      .getByRole("option", { name: /^dev-1/ })
      .waitFor({ state: "detached" });
    await field("to")
      .getByRole("option", { name: /^dev-7/ })
      .click();
    assert.equal(await input("to").inputValue(), "dev-7");
    await input("reason").fill("dev-1 is needed elsewhere");
    await input("reason").press("Control+Enter");
    await recorded().waitFor();
    assert.equal((await tasks()).find(({ task }) => task === "3-1-T1")?.holder, "dev-7");
  });

  test("a token is shown once: never in the address, the drafts, the record or after leaving", async () => {
    await open("token");
    await input("agent").fill("dev-7");
    await input("agent").press("Control+Enter");
    const shown = page.locator(".token code");
    const token = (await shown.textContent()) ?? "";
    const who = await fetch(`${watched.hub.origin}/api/session`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(((await who.json()) as { agent: string }).agent, "dev-7");
    // A second Enter makes none and takes none away.
    await input("agent").press("Control+Enter");
    await field("agent").getByText("This is needed.").waitFor();
    assert.equal(await shown.textContent(), token);
    const kept = await page.evaluate(
      "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href, history.state])",
    );
    assert.ok(!String(kept).includes(token));
    const log = await watched.asOwner("/api/teams/checkout/messages?limit=1000");
    assert.ok(!(await log.text()).includes(token));
    await page.getByRole("link", { name: /^Register an agent/ }).click();
    await page.getByRole("link", { name: /^Create a token/ }).click();
    await page.locator('[data-form="token"]').waitFor();
    assert.equal(await shown.count(), 0);
    await page.reload();
    await page.locator('[data-form="token"]').waitFor();
    assert.ok(!(await page.content()).includes(token));
  });

  test("hostile strings in every field of every form do nothing, here and where they are read", async () => {
    const texts = scriptPayloads.filter((text) => text.trim() !== "" && text.isWellFormed() && !text.includes("\0"));
    const links = page.getByRole("navigation", { name: "Forms" }).getByRole("link");
    const names = await links.evaluateAll((all) => all.map((each) => each.getAttribute("href") ?? ""));
    let at = 0;
    for (const href of names) {
      await moveTo(page, href);
      await page.locator(`[data-form="${decodeURIComponent(href.split("/").at(-1) ?? "")}"]`).waitFor();
      await page.locator("[data-form]").locator("input, textarea, select").first().waitFor();
      for (const each of await page.locator("[data-form]").locator("input, textarea").all())
        await each.fill(texts[at++ % texts.length] ?? "x");
      for (const each of await page.locator("[data-form] select").all()) await each.selectOption({ index: 1 });
      await page.locator("[data-form] button.primary").click();
      await page.locator("[data-form] [role=alert] > *, [data-form] .sent > *").first().waitFor();
    }
    await open("prose");
    await input("to").fill("lead-1");
    await input("message").fill(texts.join("\n"));
    await input("message").press("Control+Enter");
    await recorded().waitFor();
    await page.goto(`${base}/timeline`);
    await page.locator("[role=option]").first().click();
    await page.getByRole("article", { name: /^Entry/ }).waitFor();
    const detail = page.locator(".detail");
    await detail
      .getByText(visible(texts[0] ?? "x"))
      .first()
      .waitFor();
    assert.equal(await page.evaluate("window.__ran"), undefined, "a script ran");
  });

  test("axe finds nothing in a form, light and dark, wide and at 390, also with its errors", async () => {
    const all = [
      [1280, "light"],
      [390, "dark"],
    ] as const;
    for (const [nth, key] of ["prose", "token", "agent"].entries()) {
      await open(key);
      await page.locator("[data-form] button.primary").click();
      await page.locator("[data-form] [role=alert] > *, [data-form] .sent > *").first().waitFor();
      const looks = looksFor(all, nth);
      for (const look of all) {
        const [width, colorScheme] = look;
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        if (looks.includes(look)) assert.deepEqual(await axeFindings(page), [], `${key} at ${width}`);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      }
    }
    // The browser itself reports each refusal that a test provokes; nothing else is wrong.
    const wrongs = (await watched.wrongs()).filter((wrong) => !/status of 4(03|04|09|22)/.test(wrong));
    assert.deepEqual(wrongs, []);
  });
});
