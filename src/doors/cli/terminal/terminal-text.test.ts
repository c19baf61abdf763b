import assert from "node:assert/strict";
import { test } from "node:test";
import { foldPage, localTime } from "./terminal-text.ts";

test("a continued line is indented below its own column, and paragraphs are broken again", () => {
  const page = ["One two three four", "five six seven", "", "Options", "      --name NAME  one two three four"].join(
    "\n",
  );
  assert.deepEqual(foldPage(page, 44).split("\n"), page.split("\n"), "what fits stays as it is");
  const long = page.replaceAll("four", "four and more words than fit");
  assert.deepEqual(foldPage(long, 44).split("\n"), [
    "One two three four and more words than fit",
    "five six seven",
    "",
    "Options",
    "      --name NAME  one two three four and",
    "                   more words than fit",
  ]);
});

test("without a terminal a page is as it is, and colours take no room", () => {
  const page = `\u001b[1m${"word ".repeat(40)}\u001b[22m`;
  assert.equal(foldPage(page, null), page);
  const short = `\u001b[1m${"x".repeat(40)}\u001b[22m y`;
  assert.equal(foldPage(short, 42), short);
});

test("a time of today is the clock's, one of another day has its date, and what is no time is shown as it is", () => {
  const noon = new Date(2026, 1, 12, 12, 0, 0);
  assert.equal(localTime(new Date(2026, 1, 12, 9, 3, 5, 123).toISOString(), noon.getTime()), "09:03:05");
  assert.equal(localTime(new Date(2026, 1, 11, 23, 59, 59).toISOString(), noon.getTime()), "2026-02-11 23:59:59");
  assert.equal(localTime("soon\u001b[2J", noon.getTime()).includes("\u001b"), false);
});
