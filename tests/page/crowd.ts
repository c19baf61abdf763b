/**
 * A crowd on the page: five hundred agents, and more open requests than anybody can see at once. Every view stays within
 * its bounds, the list of what needs the person is drawn in part and reached to its end by keyboard and by mouse.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { readAddress } from "../../src/messages/role.ts";
import { openHub } from "../../src/perform/hub.ts";
import { withoutChromium } from "./browser.ts";
import { everyView, moveTo, nextFrame } from "./every-view.ts";
import { record, team } from "./hub.ts";
import { scopeRequest, teamFile } from "./phase.ts";
import { type WatchedHub, watchedHub } from "./watched-hub.ts";

const agents = 500;
/** The hub lists so many needs, the most urgent; the rest is counted. */
const listedMax = 1_000;
/** In bytes, of scripts after a collection; an empty page has about 4 MB. */
const heapMax = 60_000_000;

/** The suite with so many open requests. `more`: what else is looked at; then every agent speaks and holds a task. */
export function crowdTests(
  requests: number,
  measures?: { readonly name: string; take(watched: WatchedHub): Promise<void> },
): void {
  suite(`${agents} agents and ${requests} open requests`, { skip: withoutChromium }, () => {
    let watched: WatchedHub;

    before(async () => {
      watched = await watchedHub(async (folder) => {
        const crowd = Array.from({ length: agents - 6 }, (_, at) => `  crowd-${at}: { role: dev }\n`);
        writeFileSync(join(folder, ".baton/team.yaml"), teamFile + crowd.join(""));
        for (const agent of ["dev-1", "dev-2"]) {
          const texts = Array.from({ length: requests / 2 }, (_, at) =>
            scopeRequest(`${agent}-${at}`, `File ${at} of ${agent}`, { request_type: "gate_override" }),
          );
          await record(folder, agent, texts, "lead-1");
        }
        if (measures !== undefined) await everyAgentActs(folder);
      });
    });
    after(() => watched?.[Symbol.asyncDispose]());

    test("the list of what needs the person is drawn in part, and every one is reached", async () => {
      const { page } = watched;
      await moveTo(page, "/t/checkout/inbox");
      const rows = page.locator("[data-need]");
      await rows.first().waitFor();
      await page.getByRole("heading", { name: "Needs you" }).waitFor();
      const count = async () => Number((await page.locator("section.list .count").first().textContent()) ?? 0);
      assert.equal(await count(), requests);
      const list = page.getByRole("listbox", { name: /needs you/ });
      const size = Number(await rows.first().getAttribute("aria-setsize"));
      assert.equal(size, Math.min(requests, listedMax));
      await list.focus();
      await page.keyboard.press("End");
      const chosen = list.locator("[aria-selected=true]");
      await list.locator(`[aria-posinset="${size}"][aria-selected=true]`).waitFor();
      assert.ok((await rows.count()) <= 200, `${await rows.count()} rows`);
      assert.equal(await list.getAttribute("aria-activedescendant"), await chosen.getAttribute("id"));
      await page.keyboard.press("k");
      await list.locator(`[aria-posinset="${size - 1}"][aria-selected=true]`).waitFor();
      await page.keyboard.press("Home");
      await list.locator('[aria-posinset="1"][aria-selected=true]').waitFor();
      // By mouse: down the whole list, never more than a part of it in the document.
      let most = 0;
      for (let last = -1, top = 0; top !== last; ) {
        last = top;
        await list.evaluate((each) => each.scrollBy(0, 2_000));
        await page.evaluate(nextFrame);
        top = await list.evaluate((each) => each.scrollTop);
        most = Math.max(most, await rows.count());
      }
      await list.locator(`[aria-posinset="${size}"]`).waitFor();
      assert.ok(most <= 240, `${most} rows at once`);
      await page.getByText(/more needs below/).waitFor({ state: requests > listedMax ? "visible" : "detached" });
    });

    test("one is decided with the rest still there, and the count follows", async () => {
      const { page } = watched;
      const list = page.getByRole("listbox", { name: /needs you/ });
      await list.focus();
      await page.keyboard.press("End");
      const id = await list.locator("[aria-selected=true]").getAttribute("data-need");
      await page.locator(`[data-detail="${id}"]`).waitFor();
      await page.locator('[data-decision] [aria-disabled="true"]').first().waitFor({ state: "detached" });
      await page.keyboard.press("a");
      await page
        .locator("[data-soon]")
        .getByText(/^Approving/)
        .waitFor();
      await page.getByRole("button", { name: `${requests - 1} need you` }).waitFor();
    });

    if (measures !== undefined) test(measures.name, () => measures.take(watched));

    test("every view stays within its bounds, and memory with it", async () => {
      const { page, context } = watched;
      const moreAgents = page.getByText(`${agents - 100} more: baton agent list`);
      await moveTo(page, "/t/checkout/");
      await moreAgents.waitFor();
      await everyView(page, [], new Set(["/board", "/board?as=files"]));
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("crowd-49");
      await page.getByRole("option", { name: /^crowd-49 / }).waitFor();
      await page.keyboard.press("Escape");
      const session = await context.newCDPSession(page);
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      assert.ok(usedSize < heapMax, `${usedSize} bytes`);
      assert.deepEqual(await watched.wrongs(), []);
    });
  });
}

/** Every agent has a task on the list, holds it and says something, so that each has a lane with a bar and a mark. */
async function everyAgentActs(folder: string): Promise<void> {
  const opened = await openHub({ journal: join(folder, ".baton/journal.db") });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using hub = opened.value;
  const as = async (agent: string) => {
    const found = await hub.team(team, { agent, via: "launcher" });
    assert.ok(found.ok, JSON.stringify(found));
    return found.value;
  };
  const lead = await as("lead-1");
  const address = readAddress("lead-1");
  assert.ok(address.ok);
  for (let at = 0; at < agents - 6; at += 1) {
    const agent = await as(`crowd-${at}`);
    const task = `9-1-T${at}`;
    await lead.addTask({ task, title: `Part ${at} of the export`, files: [`src/part-${at}.ts`] });
    assert.equal((await agent.claim({ task })).outcome, "accepted");
    await agent.send(`Part ${at} is begun`, { to: [address.value] });
  }
}
