import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainWordsIn } from "../../mail/handlers/receive.ts";
import { dialects } from "../dialects/registry.ts";
import { decode } from "./decode.ts";
import { readDecoded } from "./ladder.ts";

const seed = 20_26;

/** What texts are put together from: words, and whatever makes more than words of them. */
const parts = [
  "The build is green.",
  "Take #12 first, see notes.txt; it cost 3 # 4.",
  "# QA verdict",
  "   ## Plan",
  "type: dev_progress",
  "- **Type**: qa_verdict",
  "| type | dev_progress |",
  "schema_version: 2.0",
  "```json",
  "```",
  '{"type": "dev_progress", "status": "complete"}',
  '{"type": "dev_progress", "status": }',
  '{"note": 1}',
  "handoff:",
  "  metadata:",
  "---",
  "\tindented",
  "",
  "> quoted",
  "\u2028# separated",
];

test(`what are plain words is read the same with every dialect at hand (seed ${seed})`, async () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 6 })
    .map((all) => all.join("\n"));
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.boolean(),
      fc.constantFrom("refuse" as const, "prose" as const),
      async (said, strict, brokenJson) => {
        const decoded = await decode(said);
        const words = plainWordsIn(decoded);
        if (words === null) return;
        plain += 1;
        assert.deepEqual(readDecoded(decoded, { dialects, strict, brokenJson }), words);
      },
    ),
    { seed, numRuns: 3000 },
  );
  assert.ok(plain > 300, `only ${plain} texts were plain words`);
});

test("words with a heading, a type, a message among them are not plain, nor is an empty input", async () => {
  const others = ["# Plan\nGo.", "type: x", 'Look: {"type": "qa_verdict"}', "", "\0", '{"type": "qa_verdict"}'];
  for (const each of others) assert.equal(plainWordsIn(await decode(each)), null, each);
});
