/** A journal that is brought from a file into both kinds of servers and back. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nextTurn, systemClock } from "../../src/base/clock.ts";
import { problem } from "../../src/base/problem.ts";
import { err } from "../../src/base/result.ts";
import { newReadiness } from "../../src/doors/http/server/readiness.ts";
import { migrateJournal, openJournal } from "../../src/journal/engines.ts";
import type { Entry, Page } from "../../src/journal/entry.ts";
import type { Journal, Moment } from "../../src/journal/journal.ts";
import { commitBehind } from "../../src/perform/commit.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import { isLeft, leaveJournal } from "../../src/record/handlers/journal-migration.ts";
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
  assert.match(
    await run(["journal", "migrate", "--copy", "--to", to]),
    /\d+ entries, \d+ of them new.*\nVerified in nats:/,
  );
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

test("a backup is brought into a new journal as its refusal says, and stays as it is", async () => {
  const home = teamFolder();
  const [backup, restored] = [join(folder(), "backup.db"), join(folder(), "restored.db")];
  const ask = async (...words: readonly string[]) => await called(home, words);
  assert.equal((await called(home, ["send", "-", "--as", "lead-1"], contract())).code, 0);
  assert.equal((await ask("journal", "backup", backup)).code, 0);
  const refused = await ask("journal", "migrate", "--journal", `sqlite:${backup}`, "--to", `sqlite:${restored}`);
  assert.equal(refused.code, 1);
  const line = /`baton (journal migrate --copy [^`]*) URL`/.exec(refused.stderr.replaceAll(/\s+/g, " "))?.[1];
  assert.ok(line, refused.said);
  const copied = await ask(...line.split(" "), `sqlite:${restored}`);
  assert.equal(copied.code, 0, copied.said);
  assert.deepEqual(await entriesOf(restored), await entriesOf(backup, { readOnly: true }));
});

test("a journal that was left records nothing more, says where it continues, and can be returned to", {
  skip: natsSkip,
}, async () => {
  const place = teamFolder();
  const to = (await natsServer()).newUrl();
  const run = async (words: readonly string[], input = "", code = 0) => {
    const done = await called(place, words, input);
    assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.said}`);
    assert.doesNotMatch(done.said, /only-for-tests/);
    return done.said;
  };
  await run(["send", "-", "--as", "lead-1"], contract());
  await run(["journal", "migrate"], "", 64);
  assert.equal(must(await isLeft(openTeamJournal, join(place, ".baton/journal.db"))), false);
  assert.match(await run(["journal", "migrate", "--to", to]), /where all teams continue/);
  // Now `baton journal place` takes the new one.
  assert.equal(must(await isLeft(openTeamJournal, join(place, ".baton/journal.db"))), true);
  const left = await run(["journal", "export"]);
  // A hub that goes on here is not ready, though its journal can be written, and neither is the place.
  await using here = must(await openTeamJournal(join(place, ".baton/journal.db"), { create: false }));
  const writing = async (journal: typeof here) =>
    (await newReadiness({ journal }, systemClock).checks()).find(({ name }) => name === "write");
  assert.match((await writing(here))?.detail ?? "", /^journal-moved: /);
  await using there = must(await openTeamJournal(to, { create: false }));
  assert.equal((await writing(there))?.ok, true);
  assert.match(await run(["doctor"], "", 2), /journal-moved/);
  const refused = await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], "hello", 2);
  assert.match(refused, /journal-moved.*\n.*continues in the journal nats:\/\/127/);
  // The recorded address lacks what the journal opens with, so the hint says what to add.
  assert.match(refused, /add your user \(`USER@` before the server\) and the options .*`\?monitor=URL`/);
  assert.match(await run(["log"]), /let the team continue in the journal nats:/);
  assert.equal(await run(["journal", "export"]), left, "nothing was recorded");
  // It is done, so another run adds nothing; and there it goes on.
  assert.match(await run(["journal", "migrate", "--to", to]), /where all teams continue/);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1", "--journal", to], "hello");
  const other = join(folder(), "third.db");
  assert.match(await run(["journal", "migrate", "--to", `sqlite:${other}`], "", 1), /journal-moved/);
  // Back: the file gets what was recorded meanwhile and takes entries again; the server's journal is left.
  await run(["journal", "migrate", "--journal", to, "--to", `sqlite:${join(place, ".baton/journal.db")}`]);
  assert.match(await run(["log"]), /hello/);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], "again");
  assert.match(
    await run(["send", "-", "--as", "dev-1", "--to", "lead-1", "--journal", to], "lost", 2),
    /journal-moved[\s\S]*`baton journal place --default`/,
  );
  assert.match(await run(["journal", "migrate", "--undo", "--journal", to]), /Continues here: /);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1", "--journal", to], "found");
  assert.match(
    await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], "lost", 2),
    /journal-moved.*\n.*nats:\/\/127/,
  );
});

test("what is recorded while a journal is left is in the new one, and every interrupted step can be repeated", {
  skip: postgresSkip,
}, async () => {
  const file = join(folder(), "from.db");
  const to = (await postgresServer()).newUrl();
  const message = (agent: string, id: string) => {
    const { once, decide } = attempt({ agent, id, content: {} });
    return { once, decide: (_: unknown, moment: Moment) => decide(tally.initial(), moment) };
  };
  const receipts = new Map<string, string>();
  const problems = new Set<string>();
  await using source = must(await openTeamJournal(file));
  const write = async (agent: string) => {
    for (let index = 0; ; index += 1) {
      const done = must(
        await commitBehind(
          { journal: source, team: index % 3 === 0 ? beta : alpha },
          [],
          message(agent, `${agent}-${index}`),
        ),
      );
      if (done.outcome === "recorded") receipts.set(`${done.entry.team}/${done.entry.seq}`, done.entry.hash);
      else if (done.outcome === "declined") return problems.add(done.problems[0]?.code ?? "");
      // A commit to a file gives nobody else a turn.
      await nextTurn();
    }
  };
  for (const name of [alpha, beta]) must(await source.commit(name, message("dev-0", `first-${name}`)));
  const writers = Promise.all(["dev-1", "dev-2"].map(write));
  // A run that ended after it had closed the source: the next one finishes it.
  const cut = await leaveJournal(
    (address, options) =>
      address === to && options.readOnly !== true
        ? Promise.resolve(err(problem("journal-unreachable", to, "cut")))
        : openTeamJournal(address, options),
    file,
    to,
  );
  assert.ok(!cut.ok && cut.error.code === "journal-unreachable");
  await writers;
  assert.deepEqual([...problems], ["journal-moved"]);
  await using target = must(await openTeamJournal(to));
  const early = must(await commitBehind({ journal: target, team: alpha }, [], message("dev-1", "too-early")));
  assert.equal(early.outcome, "declined", "it begins there once everything is there");
  for (let run = 0; run < 2; run += 1) must(await leaveJournal(openTeamJournal, file, to));
  mustRecord(await commitBehind({ journal: target, team: alpha }, [], message("dev-1", "in-time")));
  assert.ok(receipts.size > 4);
  for (const name of [alpha, beta]) {
    for (let after: number | null = 0; after !== null; ) {
      const page: Page = must(await target.read(name, { after }));
      for (const entry of page.entries) {
        const key = `${name}/${entry.seq}`;
        if (receipts.get(key) === entry.hash) receipts.delete(key);
      }
      after = page.next;
    }
  }
  assert.equal(receipts.size, 0, "every acknowledged entry is there");
  assert.deepEqual((await target.verify()).problems, []);
});
