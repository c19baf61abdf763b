import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { areStampsExact, type FileSystem, openedFiles, systemFiles } from "./opened-files.ts";

const [folder, probe] = ["/folder", "/folder/probe"];

/** A file system whose changes take `betweenNs` each and whose stamps advance by `stepNs`; the files never move. */
function stamping(stepNs: bigint, betweenNs: bigint) {
  let now = 1_700_000_000_000_000_001n;
  let ctimeNs = now;
  const asked: string[] = [];
  const change = () => {
    now += betweenNs;
    ctimeNs = (now / stepNs) * stepNs;
    return true;
  };
  const system: FileSystem = {
    factsOf(path) {
      asked.push(path);
      return { dev: 1n, ino: path === folder ? 9n : 1n, ctimeNs };
    },
    put: change,
    remove: change,
    now: () => Number(now / 1_000_000n),
  };
  return { system, asked, change };
}

test("tells stamps that are exact from those that come in steps", () => {
  const isExact = (stepNs: bigint, betweenNs: bigint) =>
    areStampsExact(folder, probe, stamping(stepNs, betweenNs).system);
  assert.equal(isExact(1n, 6_000n), true);
  assert.equal(isExact(100n, 6_000n), true, "steps that no two changes fit into");
  for (const stepNs of [1_000_000n, 4_000_000n, 16_000_000n, 1_000_000_000n]) {
    assert.equal(isExact(stepNs, 6_000n), false, `steps of ${stepNs} ns`);
    assert.equal(isExact(stepNs, 300_000n), false, `steps of ${stepNs} ns, on a busy machine`);
    assert.equal(
      isExact(stepNs, stepNs),
      false,
      `steps of ${stepNs} ns, on a machine so busy that each change has one`,
    );
  }
});

test("tells nothing where the folder cannot be changed or looked at", () => {
  const { system } = stamping(1n, 6_000n);
  assert.equal(areStampsExact(folder, probe, { ...system, put: () => false }), false);
  assert.equal(areStampsExact(folder, probe, { ...system, remove: () => false }), false);
  assert.equal(areStampsExact(folder, probe, { ...system, factsOf: () => null }), false);
});

test("leaves nothing in the folder", (t) => {
  const real = mkdtempSync(join(tmpdir(), "baton-stamps-"));
  t.after(() => rmSync(real, { recursive: true, force: true }));
  areStampsExact(real, join(real, "probe"), systemFiles);
  assert.deepEqual(readdirSync(real), []);
  areStampsExact(real, join(real, "missing/probe"), systemFiles);
  assert.equal(existsSync(join(real, "missing")), false);
});

test("after a change in a burst the files are asked for once where stamps are exact, and each time where they are not", () => {
  const timesAsked = (stepNs: bigint) => {
    const { system, asked, change } = stamping(stepNs, 6_000n);
    const files = openedFiles("/folder/journal.db", probe, system);
    // The first looks find out how the folder is stamped.
    for (let look = 0; look < 8; look += 1) {
      change();
      files.areInPlace();
    }
    asked.length = 0;
    change();
    for (let look = 0; look < 8; look += 1) files.areInPlace();
    return asked.filter((path) => path === "/folder/journal.db").length;
  };
  assert.equal(timesAsked(1n), 1);
  assert.equal(timesAsked(4_000_000n), 8);
});
