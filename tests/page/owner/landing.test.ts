/**
 * Work lands under the eyes of a person, in a real browser and a real repository: what landed, what came back with both
 * sides, and the button that moves the person's branch, or says why it does not.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { axeFindings } from "../axe.ts";
import { live, visit, withoutChromium } from "../browser.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

const identity = ["-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "commit.gpgSign=false"];

function git(directory: string, ...words: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...identity, ...words], { cwd: directory, encoding: "utf8", env, stdio: "pipe" });
}

/** Commits `src/a.js` with the text; the commit. */
function committed(directory: string, text: string): string {
  mkdirSync(join(directory, "src"), { recursive: true });
  writeFileSync(join(directory, "src/a.js"), text);
  git(directory, "add", "src/a.js");
  git(directory, "commit", "--quiet", "-m", "work");
  return git(directory, "rev-parse", "HEAD").trim();
}

suite("landing on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;
  let page: Page;

  before(async () => {
    watched = await watchedHub(async (folder) => {
      appendFileSync(join(folder, ".baton/team.yaml"), "land: {when: auto}\n");
      writeFileSync(join(folder, ".baton/.gitignore"), "*\n");
      git(folder, "init", "--quiet", "-b", "main");
      committed(folder, "one\ntwo\n");
      for (const agent of ["dev-1", "dev-2"])
        git(folder, "worktree", "add", "--quiet", "-b", agent, join(folder, ".baton", agent));
    });
    page = watched.page;
    for (const title of ["Alpha", "Beta"])
      assert.equal((await watched.asOwner("/api/teams/checkout/tasks", { title, files: ["src/a.js"] })).status, 201);
  });
  after(() => watched?.[Symbol.asyncDispose]());

  /** The agent claims the task, commits in its own tree, and reports. */
  const does = async (agent: string, task: string, text: string) => {
    await watched.act(agent, `tasks/${task}/claim`, {});
    await watched.act(agent, `tasks/${task}/complete`, {
      commit: committed(join(watched.folder, ".baton", agent), text),
    });
  };
  const card = () => page.getByRole("region", { name: "Landing" });
  const column = (name: string) =>
    page.getByRole("region", { name: "Tasks by state" }).getByRole("region", { name: new RegExp(`^${name}`) });

  test("what landed and what came back is said on the board, and the task shows both sides", async () => {
    await page.goto(`${watched.hub.origin}/t/checkout/board`);
    await live(page);
    await does("dev-1", "1", "one\nalpha\n");
    await column("Landed").locator("[data-task='1']").getByText("landed on baton/main").waitFor();
    await card().getByText("Your main branch can move 1 task forward.").waitFor();
    await does("dev-2", "2", "one\nbeta\n");
    await column("Came back").locator("[data-task='2']").waitFor();
    await card().locator("[data-landing='2']").getByText("came back").waitFor();
    await card()
      .getByText(/It conflicts in src\/a\.js\./)
      .waitFor();
    await card().getByRole("link", { name: "Beta" }).click();
    const back = page.getByRole("region", { name: "Came back" });
    await back.getByLabel("Landed on baton/main").getByText("alpha").waitFor();
    await back.getByLabel("Work of dev-2").getByText("beta").waitFor();
    assert.deepEqual(await axeFindings(page), []);
  });

  test("the branch is not moved over a file that the person changed, and moves once that is out of the way", async () => {
    const file = join(watched.folder, "src/a.js");
    writeFileSync(file, "one\nmine\n");
    await page.goto(`${watched.hub.origin}/t/checkout/inbox/landing%3Amove`);
    const move = card().getByRole("button", { name: "Move main" });
    await move.click();
    await card()
      .getByRole("alert")
      .getByText(/Git does not move main/)
      .waitFor();
    await card()
      .getByText(/Nothing has changed\. Commit or put away what is in the way/)
      .waitFor();
    assert.equal(readFileSync(file, "utf8"), "one\nmine\n");
    writeFileSync(file, "one\ntwo\n");
    await move.click();
    // The need is over with it; the board says what became of it.
    await page.locator('[data-need="landing:move"]').waitFor({ state: "detached" });
    await visit(page, "Board");
    await card()
      .getByText(/main moved from [0-9a-f]{12} to [0-9a-f]{12}\./)
      .waitFor();
    assert.equal(readFileSync(file, "utf8"), "one\nalpha\n");
    assert.equal(git(watched.folder, "rev-parse", "main"), git(watched.folder, "rev-parse", "baton/main"));
    await column("Landed").locator("[data-task='1']").getByText("landed on main").waitFor();
    assert.equal(await card().getByRole("button", { name: "Move main" }).count(), 0);
    for (const [width, colorScheme] of [
      [390, "dark"],
      [1280, "light"],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axeFindings(page), [], colorScheme);
    }
  });

  test("landed work is taken back on its task's page, which says before what that does", async () => {
    await page.goto(`${watched.hub.origin}/t/checkout/tasks/1`);
    await page.getByRole("button", { name: "Undo landing…" }).click();
    const undo = page.getByRole("group", { name: "Undo landing" });
    await undo.getByText(/^A new commit takes its work off main, if the checks pass without it\./).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await undo.getByRole("button", { name: "Undo landing" }).click();
    await undo.waitFor({ state: "detached" });
    await page.locator(".way .tag", { hasText: "reverted" }).waitFor();
    assert.match(git(watched.folder, "log", "-1", "--format=%B", "baton/main"), /Baton-Undone: 1/);
    // It is the person's word, and no dispute of whose work it was.
    await page.getByText("The work had landed and was taken back: the task is not done any more.").waitFor();
    assert.equal(await page.getByRole("region", { name: "Disputes" }).count(), 0);
    await visit(page, "Overview");
    await page.getByRole("region", { name: "What changed" }).getByText("taken back task 1").waitFor();
    const wrongs = (await watched.wrongs()).filter((wrong) => !/status of 4(09|22)|status of 503/.test(wrong));
    assert.deepEqual(wrongs, []);
  });
});
