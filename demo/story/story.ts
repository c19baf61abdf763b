/**
 * The demo's story as data: its team of seven agents, with the door that each comes through, and what they work on, a
 * small shop whose prices lack tax and cents. What is written for each task comes last.
 */

import type { DialectId } from "../../src/messages/message.ts";
import type { Role } from "../../src/messages/role.ts";

/** A task of the plan, before anybody works on it. */
export interface PlannedTask {
  readonly task: string;
  readonly title: string;
  /** What it will touch; a claim of the task covers these. */
  readonly files: readonly string[];
}

/** How an agent reaches the hub. */
export type DoorKind = "mcp" | "http";

/** One agent of the demo. */
export interface CastMember {
  readonly agent: string;
  readonly role: Role;
  readonly door: DoorKind;
  readonly dialect: DialectId;
}

/** What must hold in the end, each shown by the report of one task. */
export const mustHaves = {
  tax: "Tax is added to a total",
  money: "1250 cents are shown as 12.50",
  basket: "An empty basket costs nothing",
  readme: "The README names what is new",
} as const;

/** The plan that the phase is about. */
export const plan = {
  planId: "1-1",
  phaseId: "phase-1",
  objective: "Totals carry tax, and money is shown with its cents",
  taxTask: "1-1-T1",
  moneyTask: "1-1-T2",
  basketTask: "1-1-T3",
  /** The agent that claims it falls silent, and another does it. */
  readmeTask: "1-1-T4",
  allowedPaths: ["src/price.js", "test/", "README.md"],
  mustHaves: Object.values(mustHaves),
  /** The file that the plan forgot; asking for it is what the approval is about. */
  forgottenPath: "src/money.js",
  documentPath: "docs/plan-1-1.md",
} as const;

/** The plan's tasks, with the files that each will touch. The one about the basket is generous: it takes all tests. */
export const plannedTasks: readonly PlannedTask[] = [
  { task: plan.taxTask, title: "Totals carry tax", files: ["src/price.js", "test/price.test.js"] },
  { task: plan.moneyTask, title: "Money is shown with its cents", files: [plan.forgottenPath, "test/money.test.js"] },
  { task: plan.basketTask, title: "An empty basket costs nothing", files: ["test/"] },
  { task: plan.readmeTask, title: "The README names what is new", files: ["README.md"] },
];

/** Every message of the phase, by what the checker must find: who said what under which id, each exactly once. */
export const messageIds = {
  kickOff: "kick-off",
  findings: "findings-1",
  contract: "contract-1-1",
  widerContract: "contract-1-1-wider",
  request: `ask-${plan.moneyTask}`,
  answer: `answer-${plan.moneyTask}`,
  correction: `correction-${plan.basketTask}`,
  handOn: `hand-on-${plan.readmeTask}`,
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

/** The team's name. */
export const demoTeam = "shop";

/** In the order of the play. `dev-1` speaks the other dialect: what it writes is translated for its readers, and back. */
export const cast = {
  lead: { agent: "lead-1", role: "lead", door: "http", dialect: "vbw/2" },
  architect: { agent: "architect-1", role: "architect", door: "http", dialect: "vbw/2" },
  scout: { agent: "scout-1", role: "scout", door: "mcp", dialect: "vbw/2" },
  dev: { agent: "dev-1", role: "dev", door: "mcp", dialect: "yolo/2" },
  secondDev: { agent: "dev-2", role: "dev", door: "http", dialect: "vbw/2" },
  /** The one that falls silent. */
  thirdDev: { agent: "dev-3", role: "dev", door: "mcp", dialect: "vbw/2" },
  qa: { agent: "qa-1", role: "qa", door: "mcp", dialect: "vbw/2" },
} as const satisfies Readonly<Record<string, CastMember>>;

/** Who plays, as a list. */
export const castMembers: readonly CastMember[] = Object.values(cast);

/**
 * `.baton/team.yaml` of the demo; `disappearSeconds`: how late an expected heartbeat may be, null: as usual. The
 * routing lets `qa` be notified of finished work at once, in either dialect.
 */
export function demoTeamFile(disappearSeconds: number | null): string {
  const limits = disappearSeconds === null ? "" : `limits:\n  disappear_seconds: ${disappearSeconds}\n`;
  return `version: 1
team: ${demoTeam}
dialects: [vbw/2, yolo/2, bmad/1]
policy: enforce
agents:
${castMembers.map(({ agent, role, dialect }) => `  ${agent}: {role: ${role}, dialect: ${dialect}}\n`).join("")}routing:
  - {dialect: vbw/2, type: execution_update, receivers: [qa]}
  - {dialect: yolo/2, type: execution_update, receivers: [qa]}
${limits}`;
}

/* What the demo's agents write: the project as it is, and for each task what its developer makes of it. Data only. */

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
