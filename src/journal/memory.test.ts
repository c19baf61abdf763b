import { journalSuite } from "../../tests/journal/journal-suite.ts";
import { memoryAbilities, openMemoryJournal } from "./memory.ts";

journalSuite({
  name: "memory",
  abilities: memoryAbilities,
  place: async () => ({
    open: async (projection, options) => openMemoryJournal(projection, options),
    remove: async () => undefined,
  }),
});
