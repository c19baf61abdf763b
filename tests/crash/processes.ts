/** Many writers of one journal at once; every send must be acknowledged, and be where its receipt says. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";
import { hold } from "./journal-subject.ts";
import { type Line, startWriter } from "./kills.ts";
import { type Acknowledgement, compare, type Holding } from "./ledger.ts";

/** Runs so many writers at once, each as the agent it is given; every send must be acknowledged and recorded. */
export async function sendAtOnce(
  processes: number,
  sends: number,
  agentOf: (process: number) => string,
): Promise<{ readonly acknowledged: readonly Acknowledgement[]; readonly holding: Holding }> {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  const lines: Line[] = [];
  const runs = Array.from({ length: processes }, (_, index) =>
    startWriter({ path, agent: agentOf(index), from: 0, until: sends, together: 4 }, (line) => lines.push(line)),
  );
  const codes = await Promise.all(runs.map((run) => run.ended));
  assert.deepEqual(
    lines.filter((line) => line.problem !== undefined),
    [],
    "none is refused, as busy or otherwise",
  );
  assert.deepEqual(codes, Array(processes).fill(0), runs.map((run) => run.errors()).join("\n"));
  const acknowledged = lines.filter((line): line is Line & Acknowledgement => line.id !== undefined);
  assert.equal(acknowledged.length, processes * sends);
  const holding = await hold(path);
  assert.deepEqual(compare(acknowledged, holding), []);
  return { acknowledged, holding };
}
