import assert from "node:assert/strict";
import { test } from "node:test";
import { foldPage } from "./terminal-text.ts";

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
