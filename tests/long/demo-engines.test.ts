/**
 * `baton demo --engine` as people run it: two hubs share a journal in a server that the demo starts; in the middle one hub
 * and one server are killed, and at the end everything that the plain demo promises holds all the same.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, test } from "node:test";
import { engines } from "../../demo/servers/engine-server.ts";
import { readServerWish } from "../../demo/servers/server-choice.ts";
import { canLook, markName, waitForNone } from "../demo/marked-processes.ts";
import { demo } from "../demo/played.ts";
import { baton, folder, jsonLines, problemCodes } from "../e2e/command.ts";
import { newestProgram, skip as noNats } from "../engines/nats/server.ts";
import { skip as noPostgres } from "../engines/postgres/server.ts";

/** How long what was started may take to go, in milliseconds. */
const clearMsMax = 60_000;
const skips = { postgres: noPostgres, nats: noNats } as const;
const path = [dirname(newestProgram ?? ""), process.env.PATH].join(delimiter);

describe("the demo on two hubs and an engine", { concurrency: true }, () => {
  for (const engine of engines) {
    test(`${engine}: a hub and a server are killed, the journal is sound, and nothing is left`, {
      skip: canLook ? skips[engine] : "needs /proc to see which processes are left",
    }, async (t) => {
      const place = folder();
      const mark = randomUUID();
      const keep = ["--keep", "kept"];
      const run = await demo(place, ["--fast", "--engine", engine, "--json", ...keep], {
        PATH: path,
        [markName]: mark,
      });
      assert.equal(run.code, 0, `${run.stdout}\n${run.stderr}`);
      t.diagnostic(`took ${Math.round(run.tookMs)} ms`);
      const events = jsonLines(run);
      const summary = events.find(({ event }) => event === "summary");
      assert.deepEqual(summary?.faults, []);
      assert.deepEqual([summary?.hubsKilled, summary?.serversKilled, summary?.agentsEnded], [1, 1, 7]);
      const { ok } = (summary?.journal ?? {}) as { readonly ok?: boolean };
      assert.equal(ok, true);
      const scenes = events.map(({ event }) => String(event)).filter((event) => /^(hub|server)-/.test(event));
      assert.deepEqual(scenes, ["hub-killed", "server-killed", "server-returns"]);
      // Something was recorded after it: the phase had not ended before.
      const returned = events.findIndex(({ event }) => event === "server-returns");
      assert.ok(events.slice(returned).some(({ event, type }) => event === "sent" && type === "qa_verdict"));
      assert.doesNotMatch(`${run.stdout}${run.stderr}`, /:\/\/[^/\s]*:[^/\s]*@/, "no address with a password");
      assert.deepEqual(await waitForNone(mark, clearMsMax), []);
      // What is kept can be read without the server.
      const verified = baton(join(place, "kept"), ["journal", "verify", "--json"]);
      assert.equal(verified.code, 0, verified.stdout);
      assert.ok(!readdirSync(join(place, "kept/.git/baton")).includes("place.json"), "no address is left");
    });
  }
});

test("where there is no server to start, the problem says what to install", () => {
  const place = folder();
  // The demo needs git, and finds nothing else.
  const { stdout: git } = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" });
  symlinkSync(git.trim(), join(place, "git"));
  const nothing = { PATH: place };
  const done = baton(place, ["demo", "--fast", "--engine", "nats", "--json"], "", nothing);
  assert.deepEqual(problemCodes(done), ["journal-cannot-open"]);
  assert.match(done.stdout, /Put nats-server on the PATH/);
});

test("an address that names no server of the engine is refused", () => {
  const refused = [
    readServerWish("nats", "postgres://h/d"),
    readServerWish(undefined, "sqlite:a.db"),
    readServerWish("postgres", "nats://u:secret@h/n"),
  ];
  for (const each of refused) {
    assert.equal(each.ok ? null : each.error.code, "wrong-usage");
    assert.doesNotMatch(JSON.stringify(each), /secret/);
  }
  assert.deepEqual(readServerWish(undefined, undefined), { ok: true, value: null });
  const url = "nats://h/n";
  assert.deepEqual(readServerWish(undefined, url), { ok: true, value: { engine: "nats", journal: url } });
});
