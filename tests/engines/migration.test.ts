/** A journal that is brought from a file into both kinds of servers and back. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { migrateJournal, openJournal } from "../../src/journal/engines.ts";
import type { Entry } from "../../src/journal/entry.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { attempt, must, mustRecord, type Tally, tally, team } from "../../src/testing/journal-subject.ts";
import { called } from "../e2e/called.ts";
import { contract, folder, team as teamFolder } from "../e2e/command.ts";
import { testServer as natsServer, skip as natsSkip } from "./nats/server.ts";
import { testServer as postgresServer, skip as postgresSkip } from "./postgres/server.ts";

const alpha = team("alpha");
const beta = team("beta");

async function entriesOf(address: string, options: { readonly readOnly?: boolean } = {}): Promise<readonly Entry[]> {
  await using journal = must(await openJournal(address, tally, { create: false, ...options }));
  const found: Entry[] = [];
  for (const name of must(await journal.teams()))
    found.push(...must(await journal.read(name, { limit: 1_000 })).entries);
  assert.deepEqual((await journal.verify()).problems, []);
  return found;
}

async function write(journal: Journal<Tally>, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 1) {
    const made = attempt({
      id: `m-${index}`,
      receivers: ["lead-1"],
      ...(index % 9 === 0 ? { text: `{"n": ${index}}\n` } : {}),
    });
    mustRecord(await journal.commit(index % 3 === 0 ? beta : alpha, made));
  }
}

test("entries go from a file to PostgreSQL, JetStream and back under load, with the same hashes", {
  skip: postgresSkip === false ? natsSkip : postgresSkip,
}, async () => {
  const file = join(folder(), "from.db");
  const back = join(folder(), "back.db");
  const servers = await Promise.all([postgresServer(), natsServer()]);
  const [inPostgres = "", inNats = ""] = servers.map((server) => server.newUrl());
  await using source = must(await openJournal(file, tally));
  await write(source, 0, 60);
  must(await source.mark(alpha, "lead-1", { offered: 5, seen: 3 }));
  must(await source.signOfLife(alpha, "dev-1", () => 1_000));
  must(await source.note(alpha, "dev-1", () => "noted"));
  // Others write meanwhile; what they add comes with the next run.
  const [first] = await Promise.all([migrateJournal(file, inPostgres), write(source, 60, 120)]);
  assert.ok(must(first).teams.length === 2);
  const second = must(await migrateJournal(file, inPostgres));
  const last = must(await source.state(alpha)).head;
  assert.deepEqual(second.teams.find((each) => each.team === alpha)?.head, last);
  must(await migrateJournal(inPostgres, inNats));
  must(await migrateJournal(inNats, back));
  const expected = await entriesOf(file);
  assert.equal(expected.length, 120);
  for (const address of [inPostgres, inNats, back]) assert.deepEqual(await entriesOf(address), expected);
  await using copy = must(await openJournal(inNats, tally, { create: false }));
  assert.deepEqual(must(await copy.marks(alpha, "lead-1")), { offered: 5, seen: 3 });
  assert.equal(must(await copy.signsOfLife(alpha)).get("dev-1"), 1_000);
  assert.equal(must(await copy.notes(alpha)).get("dev-1"), "noted");
  // The control: a target that has an entry of its own is not overwritten.
  mustRecord(await copy.commit(alpha, attempt({ id: "of-the-copy" })));
  const refused = await migrateJournal(file, inNats);
  assert.ok(!refused.ok && refused.error.code === "wrong-value");
  assert.doesNotMatch(JSON.stringify([refused, second]), /only-for-tests/);
});

test("the command brings a project's journal into a server, and an export is imported there", {
  skip: natsSkip,
}, async () => {
  const place = teamFolder();
  const server = await natsServer();
  const [to, other] = [server.newUrl(), server.newUrl()];
  const run = async (words: readonly string[], input = "") => {
    const done = await called(place, words, input);
    assert.equal(done.code, 0, `baton ${words.join(" ")}\n${done.said}`);
    assert.doesNotMatch(done.said, /only-for-tests/);
    return done.stdout;
  };
  await run(["send", "-", "--as", "lead-1"], contract());
  assert.match(await run(["journal", "migrate", "--to", to]), /\d+ entries, \d+ of them new.*\nVerified in nats:/);
  const exported = await run(["journal", "export"]);
  assert.equal(await run(["journal", "export", "--journal", to]), exported);
  const lines = join(folder(), "journal.jsonl");
  writeFileSync(lines, exported);
  await run(["journal", "import", lines, "--journal", other]);
  assert.equal(await run(["journal", "export", "--journal", other]), exported);
  // Imported again nothing is added.
  await run(["journal", "import", lines, "--journal", other]);
  assert.equal(await run(["journal", "export", "--journal", other]), exported);
});
