/**
 * Reports that a hub judges by a real repository, on the page: what it confirms, disputes and cannot judge, and who waits
 * for work that is disputed.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { axeFindings } from "../axe.ts";
import { visit, withoutChromium } from "../browser.ts";
import { typed } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

const identity = ["-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "commit.gpgSign=false"];

function git(directory: string, ...words: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...identity, ...words], { cwd: directory, encoding: "utf8", env, stdio: "pipe" }).trim();
}

/** Commits the file with the text; the commit. */
function committed(directory: string, file: string, text: string): string {
  mkdirSync(dirname(join(directory, file)), { recursive: true });
  writeFileSync(join(directory, file), text);
  git(directory, "add", file);
  git(directory, "commit", "--quiet", "-m", "work");
  return git(directory, "rev-parse", "HEAD");
}

suite("verdicts on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let begin: string;
  const task = (id: string) => `${watched.hub.origin}/t/checkout/tasks/${id}`;
  const tree = (agent: string) => join(watched.folder, ".baton", agent);

  before(async () => {
    watched = await watchedHub(async (folder) => {
      writeFileSync(join(folder, ".baton/.gitignore"), "*\n");
      git(folder, "init", "--quiet", "-b", "main");
      begin = committed(folder, "src/card.ts", "one\n");
      for (const agent of ["dev-1", "dev-2"])
        git(folder, "worktree", "add", "--quiet", "-b", `<b>${agent}`, join(folder, ".baton", agent));
    });
    await watched.act("owner", "tasks", { task: "2-1-T1", files: ["src/card.ts"] });
    await watched.act("owner", "tasks", { task: "2-1-T2", files: ["src/receipt.ts"], dependsOn: ["2-1-T1"] });
  });
  after(() => watched?.[Symbol.asyncDispose]());

  /** The agent claims the task, and reports it by what it committed in its own tree. */
  const does = async (agent: string, id: string, commit: string, more: object = {}) => {
    await watched.act(agent, `tasks/${id}/claim`, {});
    await watched.act(agent, `tasks/${id}/complete`, { commit, ...more });
  };
  const column = (name: string) =>
    watched.page.getByRole("region", { name: "Tasks by state" }).getByRole("region", { name });

  test("a verdict is shown with where the work is, and the timeline names who found it", async () => {
    const { page } = watched;
    await does("dev-1", "2-1-T1", committed(tree("dev-1"), "src/card.ts", "one\ntwo\n"));
    await page.goto(task("2-1-T1"));
    await page.locator('[data-verdict="verified"]').waitFor();
    await page.getByText("On the branch <b>dev-1.").waitFor();
    await visit(page, "Board");
    const card = column("Verified").locator('[data-task="2-1-T1"]');
    await card.getByText("lands when you say so").waitFor();
    git(watched.folder, "merge", "--quiet", "<b>dev-1");
    await column("Landed").locator('[data-task="2-1-T1"]').getByText("landed on main").waitFor();
    await visit(page, "Timeline");
    await page.getByRole("button", { name: "Everything" }).click();
    const rows = page.getByRole("option").filter({ hasText: "found 2-1-T1 verified" });
    await rows.filter({ hasText: "baton" }).nth(1).waitFor();
  });

  test("work that is gone later is said by the task and the inbox, and stays done until it is reopened", async () => {
    const { page } = watched;
    await watched.act("dev-2", "tasks/2-1-T2/claim", {});
    for (const directory of [watched.folder, tree("dev-1")]) git(directory, "reset", "--quiet", "--hard", begin);
    await page.goto(task("2-1-T1"));
    const verdict = page.locator('[data-verdict="gone"]');
    await verdict.getByText("The work was verified and is not in the repository any more.").waitFor();
    await visit(page, "Overview");
    const needs = page.getByRole("region", { name: /^Needs you/ });
    await needs.getByText(/^2-1-T1 was verified, and its work is not in the repository any more/).waitFor();
    await page.getByRole("region", { name: "Recent" }).getByText("found 2-1-T1 gone").first().waitFor();
    await page.keyboard.press("w");
    const detail = page.locator('[data-detail^="gone:"]');
    await detail
      .getByText(/^Nothing of the work is on the main branch any more/)
      .first()
      .waitFor();
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
    await page.goto(task("2-1-T1"));
    await page.getByText("Sent back by owner: It is to be done again.").waitFor();
    await page.goto(`${watched.hub.origin}/t/checkout/inbox`);
    await page.getByText("Nothing needs you.").waitFor();
  });

  test("what is disputed is said by the task and the inbox, and who waits for it", async () => {
    const { page } = watched;
    const other = committed(tree("dev-1"), "src/<b>other.ts", "one\n");
    await does("dev-1", "2-1-T1", other, { files: ["src/card.ts"] });
    await page.goto(task("2-1-T1"));
    await page.locator('[data-verdict="disputed"]').getByText("The repository says otherwise.").waitFor();
    await visit(page, "Overview");
    const needs = page.getByRole("region", { name: /^Needs you/ });
    await needs.getByText("dev-1 reported 2-1-T1 as done; the repository does not confirm it.").waitFor();
    await page.getByRole("region", { name: "Recent" }).getByText("found 2-1-T1 disputed").first().waitFor();
    await page.keyboard.press("w");
    const detail = page.locator('[data-detail^="dispute:"]');
    await detail.getByText("The report lists this path, and the commit does not change it.").first().waitFor();
    const waiting = detail.getByRole("region", { name: "Who is waiting" }).getByRole("listitem");
    assert.deepEqual(await waiting.allTextContents(), ["dev-2 holds 2-1-T2, which waits for it"]);
    await watched.act("dev-2", "tasks/2-1-T2/release", {});
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
    await does("dev-1", "2-7-T1", committed(tree("dev-1"), "src/pay.ts", "one\n"));
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

  test("a report that cannot be judged says so, and the person decides", async () => {
    const { page } = watched;
    // The same change in two commits, for two tasks.
    await watched.act("owner", "tasks", { task: "2-1-T3", files: ["src/card.ts"] });
    const first = committed(tree("dev-2"), "src/card.ts", "one\nthree\n");
    await does("dev-2", "2-1-T3", first);
    await page.goto(task("2-1-T3"));
    await page.locator('[data-verdict="verified"]').waitFor();
    git(tree("dev-1"), "cherry-pick", first);
    await does("dev-1", "2-1-T1", git(tree("dev-1"), "rev-parse", "HEAD"));
    await page.goto(task("2-1-T1"));
    await page.locator("[data-unseen]").getByText("baton", { exact: true }).waitFor();
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
    assert.deepEqual(await watched.wrongs(), []);
  });
});
