/**
 * The demo's story as data: the team, the shop that it works on, the plan, and what its developers write. The lead plans
 * two tasks; one developer asks for a tax rate that only the person knows, the other says that its work is done before it
 * has begun.
 */
import type { JsonObject } from "../../src/base/json.ts";

export const teamName = "shop";
export const agents = ["lead-1", "dev-1", "dev-2"] as const;
export type AgentName = (typeof agents)[number];

/** `.baton/team.yaml` of the demo. */
export const teamFile = `version: 1
team: ${teamName}
dialects: [vbw/2]
policy: enforce
agents:
  lead-1: {role: lead}
  dev-1: {role: dev}
  dev-2: {role: dev}
`;

/** A piece of work: what it is called, and the texts of the files when it is done, by path. */
export type Work = { readonly task: string; readonly title: string; readonly files: Readonly<Record<string, string>> };

const total = `/** The price of all items, in cents. */
export function total(items) {
  return items.reduce((sum, item) => sum + item.cents * item.count, 0);
}
`;

/** The shop before anybody works on it. */
export const projectFiles: Work["files"] = { "README.md": "# Shop\n\nPrices are in cents.\n", "src/price.js": total };

/** The work of dev-1, with the tax rate that the person decided, in percent, and the function that dev-2 asked for. */
export function taxWork(percent: number): Work {
  const more = `
/** A price with ${percent} percent tax, in whole cents. */
export function withTax(cents) {
  return Math.round((cents * ${100 + percent}) / 100);
}

/** Cents as text for people. */
export function shown(cents) {
  return (cents / 100).toFixed(2);
}
`;
  return { task: "1-1-T1", title: "Totals carry tax", files: { "src/price.js": total + more } };
}

const receipt = `import { shown } from "./price.js";

/** A line for each item. */
export function receipt(items) {
  return items.map(({ name, cents, count }) => \`\${count} x \${name} \${shown(cents * count)}\`);
}
`;

/** The work of dev-2, which uses a function of dev-1. */
export const receiptWork: Work = {
  task: "1-1-T2",
  title: "A receipt lists every item",
  files: { "src/receipt.js": receipt },
};

/** A file that belongs to dev-1 while it works, and that dev-2 wants too. */
export const wantedFile = "src/price.js";

/** The tax rates that the lead proposes, in percent; the first is what it recommends. */
const percents = [19, 7] as const;
export const defaultPercent = percents[0];

/** What dev-1 asks, and how the lead passes it on; the escalation is named after the task. */
export const question = {
  id: "ESC-01-01-T1",
  text: "Which tax rate applies?",
  evidence: "The plan does not name the country",
  options: percents.map((percent) => `${percent} percent`),
} as const;

export const blockerReport: JsonObject = {
  type: "blocker_report",
  plan_id: "1-1",
  task_id: "1-1-T1",
  blocker: question.text,
  needs: "The tax rate in percent",
};

/** The plan's tasks. */
export const works: readonly Work[] = [taxWork(defaultPercent), receiptWork];

/** The plan as the lead sends it; Baton fills in the rest of the message. */
export const contract: JsonObject = {
  type: "plan_contract",
  phase: 1,
  plan_id: "1-1",
  phase_id: "phase-1",
  objective: "Receipts with tax",
  tasks: works.map(({ task, title, files }) => ({ task, title, files: Object.keys(files) })),
  allowed_paths: ["src/"],
  must_haves: ["Tax is added", "A receipt lists every item"],
};
