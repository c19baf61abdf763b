/** Plain English in the pages that people wrote; `idiomGuard` looks at comments and messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { idiomsIn, idiomsInPage, writtenPages } from "./idiom.ts";

test("the pages say it in plain English", () => {
  const pages = [...writtenPages()];
  assert.ok(pages.length > 100, "the pages are found");
  assert.deepEqual(
    pages.flatMap(([path, page]) => idiomsInPage(path, page)),
    [],
  );
});

test("an idiom is found with its line, also across two lines, and one in code or in a link is none", () => {
  const planted = "# A page\n\nThe agent is\ntold of it, whoever\nasks.\n\n```\nanew\n```\n`beside` [x](of-its-own.md)";
  assert.deepEqual(
    idiomsInPage("a.md", planted).map((found) => found.split(". ")[0]),
    ['a.md:3 "is told"', 'a.md:4 "told of"', 'a.md:4 "whoever"'],
  );
});

test("plain sentences pass", () => {
  for (const plain of ["The hub rejects the token.", "A star stands for any name.", "`GET /standings` lists it."])
    assert.deepEqual(idiomsIn(plain), [], plain);
});
