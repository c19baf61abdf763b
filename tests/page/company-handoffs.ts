/** What the page shows of a company's handoffs: the list, one opened, and how both follow what happens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { openStage } from "../../examples/stage.ts";
import { visit } from "./browser.ts";
import { handoffDocument } from "./company.ts";
import type { WatchedHub } from "./watched-hub.ts";

interface Stood {
  readonly watched: WatchedHub;
  readonly company: ReturnType<typeof openStage>;
}

/** The tests of handoffs, in a suite whose page and company `stood` gives once they are there. */
export function handoffTests(stood: () => Stood): void {
  const handoffRow = (id: string) => stood().watched.page.locator(`.list [data-handoff="${id}"]`);

  test("handoffs that wait or are worked on are listed, and on demand those that are over", async () => {
    const { page } = stood().watched;
    await visit(page, "Handoffs");
    const rows = page.getByRole("region", { name: /^Handoffs/ }).locator("[data-handoff]");
    await handoffRow("sign-in-3").getByText("1 file to verify").waitFor();
    await handoffRow("sign-in-2").getByText("1 file ok").waitFor();
    const named = () => rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-handoff")));
    assert.deepEqual(await named(), ["sign-in-3", "sign-in-2"], "the newest first");
    await page.getByRole("button", { name: "Show those that are over too" }).click();
    await handoffRow("sign-in-1").getByText("rejected").waitFor();
    await handoffRow("sign-in-1").getByText("frontend-senior").waitFor();
    await page.getByRole("button", { name: "Only those under way" }).click();
    await handoffRow("sign-in-1").waitFor({ state: "detached" });
  });

  test("an opened handoff shows what was found of its files, why one was rejected, and what it follows", async () => {
    const { page } = stood().watched;
    await handoffRow("sign-in-3").getByRole("button").press("Enter");
    const detail = page.getByRole("article", { name: "Handoff sign-in-3" });
    await detail.locator("[data-refused]").getByText("The file is not the one that was handed over.").waitFor();
    await detail.getByText("frontend-dev could not accept it").waitFor();
    const file = detail.getByRole("list", { name: "Files" }).getByRole("listitem");
    assert.equal((await file.textContent())?.replace(/\s+/g, ""), "src/page.jschanged");
    await detail.getByText("Codes are pasted").waitFor();
    await detail.locator('[data-handoff="sign-in-1"]').getByRole("button").click();
    const before = page.getByRole("article", { name: "Handoff sign-in-1" });
    await before.getByText("Nothing says what happens to an old code").waitFor();
    await page.keyboard.press("Escape");
    await detail.waitFor();
    await handoffRow("sign-in-2").getByRole("button").click();
    const taken = page.getByRole("article", { name: "Handoff sign-in-2" });
    await taken.getByText("accepted by frontend-dev").waitFor();
    assert.equal(
      (await taken.getByRole("list", { name: "Files" }).textContent())?.replace(/\s+/g, ""),
      "src/page.jsok",
    );
  });

  test("an answer is shown as it comes, and nothing is asked of the hub that an entry cannot have changed", async () => {
    const { watched, company } = stood();
    const { page } = watched;
    const { stage } = company;
    const progress = async (commit: string) => {
      // The count of entries that the hub has, which every entry moves, says that the page has heard of it.
      const heard = page.waitForResponse((response) => response.url().endsWith("/status"));
      await stage.say("frontend-dev", {
        type: "dev_progress",
        task: "01-02/T1",
        plan_id: "01-02",
        commit,
        status: "partial",
      });
      await heard;
    };
    // What came before may still wait for its turn to be asked for. A page that begins anew has nothing that waits.
    await page.reload();
    await page.getByRole("article", { name: "Handoff sign-in-2" }).getByText("accepted by frontend-dev").waitFor();
    await progress("abcdef0");
    const asked: string[] = [];
    page.on("request", (request) => {
      asked.push(new URL(request.url()).pathname.replace(/^\/api\/teams\/[^/]+\//, ""));
    });
    await progress("abcdef1");
    await page.getByRole("article", { name: "Handoff sign-in-2" }).waitFor();
    assert.deepEqual(
      asked.filter((path) => /^(phase|handoffs)/.test(path)),
      [],
      "a message is no handoff's, and no phase is open",
    );
    await stage.done((await stage.as("frontend-dev")).completeHandoff({ handoff: "sign-in-2" }));
    // The list and what is open are asked for each by itself; both answers are there before it is counted.
    await page.getByText("completed by frontend-dev").waitFor();
    const listed = page.getByRole("region", { name: /^Handoffs/ }).locator('[data-handoff="sign-in-2"]');
    await listed.waitFor({ state: "detached" });
    assert.deepEqual(asked.filter((path) => /^(phase|handoffs)/.test(path)).toSorted(), [
      "handoffs",
      "handoffs/sign-in-2",
    ]);
    page.removeAllListeners("request");
  });

  test("a failed acceptance is shown in its handoff as it comes, with every file as it was found", async () => {
    const { watched, company } = stood();
    const { page } = watched;
    const { stage } = company;
    await page.keyboard.press("Escape");
    const hostile = "src/<img src=x onerror=window.__ran=1>.js";
    await stage.say("frontend-senior", handoffDocument("sign-in-4", "Say how long a code lives"));
    const row = handoffRow("sign-in-4");
    await row.getByText("1 file to verify").waitFor();
    await row.getByRole("button").click();
    const refused = page.getByRole("article", { name: "Handoff sign-in-4" }).locator("[data-refused]");
    const dev = await stage.as("frontend-dev");
    const found = await dev.handoff({ handoff: "sign-in-4" });
    assert.ok(found.ok);
    const verified = { digest: found.value.handoff.digest, files: 1, weak: 0 };
    const failed = [hostile, "src/page.js"].map((path) => ({ path, state: "missing" as const, reason: null }));
    const answer = await dev.acceptHandoff({ handoff: "sign-in-4", verified: { ...verified, failed } });
    assert.equal(answer.outcome, "refused");
    await refused.getByText(hostile).first().waitFor();
    await stage.done(dev.acceptHandoff({ handoff: "sign-in-4", verified: { ...verified, failed: [] } }));
    await row.getByText("1 file ok").waitFor();
    assert.equal(await page.evaluate("window.__ran"), undefined, "a script ran");
  });

  test("a handoff that waits only for an agent that has left is on the overview, and leads to it, until the agent is back", async () => {
    const { watched, company } = stood();
    const { page } = watched;
    const { stage } = company;
    const owner = await stage.as("owner");
    const guest = { agent: "frontend-guest", role: "dev", department: "frontend" } as const;
    await stage.done(owner.register(guest));
    const { handoff } = handoffDocument("left-1", "Look <b>once</b> more") as {
      readonly handoff: { readonly metadata: object };
    };
    const { task_id: _, ...metadata } = handoff.metadata as { readonly task_id?: string };
    const left = { ...handoff, metadata: { ...metadata, workflow_id: "left", target_agent: guest.agent } };
    await stage.say("frontend-senior", { handoff: left }, [guest.agent]);
    await visit(page, "Overview");
    const orphan = page.locator('[data-orphan="left-1"]');
    await page.locator("[data-agent]").first().waitFor();
    assert.equal(await orphan.count(), 0, "it is there to answer it");
    await stage.done(owner.retire({ agent: guest.agent }));
    const words = `of frontend-senior for ${guest.agent}, who left; to issue again to another agent: Look <b>once</b> more; waits for frontend-senior`;
    await orphan.getByText(words).waitFor();
    await page
      .getByRole("region", { name: "Handoffs that nobody can answer" })
      .getByText("1", { exact: true })
      .waitFor();
    await orphan.getByRole("link").click();
    await page.getByRole("article", { name: "Handoff left-1" }).waitFor();
    await handoffRow("left-1")
      .getByText(`nobody can answer it: ${guest.agent} left; waits for frontend-senior`)
      .waitFor();
    assert.equal(await handoffRow("sign-in-3").locator("[data-orphan]").count(), 0, "the control: others are there");
    await visit(page, "Overview");
    await stage.done(owner.register(guest));
    await orphan.waitFor({ state: "detached" });
    const back = await stage.as(guest.agent);
    await stage.done(back.rejectHandoff({ handoff: "left-1", reasons: ["Only a try"] }));
    await visit(page, "Handoffs");
  });
}
