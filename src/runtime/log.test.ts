import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../testing/test-team.ts";
import type { LogOptions } from "./log-line.ts";

const agents = [{ agent: "lead-1", role: "lead" }] as const;

test("the log read backwards is the log read forwards, turned round, whatever the bounds", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  for (let n = 0; n < 450; n += 1) await owner.register({ agent: `dev-${n}`, role: "dev" });
  const seqs = async (options: LogOptions) => {
    const found: number[] = [];
    for await (const line of owner.log(options)) {
      assert.ok(line.ok);
      found.push(line.value.seq);
    }
    return found;
  };
  const all = await seqs({});
  assert.equal(all.length, 451);
  for (const bounds of [
    {},
    { after: 17 },
    { before: 230 },
    { after: 20, before: 421 },
    { after: 451 },
    { before: 1 },
  ]) {
    const forwards = await seqs(bounds);
    const { after = 0, before = Number.POSITIVE_INFINITY } = bounds as LogOptions;
    assert.deepEqual(
      forwards,
      all.filter((seq) => seq > after && seq < before),
    );
    assert.deepEqual(await seqs({ ...bounds, newestFirst: true }), forwards.toReversed());
  }
  assert.deepEqual(await seqs({ newestFirst: true, limit: 3 }), [451, 450, 449]);
  assert.deepEqual(await seqs({ newestFirst: true, before: 449, limit: 2, text: "dev-4" }), [448, 447]);
});
