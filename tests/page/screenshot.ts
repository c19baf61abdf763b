/**
 * Makes the pictures of the documents (`docs/images`) from the real page on a real hub with the phase of `phase.ts`:
 * `npm run screenshot`. Not part of the tests, as pictures differ with a machine's fonts.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { openPage, startBrowser, visit } from "./browser.ts";
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

await page.getByText("1 unread").first().waitFor();
await visit(page, "Overview");
await picture("dashboard");
await visit(page, "Needs you");
await page.locator("[data-detail]").waitFor();
await picture("dashboard-inbox");
await visit(page, "Lanes");
await page.locator("[data-lane]").first().waitFor();
await picture("dashboard-lanes");
await page.emulateMedia({ colorScheme: "dark" });
await visit(page, "Board");
await page.locator("[data-task]").filter({ hasText: "2-1-T1" }).first().click();
await page.locator(".verdict").first().waitFor();
await picture("dashboard-task");
await visit(page, "Timeline");
await page.locator("[data-seq]").first().waitFor();
await picture("dashboard-timeline");
await page.setViewportSize({ width: 390, height: 844 });
await visit(page, "Overview");
await page.locator("[data-agent]").first().waitFor();
await picture("dashboard-phone");

async function picture(name: string): Promise<void> {
  await page.screenshot({ path: join(images, `${name}.png`) });
}

async function readAll(name: string): Promise<void> {
  const reader = speakers.get(name);
  const last = (await reader?.inbox())?.at(-1);
  if (last !== undefined) await reader?.acknowledge(last.seq);
}
