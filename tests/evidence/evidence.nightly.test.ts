/** The campaign of lies about work and of honest work, and the controls that believe and doubt them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../crash/folder.ts";
import { chosenSeed } from "../crash/seed.ts";
import { inLongRun } from "../run-size.ts";
import { tellArtifacts } from "./artifact-lies.ts";
import {
  baton,
  binding,
  forgetful,
  lonely,
  script,
  tellFates,
  tellForecasts,
  tellHonest,
  tellLies,
} from "./campaign.ts";
import { believedLies, lies } from "./lies.ts";
import { rewrittenOldWork } from "./rewritten-lies.ts";

const seed = chosenSeed(61);
const kinds = Object.keys(lies).length;

test(`every kind of lie is reported by its code (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const { wrong } = await tellLies(folder.path, seed, inLongRun(10, 1) * kinds);
  assert.deepEqual(wrong, []);
  const count = Object.keys(believedLies).length;
  const believed = await tellLies(folder.path, seed, count, baton, believedLies);
  assert.equal(believed.wrong.filter((each) => each.includes("believed instead of")).length, count);
});

test(`honest work is believed in every shape and place (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const { wrong } = await tellHonest(folder.path, seed, inLongRun(400, 12));
  assert.deepEqual(wrong, []);
});

test(`a verifier that does not know the other tasks doubts honest work (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const { wrong } = await tellHonest(folder.path, seed, 16, lonely);
  assert.ok(wrong.length >= 2, wrong.join("; "));
});

test(`verified work is found wherever it landed, and seen gone where it was undone (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const { wrong } = await tellFates(folder.path, seed, inLongRun(10, 1));
  assert.deepEqual(wrong, []);
});

test(`work outside of a forecast is verified and noted, and a verifier that takes forecasts for claims is found (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const count = inLongRun(12, 6);
  const { wrong } = await tellForecasts(folder.path, seed, count);
  assert.deepEqual(wrong, []);
  const control = await tellForecasts(folder.path, seed, count, binding);
  assert.equal(control.kinds.get("a forecast of which nothing was changed")?.caught, 0);
});

test(`a script that asks git for names believes most lies (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const told = inLongRun(kinds, 16);
  const { wrong } = await tellLies(folder.path, seed, told, script);
  assert.ok(wrong.length > told / 2, `it missed only ${wrong.length}: ${wrong.join("; ")}`);
});

test(`a verifier that does not know the recorded branches believes old work that was rewritten (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const count = Object.keys(rewrittenOldWork).length;
  // Of several old commits the first is told by what its branch has now.
  const { wrong } = await tellLies(folder.path, seed, count, forgetful, rewrittenOldWork);
  assert.equal(wrong.filter((each) => each.includes("believed instead of")).length, count - 1);
});

test(`messages about artifacts are believed or told, as they deserve (seed ${seed})`, async () => {
  using folder = temporaryFolder("memory");
  const lying = await tellArtifacts(folder.path, seed, inLongRun(60, 6), false);
  const honest = await tellArtifacts(folder.path, seed, inLongRun(60, 4), true);
  assert.deepEqual([...lying.wrong, ...honest.wrong], []);
});
