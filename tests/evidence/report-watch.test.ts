/** A hub's watch on reports: what cannot be judged, or not recorded, is tried again although nothing new is recorded. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { makeProblem } from "../../src/base/problem.ts";
import { ok } from "../../src/base/result.ts";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import type { JournalCondition } from "../../src/journal/journal.ts";
import { watchReports } from "../../src/main/report-watch.ts";
import { batonActor } from "../../src/perform/context.ts";
import { teamHandle } from "../../src/perform/handle.ts";
import { manualClock } from "../../src/testing/fixtures.ts";
import type { TestTeam } from "../../src/testing/test-team.ts";
import { git, testEnvironment } from "./history.ts";
import { madeRepository } from "./place.ts";
import { reporting, state, tasksOf, work } from "./reporting.ts";

/** Watches the team for 30 seconds of a clock; `at` says what happens before the look at that second. */
async function watchHalfAMinute(
  team: TestTeam,
  directory: string,
  at: (second: number) => void,
  condition?: () => JournalCondition,
): Promise<void> {
  await watch(
    team,
    directory,
    (second) => {
      at(second);
      return second >= 30;
    },
    condition,
  );
}

/** Watches until the look before which `isOver` says so. */
async function watch(
  team: TestTeam,
  directory: string,
  isOver: (second: number) => boolean | Promise<boolean>,
  condition = (): JournalCondition => ({ condition: "ready" }),
): Promise<void> {
  const stop = new AbortController();
  const time = manualClock();
  const start = time.monotonic();
  const clock: Clock = {
    ...time,
    async wait(durationMs, signal) {
      await time.wait(durationMs, signal);
      if (await isOver((time.monotonic() - start) / 1_000)) stop.abort();
    },
  };
  const { context } = team;
  const handle = teamHandle(context, batonActor, () => Promise.resolve());
  await watchReports(
    { journal: { state: (name) => context.journal.state(name), condition }, team: () => Promise.resolve(ok(handle)) },
    { team: context.team, place: { directory, environment: testEnvironment }, clock },
    silentLog,
    stop.signal,
  );
}

test("a report that cannot be judged gets its verdict soon after it can be, also where nothing else is recorded", async () => {
  await using made = await madeRepository({ ...work, references: { "refs/heads/main": 2 } });
  for (const unshallowAt of [null, 12]) {
    await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
    const shallow = join(made.folder, `shallow-${unshallowAt}`);
    git(made.folder, "clone", "--quiet", "--depth", "1", `file://${made.directory}`, shallow);
    await watchHalfAMinute(team, shallow, (second) => {
      if (second === unshallowAt) git(shallow, "fetch", "--quiet", "--unshallow");
    });
    assert.deepEqual(await state(team), unshallowAt === null ? ["reported"] : ["disputed", "work-reverted"]);
  }
});

test("what becomes of verified work is seen a few seconds after its branch has moved", async () => {
  await using made = await madeRepository(work);
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
  await watchHalfAMinute(team, made.directory, (second) => {
    if (second === 12) git(made.directory, "update-ref", "refs/heads/main", made.ids[0] ?? "");
  });
  assert.deepEqual(await state(team), ["gone", "work-reverted"]);
});

test("a report that comes while the journal takes no entries gets its verdict once it does", async () => {
  await using made = await madeRepository(work);
  for (const readyAt of [Number.POSITIVE_INFINITY, 12]) {
    await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
    let isReady = false;
    await watchHalfAMinute(
      team,
      made.directory,
      (second) => {
        isReady = second >= readyAt;
      },
      () =>
        isReady
          ? { condition: "ready" }
          : {
              condition: "unreachable",
              since: "2026-02-12T10:00:00Z",
              problem: makeProblem("journal-busy", "x", "Busy."),
            },
    );
    assert.deepEqual(await state(team), readyAt === 12 ? ["verified"] : ["reported"]);
  }
});

test("a hub runs the checks that may run by itself, and judges what is reported meanwhile", async () => {
  await using made = await madeRepository(work);
  const begun = join(made.folder, "begun");
  const go = join(made.folder, "go");
  const check = `touch ${begun}; while [ ! -e ${go} ]; do :; done; exit 3`;
  const checks = { commands: [{ run: check }], sandbox: "none" } as const;
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"], { check, checks });
  let isReported = false;
  await watch(team, made.directory, async () => {
    if (!existsSync(begun)) return false;
    if (!isReported) {
      isReported = true;
      await team.as("dev-1").claim({ task: "1-1-T2", files: ["src/b.js"] });
      await team.as("dev-1").complete({ task: "1-1-T2", commit: "0000000", files: ["src/b.js"] });
    }
    const tasks = await tasksOf(team);
    if (tasks.some(({ task, state: found }) => task === "1-1-T2" && found === "disputed")) writeFileSync(go, "");
    return tasks.some(({ problems }) => problems.some(({ code }) => code === "check-failed"));
  });
  assert.deepEqual(await state(team), ["disputed", "check-failed"]);
});
