/** What Baton records by itself carries Baton's own name, and nobody else can act under it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { batonActor } from "../../src/perform/context.ts";
import { openHub } from "../../src/perform/hub.ts";
import { openTeam } from "../../src/perform/open.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { called } from "../e2e/called.ts";
import { team as teamPlace } from "../e2e/command.ts";
import { testEnvironment } from "./history.ts";
import { madeRepository } from "./place.ts";
import { reporting, work } from "./reporting.ts";

test("a verdict and its notice are Baton's own, regardless of the caller, and the record names the caller", async () => {
  await using made = await madeRepository(work);
  await using team = await reporting(made.ids[1] ?? "", ["src/b.js"]);
  const place = { directory: made.directory, environment: testEnvironment };
  assert.ok((await team.as("lead-1").verify(place)).ok);
  const inbox = await team.as("dev-1").inbox();
  assert.ok(inbox.ok);
  assert.deepEqual(
    inbox.value.deliveries.map(({ sender, type }) => [sender, type]),
    [
      ["lead-1", "plan_contract"],
      ["baton", null],
    ],
  );
  const shown = await team.as("owner").show(String(inbox.value.deliveries.at(-1)?.seq));
  assert.ok(shown.ok);
  assert.deepEqual(shown.value?.entry.principal, { agent: "baton", role: null, via: "launcher" });
  assert.match(JSON.stringify(shown.value?.entry.content), /"askedBy":"lead-1"/);
});

test("a retired judge has nothing recorded any more", async () => {
  await using made = await madeRepository(work);
  await using team = await reporting(made.ids[1] ?? "", ["src/b.js"]);
  assert.equal((await team.as("owner").retire({ agent: "lead-1" })).outcome, "accepted");
  const place = { directory: made.directory, environment: testEnvironment };
  const looked = await team.as("lead-1").verify(place);
  assert.equal(looked.ok && looked.value[0]?.state, "disputed");
  const tasks = await team.as("owner").tasks();
  assert.equal(tasks.ok && tasks.value[0]?.state, "reported");
});

test("nobody can act under Baton's name, by the library, a hub or the command", async () => {
  using folder = temporaryFolder("memory");
  const journal = join(folder.path, "journal.db");
  const teamFile = {
    path: "team.yaml",
    text: "version: 1\nteam: crew\ndialects: [vbw/2]\nagents:\n  lead-1: { role: lead }\n",
  };
  for (const agent of ["baton", "Baton"]) {
    const opened = await openTeam({ journal, teamFile, create: true, agent });
    assert.equal(opened.ok ? "opened" : opened.error[0]?.code, "sender-not-authorised", agent);
  }
  const hub = await openHub({ journal, teamFile, create: true });
  assert.ok(hub.ok, JSON.stringify(hub));
  await using held = hub.value;
  const taken = await held.team("crew", { agent: "baton", via: "token" });
  assert.equal(taken.ok ? "opened" : taken.error.code, "sender-not-authorised");
  assert.ok((await held.team("crew", batonActor)).ok, "Baton itself can");
  for (const words of [["inbox"], ["verify"], ["send"]]) {
    const { code, stderr } = await called(teamPlace(), [...words, "--as", "baton"], "Hello");
    assert.equal(code, 2, stderr);
    assert.match(stderr, /is the name of Baton itself/);
  }
});
