/**
 * Makes the pictures of the documents (`docs/images/dashboard*.png`) from the real page on a real hub with the phase of
 * `phase.ts`: `npm run screenshot`. Not part of the tests, as pictures differ with a machine's fonts.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { openPage, startBrowser } from "./browser.ts";
import { type HttpAgent, startHub, teamFolder } from "./hub.ts";
import { agents, phase } from "./phase.ts";

const images = join(import.meta.dirname, "../../docs/images");
mkdirSync(images, { recursive: true });

using folder = teamFolder();
await using hub = await startHub(folder.path);
await using browser = await startBrowser();
const { page, agent } = await openPage(browser, hub);

const pausesMs = [34_000, 21_000, 16_000, 12_000, 3_000, 11_000, 8_000, 6_000];
const speakers = new Map<string, HttpAgent>();
for (const name of agents) speakers.set(name, await agent(name));
for (const { sender, text, to } of phase) {
  await speakers.get(sender)?.send(text, to);
  // Ages differ in a real phase, and so they do in the picture.
  await systemClock.wait(pausesMs.shift() ?? 0);
  // The lead reads along, but for the last: that one is unread when the picture is made.
  if (sender !== "dev-2") await readAll("lead-1");
}
for (const name of ["architect-1", "dev-1", "scout-1"]) await readAll(name);

await page.getByRole("button", { name: "Messages" }).waitFor();
await page.locator("[data-request]").waitFor();
// Who has read shows it: three have mail left, the others none.
await page.waitForFunction(() => document.querySelectorAll(".unread").length === 3);
for (const colorScheme of ["light", "dark"] as const) {
  await page.emulateMedia({ colorScheme });
  const dark = colorScheme === "dark" ? "-dark" : "";
  await page.screenshot({ path: join(images, `dashboard${dark}.png`) });
}
await page.locator("[role=option]", { hasText: "refused" }).click();
await page.getByText("did you mean").waitFor();
await page.emulateMedia({ colorScheme: "light" });
await page.screenshot({ path: join(images, "dashboard-entry.png") });

async function readAll(name: string): Promise<void> {
  const reader = speakers.get(name);
  const last = (await reader?.inbox())?.at(-1);
  if (last !== undefined) await reader?.acknowledge(last.seq);
}
