/** Every case of work that people and agents leave in a repository, and what is right by common sense. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../../crash/folder.ts";
import { honest } from "./honest.ts";
import { Lab } from "./lab.ts";
import { landing } from "./landing.ts";
import { lies } from "./lies.ts";

for (const [name, right, run, init] of [...lies, ...honest, ...landing])
  test(name, async () => {
    using folder = temporaryFolder("memory");
    const lab = new Lab(folder.path, name, init);
    await run(lab);
    const said = Object.entries(right).map(([task, expected]) => [task, lab.said(task, expected)]);
    assert.deepEqual(Object.fromEntries(said), right);
  });
