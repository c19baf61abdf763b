/**
 * What the suites of the page are on: a hub in a team's folder, a browser, and a page where the owner watches the team.
 */
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
