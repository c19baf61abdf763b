/**
 * Remotes on the page and in the terminal: an agent of another team is told apart everywhere from the agents of this one,
 * and what it says is its word, never a verdict. The remote here is a server that answers as the test wants it to.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { writeRemote } from "../../../src/perform/workspace/remotes.ts";
import { axeFindings } from "../axe.ts";
import { visit, withoutChromium } from "../browser.ts";
import { moveTo } from "../every-view.ts";
import { watchedHub } from "../watched-hub.ts";

const command = join(import.meta.dirname, "../../../bin/baton.js");

/** What the remote says of every task. */
interface Said {
  state: string;
  words: string;
  /** Whether it answers at all. */
  isThere: boolean;
}

async function answer(request: IncomingMessage, response: ServerResponse, said: Said): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  if (!said.isThere) return void request.socket.destroy();
  response.setHeader("content-type", "application/json");
  if (request.method === "GET") {
    const supportedInterfaces = [
      { url: `http://${request.headers.host}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ];
    return void response.end(JSON.stringify({ name: "shop", supportedInterfaces }));
  }
  const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
  const message = { parts: [{ text: said.words }] };
  const artifacts = [{ artifactId: "w", parts: [{ data: { commit: "4be81d0", files: ["src/tax.ts"] } }] }];
  const task = { id: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${said.state}`, message }, artifacts };
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: method === "SendMessage" ? { task } : task }));
}

suite("remotes", { skip: withoutChromium }, () => {
  test("a remote is shown as one in every view, in the log and in the status, and its word as its word", async (t) => {
    const said: Said = { state: "WORKING", words: "On <b>it</b>", isThere: true };
    const server = createServer((request, response) => void answer(request, response, said));
    t.after(() => server.close().closeAllConnections());
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    // A server that listens at a port has one.
    const card = `http://127.0.0.1:${(server.address() as AddressInfo).port}/card.json`;
    await using watched = await watchedHub(async (folder) => {
      execFileSync("git", ["init", "--quiet"], { cwd: folder });
      mkdirSync(join(folder, ".git/baton"));
      const written = await writeRemote(join(folder, ".git/baton"), "shop", {
        card,
        token: null,
        isPrivateAllowed: true,
      });
      assert.ok(written.ok, JSON.stringify(written));
    });
    const { page, folder } = watched;
    const baton = (words: readonly string[]) =>
      promisify(execFile)(process.execPath, [command, ...words], { cwd: folder });
    const post = async (path: string, by: string, body: object) => {
      const response = await fetch(`${watched.hub.origin}/api/teams/checkout/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${await watched.tokenOf(by)}` },
        body: JSON.stringify(body),
      });
      assert.ok(response.ok, await response.text());
    };
    await post("remotes", "owner", { remote: "shop" });
    await post("tasks", "lead-1", { task: "2-1-T9", title: "Tax in the export", files: ["src/tax.ts"] });
    await post("tasks/2-1-T9/claim", "dev-1", {});
    await post("remotes/shop/asks", "dev-1", { text: "Add the tax", task: "2-1-T9" });

    // Below the agents, in its row.
    const row = page.locator("[data-remote-row=shop]");
    await row.getByText("says working:").waitFor();
    await row.getByText("remote:shop").waitFor();
    await page.getByText("and 1 remote").waitFor();
    await visit(page, "Board");
    await page.locator('[data-task="2-1-T9"]').getByText("remote:shop").waitFor();
    await page.locator('[data-task="2-1-T9"]').getByText("says working").waitFor();

    // On the timeline it is a party of what it is asked and of what it says.
    await visit(page, "Timeline");
    const asked = page.locator("[role=option]", { hasText: "asked the remote shop: Add the tax" });
    await asked.locator('.to [data-remote="remote:shop"]').waitFor();
    said.state = "COMPLETED";
    said.words = "Done, and verified by us";
    const done = page.locator("[role=option]", { hasText: "says completed: Done, and verified by us (Add the tax)" });
    await done.locator('.from [data-remote="remote:shop"]').waitFor();
    await done.locator("[data-word=completed]", { hasText: "its word" }).waitFor();
    assert.equal(await done.getAttribute("data-tone"), "said", "its word is no good news");
    await page.getByLabel("Agent", { exact: true }).selectOption("remote:shop");
    await page.waitForURL(/agent=remote%3Ashop/);
    await done.click();
    await page.getByText("Nothing here verified it.").first().waitFor();

    // On the task's page next to the claims, which it does not touch.
    await moveTo(page, "/t/checkout/tasks/2-1-T9");
    const card2 = page.getByRole("region", { name: "At remotes" });
    await card2.getByText("says completed").waitFor();
    await card2.getByText("4be81d0").waitFor();
    await card2.getByText("What a remote says is its word. Nothing here verified it.").waitFor();
    await page.getByText("Nothing is reported as done.").waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await card2.getByRole("link", { name: "remote:shop" }).click();
    await page.getByRole("heading", { name: "shop remote" }).waitFor();
    await page.getByRole("region", { name: "What it was asked" }).getByText("Done, and verified by us").waitFor();
    await visit(page, "Lanes");
    const lane = page.locator('[data-lane="remote:shop"]');
    await lane.getByText("remote", { exact: true }).waitFor();
    await lane.getByText("an agent of another team.").waitFor({ state: "attached" });

    // The person has no inbox: what it asks the person back is a need, and is answered there.
    said.state = "INPUT_REQUIRED";
    said.words = "Gross or net?";
    await post("remotes/shop/asks", "owner", { text: "Which tax do you add?" });
    await visit(page, "Needs you");
    const need = page.locator('[data-need^="remote:shop/out-"]');
    await need.getByText("Gross or net?").waitFor();
    await need.click();
    await page.getByText("What a remote says is its word; nothing here verified it.").waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByLabel("Answer").fill("Gross");
    said.state = "WORKING";
    await page.getByLabel("Answer").press("Control+Enter");
    await need.waitFor({ state: "detached" });

    // One that is away is a need of the person too, as only the person can set its address.
    said.isThere = false;
    await post("remotes/shop/asks", "dev-1", { text: "And the rounding?" });
    const away = page.locator('[data-need="remote:shop"]');
    await away.click();
    await page.getByText("baton remote add shop URL").waitFor();
    assert.equal(await page.locator("[data-decision] textarea").count(), 0, "nobody is there to be asked");
    await visit(page, "Overview");
    await row.getByText("cannot be reached:").waitFor();

    const log = await baton(["log", "--agent", "remote:shop"]);
    assert.match(log.stdout, /ask-remote dev-1 -> remote:shop {2}asked the remote shop: Add the tax/);
    assert.match(
      log.stdout,
      /report-remote remote:shop -> dev-1 {2}says completed: Done, and verified by us \(Add the tax\)/,
    );
    assert.equal(log.stderr, "", "it is a party of the log");
    const status = await baton(["status"]);
    assert.match(status.stdout, /remote shop {2}not reached since entry \d+/);
    const needs = await baton(["needs"]);
    assert.match(needs.stdout, /The remote shop cannot be reached; \d asks? waits? for it/);
    assert.deepEqual(await watched.wrongs(), []);
  });
});
