/** What the demo's agents write: the project as it is, and for each task what its developer makes of it. Data only. */
import { cast, mustHaves, plan } from "./story.ts";

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

const total = `/** The price of all items, in cents. */
export function total(items) {
  return items.reduce((sum, item) => sum + item.cents * item.count, 0);
}
`;

const readme = "# Shop\n\nPrices in cents. `node --test` runs the tests.\n";

/** The repository before the phase begins. */
export const projectFiles: Files = {
  "README.md": readme,
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
    evidence: `${mustHaves.tax}: test/price.test.js`,
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
    evidence: `${mustHaves.money}: test/money.test.js`,
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
    evidence: `${mustHaves.basket}: test/basket.test.js`,
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

const readmeWork = {
  subject: "The README names what is new",
  evidence: `${mustHaves.readme}: README.md`,
} as const;

/** As far as the developer comes that falls silent. */
const thirdWork: Changes = {
  [plan.readmeTask]: { ...readmeWork, files: { "README.md": `${readme}\n\`withTax\` adds tax to a total.\n` } },
};

/** The same task, done by the agent that takes it over: it keeps what it finds and adds what is missing. */
const takenOver: Changes = {
  [plan.readmeTask]: {
    ...readmeWork,
    files: {
      "README.md": `${readme}\n\`withTax\` adds tax to a total.\n\`shown\` shows cents as money, always with two decimals.\n`,
    },
  },
};

/** What each developer does by contract, by agent and task. */
export const developerChanges: Readonly<Record<string, Changes>> = {
  [cast.dev.agent]: firstWork,
  [cast.secondDev.agent]: secondWork,
  [cast.thirdDev.agent]: thirdWork,
};

/** What an agent does of another's work, once it is asked to take it over. */
export const standInChanges: Readonly<Record<string, Changes>> = { [cast.secondDev.agent]: takenOver };

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
