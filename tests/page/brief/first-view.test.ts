/**
 * How a page begins: it asks the hub before the scripts are there that show the answers, asks nothing more of a hub that it
 * has no session of, and misses nothing that is recorded while it loads.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { live, withoutChromium } from "../browser.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

/** The script that shows the first view. */
const shows = /\/assets\/index-[^/]+\.js$/;
const asked = (page: Page) => {
  const paths: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) paths.push(pathname);
  });
  return paths;
};

suite("the beginning of a page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let base: string;

  before(async () => {
    watched = await watchedHub();
    base = `${watched.hub.origin}/t/checkout`;
  });
  after(() => watched?.[Symbol.asyncDispose]());

  test("the answers that the overview shows are there before the script that shows them, each asked for once", async () => {
    const page = await watched.context.newPage();
    const paths = asked(page);
    const answers = ["session", "checkout/status", "checkout/needs", "checkout/tasks"].map((path) =>
      page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(`/${path}`)),
    );
    // A page that asks only once its script is there would wait for ever.
    await page.route(shows, async (route) => {
      await Promise.all(answers);
      // Before any script is there, the frame of the page is.
      assert.ok(await page.getByRole("status", { name: "The page is on its way" }).isVisible());
      await route.continue();
    });
    await page.goto(`${base}/`);
    await page.locator("[data-agent]").first().waitFor();
    assert.equal(await page.locator(".skeleton").count(), 0);
    for (const path of ["/api/session", "/api/teams/checkout/status", "/api/teams/checkout/tasks"])
      assert.equal(paths.filter((each) => each === path).length, 1, path);
    await page.close();
  });

  test("a visitor without a session asks who it is, and nothing else", async () => {
    const context = await watched.browser.newContext();
    const page = await context.newPage();
    const paths = asked(page);
    await page.goto(`${base}/`);
    await page.getByText("This page needs the owner's session").waitFor();
    assert.deepEqual(paths, ["/api/session"]);
  });

  test("what is recorded while the page loads is in every part of it", async () => {
    const { page } = watched;
    const tasks = page.waitForResponse(/\/tasks$/);
    // The tasks are answered, the list of entries is not: what comes between is in the list alone.
    await page.route(/\/messages\?.*limit=100\b/, async (route) => {
      await tasks;
      const task = { task: "meanwhile", files: ["src/names.ts"] };
      assert.equal((await watched.asOwner("/api/teams/checkout/tasks", task)).status, 201);
      await route.continue();
    });
    await page.goto(`${base}/board`);
    await live(page);
    await page.locator("[data-task=meanwhile]").waitFor();
    assert.deepEqual(await watched.wrongs(), []);
  });
});
