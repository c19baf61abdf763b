/**
 * The first rows of the hub's page, in a real browser that has never seen it, on a team of ten thousand messages: from
 * the navigation's start to the frame that shows them.
 */
import type { Browser } from "playwright-core";
import { openPage, startBrowser, type Watched } from "../tests/page/browser.ts";
import { type RunningHub, record, startHub, teamFolder } from "../tests/page/hub.ts";
import { update } from "../tests/page/phase.ts";
import type { Measure } from "./measure.ts";

const messages = 10_000;

/** The yardstick is one second, so the ratio reads as seconds. */
export const firstPaint: Measure = {
  name: `First paint of the page with ${messages.toLocaleString("en")} messages`,
  subject: "navigation to the first rows on screen, cold cache, chromium",
  yardstick: "one second",
  target: { of: "time", atMost: 1 },
  rounds: 9,
  open: async () => {
    const folder = teamFolder();
    const texts = Array.from({ length: messages }, (_, n) => update(`update-${n}`, `2-1-T${n % 7}`));
    await record(folder.path, "dev-1", texts, "lead-1");
    const [hub, browser] = await Promise.all([startHub(folder.path), startBrowser()]);
    const first = await openPage(browser, hub);
    return {
      yardstick: () => 1000,
      subject: () => paintMs(browser, hub, first),
      close: async () => {
        await browser.close();
        await hub.stop();
        folder[Symbol.dispose]();
      },
    };
  },
};

/** One visit with the session of `first` and nothing else of it. */
async function paintMs(browser: Browser, hub: RunningHub, first: Watched): Promise<number> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    storageState: await first.context.storageState(),
  });
  try {
    const page = await context.newPage();
    await page.addInitScript(stopwatch);
    await page.goto(hub.origin);
    return await page.evaluate<number>("window.__painted");
  } finally {
    await context.close();
  }
}

/** Runs before the page's scripts: the time of the frame after the one in which the rows came. */
const stopwatch = `
  window.__painted = new Promise((resolve) => {
    const look = () => document.querySelector("[role=option]") === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => resolve(performance.now()));
    requestAnimationFrame(look);
  });
`;
