/** The users of examples/deploy/nats.conf on a server: hubs work, a reader reads, who may make streams is named. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openNatsJournal } from "../../../src/journal/nats/open.ts";
import { attempt, must, mustRecord, tally } from "../../journal/journal-subject.ts";
import { alpha, heldIds } from "../held.ts";
import { newFolder, skip, startServer } from "./server.ts";

test("hubs write, an operator makes the streams, a reader reads", { skip }, async (t) => {
  const file = join(import.meta.dirname, "../../../examples/deploy/nats.conf");
  const accounts = readFileSync(file, "utf8").replaceAll(/\$[A-Z0-9_]+_PASSWORD/g, '"only-for-tests"');
  const server = await startServer(newFolder(), undefined, { accounts });
  t.after(() => server.stop());
  const url = (user: string) =>
    `nats://baton-shop-${user}:only-for-tests@127.0.0.1:${server.port}/shop?monitor=${server.monitor}`;
  // The streams are not there yet, and a hub may not make them: who may is named.
  const early = await openNatsJournal(url("hub"), tally, { waitMs: 500 });
  assert.equal(!early.ok && early.error.code, "journal-read-only");
  assert.match((!early.ok && early.error.hint) || "", /such as baton-shop-operator of examples\/deploy\/nats\.conf/);
  await must(await openNatsJournal(url("operator"), tally)).close();
  const hub = must(await openNatsJournal(url("hub"), tally));
  t.after(() => hub.close());
  mustRecord(await hub.commit(alpha, attempt({ id: "m-1" })));
  must(await hub.mark(alpha, "lead-1", { offered: 1, seen: 1 }));
  must(await hub.heartbeat(alpha, "dev-1", () => 1));
  const reader = must(await openNatsJournal(url("reader"), tally, { create: false, readOnly: true }));
  t.after(() => reader.close());
  assert.equal(must(await reader.read(alpha)).entries.length, 1);
  const writes = must(await openNatsJournal(url("reader"), tally, { create: false, waitMs: 500 }));
  t.after(() => writes.close());
  const refused = await writes.commit(alpha, attempt());
  assert.equal(!refused.ok && refused.error.code, "journal-read-only");
  assert.equal((await heldIds(hub)).length, 1);
});
