/**
 * What the suites of the page are on: a hub in a team's folder, a browser, and a page where the owner watches the team.
 */
import type { BrowserContext } from "playwright-core";
import { openPage, type Watched, type Windows } from "./browser.ts";
import { type RunningHub, startHub, teamFolder } from "./hub.ts";
import { ownWindows } from "./shared-browser.ts";

/** The page with what is behind it; disposing ends its windows, then the hub, and removes the folder. */
export interface WatchedHub extends Watched, AsyncDisposable {
  readonly folder: string;
  readonly hub: RunningHub;
  readonly browser: Windows;
}

/** Starts all of it. `fill`: what the folder is to hold before the hub starts. */
export async function watchedHub(fill: (folder: string) => Promise<void> = async () => undefined): Promise<WatchedHub> {
  await using started = new AsyncDisposableStack();
  const { path: folder } = started.use(teamFolder());
  await fill(folder);
  const [hub, browser] = await Promise.all([startHub(folder), ownWindows()]);
  started.use(hub);
  started.use(browser);
  const watched = await openPage(browser, hub);
  const all = started.move();
  return { ...watched, folder, hub, browser, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/**
 * Milliseconds from a navigation's begin to the frame that shows the agents of the overview, in a window that has the
 * session of `signedIn` and nothing else of it: its cache is empty. An overview that does not come in half a minute throws.
 */
export async function firstPaintMs(
  browser: Pick<Windows, "newContext">,
  origin: string,
  signedIn: BrowserContext,
): Promise<number> {
  const storageState = await signedIn.storageState();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, storageState });
  try {
    const page = await context.newPage();
    await page.addInitScript(stopwatch);
    await page.goto(`${origin}/t/checkout/`);
    await page.locator("[data-agent]").first().waitFor();
    return await page.evaluate<number>("window.__painted");
  } finally {
    await context.close();
  }
}

/** Runs before the page's scripts. */
const stopwatch = `
  window.__painted = new Promise((resolve) => {
    const look = () => document.querySelector("[data-agent]") === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => resolve(performance.now()));
    requestAnimationFrame(look);
  });
`;
