/** One browser for all tests of a process: starting one takes longer than most of them run. */
import { after } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
import { startBrowser } from "./browser.ts";

/** A browser as a test has it: with its own windows, which know nothing of another test's, and end with it. */
export interface OwnWindows extends AsyncDisposable {
  newContext: Browser["newContext"];
}

let browser: Promise<Browser> | null = null;
after(async () => (await browser)?.close());

/** Windows in the process's browser, which is started for the first who asks. */
export async function ownWindows(): Promise<OwnWindows> {
  browser ??= startBrowser();
  const started = await browser;
  const contexts: BrowserContext[] = [];
  return {
    newContext: async (options) => {
      const context = await started.newContext(options);
      contexts.push(context);
      return context;
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all(contexts.map((each) => each.close()))),
  };
}
