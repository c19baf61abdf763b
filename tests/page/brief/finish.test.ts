/** The page besides a desk: words of agents as Markdown, files that are held on a phone, and what is printed. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { axeFindings } from "../axe.ts";
import { visit, withoutChromium } from "../browser.ts";
import { moveTo } from "../every-view.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

const said = `# What I found

**Two** places and \`a<b>\`, see [the guide](javascript:alert(1)) and ![it](https://example.com/x.png).

1. The first
   - [x] inside of it
2. <img src=x onerror="document.title='hit'"> <script>document.title = "hit"</script>

> quoted

\`\`\`js
const one = "<b>";
\`\`\`

| a | b |
|---|---|
| 1 | 2 |`;

suite("Markdown, phone and paper", { skip: withoutChromium }, () => {
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub();
  });
  after(() => watched?.[Symbol.asyncDispose]());

  test("Markdown is elements of text: HTML in it is words, an address is read and leads nowhere, a key shows it as written", async () => {
    const { page } = watched;
    const dev = await watched.agent("dev-1");
    assert.equal((await dev.send(said, ["lead-1"])).status, 201);
    await visit(page, "Timeline");
    await page.locator("[data-seq]", { hasText: "What I found" }).click();
    const shown = page.locator("[data-markdown]");
    await shown.locator("p.strong", { hasText: "What I found" }).waitFor();
    const texts = (selector: string) => shown.locator(selector).allTextContents();
    assert.deepEqual(await texts("strong"), ["Two"]);
    assert.deepEqual(await texts("code"), ["a<b>"]);
    assert.deepEqual(await texts("pre"), ['const one = "<b>";']);
    assert.deepEqual(await texts("td"), ["1", "2"]);
    assert.equal(await shown.locator("ol > li").count(), 2);
    assert.deepEqual(await texts("ol ul li"), ["☑ inside of it"]);
    assert.match((await texts("blockquote"))[0] ?? "", /quoted/);
    assert.match(
      (await texts("p")).join(" "),
      /the guide \(javascript:alert\(1\)\).*it \(https:\/\/example\.com\/x\.png\)/,
    );
    assert.match((await texts("ol > li"))[1] ?? "", /<img src=x onerror=.*<script>/);
    assert.equal(await shown.locator("a, img, script").count(), 0);
    const written = page.getByRole("button", { name: "As it was written" });
    await written.press("Enter");
    await shown.waitFor({ state: "detached" });
    await page.locator(".detail bdi.lines", { hasText: "**Two** places" }).first().waitFor();
    await written.click();
    await shown.waitFor();
    assert.deepEqual(await axeFindings(page), []);
    assert.doesNotMatch(await page.title(), /hit/);
  });

  test("on a phone a held file is a card that frees it, and what is opened has a way back", async () => {
    const { page } = watched;
    await watched.act("owner", "tasks", { task: "2-1-T8", title: "Names", files: ["src/names.ts"] });
    await watched.act("dev-1", "tasks/2-1-T8/claim", {});
    await page.setViewportSize({ width: 390, height: 844 });
    await moveTo(page, "/t/checkout/board?as=files");
    const card = page.getByRole("row", { name: /src\/names\.ts/ });
    await card.waitFor();
    const within = await card.evaluate((row) =>
      [...row.children].every((cell) => cell.getBoundingClientRect().right <= 390),
    );
    assert.ok(within, "nothing of it is beyond the edge");
    assert.deepEqual(await axeFindings(page), []);
    await card.getByRole("button", { name: "Free it" }).press("Enter");
    await page.getByText("Nobody holds a file.").waitFor();
    await moveTo(page, "/t/checkout/timeline");
    await page.locator("[data-seq]").first().click();
    await page.getByRole("button", { name: "Close" }).getByText("←").click();
    await page.locator(".detail").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("on paper a task is whole, in dark on light, without what leads elsewhere", async () => {
    const { page } = watched;
    await moveTo(page, "/t/checkout/tasks/2-1-T8");
    await page.getByRole("heading", { name: "Names" }).waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    for (const gone of ["nav", ".shell > header", ".acts"])
      assert.equal(await page.locator(gone).first().isVisible(), false, gone);
    const view = await page.locator(".view").evaluate((each) => getComputedStyle(each).overflowY);
    assert.equal(view, "visible", "it goes on over as many sheets as it needs");
    assert.equal(await page.evaluate("getComputedStyle(document.documentElement).colorScheme"), "light");
    await page.emulateMedia({ media: null, colorScheme: null });
    assert.deepEqual(await watched.wrongs(), []);
  });
});
