/**
 * More than seven thousand script payloads on every view of the page in a real browser: as prose, in every free field of
 * messages, in refusals, in needs and in addresses. Nothing runs, nobody is asked, nothing is hidden.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { visible } from "../../src/base/text.ts";
import { visit, withoutChromium } from "../page/browser.ts";
import { everyView, hostileAddresses, moveTo, nextFrame } from "../page/every-view.ts";
import { record } from "../page/hub.ts";
import { scopeRequest, typed } from "../page/phase.ts";
import { manyPayloads } from "../page/script-payloads.ts";
import { type WatchedHub, watchedHub } from "../page/watched-hub.ts";
import { record as writeFound } from "./record.ts";

const payloads = manyPayloads();
const perMessage = 60;

suite("seven thousand payloads", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let views = 0;

  before(async () => {
    assert.ok(new Set(payloads).size >= 7_000, `${payloads.length} payloads`);
    const groups = Array.from({ length: Math.ceil(payloads.length / perMessage) }, (_, at) =>
      payloads.slice(at * perMessage, (at + 1) * perMessage),
    );
    const reports = groups.map((group, at) => {
      const [first = "x", ...rest] = group;
      const payload = { plan_id: "2-1", task_id: "2-1-T1", status: "partial", commit: "4be81d0", concerns: rest };
      const more = { ...payload, evidence: group.join("\n"), [first]: first };
      return typed({ id: `many-${at}`, type: "execution_update", task: "2-1-T1", role: "dev" }, more);
    });
    const requests = groups.map(([first = "x", ...rest], at) =>
      scopeRequest(`many-ask-${at}`, first, { evidence: rest.join(" "), options: rest.slice(0, 5) }),
    );
    watched = await watchedHub(async (folder) => {
      await record(folder, "dev-2", payloads, "lead-1");
      await record(folder, "dev-1", [...reports, ...requests], "lead-1");
    });
  });
  after(() => watched?.[Symbol.asyncDispose]());

  async function assertHarmless(): Promise<void> {
    assert.equal(await watched.page.evaluate("window.__ran"), undefined, "a script ran");
    const wrongs = (await watched.wrongs()).filter((wrong) => !/status of (400|404|422)/.test(wrong));
    assert.deepEqual(wrongs, []);
  }

  test("every one is drawn on the timeline, and every report is opened", async () => {
    const { page } = watched;
    await visit(page, "Timeline");
    const list = page.getByRole("listbox");
    await page.locator("[role=option]").first().waitFor();
    const seen = new Set<string>();
    for (let last = ""; ; ) {
      const rows = await page.locator("[role=option]").evaluateAll((all) => all.map(({ id }) => id));
      for (const id of rows) seen.add(id);
      if (seen.size > payloads.length && rows.at(-1) === last) break;
      last = rows.at(-1) ?? "";
      await list.evaluate((each) => each.scrollBy(0, each.clientHeight));
      await page.evaluate(nextFrame);
    }
    await page.getByLabel("Agent", { exact: true }).selectOption("dev-1");
    await page.waitForURL(/agent=dev-1/);
    await page.locator("[role=listbox][aria-busy=false]").waitFor();
    await page.locator("body").press("Home");
    await page.keyboard.press("Enter");
    for (let at = 0; at < payloads.length / perMessage; at += 1) {
      if (at > 0) await page.keyboard.press("j");
      const seq = await page.locator('[role="option"][aria-selected="true"]').getAttribute("data-seq");
      await page
        .locator('[data-receipt="seq"]', { hasText: new RegExp(`^${Number(seq)}$`) })
        .waitFor({ state: "attached" });
    }
    await page.keyboard.press("Escape");
    await assertHarmless();
  });

  test("every view shows what it holds of them as text", async () => {
    const seen = await everyView(watched.page, [], new Set(["/board", "/board?as=files"]));
    views = seen.length;
    const inbox = seen.find(({ address }) => address === "/inbox")?.text ?? "";
    assert.ok(inbox.includes(visible(payloads[0] ?? "x")) || inbox.includes(visible(payloads[perMessage] ?? "x")));
    await assertHarmless();
  });

  test("in every part of an address", async () => {
    const some = payloads.filter((_, at) => at % 40 === 0);
    let addresses = 0;
    for (const text of some)
      for (const address of hostileAddresses(text)) {
        addresses += 1;
        await moveTo(watched.page, `/t/checkout${address}`);
      }
    await assertHarmless();
    // The control: what draws a text as HTML is seen.
    await watched.page.evaluate(
      "try { document.createElement('p').innerHTML = '<img src=x onerror=alert(1)>' } catch {}",
    );
    const seen = (await watched.wrongs()).filter((wrong) => wrong.startsWith("policy:")).length;
    assert.ok(seen > 0, "drawing HTML is seen");
    writeFound(
      "page-hostile",
      "Lists of script payloads as prose, as every free field of reports and requests, and as every part of an address, on every view of the page in `chromium`.",
      [
        ["payloads", new Set(payloads).size],
        ["views", views],
        ["addresses of which each part is one", addresses],
        ["scripts that ran, dialogs, requests to others, violations of the policy", 0],
        ["control: violations when a payload is drawn as HTML", seen],
      ],
    );
  });
});
