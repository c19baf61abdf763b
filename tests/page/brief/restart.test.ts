/**
 * What a page does that is left open: the hub ends and comes back, the page says so and goes on with what came
 * meanwhile, without a new code; a session that is over is reported as such.
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { quietPort } from "../../http/quiet-port.ts";
import { live, openPage, sessionOf, visit, withoutChromium } from "../browser.ts";
import { record, startHub, teamFolder } from "../hub.ts";
import { scopeRequest, update } from "../phase.ts";
import { ownWindows } from "../shared-browser.ts";

suite("a page left open", { skip: withoutChromium }, () => {
  test("goes on after the hub was started again, with what came meanwhile, each once", async () => {
    using folder = teamFolder();
    const first = await startHub(folder.path, await quietPort());
    await using browser = await ownWindows();
    const { page, agent, wrongs } = await openPage(browser, first);
    const dev = await agent("dev-1");
    await dev.send(update("before", "2-1-T1"), ["lead-1"]);
    await visit(page, "Timeline");
    await page.locator("[role=option]", { hasText: "2-1-T1: partial" }).waitFor();
    await page.evaluate("window.__sameDocument = true");

    await first.stop();
    await page.locator(".connection", { hasText: "Reconnecting" }).waitFor();
    // The dot of a lost connection is all that moves by itself, and for those who want less motion it does not.
    const moving = "document.getAnimations().length";
    assert.ok((await page.evaluate<number>(moving)) > 0, "the control: it moves");
    await page.emulateMedia({ reducedMotion: "reduce" });
    assert.equal(await page.evaluate<number>(moving), 0);
    await page.emulateMedia({ reducedMotion: null });
    await page.getByRole("alert").filter({ hasText: "The hub has stopped or cannot be reached" }).waitFor();
    await record(folder.path, "dev-2", [update("meanwhile", "2-1-T2")], "lead-1");
    await using second = await startHub(folder.path, Number(new URL(first.origin).port));
    await live(page);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.locator("[role=option]", { hasText: "2-1-T2: partial" }).waitFor();
    assert.equal(await page.evaluate("window.__sameDocument"), true);

    const token = await agent("dev-1");
    await token.send(update("after", "2-1-T3"), ["lead-1"]);
    await page.locator("[role=option]", { hasText: "2-1-T3: partial" }).waitFor();
    const seqs = await page.locator("[role=option]").evaluateAll((rows) => rows.map((row) => Number(row.dataset.seq)));
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].toSorted((a, b) => b - a),
      "newest first, none twice",
    );
    assert.equal(seqs.length, await page.locator("[role=option]", { hasText: /owner|dev-/ }).count());
    assert.equal(second.origin, first.origin);
    assert.deepEqual(await wrongs(), []);
  });

  test("says of decisions made together which were recorded when its hub was killed in the middle, and which were not", async () => {
    // Three requests of the page, of which only the first reaches the hub before it is killed.
    const count = 201;
    using folder = teamFolder();
    const requests = Array.from({ length: count }, (_, at) => scopeRequest(`ask-${at}`, "The same for all"));
    await record(folder.path, "dev-1", requests, "lead-1");
    const first = await startHub(folder.path, await quietPort());
    await using browser = await ownWindows();
    const opened = await openPage(browser, first);
    const headers = { authorization: `Bearer ${await opened.tokenOf("lead-1")}` };
    const context = await browser.newContext({ storageState: await opened.context.storageState() });
    await context.clock.install();
    // A busy machine records two hundred decisions in half a minute.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    await page.goto(`${first.origin}/t/checkout/inbox`);
    await page.getByRole("heading", { name: `${count} of one cause, decided together` }).waitFor();
    await context.clock.runFor(1_000);
    await page.getByLabel("Reason").fill("Not now");
    const told = page.getByRole("region", { name: "What you decided" }).getByRole("status").first();
    const says = (words: RegExp | string) => told.filter({ hasText: words });
    /** Lets the page's time go on until it says so. */
    const until = async (words: RegExp) => {
      for (let step = 0; (await says(words).count()) === 0; step++) {
        assert.ok(step < 400, `it says ${await told.textContent()}`);
        await context.clock.runFor(500);
      }
    };

    const events = await fetch(`${first.origin}/api/teams/checkout/events`, { headers });
    const killed = Promise.withResolvers<void>();
    let requested = 0;
    await page.route("**/decisions", async (route) => {
      requested += 1;
      if (requested > 1) await killed.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: `Deny ${count}` }).click();
    await context.clock.runFor(5_100);
    let seen = "";
    for await (const chunk of events.body ?? []) {
      seen += Buffer.from(chunk).toString();
      // The first of them is recorded; the others are not yet.
      if (seen.includes("event: entry")) break;
    }
    await first.kill();
    killed.resolve();
    await until(/^Deny: (?:0 of 201 recorded, 201|100 of 201 recorded, 101|200 of 201 recorded, 1) not known yet$/);
    await page.getByText(/asked whether it was recorded/).waitFor();
    await using second = await startHub(folder.path, Number(new URL(first.origin).port));
    const open = async () => {
      const answer = await fetch(`${second.origin}/api/teams/checkout/approvals`, { headers });
      return ((await answer.json()) as { approvals: readonly unknown[] }).approvals.length;
    };
    const left = await open();
    assert.ok(left > 0 && left < count, `${left} of ${count} are open`);
    await until(/not recorded$/);
    await says(`Deny: ${count - left} of ${count} recorded, ${left} not recorded`).waitFor();
    await page.getByText("The hub went away before it recorded this.").first().waitFor();
    // Decided again, the rest is recorded.
    await context.clock.runFor(7_000);
    await page.getByRole("button", { name: `Deny ${left}` }).click();
    // Longer than they can be taken back; what the hub takes to record them is no time of the page's.
    await context.clock.runFor(5_100);
    await says(`Deny: ${left} of ${left} recorded`).waitFor();
    assert.equal(await open(), 0);
  });

  test("says how to get a session when the hub knows it no longer", async () => {
    using folder = teamFolder();
    const first = await startHub(folder.path, await quietPort());
    await using browser = await ownWindows();
    const { page } = await openPage(browser, first);
    // Another window of the same person signs out; the page here has not heard of it when its hub goes.
    const secret = (await sessionOf(page.context(), first.origin)) ?? "";
    await first.stop();
    await using other = await startHub(folder.path, 0);
    const ended = await fetch(`${other.origin}/api/session`, {
      method: "DELETE",
      headers: { "baton-session": secret },
    });
    assert.equal(ended.status, 200);
    await using second = await startHub(folder.path, Number(new URL(first.origin).port));
    await page.getByRole("heading", { name: "This page needs the owner's session" }).waitFor();
    await page.goto(second.url);
    await live(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "This page needs the owner's session" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "This page needs the owner's session" }).waitFor();
  });
});
