import { describe } from "node:test";
import { openPostgresJournal } from "../../../src/journal/postgres/open.ts";
import { remoteAbilities } from "../../../src/journal/remote/remote-journal.ts";
import { must } from "../../journal/journal-subject.ts";
import { journalSuite } from "../../journal/journal-suite.ts";
import { skip, testServer } from "./server.ts";

describe("the conformance suite", { skip }, () => {
  journalSuite({
    name: "postgres",
    abilities: remoteAbilities({ durability: "fsync", restoresWhole: true }),
    place: async () => {
      const url = (await testServer()).newUrl();
      return {
        open: async (projection, options) => must(await openPostgresJournal(url, projection, options)),
        remove: async () => undefined,
      };
    },
  });
});
