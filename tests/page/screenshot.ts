/**
 * Makes the pictures of the documents (`docs/images/dashboard*.png`) from the real page on real hubs with the phase of
 * `phase.ts` and the company of `company.ts`: `npm run screenshot`. Not part of the tests, as pictures differ with a
 * machine's fonts.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { systemClock } from "../../src/base/clock.ts";
import { openPage, startBrowser, type ViewLink, visit } from "./browser.ts";
import { tellCompany } from "./company.ts";
import { type HttpAgent, startHub, teamFolder } from "./hub.ts";
import { agents, phase, typed } from "./phase.ts";

const images = join(import.meta.dirname, "../../docs/images");
mkdirSync(images, { recursive: true });

using folder = teamFolder();
await using hub = await startHub(folder.path);
await using browser = await startBrowser();
const { page, agent, tokenOf } = await openPage(browser, hub);

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
await pictures("dashboard", "Overview");
await visit(page, "Needs you");
await page.locator("[data-detail]").waitFor();
await pictures("dashboard-inbox", "Needs you");
await page.goto(`${hub.origin}/t/checkout/agents/dev-2`);
await page.getByRole("region", { name: "Sent and received" }).locator("li a").first().waitFor();
await inEveryLook(page, "dashboard-agent");
await visit(page, "Timeline");
await page.locator("[role=option]").first().waitFor();
await pictures("dashboard-timeline", "Timeline");
await visit(page, "Lanes");
await page.locator("[data-lane=qa-1]").waitFor();
await pictures("dashboard-lanes", "Lanes");
for (let step = 0; step < 6; step++) await page.keyboard.press(",");
await page.getByRole("heading", { name: "Agents at that time" }).waitFor();
await systemClock.wait(1_000);
await inEveryLook(page, "dashboard-past");
await page.keyboard.press("n");
await visit(page, "Journal");
await page.getByRole("heading", { name: "Entries by kind" }).waitFor();
await page.keyboard.press("v");
await page.locator("[data-verified=true]").waitFor();
await pictures("dashboard-journal", "Journal");
await visit(page, "Board");
await page.locator("[data-task]").first().waitFor();
await pictures("dashboard-board", "Board");
await page.goto(`${hub.origin}/t/checkout/compose/limits`);
await page.getByLabel("lease seconds").fill("600");
await page.getByLabel("lease seconds").press("Enter");
await page.locator("[data-change] li").first().waitFor();
await inEveryLook(page, "dashboard-compose");
await fetch(`${hub.origin}/api/teams/checkout/shutdowns`, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${await tokenOf("lead-1")}` },
  body: JSON.stringify({
    reason: "phase_complete",
    agents: ["dev-1", "dev-2", "qa-1"],
    deadlineMs: 600_000,
    id: "stop-1",
  }),
});
const stops = { request_id: "stop-1", approve: true, final_status: "complete" };
await speakers
  .get("dev-1")
  ?.send(typed({ id: "stopped-1", type: "shutdown_response", task: "", role: "dev" }, stops), ["lead-1"]);
const goesOn = { ...stops, approve: false, final_status: "in_progress", pending_work: "The confirm button" };
await speakers
  .get("dev-2")
  ?.send(typed({ id: "stopped-2", type: "shutdown_response", task: "", role: "dev" }, goesOn), ["lead-1"]);
await visit(page, "Shutdown");
await page.getByText("refused, works on").waitFor();
await inEveryLook(page, "dashboard-shutdown");
await visit(page, "Timeline");
await page.locator("[role=option]", { hasText: "refused" }).first().click();
await page.getByText("did you mean").first().waitFor();
await page.screenshot({ path: join(images, "dashboard-entry.png") });

await companyPictures();

/** A view in light, in dark and on a phone. */
async function pictures(name: string, view: ViewLink): Promise<void> {
  await visit(page, view);
  await inEveryLook(page, name);
}

/** What is there in light, in dark and on a phone. */
async function inEveryLook(shown: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await shown.emulateMedia({ colorScheme });
    await shown.screenshot({ path: join(images, `${name}${colorScheme === "dark" ? "-dark" : ""}.png`) });
  }
  await shown.emulateMedia({ colorScheme: "light" });
  await shown.setViewportSize({ width: 390, height: 844 });
  // A canvas is drawn again for its new size.
  await systemClock.wait(300);
  await shown.screenshot({ path: join(images, `${name}-narrow.png`) });
  await shown.setViewportSize({ width: 1280, height: 800 });
}

/** A phase of several departments, opened, and a handoff whose file was changed. */
async function companyPictures(): Promise<void> {
  using place = teamFolder();
  const { close } = await tellCompany(place.path);
  await close();
  await using companyHub = await startHub(place.path);
  const { page: company } = await openPage(browser, companyHub);
  await visit(company, "Needs you");
  await company.locator("[data-detail]").getByRole("link", { name: "Open the phase" }).click();
  await company.locator("[data-part]").first().waitFor();
  await inEveryLook(company, "dashboard-phase");
  await company.locator('[data-part="frontend"]').evaluate((part) => part.scrollIntoView());
  await company.emulateMedia({ colorScheme: "dark" });
  await company.screenshot({ path: join(images, "dashboard-steps-dark.png") });
  await company.emulateMedia({ colorScheme: "light" });
  await visit(company, "Handoffs");
  await company.locator('.list [data-handoff="sign-in-3"]').getByRole("button").click();
  await company.locator("[data-refused]").waitFor();
  await inEveryLook(company, "dashboard-handoff");
}

async function readAll(name: string): Promise<void> {
  const reader = speakers.get(name);
  const last = (await reader?.inbox())?.at(-1);
  if (last !== undefined) await reader?.acknowledge(last.seq);
}
