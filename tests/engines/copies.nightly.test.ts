/** A journal that is copied from a file into both kinds of servers and back, and the project with it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { copyEntries, openJournal } from "../../src/journal/engines.ts";
import type { Entry } from "../../src/journal/entry.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { ownersEntry } from "../../src/perform/content.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import { called } from "../e2e/called.ts";
import { contract, folder, team as teamFolder } from "../e2e/command.ts";
import { attempt, must, mustRecord, type Tally, tally, team } from "../journal/journal-subject.ts";
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
  must(await source.heartbeat(alpha, "dev-1", () => 1_000));
  must(await source.note(alpha, "dev-1", () => "noted"));
  // Others write meanwhile; what they add comes with the next run.
  const [first] = await Promise.all([copyEntries(file, inPostgres), write(source, 60, 120)]);
  assert.ok(must(first).teams.length === 2);
  const second = must(await copyEntries(file, inPostgres));
  const last = must(await source.state(alpha)).head;
  assert.deepEqual(second.teams.find((each) => each.team === alpha)?.head, last);
  must(await copyEntries(inPostgres, inNats));
  must(await copyEntries(inNats, back));
  const expected = await entriesOf(file);
  assert.equal(expected.length, 120);
  for (const address of [inPostgres, inNats, back]) assert.deepEqual(await entriesOf(address), expected);
  await using copy = must(await openJournal(inNats, tally, { create: false }));
  assert.deepEqual(must(await copy.marks(alpha, "lead-1")), { offered: 5, seen: 3 });
  assert.equal(must(await copy.heartbeats(alpha)).get("dev-1"), 1_000);
  assert.equal(must(await copy.notes(alpha)).get("dev-1"), "noted");
  // The control: a target that has an entry of its own is not overwritten.
  mustRecord(await copy.commit(alpha, attempt({ id: "of-the-copy" })));
  const refused = await copyEntries(file, inNats);
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
  assert.match(await run(["journal", "copy", "--to", to]), /\d+ entries, \d+ of them new.*\nVerified in nats:/);
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
  const refused = await called(home, ["send", "-", "--as", "lead-1", "--journal", `sqlite:${backup}`], contract());
  assert.equal(refused.code, 1, refused.said);
  const line = /`baton (journal copy [^`]*) URL`/.exec(refused.stderr.replaceAll(/\s+/g, " "))?.[1];
  assert.ok(line, refused.said);
  const copied = await ask(...line.split(" "), `sqlite:${restored}`);
  assert.equal(copied.code, 0, copied.said);
  assert.deepEqual(await entriesOf(restored), await entriesOf(backup, { readOnly: true }));
});

test("a project's journal goes into a server and back, and is never left while the other one lacks entries", {
  skip: natsSkip,
}, async () => {
  const place = teamFolder();
  const git = spawnSync("git", ["init", "-q"], { cwd: place });
  assert.equal(git.status, 0);
  const server = await natsServer();
  const [to, empty] = [server.newUrl(), server.newUrl()];
  const run = async (words: readonly string[], input = "", code = 0) => {
    const done = await called(place, words, input);
    assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.said}`);
    return done.said;
  };
  const refusesToPlace = async (...words: readonly string[]) =>
    assert.match(await run(["journal", "place", ...words], "", 2), /already-exists[\s\S]*baton journal copy --to /);
  await run(["send", "-", "--as", "lead-1"], contract());
  await run(["journal", "copy"], "", 64);
  await refusesToPlace(to);
  await run(["journal", "copy", "--to", to]);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], "meanwhile");
  await refusesToPlace(to);
  await run(["journal", "copy", "--to", to]);
  await refusesToPlace(empty);
  await run(["journal", "place", to]);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], "in the server");
  // The file has the first entries only.
  await refusesToPlace("--default");
  const back = `sqlite:${join(place, ".git/baton/journal.db")}`;
  await run(["journal", "copy", "--to", back]);
  await run(["journal", "place", "--default"]);
  assert.match(await run(["log"]), /in the server/);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], "in the file");
  // The control: one that has gone on by itself is no copy.
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1", "--journal", to], "only there");
  assert.match(await run(["journal", "copy", "--to", to], "", 2), /wrong-value/);
});

test("a journal that an older version moved is refused with where it continues, and a copy of it there continues", async () => {
  const home = teamFolder();
  const [file, there] = [join(home, ".baton/journal.db"), join(folder(), "there.db")];
  const send = async (...more: readonly string[]) =>
    await called(home, ["send", "-", "--as", "dev-1", "--to", "lead-1", ...more], "hello");
  const before = await send();
  assert.equal(before.code, 0, before.said);
  {
    await using journal = must(await openTeamJournal(file));
    const [name = alpha] = must(await journal.teams());
    const leave = ownersEntry({ command: { name: "leave-journal", to: there } });
    mustRecord(await journal.commit(name, { once: null, decide: () => leave }));
  }
  const refused = await send();
  assert.match(refused.said, /journal-moved.*\n.*continues in the journal sqlite:\S*there\.db/);
  assert.match((await called(home, ["doctor"])).said, /journal-moved/);
  assert.match((await called(home, ["log"])).said, /hello/);
  const address = /--journal (sqlite:[^`\s]+)/.exec(refused.said)?.[1] ?? assert.fail(refused.said);
  // The move was interrupted, or the other journal is lost: a copy at its place is what continues.
  const copied = await called(home, ["journal", "copy", "--to", address]);
  assert.equal(copied.code, 0, copied.said);
  for (let count = 0; count < 2; count += 1) {
    const sent = await send("--journal", address);
    assert.equal(sent.code, 0, sent.said);
  }
  assert.equal((await called(home, ["status", "--journal", address])).code, 0);
});
