/**
 * What a mirror and a verification find together when somebody changes an earlier entry in the server: by itself it breaks
 * the server's chain; with every later hash made new it is another last entry than the mirror has.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../src/base/canonical.ts";
import { openJournal } from "../../src/journal/engines.ts";
import { openMirror } from "../../src/journal/mirror.ts";
import { attempt, must, mustRecord, tally } from "../../src/testing/journal-subject.ts";
import { alpha } from "./held.ts";
import { skip, testServer } from "./postgres/server.ts";
import { sql } from "./postgres/sql.ts";

test("an earlier entry that somebody changed is found by verifying, or by the mirror where the later ones fit to it", {
  skip,
}, async (t) => {
  const url = (await testServer()).newUrl();
  const folder = mkdtempSync(join(tmpdir(), "baton-witness-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  {
    await using journal = must(await openJournal(url, tally));
    for (let number = 1; number <= 6; number += 1)
      mustRecord(await journal.commit(alpha, attempt({ id: `m-${number}` })));
  }
  const look = async () => {
    await using mirror = must(await openMirror(url, join(folder, "mirror.db")));
    const looked = await mirror.look(new AbortController().signal);
    return looked.ok ? "the same" : looked.error.code;
  };
  const verify = async () => {
    await using journal = must(await openJournal(url, tally, { readOnly: true, create: false }));
    return (await journal.verify()).problems.map(({ code, path }) => [code, path]);
  };
  assert.deepEqual([await look(), await verify()], ["the same", []]);

  const change = "replace(convert_from(bytes, 'UTF8'), '\"m-3\"', '\"m-9\"')";
  await sql(url, `UPDATE entry SET bytes = convert_to(${change}, 'UTF8') WHERE seq = 3`);
  assert.equal(await look(), "the same", "its last entry is as it was");
  assert.deepEqual(await verify(), [["journal-corrupt", "alpha/3"]]);

  // Whoever can write the tables can also make every later link and hash new.
  const rows = await sql(
    url,
    "SELECT seq, hash, convert_from(bytes, 'UTF8') AS text FROM entry WHERE seq >= 3 ORDER BY seq",
  );
  const replaced = new Map<string, string>();
  let head = "";
  for (const { seq, hash, text } of rows) {
    const linked = String(text).replace(/"prevHash":"([0-9a-f]+)"/, (whole, before) =>
      whole.replace(before, replaced.get(before) ?? before),
    );
    head = sha256(linked);
    replaced.set(String(hash), head);
    const values = [Number(seq), head, Buffer.from(linked)];
    await sql(url, { text: "UPDATE entry SET hash = $2, bytes = $3 WHERE seq = $1", values });
  }
  await sql(url, "UPDATE once SET id = 'm-9' WHERE id = 'm-3'", { text: "UPDATE team SET hash = $1", values: [head] });
  assert.deepEqual([await verify(), await look()], [[], "journal-corrupt"]);
});
