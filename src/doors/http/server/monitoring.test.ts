import assert from "node:assert/strict";
import { test } from "node:test";
import { problem } from "../../../base/problem.ts";
import type { Journal, JournalCondition } from "../../../journal/journal.ts";
import { openMemoryJournal } from "../../../journal/memory.ts";
import { namedForms } from "../../../operations/generated/answers.ts";
import type { OpenedJournal } from "../../../runtime/open.ts";
import { teamProjection } from "../../../runtime/projection.ts";
import { misfit } from "../../../schema/answer-form.ts";
import { manualClock } from "../../../testing/fixtures.ts";
import { newReadiness } from "./monitoring.ts";

const fault = problem("journal-unreachable", "postgres://db/baton", "The server of the journal does not answer.");
const away: JournalCondition = { condition: "unreachable", since: "2026-02-12T10:00:00.000Z", problem: fault };

test("a hub whose journal cannot be reached is not ready, says since when, and is ready once it can", async () => {
  let condition: JournalCondition = away;
  const memory: Journal<unknown> = openMemoryJournal(teamProjection);
  const journal = { ...memory, condition: () => condition } as OpenedJournal; // of the runtime's projection, above
  const readiness = newReadiness({ journal }, manualClock());
  const checkOf = async () => (await readiness.checks()).find(({ name }) => name === "journal");
  assert.deepEqual(await checkOf(), {
    name: "journal",
    ok: false,
    detail: "unreachable since 2026-02-12T10:00:00.000Z: The server of the journal does not answer.",
  });
  condition = { condition: "ready" };
  assert.equal((await checkOf())?.ok, true);
});

test("a client takes the condition of a journal that cannot be reached, and no unknown one", () => {
  assert.equal(misfit("@JournalCondition", away, namedForms), null);
  assert.notEqual(misfit("@JournalCondition", { ...away, condition: "asleep" }, namedForms), null);
});
