/**
 * Somebody whom the owner has invited: told by a webhook that something waits, they open its link, decide, and the record
 * says who did.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { systemClock } from "../../../src/base/clock.ts";
import { setNotify } from "../../../src/main/notify-settings.ts";
import { receiver } from "../../e2e/webhook.ts";
import { axeFindings } from "../axe.ts";
import { live, sessionOf, visit, watchedPage, withoutChromium } from "../browser.ts";
import { scopeRequest, update } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("whom the owner invites", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  before(async () => {
    watched = await watchedHub(async (folder) => {
      writeFileSync(join(folder, ".baton/.gitignore"), "*\n");
      execFileSync("git", ["init", "--quiet"], { cwd: folder });
    });
  });
  after(() => watched?.[Symbol.asyncDispose]());

  test("opens the link of a webhook, denies under their own name, and is a stranger once the owner ends it", async () => {
    const { page, hub, folder } = watched;
    const { got, url } = await receiver();
    const secret = setNotify(join(folder, ".git/baton"), { url: new URL(url), isPrivateAllowed: true });
    assert.ok(secret.ok && secret.value !== null, JSON.stringify(secret));

    await page.goto(`${hub.origin}/t/checkout/compose/share`);
    await page.getByLabel(/^person/).fill("anna");
    await page.getByLabel(/^person/).press("Control+Enter");
    const link = (await page.locator(".token").textContent())?.match(/http\S+#share=baton_[\w-]{43}/)?.[0] ?? "";
    const row = page.getByRole("row").filter({ hasText: "anna decides" });
    await row.getByRole("cell", { name: "open", exact: true }).waitFor();

    const dev = await watched.agent("dev-1");
    const asked = scopeRequest("gate-1", "Merge without the <b>gate</b>?", { request_type: "gate_override" });
    assert.equal((await dev.send(asked, ["lead-1"])).status, 201);
    while (got.length === 0) await systemClock.wait(20);
    const { answer } = JSON.parse(got[0]?.body ?? "{}").data as { answer: string };

    // An agent that is refused again and again needs the owner, and nobody who was invited to answer.
    for (let times = 0; times < 3; times += 1)
      await dev.send(update("loop", "2-1-T1", { status: "complet" }), ["lead-1"]);
    await page.getByRole("button", { name: "2 need you" }).waitFor();

    const guest = await watchedPage(watched.browser, hub.origin);
    await guest.page.goto(link);
    await live(guest.page);
    await guest.page.getByText(/You are anna: you decide what needs an answer by a link until/).waitFor();
    await guest.page.getByRole("button", { name: "1 needs you" }).waitFor();
    await visit(guest.page, "Needs you");
    await guest.page.getByRole("option").waitFor();
    await guest.page.goto(answer);
    await guest.page.locator("[data-detail]").getByText("Merge without the <b>gate</b>?").first().waitFor();
    assert.deepEqual(await axeFindings(guest.page), []);
    await visit(page, "Needs you");
    await page.getByText("Merge without the <b>gate</b>?").first().waitFor();
    await guest.page.locator("textarea").first().fill("Not without a review");
    await guest.page.getByRole("button", { name: /^Deny/ }).click();
    await guest.page
      .getByText(/Denied, entry \d+/)
      .first()
      .waitFor();
    // The owner, who had it open, reads who was first.
    await page
      .getByText(/Denied by owner:anna, entry \d+/)
      .first()
      .waitFor();

    const answered = (await dev.inbox()).find(({ message }) =>
      JSON.stringify(message).includes("Not without a review"),
    );
    assert.ok(JSON.stringify(answered).includes('"decided_by":"owner:anna"'), JSON.stringify(answered));
    const command = join(import.meta.dirname, "../../../bin/baton.js");
    const log = execFileSync(process.execPath, [command, "log"], { cwd: folder, encoding: "utf8" });
    assert.match(log, /owner:anna/);
    const again = await fetch(`${hub.origin}/api/teams/checkout/approvals/gate-1`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "baton-session": (await sessionOf(guest.context, hub.origin)) ?? "",
      },
      body: JSON.stringify({ approved: true, reason: "After all" }),
    });
    assert.equal(again.status, 409);
    assert.match(await again.text(), /was denied by owner:anna, at entry/);

    await page.goto(`${hub.origin}/t/checkout/compose/share`);
    await row.getByRole("button", { name: /^End/ }).click();
    await row.getByRole("cell", { name: "ended", exact: true }).waitFor();
    await guest.page.getByRole("heading", { name: "Your link has ended" }).waitFor();
    assert.equal(await guest.page.getByText(/owner token/i).count(), 0);
    assert.deepEqual(await watched.wrongs(), []);
    await guest.context.close();
  });
});
