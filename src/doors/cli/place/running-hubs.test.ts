/** Which hubs are found: one that is busy is there, and one that has ended is not. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { leaveNote, runningHubs } from "./running-hubs.ts";

/** As long as a hub may be busy with others' work on a loaded machine, in milliseconds. */
const busyMs = 2_500;

test("a hub that is busy is found, and one that has ended is not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-hubs-"));
  const server = createServer((_request, answer) => {
    void setTimeout(busyMs).then(() => answer.end(JSON.stringify({ instance: "one" })));
  });
  try {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const journal = join(folder, "journal.db");
    const note = {
      pid: process.pid,
      url: `http://127.0.0.1:${port}`,
      startedAt: "2026-01-01T00:00:00Z",
      instance: "one",
    };
    leaveNote(journal, note);
    assert.deepEqual(await runningHubs(journal), [note]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual(await runningHubs(journal), []);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});
