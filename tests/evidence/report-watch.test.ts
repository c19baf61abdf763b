/** A hub's watch on reports: what cannot be judged, or not recorded, is tried again although nothing new is recorded. */
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { makeProblem } from "../../src/base/problem.ts";
import { ok } from "../../src/base/result.ts";
import { type HubLog, silentLog } from "../../src/doors/http/server/monitoring.ts";
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
  log: HubLog = silentLog,
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
    log,
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

/** A clone whose remote has gone on by the commit that is reported, and a script that marks that it ran. */
async function clonedBefore(commit: 1 | 2) {
  const made = await madeRepository({ ...work, references: { "refs/heads/main": 0 } });
  const clone = join(made.folder, "clone");
  git(made.folder, "clone", "--quiet", `file://${made.directory}`, clone);
  git(made.directory, "update-ref", "refs/heads/main", made.ids[1] ?? "");
  const team = await reporting(made.ids[commit] ?? "", ["src/a.js"]);
  return { made, clone, team };
}

test("what was pushed to the clone's remote is fetched before it is judged, and runs nothing that the clone names", async () => {
  const { made, clone, team } = await clonedBefore(1);
  await using _ = made;
  await using __ = team;
  const [mark, script] = [join(made.folder, "ran"), join(made.folder, "evil.sh")];
  writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  for (const name of ["reference-transaction", "post-checkout", "post-merge"])
    writeFileSync(join(clone, ".git/hooks", name), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  for (const [name, value] of [
    ["core.sshCommand", script],
    ["credential.helper", `!${script}`],
    ["core.askPass", script],
    ["core.alternateRefsCommand", script],
    ["remote.origin.uploadpack", script],
    ["gc.recentObjectsHook", script],
    ["core.fsmonitor", script],
  ] as const)
    git(clone, "config", name, value);
  assert.throws(() => git(clone, "-c", "core.fsmonitor=false", "fetch", "--quiet"), "the planted program works");
  assert.ok(existsSync(mark));
  rmSync(mark);
  await watch(team, clone, (second) => second >= 2);
  assert.deepEqual(await state(team), ["verified"]);
  assert.equal(git(clone, "rev-parse", "refs/remotes/origin/main").trim(), made.ids[1]);
  assert.equal(git(clone, "rev-parse", "refs/heads/main").trim(), made.ids[0]);
  assert.equal(existsSync(mark), false);
});

test("a commit that the remote does not have is disputed, and a remote that cannot be fetched is named once", async () => {
  for (const [url, said] of [
    [null, []],
    ["/nowhere/at-all.git", ["repository-unreadable"]],
    ["ext::sh -c true", ["wrong-value"]],
  ] as const) {
    const { made, clone, team } = await clonedBefore(url === null ? 2 : 1);
    await using _ = made;
    await using __ = team;
    if (url !== null) git(clone, "remote", "set-url", "origin", url);
    const codes: unknown[] = [];
    const log = {
      ...silentLog,
      warn: ({ code }: { readonly code?: unknown }) => code !== undefined && codes.push(code),
    };
    await watch(team, clone, (second) => second >= 130, undefined, log);
    assert.deepEqual([await state(team), codes], [["disputed", "commit-missing"], said]);
  }
});

test("what is pushed after its report was disputed is found within minutes, and the report holds", async () => {
  const { made, clone, team } = await clonedBefore(2);
  await using _ = made;
  await using __ = team;
  await watch(team, clone, async (second) => {
    if (second === 200) assert.deepEqual(await state(team), ["disputed", "commit-missing"]);
    if (second === 200) git(made.directory, "update-ref", "refs/heads/main", made.ids[2] ?? "");
    return second >= 400;
  });
  assert.deepEqual(await state(team), ["verified"]);
});
