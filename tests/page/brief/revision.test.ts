/** A change of the team file on the page: what it changes, and the person's decision on it. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { visit, withoutChromium } from "../browser.ts";
import { teamFile } from "../phase.ts";
import { type WatchedHub, watchedHub } from "../watched-hub.ts";

suite("a change of the team file on the page", { skip: withoutChromium }, () => {
  let watched: WatchedHub;

  before(async () => {
    watched = await watchedHub();
    await visit(watched.page, "Needs you");
  });
  after(() => watched?.[Symbol.asyncDispose]());

  const roleOf = async (agent: string): Promise<string | undefined> => {
    const token = await watched.tokenOf("lead-1");
    const status = await fetch(`${watched.hub.origin}/api/teams/checkout/status`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { agents } = (await status.json()) as { agents: readonly { agent: string; role: string }[] };
    return agents.find((each) => each.agent === agent)?.role;
  };

  test("shows what waits with its difference, declines it, and confirms it later", async () => {
    const { page } = watched;
    const card = page.locator("[data-revision]");
    const file = join(watched.folder, ".baton/team.yaml");
    writeFileSync(file, teamFile.replace("dev-1: { role: dev,", "dev-1: { role: lead,"));
    await card.getByText("agents.dev-1.role: dev → lead").waitFor();
    assert.equal(await roleOf("dev-1"), "dev");
    await card.getByLabel("Reason, if you decline").fill("dev-1 develops");
    await card.getByRole("button", { name: "Decline" }).click();
    await card.getByText("You declined this change: dev-1 develops").waitFor();
    assert.equal(await roleOf("dev-1"), "dev");
    await card.getByRole("button", { name: "Confirm the change" }).click();
    await card.waitFor({ state: "detached" });
    assert.equal(await roleOf("dev-1"), "lead");
    writeFileSync(file, teamFile.replace("dev-1: { role: dev,", "dev-1: { role: lead,").replace("enforce", "observe"));
    await card.getByText("policy: enforce → observe").waitFor();
    assert.deepEqual(await watched.wrongs(), []);
  });
});
