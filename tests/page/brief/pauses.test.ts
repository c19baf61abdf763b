/**
 * A record with a long pause in the lanes and in the strip above the timeline: the work on both sides of it is
 * seen, chosen and found again by its address.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { systemClock } from "../../../src/base/clock.ts";
import { readAddress } from "../../../src/messages/role.ts";
import { openTeam } from "../../../src/perform/open.ts";
import { withoutChromium } from "../browser.ts";
import { phase, teamFile, update } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

const [second, hour] = [1_000, 3_600_000];
/** The two refused reports of the first stretch are so far apart. */
const apart = 40 * second;
const refused = (id: string) => update(id, "2-1-T1", { status: "complet" });

/** When the first stretch began. */
let began = 0;

/** A stretch of work that ended five hours ago: a refusal, messages, and a refusal. */
async function recordStretch(folder: string): Promise<void> {
  began = systemClock.now() - 5 * hour - apart;
  let at = began;
  const opened = await openTeam({
    journal: `sqlite:${join(folder, ".baton/journal.db")}`,
    agent: "dev-1",
    create: true,
    teamFile: { path: join(folder, ".baton/team.yaml"), text: teamFile },
    clock: { ...systemClock, now: () => at },
  });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using sender = opened.value;
  const lead = readAddress("lead-1");
  assert.ok(lead.ok);
  const texts = [refused("early"), ...Array.from({ length: 9 }, (_, place) => `Step ${place}.`), refused("late")];
  for (const text of texts) {
    await sender.send(text, { to: [lead.value] });
    at += apart / (texts.length - 1);
  }
}

suite("lanes with a long pause", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let base: string;

  before(async () => {
    watched = await watchedHub(recordStretch);
    base = `${watched.hub.origin}/t/checkout/lanes`;
    for (const { sender, text, to } of phase) await (await watched.agent(sender)).send(text, to);
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const open = async (path = "") => {
    await watched.page.goto(base + path);
    await watched.page.locator("[data-lane=dev-1]").waitFor();
    await watched.page.waitForFunction(
      () => document.querySelector<HTMLCanvasElement>("[data-lanes] canvas")?.width !== 300,
    );
    await watched.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  };
  /** Where refusals are drawn, as shares of the width, those that touch each other once. */
  const crosses = (page: Page): Promise<readonly number[]> =>
    page.locator("[data-lanes] canvas").evaluate((canvas: HTMLCanvasElement) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = "var(--bar-bad)";
      const wanted = (getComputedStyle(probe).color.match(/\d+/g) ?? []).map(Number);
      probe.remove();
      const all = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      const columns = new Set<number>();
      for (let at = 0; at < all.length; at += 4)
        if (wanted.every((part, each) => Math.abs(part - (all[at + each] ?? -99)) < 12))
          columns.add((at / 4) % canvas.width);
      const sorted = [...columns].toSorted((one, other) => one - other);
      return sorted.filter((x, at) => x - (sorted[at - 1] ?? -99) > 4).map((x) => x / canvas.width);
    });
  const part = (page: Page) => {
    const { searchParams } = new URL(page.url());
    return ["from", "to"].map((name) => Date.parse(searchParams.get(name) ?? "")) as [number, number];
  };

  test("a pause is drawn narrow and named, so that the work on both sides is seen; it can be seen in full", async () => {
    const { page } = watched;
    await open();
    const [first = 1, second = 0, third = 0, ...more] = await crosses(page);
    assert.equal(more.length, 0, "three reports were refused");
    assert.ok(second - first > 0.3, `the first stretch is as wide as it was long: from ${first} to ${second}`);
    assert.ok(third > second);
    const words = page.locator("[role=status]", { hasText: "refused or disputed" });
    assert.match((await words.textContent()) ?? "", /without a pause of 5 h$/);
    await page.getByRole("button", { name: "Pauses in full" }).click();
    await page.waitForURL(`${base}?pauses=whole`);
    await words.filter({ hasNotText: "without" }).waitFor();
    await open("?pauses=whole");
    const [start = 0, end = 1] = await crosses(page);
    assert.ok(end < 0.02 || end > 0.98, `in full it is in a corner: at ${start} and ${end}`);
    await page.getByRole("button", { name: "Pauses in full" }).click();
    await page.waitForURL(base);
    await open("?span=86400");
    assert.ok(((await crosses(page))[0] ?? 1) < 0.1, "of a time before the first entry nothing is drawn");
  });

  test("what is chosen over a pause is in the address by its real times, and is the same after a reload", async () => {
    const { page } = watched;
    await open();
    const [, second = 0] = await crosses(page);
    const box = await page.locator("[data-lanes] canvas").boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width * (second - 0.05), box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * (second + 0.05), box.y + 60);
    await page.mouse.move(box.x + box.width - 2, box.y + 60);
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    const [from, to] = part(page);
    assert.ok(from > began && from < began + apart, "from within the first stretch");
    assert.ok(to > began + apart + 5 * hour, "into the second");
    const seen = await crosses(page);
    assert.equal(seen.length, 2, "the last refusal before the pause and the one behind it");
    const url = page.url();
    await page.reload();
    await page.locator("[data-lane=dev-1]").waitFor();
    assert.equal(page.url(), url);
    await open(new URL(url).search);
    for (const [at, x] of (await crosses(page)).entries()) assert.ok(Math.abs(x - (seen[at] ?? -1)) < 0.02);
  });

  test("a click before the pause leads to an entry before it, and keys step over the pause", async () => {
    const { page } = watched;
    await open();
    const [, second = 0] = await crosses(page);
    const canvas = page.locator("[data-lanes] canvas");
    const box = await canvas.boundingBox();
    assert.ok(box !== null);
    await canvas.click({ position: { x: box.width * (second + 0.01), y: 40 } });
    await page.waitForURL(/at=\d+/);
    const chosen = page.locator("[id^=lane-entry][aria-selected=true]");
    const late = await chosen.textContent();
    assert.match(late ?? "", /refused/);
    await page.keyboard.press(".");
    await chosen.filter({ hasNotText: late ?? "" }).waitFor({ state: "attached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search/ }).fill("today");
    await page.getByRole("option", { name: /^What happened/ }).click();
    await page.waitForURL(/lanes\?from=.*to=/);
    assert.equal(await page.getByRole("heading", { name: "Agents at that time" }).count(), 0);
    assert.deepEqual(await watched.wrongs(), []);
  });
});
