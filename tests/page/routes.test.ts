/**
 * Addresses of the page: each place loads cold, is kept over a reload, and is left and found again by back and forward.
 * Every view is looked at by axe in light and dark, wide and narrow. What the first view loads stays within its bound.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { openTeam } from "../../src/perform/open.ts";
import { axeFindings, looksFor } from "./axe.ts";
import { live, visit, watchedPage, withoutChromium } from "./browser.ts";
import { moveTo } from "./every-view.ts";
import { lostInForcedColours } from "./faint.ts";
import { phase, scopeRequest, teamFile, typed, update } from "./phase.ts";
import { type WatchedHub, watchedHub } from "./watched-hub.ts";

/** Another team of the same journal. */
const otherTeam = teamFile
  .replace("team: checkout", "team: mobile")
  .replaceAll(/ {2}(dev-2|scout-1|qa-1|architect-1): .*\n/g, "")
  .replace("dev-1", "dev-9");

const built = join(import.meta.dirname, "../../dist/page");

suite("addresses of the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let base: string;

  before(async () => {
    watched = await watchedHub(async (folder) => {
      for (const text of [teamFile, otherTeam]) {
        const file = { path: join(folder, ".baton/team.yaml"), text };
        const journal = join(folder, ".baton/journal.db");
        const opened = await openTeam({ journal, create: true, teamFile: file, starts: true });
        assert.ok(opened.ok, JSON.stringify(opened));
        await opened.value.send("Good morning, mobile", { to: [] });
        await opened.value[Symbol.asyncDispose]();
      }
    });
    base = `${watched.hub.origin}/t/checkout`;
    for (const { sender, text, to } of phase) await (await watched.agent(sender)).send(text, to);
    await (await watched.agent("dev-1")).send(scopeRequest("ask-route", "The <b>footer</b>"), ["lead-1"]);
  });
  after(() => watched?.[Symbol.asyncDispose]());

  /** What each view shows once it is there. */
  const shownAt = (page: Page) => ({
    "/": page.getByRole("region", { name: /^Agents/ }),
    "/inbox": page.getByText("The <b>footer</b>").first(),
    "/timeline": page.locator("[role=option]").first(),
    "/timeline/2": page.getByRole("heading", { name: "Entry 2" }),
    "/lanes": page.locator("[data-lane]").first(),
    "/lanes?as=list": page.getByRole("region", { name: /^Entries in this part/ }),
    "/lanes?at=3": page.getByRole("heading", { name: "Next entries" }),
    "/?at=3": page.getByText("You see entry 3"),
    "/board": page.locator("[data-task]").first(),
    "/board?as=files": page.getByText("Nobody holds a file."),
    "/tasks/2-1-T1": page.getByRole("heading", { name: "Reports" }),
    "/agents/dev-1": page.getByRole("heading", { name: /^dev-1 / }),
    "/agents/nobody": page.getByRole("heading", { name: "There is no agent of this name in the team." }),
    "/phases": page.getByRole("heading", { name: /^Phases/ }),
    "/handoffs": page.getByRole("heading", { name: /^Handoffs/ }),
    "/shutdown": page.getByRole("heading", { name: "The day so far" }),
    "/journal": page.getByRole("button", { name: "Verify now" }),
    "/compose": page.getByRole("heading", { name: "Write to agents", exact: true }).last(),
    "/more": page.getByRole("heading", { name: "More" }),
  });

  test("every view loads from its address, has its own title, and axe finds nothing in it", async () => {
    const { page } = watched;
    const all = [
      [1440, 900, "light"],
      [390, 844, "dark"],
    ] as const;
    for (const [nth, [path, shown]] of Object.entries(shownAt(page)).entries()) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(base + path);
      await shown.waitFor();
      assert.match(await page.title(), / · checkout · Baton$/);
      const looks = looksFor(all, nth);
      // Colours do not depend on the width, so each is seen once in either.
      for (const look of all) {
        const [width, height, colorScheme] = look;
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        const scrolls = await page.evaluate(
          "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
        );
        assert.deepEqual(scrolls, [width, height], path);
        if (looks.includes(look)) assert.deepEqual(await axeFindings(page), [], `${path} at ${width}`);
      }
      // On a large screen text has 15 pixels, and what is placed by scripts has grown with it.
      for (const [width, height] of [
        [1900, 600],
        [3840, 2160],
      ] as const) {
        await page.setViewportSize({ width, height });
        const large = await page.evaluate(
          "[getComputedStyle(document.body).fontSize.slice(0, 2), document.documentElement.scrollWidth]",
        );
        assert.deepEqual(large, ["15", width], path);
      }
      // A window of 1440 pixels that is magnified to twice its size.
      await page.setViewportSize({ width: 720, height: 450 });
      const scrolls = await page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
      );
      assert.deepEqual(scrolls, [720, 450], `${path} at twice its size`);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ forcedColors: "active" });
      await page.keyboard.press("Tab");
      assert.deepEqual(await page.evaluate(lostInForcedColours), [], `${path} in forced colours`);
      await page.emulateMedia({ forcedColors: "none" });
    }
    // The control: without its line a chosen button looks like the others.
    await page.emulateMedia({ forcedColors: "active" });
    await page.goto(`${base}/board`);
    const pressed = page.locator('[aria-pressed="true"]', { hasText: "Columns" });
    await pressed.evaluate(({ style }: HTMLElement) => Object.assign(style, { outline: "none", border: "0" }));
    assert.match((await page.evaluate(lostInForcedColours)).join("\n"), /no line: .*Columns/);
    await page.emulateMedia({ forcedColors: "none" });
    await page.evaluate(() => document.querySelector("main")?.append(document.createElement("img")));
    assert.match((await axeFindings(page)).join("\n"), /image-alt/, "the control: an image without words is found");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: "light" });
  });

  test("a filter and an opened entry are in the address, kept over a reload, and left and found by the history", async () => {
    const { page } = watched;
    await page.goto(base);
    await visit(page, "Timeline");
    await page.getByLabel("Agent", { exact: true }).selectOption("qa-1");
    await page.waitForURL(`${base}/timeline?agent=qa-1`);
    await page.getByRole("searchbox").fill("two charges");
    await page.waitForURL(`${base}/timeline?agent=qa-1&q=two+charges`);
    const row = page.locator("[role=option]", { hasText: "PARTIAL" });
    await row.click();
    await page.getByRole("article", { name: /^Entry/ }).waitFor();
    const opened = page.url();
    assert.match(opened, /\/timeline\/\d+\?agent=qa-1&q=two\+charges$/);
    await page.reload();
    await page.getByRole("article", { name: /^Entry/ }).waitFor();
    await page.waitForFunction(() => document.querySelectorAll("[role=option]").length === 1);
    assert.equal(await page.getByRole("searchbox").inputValue(), "two charges");
    assert.equal(page.url(), opened);
    await page.goBack();
    await page.getByRole("article", { name: /^Entry/ }).waitFor({ state: "detached" });
    await page.goBack();
    await page.waitForURL(`${base}/timeline?agent=qa-1`);
    assert.equal(await page.getByRole("searchbox").inputValue(), "");
    await page.goForward();
    await page.goForward();
    await page.getByRole("article", { name: /^Entry/ }).waitFor();
    assert.equal(page.url(), opened);
  });

  test("keys lead to views, the palette to what is named, and single letters can be switched off", async () => {
    const { page } = watched;
    await page.goto(`${base}/`);
    await live(page);
    for (const [keys, path] of [
      ["gt", "/timeline"],
      ["gb", "/board"],
      ["gp", "/phases"],
      ["go", "/"],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForURL(base + path);
    }
    // The key of the search leads there from another view, so that what is typed on is text and no key.
    await page.keyboard.press("/");
    await page.getByRole("searchbox").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`${base}/`);
    await live(page);
    // Where nothing is open, Escape leads back to the view before.
    for (const key of "gb") await page.keyboard.press(key);
    await page.waitForURL(`${base}/board`);
    await page.keyboard.press("Escape");
    await page.waitForURL(`${base}/`);
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search, jump or do" });
    // What is typed before the field is there is in it.
    await page.keyboard.type("dev-2");
    await page.getByRole("option", { name: /^dev-2 (idle|working|waits)/ }).waitFor();
    await field.press("Enter");
    await page.waitForURL(`${base}/agents/dev-2`);
    await page.getByRole("region", { name: "Claims" }).waitFor();
    await page.getByRole("button", { name: "Now", exact: true }).click();
    // Before the first entry there is none.
    await field.fill("00:00");
    await page.getByRole("option", { name: /^The team as it was at 00:00:00/ }).waitFor();
    await field.press("Enter");
    await page.getByText(/^You see entry \d+/).waitFor();
    await page.keyboard.press("n");
    await page.keyboard.press("Control+k");
    await field.fill("invite");
    await page.getByRole("option", { name: "Share or invite" }).waitFor();
    await field.press("Enter");
    await page.waitForURL(`${base}/compose/share`);
    await page.goBack();
    // A part of a day is a part of the timeline.
    await page.keyboard.press("Control+k");
    await field.fill("yesterday 02:00-03:00");
    await page.getByRole("option", { name: /^What happened \d+ \w{3} 02:00 – \d+ \w{3} 03:00/ }).waitFor();
    await field.press("Enter");
    await page.waitForURL(/\/timeline\?from=[^&]+&to=/);
    await page.goBack();
    // Each step of the phase is in the overview, and leads to what is said of it.
    await page.locator('[data-glance="2"] [data-cell="backend/implementation"]').click();
    await page.waitForURL(/\/phases\/2\?part=backend&step=implementation$/);
    await page.goBack();
    const changed = page.getByRole("region", { name: "What changed" });
    await changed.getByRole("button", { name: "1 h" }).click();
    await changed.getByRole("link", { name: /^\d+ messages?$/ }).click();
    await page.waitForURL(/\/timeline\?from=\d{4}-/);
    await page.locator("[role=option]").first().waitFor();
    await page.getByLabel("Time", { exact: true }).selectOption({ label: "Any time" });
    await page.waitForURL(`${base}/timeline`);
    await page.keyboard.press("Control+k");
    await field.fill("#2");
    await field.press("Enter");
    await page.getByRole("heading", { name: "Entry 2" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("checkbox", { name: /single character/ }).uncheck();
    await page.getByRole("button", { name: "Close" }).last().click();
    for (const key of "go") await page.keyboard.press(key);
    await page.keyboard.press("?");
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.match(page.url(), /\/timeline\/2/);
    // What was switched off is on again; the session, which the page keeps there too, stays.
    await page.evaluate(
      "Object.keys(localStorage).filter((name) => name !== 'baton-session').forEach((name) => localStorage.removeItem(name))",
    );
  });

  test("another team of the hub is chosen at the top, has its own addresses, and back leads to the first", async () => {
    const { page } = watched;
    await page.goto(`${base}/timeline`);
    await live(page);
    await page.getByLabel("Team", { exact: true }).selectOption("mobile");
    await page.waitForURL(`${watched.hub.origin}/t/mobile/`);
    await live(page);
    await page.locator("[data-agent=dev-9]").waitFor();
    assert.equal(await page.locator("[data-agent=dev-2]").count(), 0, "nobody of the other team is there");
    assert.match(await page.title(), / · mobile · Baton$/);
    await visit(page, "Timeline");
    await page.waitForURL(`${watched.hub.origin}/t/mobile/timeline`);
    assert.equal(await page.locator("[role=option]", { hasText: "PARTIAL" }).count(), 0);
    await page.goBack();
    await page.goBack();
    await page.waitForURL(`${base}/timeline`);
    await page.locator("[role=option]", { hasText: "PARTIAL, 11 of 12" }).waitFor();
    await page.getByLabel("Team", { exact: true }).selectOption("mobile");
    await page.reload();
    await page.locator("[data-agent=dev-9]").waitFor();
    assert.equal(await page.getByLabel("Team", { exact: true }).inputValue(), "mobile");
  });

  test("a link to read opens the page for somebody who can change nothing, until the owner ends it", async () => {
    const { page } = watched;
    await page.goto(`${base}/compose/share`);
    await page.getByLabel(/^hours/).fill("2");
    await page.getByLabel(/^note/).fill("The <b>review</b>");
    await page.getByLabel(/^note/).press("Control+Enter");
    const link = (await page.locator(".token").textContent())?.match(/http\S+#share=baton_[\w-]{43}/)?.[0] ?? "";
    assert.ok(link.startsWith(`${watched.hub.origin}/t/checkout/#share=`), link);
    const row = page.getByRole("row").filter({ hasText: "The <b>review</b>" });
    await row.getByRole("cell", { name: "open", exact: true }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    // The owner's own page stays the owner's when the link is opened there.
    await page.goto(link);
    await live(page);
    assert.equal(await page.locator("[data-reads-until]").count(), 0);

    const stranger = await watchedPage(watched.browser, watched.hub.origin);
    const { page: reading } = stranger;
    await reading.goto(link);
    await live(reading);
    assert.equal(reading.url(), `${base}/`, "the secret has left the address");
    await reading.getByText(/You read this team by a link until/).waitFor();
    const views = reading.getByRole("navigation", { name: "Views" }).first();
    assert.equal(await views.getByRole("link", { name: /Compose|Journal/ }).count(), 0);
    assert.equal(await reading.getByLabel("Team", { exact: true }).count(), 0, "one team, not the others");
    // What waits for the owner needs nobody who only reads.
    await reading.getByRole("button", { name: "0 need you" }).waitFor();
    await visit(reading, "Needs the owner");
    await reading.getByText("The <b>footer</b>").first().waitFor();
    await reading.locator("[data-detail]").waitFor();
    for (const key of ["a", "d"]) await reading.keyboard.press(key);
    assert.equal(await reading.locator("[data-decision]").count(), 0);
    for (const path of ["/compose", "/journal"]) {
      await reading.goto(base + path);
      await reading.getByText("Only the owner can use this view.").waitFor();
    }
    for (const path of "/timeline /lanes /board /phases /handoffs /shutdown /tasks/2-1-T1 /?at=3".split(" ")) {
      await moveTo(reading, `/t/checkout${path}`);
      await shownAt(reading)[path as "/timeline"].waitFor();
    }
    assert.deepEqual(await axeFindings(reading), []);
    await reading.goto(`${watched.hub.origin}/t/mobile/`);
    await reading.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
    // The browser itself tells that nobody was signed in before the link was exchanged.
    const wrongs = (await stranger.wrongs()).filter((wrong) => !wrong.includes("status of 401"));
    assert.deepEqual(wrongs, []);

    await page.goto(`${base}/compose/share`);
    await row.getByRole("button", { name: /^End/ }).click();
    await row.getByRole("cell", { name: "ended", exact: true }).waitFor();
    await reading.goto(`${base}/`);
    await reading.getByRole("heading", { name: "This page needs the owner's session" }).waitFor();
    await reading.goto(link);
    await reading.getByRole("heading", { name: "Your link has ended" }).waitFor();
    await reading
      .getByRole("alert")
      .getByText(/This link has expired, was ended, or is wrong/)
      .waitFor();
    await stranger.context.close();
  });

  test("what is not there says so and leads on", async () => {
    const { page } = watched;
    await page.goto(`${base}/timeline/99999`);
    await page
      .getByRole("article", { name: /^Entry/ })
      .getByText(/no entry/i)
      .waitFor();
    for (const path of ["/nowhere", "/timeline/1/2"]) {
      await page.goto(base + path);
      await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
    }
    await page.goto(`${watched.hub.origin}/t/elsewhere/`);
    await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
    await page.getByRole("link", { name: "checkout" }).click();
    await page.waitForURL(`${base}/`);
    await live(page);
    assert.deepEqual(
      (await watched.wrongs()).filter((wrong) => !wrong.includes("status of 404")),
      [],
    );
  });

  test("a blocker is shown on the card and the page of its task, and what prose says is read whole", async () => {
    const { page } = watched;
    const says = { blocker: "The sandbox refuses our cards", needs: "A new sandbox key", attempted: ["Every card"] };
    const about = { id: "blocker-2", type: "blocker_report", task: "2-1-T2", role: "dev" };
    const payload = { plan_id: "2-1", task_id: "2-1-T2", severity: "blocking", ...says };
    // Who reports progress of a task that nobody holds has it.
    const dev = await watched.agent("dev-2");
    assert.equal((await dev.send(update("footer-2", "2-1-T2"), ["lead-1"])).status, 201);
    assert.equal((await dev.send(typed(about, payload), ["lead-1"])).status, 201);
    await page.goto(`${base}/board`);
    const card = page.locator("[data-task='2-1-T2']");
    // A task whose holder waits for a decision is blocked, on a phone too, where one column is in sight at a time.
    const blocked = page.getByRole("region", { name: /^Blocked/ });
    await blocked.locator("[data-task='2-1-T2']").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const shown = await page.evaluate<readonly (readonly [x: number, isEmpty: boolean])[]>(
      `[...document.querySelectorAll(".columns > section")].map((each) =>
        [each.getBoundingClientRect().x, each.querySelector("li") === null])`,
    );
    const [empty, full] = [shown.filter(([, is]) => is), shown.filter(([, is]) => !is)];
    assert.ok(empty.length > 0 && full.length > 1, JSON.stringify(shown));
    assert.ok(Math.max(...full.map(([x]) => x)) < Math.min(...empty.map(([x]) => x)), "what holds a task is before");
    const first = await blocked.boundingBox();
    assert.ok(first !== null && first.x < 100, "the first that holds a task is in sight");
    await page.getByRole("button", { name: /^Verified \d/ }).click();
    await page.waitForFunction("document.getElementById('column-Verified').getBoundingClientRect().right <= 390");
    await page.setViewportSize({ width: 1280, height: 800 });
    await card
      .filter({ hasText: "dev-2 is blocked: The sandbox refuses our cards Needs: A new sandbox key" })
      .waitFor();
    await page.goto(`${base}/tasks/2-1-T2`);
    await page.locator("[data-blocked]").getByText("dev-2 is blocked: The sandbox refuses our cards").waitFor();
    const prose = `The footer is done.\n${"It was in two files. ".repeat(20)}\nThe last line counts.`;
    await (await watched.agent("dev-1")).send(prose, ["lead-1"]);
    await page.goto(`${base}/timeline`);
    await page.locator("[role=option]", { hasText: "The footer is done." }).first().click();
    const opened = page.getByRole("article", { name: /^Entry/ });
    await opened.getByRole("heading", { name: "Says" }).waitFor();
    await opened.getByText("The last line counts.").first().waitFor();
    await page.goto(`${base}/timeline`);
    await page
      .locator("[role=option]", { hasText: /dev-1\s+was refused:/ })
      .first()
      .waitFor();
  });

  test("only a browser that asks for a page gets it at a place's address", async () => {
    for (const [path, accept, status] of [
      ["/t/checkout/timeline/2", "text/html,*/*;q=0.8", 200],
      ["/t/checkout/timeline/2", "application/json", 404],
      ["/tasks", "text/html", 404],
    ] as const) {
      const response = await fetch(watched.hub.origin + path, { headers: { accept } });
      assert.equal(response.status, status, `${path} ${accept}`);
      if (status === 200) assert.match(await response.text(), /<title>Baton<\/title>/);
    }
  });

  test("the first view loads at most 80 kB of scripts and 12 kB of styles on the wire, and programs get them plain", async () => {
    const index = readFileSync(join(built, "index.html"), "utf8");
    // A file that is preloaded and run is read once.
    const linked = [...new Set(index.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g).map(([, path]) => path ?? ""))];
    const { origin } = watched.hub;
    const sizes = async (kind: RegExp, encoding: string) => {
      let sum = 0;
      for (const path of linked.filter((each) => kind.test(each))) {
        const { bytes, headers } = await wired(`${origin}/${path}`, encoding);
        assert.equal(headers["content-encoding"], encoding === "identity" ? undefined : encoding);
        sum += bytes;
      }
      return sum;
    };
    for (const encoding of ["br", "gzip"]) {
      const scripts = await sizes(/\.js$/, encoding);
      assert.ok(scripts > 10_000 && scripts <= 80_000, `${scripts} bytes of scripts as ${encoding}`);
      assert.ok((await sizes(/\.css$/, encoding)) <= 12_000, `styles as ${encoding}`);
    }
    const [script = ""] = linked.filter((path) => path.endsWith(".js"));
    assert.equal((await wired(`${origin}/${script}`, "identity")).bytes, readFileSync(join(built, script)).length);
    const refused = await wired(`${origin}/${script}`, "br;q=0, gzip");
    assert.equal(refused.headers["content-encoding"], "gzip");
  });
});

/** What a GET brings, as it comes over the wire. */
async function wired(url: string, encoding: string) {
  const [answer] = (await once(get(url, { headers: { "accept-encoding": encoding } }), "response")) as [
    IncomingMessage,
  ];
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return { bytes, headers: answer.headers };
}
