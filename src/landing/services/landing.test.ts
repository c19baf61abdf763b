/** A hub's landing beside a person who is at work in the tree of the main branch, and a person's after a hub's. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { git, testEnvironment } from "../../../tests/evidence/history.ts";
import { madeRepository } from "../../../tests/evidence/place.ts";
import { reporting, tasksOf, work } from "../../../tests/evidence/reporting.ts";
import { batonActor } from "../../perform/context.ts";
import { teamHandle } from "../../perform/handle.ts";
import { manualClock } from "../../testing/fixtures.ts";

test("a merge that ends in a moment keeps the person's branch back for nobody; one that stays is said", async () => {
  for (const ends of [true, false]) {
    const references = { "refs/heads/main": 1, "refs/heads/baton/dev-1": 2 };
    await using made = await madeRepository({ ...work, references });
    git(made.directory, "reset", "--quiet", "--hard");
    const merging = join(made.directory, ".git/MERGE_HEAD");
    const clock = manualClock();
    const wait = async (...each: Parameters<typeof clock.wait>) => {
      if (ends) rmSync(merging, { force: true });
      await clock.wait(...each);
    };
    const options = { clock: { ...clock, wait }, land: { when: "auto" } } as const;
    await using team = await reporting(made.ids[2] ?? "", ["src/a.js"], options);
    const baton = teamHandle(team.context, batonActor, () => Promise.resolve());
    const place = { directory: made.directory, environment: testEnvironment };
    assert.ok((await baton.verify(place)).ok);
    writeFileSync(merging, `${made.ids[0]}\n`);
    await baton.land(place);
    const folded = await team.context.journal.state(team.context.team);
    assert.ok(folded.ok);
    const { landings } = folded.value.state.coordination.work;
    assert.match(landings.get("baton/main")?.to ?? "", /^[0-9a-f]{40}$/);
    const why = landings.get("main")?.held?.why;
    assert.equal(why, ends ? undefined : "You have begun a merge on main and not committed it.");
  }
});

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
