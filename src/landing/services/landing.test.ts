/** A person's landing after a hub's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { git, testEnvironment } from "../../../tests/evidence/history.ts";
import { madeRepository } from "../../../tests/evidence/place.ts";
import { reporting, tasksOf, work } from "../../../tests/evidence/reporting.ts";
import { batonActor } from "../../perform/context.ts";
import { teamHandle } from "../../perform/handle.ts";

test("what comes to the main branch is named, also where the remote had it before", async () => {
  const references = { "refs/heads/main": 1, "refs/heads/baton/dev-1": 2 };
  await using made = await madeRepository({ ...work, references });
  git(made.directory, "reset", "--quiet", "--hard");
  await using team = await reporting(made.ids[2] ?? "", ["src/a.js"], { land: { when: "auto" } });
  const baton = teamHandle(team.context, batonActor, () => Promise.resolve());
  const place = { directory: made.directory, environment: testEnvironment };
  assert.ok((await baton.verify(place)).ok);
  assert.ok((await baton.land(place)).ok);
  git(made.directory, "update-ref", "refs/remotes/origin/main", "baton/main");
  const [found] = (await baton.verify(place)).ok ? await tasksOf(team) : [];
  assert.equal(found?.place?.branch, "origin/main");
  const landed = await team.as("owner").land(place);
  assert.ok(landed.ok, JSON.stringify(landed));
  assert.deepEqual(
    landed.value.tasks.map(({ task, outcome }) => `${task} ${outcome}`),
    ["1-1-T1 landed"],
  );
});
