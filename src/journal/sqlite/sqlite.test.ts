import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must } from "../../../tests/journal/journal-subject.ts";
import { journalSuite } from "../../../tests/journal/journal-suite.ts";
import { openSqliteJournal } from "./open.ts";

for (const gathers of [false, true])
  journalSuite({
    name: gathers ? "sqlite, gathering" : "sqlite",
    abilities: {
      durability: "fsync",
      persistent: true,
      reach: "machine",
      decides: "locked",
      restoresWhole: true,
    },
    place: async () => {
      const folder = mkdtempSync(join(tmpdir(), "baton-journal-"));
      return {
        open: async (projection, options) =>
          must(await openSqliteJournal(join(folder, "journal.db"), projection, { ...options, gathers })),
        remove: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  });
