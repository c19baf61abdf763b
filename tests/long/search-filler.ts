/**
 * A process that fills the search index of a journal in a server until it is killed, as a hub does: it records entries
 * from a seed, and brings the index up in between. Arguments: URL, seed. Each line it prints is the number of entries that
 * it has added.
 */
import { openPostgresJournal } from "../../src/journal/postgres/open.ts";
import { attempt, must, tally } from "../../src/testing/journal-subject.ts";
import { chanceFrom } from "../crash/seed.ts";
import { alpha } from "../engines/held.ts";
import { randomText } from "./search-texts.ts";

const [, , url = "", seed = "1"] = process.argv;
const chance = chanceFrom(Number(seed));
const journal = must(await openPostgresJournal(url, tally, { waitMs: 60_000 }));
const { signal } = new AbortController();
for (;;) {
  const texts = Array.from({ length: 1 + chance.below(200) }, () => randomText(chance));
  // What a crash leaves without an answer may be recorded twice or not at all: the searches compare with what is there.
  await Promise.all(texts.map((text) => journal.commit(alpha, attempt({ content: { text } }))));
  const filled = await journal.searchIndex?.catchUp(signal);
  process.stdout.write(`${filled?.ok === true ? filled.value : 0}\n`);
}
