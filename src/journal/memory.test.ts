import { journalSuite } from "../testing/journal-suite.ts";
import { openMemoryJournal } from "./memory.ts";

journalSuite({
  name: "memory",
  abilities: { durability: "memory", shared: false, persistent: false },
  place: async () => ({
    open: async (projection, options) => openMemoryJournal(projection, options),
    remove: async () => undefined,
  }),
});
