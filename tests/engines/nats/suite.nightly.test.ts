import { describe } from "node:test";
import { openNatsJournal } from "../../../src/journal/nats/open.ts";
import { remoteAbilities } from "../../../src/journal/remote/remote-journal.ts";
import { must } from "../../journal/journal-subject.ts";
import { journalSuite } from "../../journal/journal-suite.ts";
import { skip, testServer } from "./server.ts";

describe("the conformance suite", { skip }, () => {
  journalSuite({
    name: "nats",
    abilities: remoteAbilities({ durability: "fsync", restoresWhole: false }),
    place: async () => {
      const url = (await testServer()).newUrl();
      return {
        open: async (projection, options) => must(await openNatsJournal(url, projection, options)),
        remove: async () => undefined,
      };
    },
  });
});
