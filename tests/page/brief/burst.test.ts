/**
 * What a busy team costs its page: however many entries come together, each thing that may have changed is asked for
 * once, what cannot have changed is not, and the page shows the current state in the end. In a window whose clock the
 * test moves.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { live, withoutChromium } from "../browser.ts";
import { type HttpAgent, team } from "../hub.ts";
import { scopeRequest, update } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

/** Runs in the page before its own scripts: `__heard` is the last entry that its stream brought. */
const hearing = `
  window.__heard = 0;
  const ask = window.fetch;
  window.fetch = async (...asked) => {
    const answer = await ask(...asked);
    if (!String(asked[0]).includes("/events")) return answer;
    let text = "";
    const decoder = new TextDecoder();
    const heard = new TransformStream({
      transform(part, out) {
        out.enqueue(part);
        text = (text + decoder.decode(part, { stream: true })).slice(-100_000);
        for (const [, id] of text.matchAll(/^id: ?(\\d+)$/gm)) window.__heard = Number(id);
      },
    });
    return new Response(answer.body.pipeThrough(heard), answer);
  };`;

/** Longer than entries gather, and than the pause between two askings; shorter than the page waits to ask by itself. */
const gatheredMs = 100;
const pausedMs = 400;

suite("a burst of entries", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let context: BrowserContext;
  let page: Page;
  let dev: HttpAgent;
  /** Routes that the page asked for since the last look, in order. */
  let asked: string[] = [];

  before(async () => {
    watched = await watchedHub();
    dev = await watched.agent("dev-1");
    context = await watched.browser.newContext({ storageState: await watched.context.storageState() });
    await context.clock.install();
    await context.addInitScript(hearing);
    page = await context.newPage();
    await page.goto(watched.hub.origin);
    await live(page);
    await page.getByText("Nothing needs you.").waitFor();
    await page.getByText("counting…").waitFor({ state: "detached" });
    await context.clock.pauseAt(await page.evaluate<number>("Date.now() + 1_000"));
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.endsWith("/events")) asked.push(pathname.replace(`/api/teams/${team}/`, ""));
    });
  });
  after(() => watched?.[Symbol.asyncDispose]());

  /** Sends them all at once and waits until the page has heard of the last. */
  async function burst(texts: readonly string[]): Promise<void> {
    const sent = await Promise.all(texts.map((text) => dev.send(text, ["lead-1"])));
    const seqs = sent.map(({ status, body }) => {
      assert.equal(status, 201, JSON.stringify(body));
      return (body.receipt as { seq: number }).seq;
    });
    await page.waitForFunction((seq) => (window as unknown as { __heard: number }).__heard >= seq, Math.max(...seqs));
  }

  const unreadOfLead = (count: number) =>
    page.locator(".unread", { hasText: new RegExp(`^${count} unread$`) }).waitFor();
  const requests = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => scopeRequest(`${name}-${at}`, `${name} ${at}`));
  const updates = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => update(`${name}-${at}`, "2-1-T1", { status: "partial" }));

  test("is asked for once, by what it may have changed, and the page then shows the new state", async () => {
    await burst([
      ...requests(12, "first"),
      ...updates(12, "work"),
      ...Array.from({ length: 16 }, (_, at) => `Word ${at}`),
    ]);
    assert.deepEqual(asked, [], "nothing is asked while entries gather");
    await context.clock.runFor(gatheredMs);
    await unreadOfLead(40);
    await page.getByRole("button", { name: "12 need you" }).waitFor();
    assert.deepEqual(new Set(asked), new Set(["needs", "status", "tasks"]));
    assert.equal(asked.length, 3);
  });

  test("that comes while an answer is on its way is one more asking, after it", async () => {
    asked = [];
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route(`**/api/teams/${team}/status`, async (route) => {
      const response = await route.fetch();
      reached.resolve();
      await released.promise;
      await route.fulfill({ response });
    });
    await burst(["One more word"]);
    await context.clock.runFor(gatheredMs);
    await reached.promise;
    await burst(Array.from({ length: 30 }, (_, at) => `More ${at}`));
    await context.clock.runFor(pausedMs);
    assert.deepEqual(
      asked.filter((path) => path !== "needs"),
      ["status"],
      "one is under way, and no other",
    );
    released.resolve();
    await unreadOfLead(41);
    await page.unroute(`**/api/teams/${team}/status`);
    const second = page.waitForRequest(`**/api/teams/${team}/status`);
    await context.clock.runFor(pausedMs);
    await second;
    await unreadOfLead(71);
    assert.deepEqual(
      asked.filter((path) => path !== "needs"),
      ["status", "status"],
    );
    assert.ok(asked.length <= 4, asked.join());
  });

  test("and a page where nothing comes asks for the status and what needs the person alone", async () => {
    /** Lets the page's time go on until it has asked for all of these. */
    const untilAsked = async (...paths: readonly string[]) => {
      while (paths.some((path) => !asked.includes(path))) await context.clock.runFor(500);
    };
    const lanes = () => asked.filter((path) => path === "lanes").length;
    // What the entries before changed, and what the agents did, are counted once, after a rest.
    await untilAsked("lanes");
    await untilAsked("status", "needs");
    assert.equal(lanes(), 1, "what changed and what the agents did are one asking");
    asked = [];
    await untilAsked("status", "needs");
    assert.deepEqual(asked.toSorted(), ["needs", "status"], "the strips follow the time without asking");
    assert.deepEqual(await watched.wrongs(), []);
  });
});
