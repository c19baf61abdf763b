/** A journal on PostgreSQL without its driver, which is an optional dependency. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { readJournalUrl, serverFileName, shownAddress } from "../../src/journal/engines.ts";

const engines = new URL("../../src/journal/engines.ts", import.meta.url).href;
const subject = new URL("../../src/testing/journal-subject.ts", import.meta.url).href;

/** Opens a journal in a process that has no package `pg`, or has it, and answers the problem's code and hint. */
function openedWithout(names: readonly string[]): string {
  const script = `
    import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (${JSON.stringify(names)}.includes(name)) throw Object.assign(new Error("absent"), { code: "ERR_MODULE_NOT_FOUND" });
      return next(name, context);
    } });
    const { openJournal } = await import(${JSON.stringify(engines)});
    const { tally } = await import(${JSON.stringify(subject)});
    const done = await openJournal("postgres://u:hidden-word@127.0.0.1:1/none", tally, { waitMs: 0 });
    console.log(JSON.stringify(done));`;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  assert.doesNotMatch(done.stdout + done.stderr, /hidden-word/);
  return done.stdout;
}

test("without its driver a journal on PostgreSQL is refused, and the hint says what to install", () => {
  assert.match(openedWithout(["pg"]), /"journal-cannot-open".*npm install pg@8/);
  // The control: with the driver it is the server that does not answer.
  assert.match(openedWithout([]), /"journal-unreachable"/);
});

test("an address is shown without its credentials, and refused without them", () => {
  const shown: Readonly<Record<string, string>> = {
    "postgres://u:p@h/db": "postgres://h/db",
    "postgres://u:p@ss/w@h:1/db?schema=a": "postgres://ss/w@h:1/db?schema=a",
    "postgresql://h/db?user=u&password=p&schema=a": "postgresql://h/db?user=u&password=…&schema=a",
    "postgres://h/db": "postgres://h/db",
    "/srv/a@b/journal.db": "/srv/a@b/journal.db",
  };
  for (const [address, expected] of Object.entries(shown)) assert.equal(shownAddress(address), expected);
  for (const url of ["mysql://u:hidden@h/db", "nats://u:hidden@h", "postgres:/u:hidden@h/db"]) {
    const read = readJournalUrl(url, "--journal");
    assert.ok(!read.ok && read.error.code === "wrong-usage");
  }
  const refused = readJournalUrl("mysql://u:hidden@h/db", "--journal");
  assert.doesNotMatch(JSON.stringify(refused), /hidden/);
  assert.equal(serverFileName("postgres://a:1@h/db"), serverFileName("postgres://b:2@h/db"));
  assert.notEqual(serverFileName("postgres://h/db"), serverFileName("postgres://h/other"));
});
