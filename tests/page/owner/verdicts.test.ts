/**
 * Reports that a verifier judges, on a hub without a repository: what it confirms, disputes and cannot see, and who waits
 * for work that is disputed.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { axeFindings } from "../axe.ts";
import { visit, withoutChromium } from "../browser.ts";
import { typed } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("verifiers on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  const tokens = new Map<string, Promise<string>>();
  const commit = "abc1234".padEnd(40, "0");
  const task = (id: string) => `${watched.hub.origin}/t/checkout/tasks/${id}`;

  before(async () => {
    watched = await watchedHub();
    // While a verifier has a token, a report waits for its verdict.
    for (const who of ["verifier:ci-1", "dev-1", "dev-2"]) await tokenOf(who);
    await act("owner", "tasks", { task: "2-1-T1", files: ["src/card.ts"] });
    await act("owner", "tasks", { task: "2-1-T2", files: ["src/receipt.ts"], dependsOn: ["2-1-T1"] });
  });
  after(() => watched?.[Symbol.asyncDispose]());

  function tokenOf(who: string): Promise<string> {
    const token = tokens.get(who) ?? watched.tokenOf(who);
    tokens.set(who, token);
    return token;
  }
  async function act(who: string, path: string, body: object): Promise<{ readonly receipt: { readonly seq: number } }> {
    const answer = await fetch(`${watched.hub.origin}/api/teams/checkout/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await tokenOf(who)}` },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return JSON.parse(text) as { readonly receipt: { readonly seq: number } };
  }
  async function reported(): Promise<number> {
    await act("dev-1", "tasks/2-1-T1/claim", {});
    const report = await act("dev-1", "tasks/2-1-T1/complete", { commit: "abc1234", files: ["src/card.ts"] });
    return report.receipt.seq;
  }
  const found = (
    judge: string,
    report: number,
    state: "verified" | "disputed" | "gone" | "undecided",
    more: object = {},
  ) =>
    act(judge, "verification/findings", {
      task: "2-1-T1",
      report,
      asOf: 0,
      state,
      commit,
      commits: [commit],
      files: ["src/card.ts"],
      problems:
        state === "verified"
          ? []
          : [
              {
                code: "files-not-changed",
                path: "src/<b>card</b>.ts",
                message: "The commit does not change this file.",
              },
            ],
      notes: [],
      ...more,
    });
  const column = (name: string) =>
    watched.page.getByRole("region", { name: "Tasks by state" }).getByRole("region", { name });

  test("the verdict of a verifier is shown with its entry, and the timeline names who found it", async () => {
    const { page } = watched;
    const report = await reported();
    await page.goto(task("2-1-T1"));
    await page.getByText("Reported as done, not verified yet.").waitFor();
    const place = { at: "branch", branch: "<b>dev-1</b>", since: null, isChanged: false };
    await found("verifier:ci-1", report, "verified", { place });
    await page.locator('[data-verdict="verified"]').waitFor();
    await page.getByText("On the branch <b>dev-1</b>.").waitFor();
    await visit(page, "Board");
    const card = column("Verified").locator('[data-task="2-1-T1"]');
    await card.getByText("lands when you say so").waitFor();
    await found("verifier:ci-1", report, "verified", {
      place: { ...place, at: "landed", branch: "main", since: commit },
    });
    await column("Landed").locator('[data-task="2-1-T1"]').getByText("landed on main").waitFor();
    await visit(page, "Timeline");
    await page.getByRole("button", { name: "Everything" }).click();
    const rows = page.getByRole("option").filter({ hasText: "found 2-1-T1 verified" });
    await rows.filter({ hasText: "verifier:ci-1" }).nth(1).waitFor();
  });

  test("work that the verifier finds gone later is said by the task and the inbox, and stays done until it is reopened", async () => {
    const { page } = watched;
    await act("dev-2", "tasks/2-1-T2/claim", {});
    const story = await watched.asOwner("/api/teams/checkout/tasks/2-1-T1");
    const { reports } = (await story.json()) as { reports: readonly { seq: number }[] };
    await found("verifier:ci-1", reports[0]?.seq ?? 0, "gone");
    await page.goto(task("2-1-T1"));
    const verdict = page.locator('[data-verdict="gone"]');
    await verdict.getByText("The work was verified and is not in the repository any more.").waitFor();
    await visit(page, "Overview");
    const needs = page.getByRole("region", { name: /^Needs you/ });
    await needs.getByText(/^2-1-T1 was verified, and its work is not in the repository any more/).waitFor();
    await page.getByRole("region", { name: "Recent" }).getByText("found 2-1-T1 gone").first().waitFor();
    await page.keyboard.press("w");
    const detail = page.locator('[data-detail^="gone:"]');
    await detail.getByText("The commit does not change this file.").first().waitFor();
    await page
      .getByText(/^What you can decide is above. It leaves the list when .* is settled, .* reopened. A question/)
      .waitFor();
    const told = await watched.asOwner("/api/teams/checkout/tasks/2-1-T2");
    assert.deepEqual(((await told.json()) as { task: { blockedBy: string[] } }).task.blockedBy, []);
    const ways = detail.getByRole("region", { name: "What you can decide" });
    await ways.getByText("The task stays done, and what waits for it can begin.").waitFor();
    await ways.getByRole("button", { name: "Have it done again" }).click();
    await ways.getByRole("textbox", { name: "Reason" }).fill("It is to be done again.");
    await ways.getByRole("button", { name: "Have it done again" }).click();
    await ways.waitFor({ state: "detached" });
    await page.goto(`${watched.hub.origin}/t/checkout/inbox`);
    await page.getByText("Nothing needs you.").waitFor();
  });

  test("what the verifier disputes is said by the task and the inbox, and who waits for it", async () => {
    const { page } = watched;
    await found("verifier:ci-1", await reported(), "disputed");
    await page.goto(task("2-1-T1"));
    await page.locator('[data-verdict="disputed"]').getByText("The repository says otherwise.").waitFor();
    await visit(page, "Overview");
    const needs = page.getByRole("region", { name: /^Needs you/ });
    await needs.getByText("dev-1 reported 2-1-T1 as done; the repository does not confirm it.").waitFor();
    await page.getByRole("region", { name: "Recent" }).getByText("found 2-1-T1 disputed").first().waitFor();
    await page.keyboard.press("w");
    const detail = page.locator('[data-detail^="dispute:"]');
    await detail.getByText("The commit does not change this file.").first().waitFor();
    const waiting = detail.getByRole("region", { name: "Who is waiting" }).getByRole("listitem");
    assert.deepEqual(await waiting.allTextContents(), ["dev-2 holds 2-1-T2, which waits for it"]);
    await act("dev-2", "tasks/2-1-T2/release", {});
    await waiting.first().waitFor({ state: "detached" });
    assert.equal(await detail.getByText("Who is waiting").count(), 0, "nobody waits any more");
  });

  test("a check that waits for the owner is let run from the inbox, and the need is gone", async () => {
    const { page } = watched;
    const contract = {
      plan_id: "2-7",
      phase_id: "phase-2",
      objective: "Pay by card",
      tasks: ["2-7-T1"],
      allowed_paths: ["src/"],
      must_haves: ["It works"],
      verification_checks: ["npm run <b>e2e</b>"],
    };
    const sent = await (await watched.agent("lead-1")).send(
      typed({ id: "plan-2-7", type: "plan_contract", task: "2-7", role: "lead" }, contract),
    );
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    await act("dev-1", "tasks/2-7-T1/claim", { files: ["src/pay.ts"] });
    const report = await act("dev-1", "tasks/2-7-T1/complete", { commit: "abc1234", files: ["src/pay.ts"] });
    const finding = { report: report.receipt.seq, asOf: 0, state: "verified", commit, commits: [commit] };
    const found = { ...finding, task: "2-7-T1", files: ["src/pay.ts"], problems: [], notes: [] };
    await act("verifier:ci-1", "verification/findings", found);
    await page.goto(`${watched.hub.origin}/t/checkout/inbox`);
    const row = page.locator('[data-need="check:npm run <b>e2e</b>"]');
    await row.click();
    const detail = page.locator('[data-detail^="check:"]');
    await detail.getByText("Plan 2-7 wants to run a check that the team file does not list.").waitFor();
    await detail.getByText("npm run <b>e2e</b>").first().waitFor();
    const decision = page.locator("[data-decision]");
    assert.deepEqual(await decision.getByRole("button").allTextContents(), [
      "Ask r",
      "Always run it",
      "Do not run it d",
      "Run it once a",
    ]);
    assert.deepEqual(await axeFindings(page), []);
    await decision.getByRole("button", { name: "Always run it" }).click();
    await page
      .getByText(/^Letting it always run in \d s/)
      .first()
      .waitFor();
    await row.getByText(/^Always allowed, entry \d+$/).waitFor();
    await row.waitFor({ state: "detached" });
  });

  test("a report that the verifier cannot see says so, and the lanes name a verifier as one", async () => {
    const { page } = watched;
    const report = await reported();
    await found("verifier:ci-1", report, "undecided");
    await page.goto(task("2-1-T1"));
    await page.locator("[data-unseen]").getByText("verifier:ci-1", { exact: true }).waitFor();
    const ways = page.getByRole("region", { name: "What you can decide" });
    assert.deepEqual(await ways.getByRole("button").allTextContents(), [
      "It counts",
      "It does not count",
      "Have it done again",
      "Withdraw it",
    ]);
    await ways.getByRole("button", { name: "It counts" }).click();
    assert.ok(await ways.getByLabel("Reason").evaluate((field) => field === document.activeElement));
    await ways.getByRole("button", { name: "It counts" }).click();
    await ways.getByText("Say why").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axeFindings(page), [], colorScheme);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "a phone holds it");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.type("I have <b>seen</b> it");
    await ways.getByRole("button", { name: "It counts" }).click();
    await page.getByText("A person decided that the report counts.").waitFor();
    await page.getByText(/owner settled the report as verified: I have <b>seen<\/b> it/).waitFor();
    assert.deepEqual(await ways.getByRole("button").allTextContents(), ["Have it done again"]);
    await visit(page, "Lanes");
    await page.locator('[data-lane="verifier:ci-1"]').getByText("verifier", { exact: true }).waitFor();
    // There is no repository here, so the hub has no commit to show; nothing else is wrong.
    const wrongs = (await watched.wrongs()).filter((wrong) => !wrong.includes("status of 503"));
    assert.deepEqual(wrongs, []);
  });
});
