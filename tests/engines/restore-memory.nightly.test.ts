/** An archive is put back without holding it in memory. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { ownersEntry } from "../../src/perform/content.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import { archiveTeam } from "../../src/record/handlers/journal-archive.ts";
import { must, team } from "../../src/testing/journal-subject.ts";
import { commandMsMax, folder } from "../e2e/command.ts";
import { testServer as postgresServer, skip as postgresSkip } from "./postgres/server.ts";

const alpha = team("alpha");
/** Entries of the archive, and the characters of each: together far more than the process may use. */
const [count, size] = [60, 500_000];
const heapMb = 40;

for (const engine of ["a file", "PostgreSQL"] as const)
  test(`an archive larger than a process's memory is put back into ${engine}`, {
    skip: engine === "PostgreSQL" && postgresSkip,
  }, async () => {
    const address = engine === "a file" ? join(folder(), "journal.db") : (await postgresServer()).newUrl();
    const file = join(folder(), "alpha.db");
    {
      await using journal = must(await openTeamJournal(address));
      for (let index = 0; index < count; index += 1) {
        const command = { name: "enter-journal", text: `${index}`.padEnd(size, "x") } as const;
        must(await journal.commit(alpha, { once: null, decide: () => ownersEntry({ command }) }));
      }
      must(await archiveTeam(journal, alpha, { file, givesUp: true }));
    }
    const done = spawnSync(
      process.execPath,
      [`--max-old-space-size=${heapMb}`, join(import.meta.dirname, "restore-process.ts"), address, alpha, file],
      { encoding: "utf8", timeout: commandMsMax },
    );
    assert.equal(done.stdout, "restored", done.stderr.slice(-2_000));
    await using journal = must(await openTeamJournal(address, { create: false }));
    assert.deepEqual((await journal.verify()).problems, []);
    assert.equal(must(await journal.read(alpha, { limit: 1 })).entries[0]?.seq, 1);
    assert.equal(must(await journal.state(alpha)).head.seq, count + 3);
  });
