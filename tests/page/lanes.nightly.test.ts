/**
 * The record over time and the team as it was: what is drawn, chosen by mouse, finger and keys, kept in the address, and
 * said in words; and that the past is what the hub's own past is, in which nothing can be decided.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { live, visit, withoutChromium } from "./browser.ts";
import { phase, scopeRequest } from "./phase.ts";
import { type WatchedHub, watchedHub } from "./watched-hub.ts";

suite("lanes and the past", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let base: string;
  /** The entry of the request that waits. */
  let asked = 0;

  before(async () => {
    watched = await watchedHub();
    base = `${watched.hub.origin}/t/checkout`;
    for (const { sender, text, to } of phase) await (await watched.agent(sender)).send(text, to);
    const sent = await (await watched.agent("dev-1")).send(scopeRequest("ask-route", "The footer"), ["lead-1"]);
    asked = (sent.body.receipt as { seq: number }).seq;
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const open = async (path = "") => {
    await watched.page.goto(`${base}/lanes${path}`);
    await watched.page.locator("[data-lane=dev-1]").waitFor();
  };
  const span = (page: Page) => {
    const { searchParams } = new URL(page.url());
    return Date.parse(searchParams.get("to") ?? "") - Date.parse(searchParams.get("from") ?? "");
  };
  const entries = () => watched.page.locator("[data-lanes] [role=option]");
  /** Which pixels of the canvas have about a colour, from the top. */
  const pixels = (page: Page, colour: string) =>
    page.locator("[data-lanes] canvas").evaluate((canvas: HTMLCanvasElement, token) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = `var(${token})`;
      const wanted = (getComputedStyle(probe).color.match(/\d+/g) ?? []).map(Number);
      probe.remove();
      const all = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      const found: (readonly [x: number, y: number])[] = [];
      for (let at = 0; at < all.length; at += 4)
        if (wanted.every((part, each) => Math.abs(part - (all[at + each] ?? -99)) < 12))
          found.push([(at / 4) % canvas.width, Math.floor(at / 4 / canvas.width)]);
      return found;
    }, colour);

  test("every agent has a lane, the refusal is red, and every entry is there in words", async () => {
    const { page } = watched;
    await visit(page, "Lanes");
    for (const agent of ["lead-1", "dev-1", "owner"]) await page.locator(`[data-lane="${agent}"]`).waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLCanvasElement>("[data-lanes] canvas")?.width !== 300);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    assert.ok((await pixels(page, "--bar-bad")).length > 10, "the refusal is drawn");
    await entries()
      .filter({ hasText: /refused/ })
      .first()
      .waitFor({ state: "attached" });
    await page.getByLabel("Outcome").selectOption("refused");
    await page.waitForURL(/outcome=refused/);
    for (const words of await entries().allTextContents()) assert.match(words, /refused/);
    // Who did nothing in a part has one row together, until somebody wants to see them.
    await page.getByLabel("Time", { exact: true }).selectOption("yesterday");
    await page.waitForURL(/from=.*to=/);
    const idle = page.getByRole("button", { name: /without activity$/ });
    await idle.waitFor();
    assert.equal(await page.locator("[data-lane]").count(), 0);
    await idle.click();
    await page.locator("[data-lane=qa-1]").waitFor();
    await page.getByLabel("Time", { exact: true }).selectOption("");
    await page.getByRole("button", { name: "As a list" }).click();
    const region = page.getByRole("region", { name: /^Entries in this part/ });
    assert.equal(await region.locator("li").count(), 1);
    await region.getByRole("button", { name: /^#/ }).click();
    await page
      .getByRole("article", { name: /^Entry/ })
      .getByText(/refused/)
      .first()
      .waitFor();
  });

  test("keys zoom, move and step, and the address brings all of it back", async () => {
    const { page } = watched;
    await open();
    await page.keyboard.press("w");
    await page.waitForURL(/from=.*to=/);
    const whole = span(page);
    await page.keyboard.press("w");
    await page.waitForFunction((before) => {
      const { searchParams } = new URL(location.href);
      return Date.parse(searchParams.get("to") ?? "") - Date.parse(searchParams.get("from") ?? "") < before;
    }, whole);
    const closer = page.url();
    await page.keyboard.press("a");
    await page.waitForURL((url) => url.href !== closer);
    const there = page.url();
    await page.reload();
    await page.locator("[data-lane=dev-1]").waitFor();
    assert.equal(page.url(), there);
    await page.keyboard.press("f");
    await page.waitForURL(`${base}/lanes`);
    await page.keyboard.press(",");
    await page.getByText(/^You see entry/).waitFor();
    const last = Number(new URL(page.url()).searchParams.get("at"));
    await page.keyboard.press(",");
    await page.waitForURL(new RegExp(`at=${last - 1}$`));
    const chosen = page.locator(`#lane-entry-${last - 1}[aria-selected=true]`);
    await chosen.waitFor({ state: "attached" });
    assert.equal(await page.locator("[data-lanes]").getAttribute("aria-activedescendant"), `lane-entry-${last - 1}`);
    const first = await page.locator("[data-lane]").first().getAttribute("data-lane");
    await page.keyboard.press("j");
    await page.waitForURL(new RegExp(`agent=${first}`));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Entry ${last - 1}` }).waitFor();
    assert.equal(await page.locator("[data-past]").count(), 0, "the entry is shown as it is now");
    await page.goBack();
    await page.locator(`[data-past="${last - 1}"]`).waitFor();
    await page.keyboard.press("n");
    await page.waitForURL(`${base}/lanes?agent=${first}`);
  });

  test("a mouse chooses a part and a moment", async () => {
    const { page } = watched;
    await open();
    const canvas = page.locator("[data-lanes] canvas");
    const box = await canvas.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 100, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.move(box.x + 400, box.y + 60);
    await page.mouse.up();
    await page.waitForURL(/from=/);
    const part = span(page);
    await canvas.hover();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, 400);
    await page.keyboard.up("Control");
    await page.waitForFunction((before) => {
      const { searchParams } = new URL(location.href);
      return Date.parse(searchParams.get("to") ?? "") - Date.parse(searchParams.get("from") ?? "") > before * 1.2;
    }, part);
    await page.getByLabel("Time", { exact: true }).selectOption("");
    await page.waitForURL(`${base}/lanes`);
    await canvas.click({ position: { x: box.width - 3, y: 60 } });
    await page.waitForURL(/at=\d+/);
    await page.getByRole("heading", { name: "Agents at that time" }).waitFor();
  });

  test("on a large screen, whose text is larger, a click finds the mark under the pointer", async () => {
    const { page } = watched;
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await open();
      await page.waitForFunction((wide) => (document.querySelector("canvas")?.clientWidth ?? 0) > wide - 500, width);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const [x, y] = (await pixels(page, "--bar-bad"))[0] ?? [0, 0];
      await page.locator("[data-lanes] canvas").click({ position: { x: x + 1, y: y + 3 } });
      await page.waitForURL(/at=\d+/);
      assert.match((await page.locator("[id^=lane-entry][aria-selected=true]").textContent()) ?? "", /refused/);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("fingers zoom and move", async () => {
    await using touching = new AsyncDisposableStack();
    const context = await watched.browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      storageState: await watched.context.storageState(),
    });
    touching.defer(() => context.close());
    const page = await context.newPage();
    await page.goto(`${base}/lanes`);
    await page.locator("[data-lane=dev-1]").waitFor();
    const box = await page.locator("[data-lanes] canvas").boundingBox();
    assert.ok(box !== null);
    const session = await context.newCDPSession(page);
    const touch = async (type: "touchStart" | "touchMove" | "touchEnd", ...xs: readonly number[]) =>
      session.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 100, id })),
      });
    await touch("touchStart", 100, 140);
    await touch("touchMove", 80, 160);
    await touch("touchMove", 40, 220);
    await touch("touchEnd");
    await page.waitForURL(/from=/);
    const [url, part] = [page.url(), span(page)];
    await touch("touchStart", 200);
    await touch("touchMove", 150);
    await touch("touchMove", 60);
    await touch("touchEnd");
    await page.waitForURL((now) => now.href !== url);
    assert.ok(Math.abs(span(page) - part) <= 2, "moved, not zoomed");
  });

  test("keys go through what a search found, and what is wrong with an agent is above its task", async () => {
    const { page } = watched;
    await page.goto(`${base}/timeline?q=task`);
    const found = page.getByRole("search").getByRole("status");
    const [all = ""] = /\d+/.exec((await found.textContent()) ?? "") ?? [];
    // Enter in the search leads to what it found, so that n is a key and no letter.
    for (const key of ["/", "Enter"]) await page.keyboard.press(key);
    for (const [key, place] of [
      ["n", 1],
      ["n", 2],
      ["N", 1],
    ] as const) {
      await page.keyboard.press(key);
      await found.filter({ hasText: `${place} of ${all}` }).waitFor();
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${base}/`);
    const how = page.locator("[data-agent=dev-1] [data-how]");
    const tops = await how.evaluate((all) => [...all.children].map((each) => each.getBoundingClientRect().top));
    assert.ok(
      tops.length === 2 && Number(tops[0]) < Number(tops[1]),
      "what is wrong is above the task, not in its place",
    );
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("the past is the hub's own, in every view that shows it, and nothing can be decided there", async () => {
    const { page } = watched;
    const was = await watched.asOwner(`/api/teams/checkout/at/${asked - 1}/needs`);
    const { value } = (await was.json()) as { value: { total: number } };
    await page.goto(`${base}/inbox?at=${asked}`);
    await page.getByText(`You see entry ${asked}`).waitFor();
    await page.getByRole("option", { name: /The footer/ }).waitFor();
    await page.locator("[data-detail]").waitFor();
    assert.equal(await page.locator("[data-decision]").count(), 0);
    await page.keyboard.press("a");
    await page
      .getByRole("link", { name: /^Overview/ })
      .first()
      .click();
    await page.waitForURL(`${base}/?at=${asked}`);
    await page
      .getByRole("region", { name: /^Needs you/ })
      .getByText("The footer")
      .waitFor();
    await page.goto(`${base}/?at=${asked - 1}`);
    await page.getByText(`You see entry ${asked - 1}`).waitFor();
    const tile = page.getByRole("link", { name: /^Needs you/ }).filter({ hasText: String(value.total) });
    await tile.first().waitFor();
    await page.waitForFunction(() => !document.querySelector("main")?.textContent?.includes("The footer"));
    await page.goto(`${base}/board?at=2`);
    await page.getByText("There are no tasks yet.").waitFor();
    await page.keyboard.press("n");
    await page.waitForURL(`${base}/board`);
    await page.locator("[data-task]").first().waitFor();
    await page.goto(`${base}/inbox`);
    // The control: in the present the same request waits and can be decided.
    await page
      .locator("[data-decision]")
      .getByRole("button", { name: /^Approve/ })
      .waitFor();
    const now = await watched.asOwner("/api/teams/checkout/needs");
    const { needs } = (await now.json()) as { needs: readonly { id: string }[] };
    assert.ok(
      needs.some(({ id }) => id === "approval:dev-1/ask-route"),
      "the key in the past decided nothing",
    );
    await page.goto(`${base}/board?at=99999`);
    await page.getByText(/no entry 99999/).waitFor();
  });

  test("the journal is verified by a key", async () => {
    const { page } = watched;
    for (const key of "gr") await page.keyboard.press(key);
    await page.waitForURL(`${base}/journal`);
    await page.getByRole("button", { name: "Verify now" }).waitFor();
    await page.keyboard.press("v");
    await page
      .locator("[data-verified=true]")
      .getByText(/whole: .* entries read/)
      .waitFor();
  });

  test("what comes while somebody looks is drawn, and the past stays as it was", async () => {
    const { page } = watched;
    await page.goto(`${base}/lanes?at=${asked}`);
    await page.getByText(`You see entry ${asked}`).waitFor();
    await live(page);
    const sent = await (await watched.agent("dev-2")).send("Is the build green?", ["lead-1"]);
    const { seq } = sent.body.receipt as { seq: number };
    await page.locator(`#lane-entry-${seq}`).waitFor({ state: "attached" });
    assert.equal(new URL(page.url()).searchParams.get("at"), String(asked));
    assert.deepEqual(
      (await watched.wrongs()).filter((wrong) => !wrong.includes("status of 404")),
      [],
    );
  });
});
