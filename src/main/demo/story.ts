/**
 * What the demo's team works on: a small shop whose prices lack tax and cents. Project, plan and changes are data; the
 * agents react to what they read and look up here what to write.
 */
import { cast } from "./cast.ts";
import type { PlannedTask } from "./task-answers.ts";

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/** A change that an agent commits. */
export interface Change {
  readonly subject: string;
  readonly files: Files;
}

/** What a developer does for a task, and what it does wrong on the way, as models do. */
export interface Work extends Change {
  /** What its report says shows that it works, by the must-have that it is for. */
  readonly evidence: string;
  /** Its first report has a misspelt word. */
  readonly misspells?: true;
  /** Its first report is a lie: nothing is done yet, and it names a commit of this author. */
  readonly liesWith?: string;
}

/** Work by task. */
export type Changes = Readonly<Record<string, Work>>;

const taxMustHave = "Tax is added to a total";
const moneyMustHave = "1250 cents are shown as 12.50";
const basketMustHave = "An empty basket costs nothing";

/** The plan that the phase is about. */
export const plan = {
  planId: "1-1",
  phaseId: "phase-1",
  objective: "Totals carry tax, and money is shown with its cents",
  taxTask: "1-1-T1",
  moneyTask: "1-1-T2",
  basketTask: "1-1-T3",
  allowedPaths: ["src/price.js", "test/"],
  mustHaves: [taxMustHave, moneyMustHave, basketMustHave],
  /** The file that the plan forgot; asking for it is what the approval is about. */
  forgottenPath: "src/money.js",
  documentPath: "docs/plan-1-1.md",
} as const;

/** The plan's tasks, with the files that each will touch. The last one is generous, so it can run beside no other. */
export const plannedTasks: readonly PlannedTask[] = [
  { task: plan.taxTask, title: "Totals carry tax", files: ["src/price.js", "test/price.test.js"] },
  { task: plan.moneyTask, title: "Money is shown with its cents", files: [plan.forgottenPath, "test/money.test.js"] },
  { task: plan.basketTask, title: "An empty basket costs nothing", files: ["test/"] },
];

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

const firstWork: Changes = {
  [plan.taxTask]: {
    subject: "Totals carry tax",
    evidence: `${taxMustHave}: test/price.test.js`,
    misspells: true,
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
    evidence: `${moneyMustHave}: test/money.test.js`,
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

const secondWork: Changes = {
  [plan.basketTask]: {
    subject: "An empty basket costs nothing",
    evidence: `${basketMustHave}: test/basket.test.js`,
    liesWith: cast.architect.agent,
    files: {
      "test/basket.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/price.js";

test("an empty basket costs nothing", () => {
  assert.equal(total([]), 0);
});
`,
    },
  },
};

/** What each developer does, by agent and task. */
export const developerChanges: Readonly<Record<string, Changes>> = {
  [cast.dev.agent]: firstWork,
  [cast.secondDev.agent]: secondWork,
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
  request: `ask-${plan.moneyTask}`,
  answer: `answer-${plan.moneyTask}`,
  correction: `correction-${plan.basketTask}`,
  verdict: "verdict-1-1",
  shutdown: "stop-1",
  closing: "closing-1",
} as const;

/** The id under which a developer reports a task, the second time where its first report did not hold. */
export function updateId(task: string, attempt = 1): string {
  return attempt === 1 ? `update-${task}` : `update-${task}-${attempt}`;
}

/** The id under which a developer claims a task. */
export function claimId(task: string, attempt = 1): string {
  return attempt === 1 ? `claim-${task}` : `claim-${task}-${attempt}`;
}

/** The id under which an agent answers the request to stop. */
export function farewellId(agent: string): string {
  return `${messageIds.shutdown}-${agent}`;
}
