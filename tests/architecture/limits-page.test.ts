/** The limits' page and the limits agree: a number written twice is compared. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as limits from "../../src/base/limits.ts";
import { problemCodes } from "../../src/base/problem.ts";
import { home } from "./sources.ts";

const page = readFileSync(join(home, "docs/guides/limits.md"), "utf8");

test("the page of limits names every limit's number", () => {
  const spelled = new Set(page.match(/\d[\d,]*/g)?.map((number) => Number(number.replaceAll(",", ""))));
  for (const [name, value] of Object.entries(limits)) {
    assert.ok(spelled.has(value), `docs/guides/limits.md does not name ${name} = ${value}`);
  }
});

test("the page of limits names only codes that exist", () => {
  const named = [...page.matchAll(/`([a-z]+(?:-[a-z0-9]+)+)`/g)].map((match) => match[1] ?? "");
  for (const code of named) assert.ok(Object.hasOwn(problemCodes, code), `there is no problem code ${code}`);
});
