/** What a measure opened is closed again, also where its opening fails. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { journalIn, openHub } from "../../bench/hub-calls.ts";
import { type Measure, take } from "../../bench/measure.ts";
import { runningHubs } from "../../src/doors/cli/place/running-hubs.ts";

const measure: Omit<Measure, "open"> = {
  name: "A measure of a hub",
  subject: "nothing",
  yardstick: "nothing",
  target: { of: "time", atMost: 1 },
  rounds: 1,
};

test("a hub ends with its measure, also where opening the measure or the hub fails", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const hubs = async () => (await runningHubs(journalIn(folder))).length;
  const found: number[] = [];
  const taken = (subject: () => number, problem: string | null) =>
    take(
      {
        ...measure,
        async open(at, opened) {
          const hub = await openHub(at);
          opened.defer(hub.close);
          found.push(await hubs());
          if (problem !== null) throw new Error(problem);
          return { yardstick: () => 1, subject };
        },
      },
      folder,
    );
  assert.ok((await taken(() => 1, null)).met);
  assert.equal(await hubs(), 0, "after the last round");
  await assert.rejects(
    taken(() => 1, "opening fails"),
    { message: "opening fails" },
  );
  assert.equal(await hubs(), 0, "opening fails");
  await assert.rejects(
    taken(() => {
      throw new Error("a round fails");
    }, null),
    { message: "a round fails" },
  );
  assert.equal(await hubs(), 0, "a round fails");
  assert.deepEqual(found, [1, 1, 1], "the control: each ran, and is found while it runs");
});

test("a hub whose team does not take the bench's contract is ended before that is said", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const hub = await openHub(folder);
  const headers = { "content-type": "application/json", "baton-session": hub.session };
  const retired = await fetch(`${hub.url}/api/teams/bench/agents/lead-1/retire`, {
    method: "POST",
    headers,
    body: "{}",
  });
  assert.equal(retired.status, 201, await retired.text());
  await hub.close();
  await assert.rejects(openHub(folder), /the bench's contract is not accepted/);
  assert.deepEqual(await runningHubs(journalIn(folder)), []);
});
