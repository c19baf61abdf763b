/**
 * A real browser on the hub's page. Whatever a page must never do is watched from the start: dialogs, scripts of
 * others, violations of the content security policy, requests to anyone but the hub, errors of its scripts.
 */
import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { type HttpAgent, httpAgent, type RunningHub, team } from "./hub.ts";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  // What would be drawn by a process of its own is not looked at: a tenth of a browser's processor time.
  "--in-process-gpu",
  // No page of ours is of several sites, so a window needs no process but one.
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The same browser without what is seen of it starts quicker; where it is not installed, the whole one does. */
const programs = ["chromium-headless-shell", "chromium"] as const;

/** The browser's program, or null: it is not installed. */
export function chromiumPath(): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = programs.flatMap((program) => folders.map((folder) => join(folder, program)));
  return paths.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not here; another folder may have it, or the other program is there.
    return false;
  }
}

/** For a test's options: why it is skipped, or false. */
export const withoutChromium: string | false = chromiumPath() === null ? "needs chromium on the PATH" : false;

/** Starts the browser; the caller disposes of it. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  assert.ok(executablePath !== null);
  return chromium.launch({ executablePath, args: flags });
}

/** A page that is watched, and what the watch has seen. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Everything a page must not do, in words; the test ends with none. */
  wrongs(): Promise<readonly string[]>;
  /** What the hub answers to the page's own session, outside of the browser. */
  asOwner(path: string, body?: object): Promise<Response>;
  /** An agent with a token that the owner's session made. */
  agent(name: string): Promise<HttpAgent>;
  /** What somebody does by the hub's routes, which must succeed; `path` is below the team's. */
  act(name: string, path: string, body: object): Promise<void>;
  /** A new token of that agent. */
  tokenOf(name: string): Promise<string>;
}

/** Where a page opens a separate window. */
export type Windows = Pick<Browser, "newContext">;

interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
}

/** Opens the hub's page with its one-time code and waits until it is live. */
export async function openPage(browser: Windows, hub: RunningHub, options: PageOptions = {}): Promise<Watched> {
  const watched = await watchedPage(browser, hub.origin, options);
  await watched.page.goto(hub.url);
  await live(watched.page);
  return watched;
}

/** The views of the page by the words of their links. */
export type ViewLink =
  | "Overview"
  | "Needs you"
  | "Needs the owner"
  | "Timeline"
  | "Lanes"
  | "Board"
  | "Phases"
  | "Handoffs"
  | "Day"
  | "Journal"
  | "More";

/** Goes to a view as a person does, by its link. */
export async function visit(page: Page, view: ViewLink): Promise<void> {
  const link = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: new RegExp(`^${view}`) });
  await link.click();
  await link.and(page.locator("[aria-current=page]")).waitFor();
}

/** Waits until the page says that it follows. */
export async function live(page: Page): Promise<void> {
  await page.locator(".connection.live").waitFor();
}

/** A page with the watch on it, nowhere yet. */
export async function watchedPage(browser: Windows, origin: string, options: PageOptions = {}): Promise<Watched> {
  const { width = 1280, height = 800, colorScheme = "light" } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  // However busy the machine is: what never comes fails by name.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const wrongs: string[] = [];
  page.on("dialog", (dialog) => {
    wrongs.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => wrongs.push(`fault: ${error.stack ?? error.message}`));
  page.on("popup", () => wrongs.push("a window was opened"));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) wrongs.push(`foreign request: ${request.url().slice(0, 200)}`);
  });
  page.on("console", (message) => {
    // A hub that is restarted is missed by the browser, which says so; that is the test's doing.
    if (message.type() === "error" && !message.text().includes("net::ERR_")) wrongs.push(`console: ${message.text()}`);
  });
  await page.addInitScript(watch);
  const asOwner = async (path: string, body?: object): Promise<Response> => {
    const headers = { "content-type": "application/json", "baton-session": (await sessionOf(context, origin)) ?? "" };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return await fetch(`${origin}${path}`, { headers, ...sent });
  };
  const tokenOf = async (name: string): Promise<string> => {
    const answer = await asOwner(`/api/teams/${team}/tokens`, { agent: name });
    const { token } = (await answer.json()) as { token?: string };
    assert.ok(answer.ok && typeof token === "string", `a token for ${name}: ${answer.status}`);
    return token;
  };
  const act = async (name: string, path: string, body: object): Promise<void> => {
    const answer = await fetch(`${origin}/api/teams/${team}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await tokenOf(name)}` },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.text());
  };
  return {
    page,
    context,
    act,
    wrongs: async () => [...wrongs, ...(await page.evaluate<string[]>("window.__wrongs"))],
    asOwner,
    agent: async (name) => httpAgent(origin, name, await tokenOf(name)),
    tokenOf,
  };
}

/** The secret of the session that the browser keeps for the hub's origin; null: it keeps none. */
export async function sessionOf(context: BrowserContext, origin: string): Promise<string | null> {
  const { origins } = await context.storageState();
  const kept = origins.find((each) => each.origin === origin)?.localStorage ?? [];
  return kept.find(({ name }) => name === "baton-session")?.value ?? null;
}

/** Runs in the page before its own scripts. `__ran` is what payloads would set. */
const watch = `
  window.__wrongs = [];
  window.__ran = undefined;
  document.addEventListener("securitypolicyviolation", (event) =>
    window.__wrongs.push("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample));
`;
