/** A journal's server that accepts connections and says nothing: what `baton doctor` says, how soon, and that it ends. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { runBaton, teamFolder } from "../http/process.ts";

for (const kind of ["postgres", "nats"])
  test(`doctor says within seconds that a silent server of ${kind} does not answer and what was not checked`, {
    timeout: 60_000,
  }, async (t) => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
    await once(silent, "listening");
    t.after(() => {
      silent.close();
      for (const socket of sockets) socket.destroy();
    });
    const { port } = silent.address() as AddressInfo;
    const begun = performance.now();
    const { code, stdout } = await runBaton(teamFolder(t), [
      "doctor",
      "--journal",
      `${kind}://baton@127.0.0.1:${port}/shop`,
    ]);
    assert.equal(code, 2, stdout);
    assert.match(stdout, /FAIL {2}journal .* does not answer\. .*time.*\(journal-unreachable\)/);
    assert.match(stdout, /Not checked: .*entries are missing/);
    // The commands that need the journal wait fifteen seconds.
    assert.ok(performance.now() - begun < 14_000, `${performance.now() - begun}`);
  });
