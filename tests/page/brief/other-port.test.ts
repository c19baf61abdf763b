/**
 * What a program on another port of this machine gets from the browser of the owner, who looks at its page: browsers do not
 * separate cookies by port, so nothing that opens the hub may be one.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { live, openPage, sessionOf, visit, withoutChromium } from "../browser.ts";
import { startHub, teamFolder } from "../hub.ts";
import { update } from "../phase.ts";
import { ownWindows } from "../shared-browser.ts";

suite("a program on another port", { skip: withoutChromium }, () => {
  test("gets nothing from the owner's browser by which it could act or read", async (t) => {
    using folder = teamFolder();
    await using hub = await startHub(folder.path);
    await using browser = await ownWindows();
    const { page, context, agent, asOwner, wrongs } = await openPage(browser, hub);
    const secret = await sessionOf(context, hub.origin);
    assert.ok(secret !== null, "the control: the page has a session");
    assert.equal((await asOwner("/api/teams/checkout/status")).status, 200, "which opens the hub");

    const got: IncomingHttpHeaders[] = [];
    const thief = createServer((request, response) => {
      got.push(request.headers);
      const tried = `fetch("${hub.origin}/api/session", { credentials: "include" }).then((a) => a.text(), () => "nothing")`;
      const kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])";
      response.setHeader("content-type", "text/html");
      response.setHeader("set-cookie", "theirs=1; Path=/");
      response.end(`<p></p><script>${tried}.then((read) => {
        document.querySelector("p").textContent = "read: " + read + ${kept};
      });</script>`);
    });
    thief.listen(0, "127.0.0.1");
    await once(thief, "listening");
    t.after(() => thief.close());
    const other = await context.newPage();
    const address = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/`;
    await other.goto(address);
    const read = other.getByText(/^read: nothing/);
    await read.waitFor();
    assert.ok(!(await read.textContent())?.includes(secret));
    await other.reload();
    const last = got.findLast(({ cookie }) => cookie !== undefined);
    assert.equal(last?.cookie, "theirs=1", "the control: the browser sends cookies, and the hub has none");
    for (const { host: _, connection: __, ...headers } of got) {
      assert.ok(!JSON.stringify(headers).includes(secret));
      const stolen = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      // What the thief's browser window said of itself would be refused for that alone.
      for (const name of Object.keys(stolen)) if (name.startsWith("sec-")) delete stolen[name];
      const asked = { method: "POST", headers: { ...stolen, "content-type": "application/json", origin: hub.origin } };
      const made = await fetch(`${hub.origin}/api/teams/checkout/tokens`, { ...asked, body: '{"agent":"owner"}' });
      assert.equal(made.status, 401, await made.text());
    }

    // The page goes on: it follows what is recorded, in another window too, and saves the journal.
    const dev = await agent("dev-1");
    await visit(page, "Timeline");
    await dev.send(update("after", "2-1-T1"), ["lead-1"]);
    await page.locator("[role=option]", { hasText: "2-1-T1: partial" }).waitFor();
    await other.goto(`${hub.origin}/t/checkout/journal`);
    await live(other);
    for (const [button, name] of [
      ["Export", "journal.jsonl"],
      ["Back up", "journal.db"],
    ] as const) {
      const saved = other.waitForEvent("download");
      await other.getByRole("button", { name: button }).click();
      const file = await saved;
      assert.deepEqual([file.suggestedFilename(), await file.failure()], [name, null]);
    }
    assert.deepEqual(await wrongs(), []);
  });
});
