import assert from "node:assert/strict";
import { test } from "node:test";
import { readPlanList } from "./plan-list.ts";

const list = `# Cart with taxes
For the release.

1. Totals carry tax (high) #cart
   The cart shows prices without tax. Rates are in \`src/tax/rates.json\`, see #12.
   - total() returns net, tax and gross in cents
   - files: src/cart.js, src/tax/
   - check: \`npm test\`
   \`\`\`js
   - total(cart)
   \`\`\`
2. [x] Rates as a file
3. A page about it
   after: 1 and 2, 1-1-T3
   files: none
   priority: low
   done: the page is linked
   agent: dev-2

## Acceptance criteria
- A reader finds it
`;

test("items are tasks, what is indented says more, and what is done or before them is named", () => {
  const { title, tasks, notes, problems } = readPlanList(list.replaceAll("\n", "\r\n"));
  assert.deepEqual([title, problems], ["Cart with taxes", []]);
  assert.deepEqual(tasks, [
    {
      title: "Totals carry tax",
      description:
        "The cart shows prices without tax. Rates are in `src/tax/rates.json`, see #12.\n   ```js\n   - total(cart)\n   ```",
      criteria: ["total() returns net, tax and gross in cents"],
      checks: ["npm test"],
      priority: "high",
      labels: ["cart"],
      agent: null,
      files: ["src/cart.js", "src/tax/"],
      after: [],
      dependsOn: [],
      line: 4,
    },
    {
      title: "A page about it",
      description: "",
      criteria: ["the page is linked", "A reader finds it"],
      checks: [],
      priority: "low",
      labels: [],
      agent: "dev-2",
      files: "none",
      after: [0],
      dependsOn: ["1-1-T3"],
      line: 13,
    },
  ]);
  assert.deepEqual(
    notes.map(({ path, message }) => `${path}: ${message}`),
    [
      "line 2: This line is before the first task and left out: For the release.",
      "line 12: This line is done already and left out: Rates as a file",
    ],
  );
});

test("items without numbers are counted by their place, and the same title twice is noted", () => {
  const { tasks, notes } = readPlanList("- [ ] a\n- a\n- c\n  after: 1, 2\n");
  assert.deepEqual(
    tasks.map(({ title, after }) => [title, after]),
    [
      ["a", []],
      ["a", []],
      ["c", [0, 1]],
    ],
  );
  assert.deepEqual(
    notes.map(({ path }) => path),
    ["line 2"],
  );
});

const wrong: readonly (readonly [what: string, text: string, said: string])[] = [
  [
    "a number that no task has",
    "1. a\n2. b\n   after: 9",
    'wrong-value at line 2: "after 9" is no other task of this list.',
  ],
  ["a task after itself", "1. a\n   after: 1", 'wrong-value at line 1: "after 1" is no other task of this list.'],
  ["a circle", "1. a\n   after: 2\n2. b\n   after: 1", 'dependency-cycle at line 1: "a" would wait for itself.'],
  ["an unknown priority", "- a\n  priority: soon", 'wrong-value at line 1: "soon" is no priority.'],
  ["an item without words", "- \n", "wrong-value at line 1: The task has no title."],
  ["no list", "# Title\ntext", "wrong-format at text: No task was read: a task is an item of a list, at the margin."],
  ["501 tasks", "- a\n".repeat(501), "too-large at text: These are 501 tasks; one list has at most 500."],
];

for (const [what, text, said] of wrong) {
  test(`refused with its line: ${what}`, () => {
    const [problem] = readPlanList(text).problems;
    assert.equal(`${problem?.code} at ${problem?.path}: ${problem?.message}`, said);
  });
}
