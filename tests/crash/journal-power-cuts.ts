/**
 * The journal as the subject of the power-cut campaign: two writers at once, then one that opens the journal again,
 * with acknowledgements appended to a file that the trace holds too.
 */
import { join } from "node:path";
import { hold, openJournal } from "./journal-subject.ts";
import { compare } from "./ledger.ts";
import type { PowerCutSubject } from "./power-cuts.ts";
import type { WriterOrder } from "./writer.ts";

/** How many sends each of the three writers makes: enough that the log is folded into the database in between. */
const sends = 150;

/**
 * The subject with this durability. Every `verifyEvery`th image is also verified; the others are opened and read.
 * `unreported`: gathers the losses that verify did not report although the receipts were presented.
 */
export function journalUnderPowerCuts(options: {
  readonly durability: "fsync" | "os";
  readonly verifyEvery: number;
  readonly unreported?: string[];
}): PowerCutSubject {
  const { durability, verifyEvery, unreported } = options;
  const writer = join(import.meta.dirname, "writer.ts");
  const program = (order: WriterOrder): readonly string[] => [writer, JSON.stringify(order)];
  let images = 0;
  return {
    presentsReceipts: unreported !== undefined,
    async prepare(database) {
      const opened = await openJournal(database);
      if (!opened.ok) throw new Error(opened.error.message);
      await opened.value.close();
    },
    stages(path, acknowledgements) {
      const order = { path, from: 0, until: sends, durability, acknowledgements };
      return [
        [program({ ...order, agent: "dev-1", together: 1 }), program({ ...order, agent: "dev-2", together: 3 })],
        [program({ ...order, agent: "dev-3", together: 2 })],
      ];
    },
    async inspect(database, acknowledged) {
      const verify = unreported !== undefined || images++ % verifyEvery === 0;
      const presented = acknowledged.flatMap(({ receipt }) => receipt ?? []);
      const holding = await hold(database, { verify, presented });
      const isLost = compare(acknowledged, { ...holding, faults: [] }).length > 0;
      if (isLost && holding.faults.length === 0)
        unreported?.push(`${acknowledged.length} acknowledged, ${holding.entries.length} found`);
      return holding;
    },
  };
}
