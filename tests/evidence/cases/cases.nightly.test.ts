/** Every case of work that people and agents leave in a repository, and what is right by common sense. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { honest } from "./honest.ts";
import { lies } from "./lies.ts";
import { type Story, storiesIn, testStories } from "./story.ts";

const isDoubted = ({ right }: Story) => /caught|gone|reverted/.test(right);

testStories([...storiesIn(honest), ...storiesIn(lies)]);

test("there are 200 cases, and honest and false ones in balance", () => {
  const [good, bad] = [storiesIn(honest), storiesIn(lies)];
  assert.deepEqual(good.filter(isDoubted), [], "honest work is not doubted");
  assert.ok(good.length >= 100 && bad.length >= 100);
  const believed = bad.filter(
    (story) => !/caught|gone|reverted|asked|lacks|pointer|only-format|another-branch|changed-since/.test(story.right),
  );
  assert.deepEqual(
    believed.filter(({ missed }) => missed === null),
    [],
    "what is believed says why",
  );
});
