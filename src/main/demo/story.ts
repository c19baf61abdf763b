/**
 * What the demo's team works on: a small shop whose prices lack tax and cents. Project, plan and changes are data; the
 * agents react to what they read and look up here what to write.
 */

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/** A change that an agent commits. */
export interface Change {
  readonly subject: string;
  readonly files: Files;
}

/** Changes by the task that asks for them. */
export type Changes = Readonly<Record<string, Change>>;

/** The plan that the phase is about. */
export const plan = {
  planId: "1-1",
  phaseId: "phase-1",
  objective: "Totals carry tax, and money is shown with its cents",
  taxTask: "1-1-T1",
  moneyTask: "1-1-T2",
  allowedPaths: ["src/price.js", "test/"],
  mustHaves: ["Tax is added to a total", "1250 cents are shown as 12.50"],
  /** The file that the plan forgot; asking for it is what the approval is about. */
  forgottenPath: "src/money.js",
  documentPath: "docs/plan-1-1.md",
} as const;

const total = `/** The price of all items, in cents. */
export function total(items) {
  return items.reduce((sum, item) => sum + item.cents * item.count, 0);
}
`;

/** The repository before the phase begins. */
export const projectFiles: Files = {
  "README.md": "# Shop\n\nPrices in cents. `node --test` runs the tests.\n",
  "package.json": `${JSON.stringify({ name: "shop", private: true, type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
  "src/price.js": total,
  "src/money.js": `/** Cents as text for people. */
export function shown(cents) {
  return String(cents / 100);
}
`,
};

/** What the developer writes for each task. */
export const developerChanges: Changes = {
  [plan.taxTask]: {
    subject: "Totals carry tax",
    files: {
      "src/price.js": `${total}
/** A price with tax, rounded to whole cents. */
export function withTax(cents, percent) {
  return Math.round(cents * (1 + percent / 100));
}
`,
      "test/price.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total, withTax } from "../src/price.js";

test("a total counts every item", () => {
  assert.equal(total([{ cents: 250, count: 2 }, { cents: 100, count: 1 }]), 600);
});

test("tax is added and rounded to whole cents", () => {
  assert.equal(withTax(1000, 19), 1190);
  assert.equal(withTax(333, 7), 356);
});
`,
    },
  },
  [plan.moneyTask]: {
    subject: "Money is shown with its cents",
    files: {
      "src/money.js": `/** Cents as text for people, always with two decimals. */
export function shown(cents) {
  return (cents / 100).toFixed(2);
}
`,
      "test/money.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { shown } from "../src/money.js";

test("money is shown with its cents", () => {
  assert.equal(shown(1250), "12.50");
  assert.equal(shown(5), "0.05");
});
`,
    },
  },
};

/** The architect's document about the plan, written from what the scout found. */
export function planDocument(findings: readonly string[]): Change {
  const lines = [
    `# Plan ${plan.planId}: ${plan.objective}`,
    "",
    "Found:",
    ...findings.map((finding) => `- ${finding}`),
    "",
    "Must hold:",
    ...plan.mustHaves.map((each) => `- ${each}`),
  ];
  return { subject: `Plan ${plan.planId} is written down`, files: { [plan.documentPath]: `${lines.join("\n")}\n` } };
}

/** Every message of the phase, by what the checker must find: who said what under which id, each exactly once. */
export const messageIds = {
  kickOff: "kick-off",
  findings: "findings-1",
  contract: "contract-1-1",
  widerContract: "contract-1-1-wider",
  taxUpdate: `update-${plan.taxTask}`,
  moneyUpdate: `update-${plan.moneyTask}`,
  request: `ask-${plan.moneyTask}`,
  answer: `answer-${plan.moneyTask}`,
  verdict: "verdict-1-1",
  shutdown: "stop-1",
} as const;

/** The id under which an agent answers the request to stop. */
export function farewellId(agent: string): string {
  return `${messageIds.shutdown}-${agent}`;
}
