import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readRemotes } from "./remotes.ts";

const settings = { card: "https://shop.example.com/card.json", token: "secret", isPrivateAllowed: false };
const setEach = 40;

/** Sets its own remotes, one after the other, and removes every second of them, once it is told to begin. */
const program = `
  const { writeRemote } = await import(${JSON.stringify(new URL("remotes.ts", import.meta.url).href)});
  const [state, name] = process.argv.slice(1);
  process.stdout.write("ready");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  process.stdin.unref();
  for (let at = 0; at < ${setEach}; at += 1) {
    const set = await writeRemote(state, name + "-" + at, ${JSON.stringify(settings)});
    const removed = at % 2 === 0 ? set : await writeRemote(state, name + "-" + at, null);
    if (!set.ok || !removed.ok) throw new Error(JSON.stringify([set, removed]));
  }
`;

test("processes that set and remove remotes at once lose nothing of each other", async (t) => {
  const state = mkdtempSync(join(tmpdir(), "baton-remotes-"));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const names = ["one", "other"];
  const children = names.map((name) => {
    const words = ["--input-type=module", "--eval", program, state, name];
    return spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  });
  const ended = children.map((child) => once(child, "exit"));
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  for (const child of children) child.stdin.end("begin");
  assert.deepEqual(
    await Promise.all(ended),
    names.map(() => [0, null]),
  );
  const kept = readRemotes(state);
  assert.ok(kept.ok, JSON.stringify(kept));
  const wanted = names.flatMap((name) => Array.from({ length: setEach / 2 }, (_, at) => `${name}-${2 * at}`));
  assert.deepEqual([...kept.value.keys()].toSorted(), wanted.toSorted());
  assert.deepEqual(
    new Set([...kept.value.values()].map((each) => JSON.stringify(each))),
    new Set([JSON.stringify(settings)]),
  );
  assert.equal(statSync(join(state, "remotes.json")).mode & 0o777, 0o600);
});
