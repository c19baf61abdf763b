/** A hub as the role that the guide describes: it serves a team, and the server lets it change or remove no entry. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openJournal } from "../../../src/journal/engines.ts";
import { openHub } from "../../../src/perform/hub.ts";
import { called } from "../../e2e/called.ts";
import { folder } from "../../e2e/command.ts";
import { attempt, must, mustRecord, tally, team } from "../../journal/journal-subject.ts";
import { skip, testServer } from "./server.ts";
import { schemaOf, sql } from "./sql.ts";

const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/several-machines.md"), "utf8");
const text = "version: 1\nteam: web\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n  dev-1: {role: dev}\n";

/** The guide's statements, for the schema and the role of a test. */
function grants(schema: string, role: string): readonly string[] {
  const [, block = ""] = /```sql\n([\s\S]*?)```/.exec(guide) ?? [];
  const lines = block.split("\n").filter((line) => line !== "");
  assert.ok(lines.length > 0, "the guide has the statements");
  return lines.map((line) =>
    line
      .replaceAll(/\bbaton\./g, `${schema}.`)
      .replace("SCHEMA baton", `SCHEMA ${schema}`)
      .replaceAll("baton_hub", role),
  );
}

/** A journal that its owner made, and the URL of a role with the rights that `rights` leaves of the guide's. */
async function journalWithRole(role: string, rights: (line: string) => boolean = () => true) {
  const url = (await testServer()).newUrl();
  await must(await openJournal(url, tally)).close();
  await sql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'only-for-tests'`, ...grants(schemaOf(url), role).filter(rights));
  return { owner: url, hub: url.replace("//baton:", `//${role}:`) };
}

/** The code with which the server refuses a statement; null: it does not. */
async function refusalOf(url: string, statement: string): Promise<string | null> {
  try {
    await sql(url, "BEGIN", statement, "ROLLBACK");
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

const changes = [
  "UPDATE entry SET hash = ''",
  "UPDATE entry SET bytes = ''",
  "DELETE FROM entry",
  "TRUNCATE entry",
  "UPDATE once SET seq = 1",
  "DELETE FROM once",
  "TRUNCATE once",
  "TRUNCATE team",
  "DELETE FROM team",
  "UPDATE journal SET min_writer = 99",
  "ALTER TABLE entry ADD COLUMN more int",
  "DROP TABLE entry",
];

test("a hub works as the role of the guide, and the server refuses it to change or remove entries", {
  skip,
}, async () => {
  const { owner, hub: url } = await journalWithRole("guided_hub");
  const opened = await openHub({ journal: url, create: true, teamFile: { path: "team.yaml", text }, stateFolder: "." });
  assert.ok(opened.ok, JSON.stringify(opened));
  {
    await using hub = opened.value;
    const [lead, dev] = [
      must(await hub.team("web", { agent: "lead-1", via: "launcher" })),
      must(await hub.team("web", { agent: "dev-1", via: "launcher" })),
    ];
    assert.equal((await lead.addTask({ task: "T1", files: ["a.ts"] })).outcome, "accepted");
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, n) => lead.send(`${n} parrots`, { to: [{ role: "dev" }] })),
    );
    assert.ok(
      sent.every(({ outcome }) => outcome === "accepted"),
      JSON.stringify(sent),
    );
    assert.equal((await dev.claim({ task: "T1" })).outcome, "accepted");
    const inbox = must(await dev.inbox());
    assert.ok(JSON.stringify(inbox).includes("19 parrots"));
    must(await hub.fireDue());
    must(await hub.journal.probe());
    assert.deepEqual((await hub.journal.verify()).problems, []);
  }
  await using journal = must(await openJournal(url, tally, { create: false }));
  const other = team("other");
  // Enough for a snapshot.
  for (let round = 0; round < 9; round += 1)
    await Promise.all(Array.from({ length: 250 }, async () => mustRecord(await journal.commit(other, attempt()))));
  must(await journal.mark(other, "lead-1", { offered: 3 }));
  must(await journal.heartbeat(other, "dev-1", () => 1));
  must(await journal.note(other, "dev-1", () => "noted"));
  const kept = await sql(owner, "SELECT count(*)::int AS snapshots FROM snapshot");
  assert.ok(Number(kept[0]?.snapshots) > 0, JSON.stringify(kept));

  for (const statement of changes) {
    assert.equal(await refusalOf(url, statement), "42501", statement);
    // The control: to the owner the server allows it, or refuses it for another reason.
    assert.notEqual(await refusalOf(owner, statement), "42501", statement);
  }
  assert.deepEqual((await journal.verify()).problems, []);
});

test("the hub needs every line of the guide's rights", { skip }, async () => {
  const lines = grants("s", "r").length;
  for (let left = 0; left < lines; left += 1) {
    let index = -1;
    const { hub: url } = await journalWithRole(`without_${left}`, () => {
      index += 1;
      return index !== left;
    });
    assert.notEqual(await problemOf(url), null, `without line ${left + 1}`);
  }
  const { hub: url } = await journalWithRole("with_all");
  assert.equal(await problemOf(url), null);
});

test("doctor says of a role what it lacks of the guide's rights", { skip }, async () => {
  const place = folder();
  const looked = async (url: string) => {
    const { stdout } = await called(place, ["doctor", "--journal", url, "--json"]);
    const checks = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return checks.find(({ check }) => check === "journal");
  };
  const lines = grants("s", "r").length;
  for (let left = 0; left < lines; left += 1) {
    let index = -1;
    const { hub: url } = await journalWithRole(`looks_without_${left}`, () => {
      index += 1;
      return index !== left;
    });
    const { state, finding } = await looked(url);
    assert.equal(state, "fail", `without line ${left + 1}: ${finding}`);
  }
  const { owner, hub } = await journalWithRole("looks_with_all");
  assert.deepEqual([(await looked(owner)).state, (await looked(hub)).state], ["ok", "ok"], "the control");
  const schema = schemaOf(owner);
  await sql(owner, `REVOKE INSERT ON ${schema}.entry, ${schema}.note FROM looks_with_all`);
  const { finding, advice } = await looked(hub);
  assert.match(
    finding,
    /^sound, 0 entries, in postgres:.*, but its user may not write: it lacks INSERT on entry, INSERT on note$/,
  );
  assert.match(advice, /grant it these rights/);
  await sql(owner, `GRANT INSERT ON ${schema}.entry, ${schema}.note TO looks_with_all`);
  await sql(owner, "ALTER ROLE looks_with_all SET default_transaction_read_only = on");
  assert.match((await looked(hub)).finding, /may not write: it lacks default_transaction_read_only = off$/);
});

/** What fails of a hub's work on the journal; null: nothing. */
async function problemOf(url: string): Promise<string | null> {
  const opened = await openJournal(url, tally, { create: true });
  if (!opened.ok) return opened.error.code;
  await using journal = opened.value;
  const name = team("web");
  for (const act of [
    () => journal.commit(name, attempt({ id: "m-1" })),
    () => journal.heartbeat(name, "dev-1", () => 1),
    () => journal.probe(),
  ]) {
    const done = await act();
    if (!done.ok) return done.error.code;
  }
  return null;
}
