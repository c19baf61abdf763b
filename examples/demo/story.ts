/**
 * The demo's story as data: the team, the shop that it works on, the list of six tasks, and what its agents write. Two
 * agents want one file, one says that its work is done before it has begun, one breaks a check, and one is killed.
 */

export const teamName = "shop";
export const agents = ["dev-1", "dev-2", "dev-3"] as const;
export type AgentName = (typeof agents)[number];

/** `.baton/team.yaml` of the demo, as `baton start` writes it; its check runs on any machine. */
export const teamFile = `version: 1
team: ${teamName}
dialects: [vbw/2]
agents:
${agents.map((agent) => `  ${agent}: {role: dev, program: claude-code}\n`).join("")}land: {when: auto}
checks: {commands: [node check.js], sandbox: none}
`;

/** Where Baton lands what is verified. */
export const landingBranch = "baton/main";

/** Files by path, with their texts. */
export type Files = Readonly<Record<string, string>>;
/** A piece of work, as it is when it is done. */
export type Work = { readonly title: string; readonly files: Files };

const total = `/** The price of all items, in cents. */
export const total = (items) => items.reduce((sum, item) => sum + item.cents * item.count, 0);
`;

/** Fails where a discount makes something dearer. */
const check = `import { existsSync } from "node:fs";
if (existsSync("src/discount.js")) {
  const { discounted } = await import("./src/discount.js");
  if (discounted(1000) > 1000) throw new Error("a discount makes it dearer: " + discounted(1000));
}
`;

/** The shop before anybody works on it. */
export const projectFiles: Files = {
  "README.md": "# Shop\n\nPrices are in cents.\n",
  "package.json": '{ "type": "module", "private": true }\n',
  "check.js": check,
  "src/price.js": total,
};

/** The list that the person gives. What is indented says more. */
export const planFile = "plan.md";
export const plan = `# A shop with taxes
1. Totals carry tax (high)
   agent: dev-1
   - withTax() returns whole cents
2. Prices are shown in euros (high)
   agent: dev-2
3. A receipt lists every item (high)
   agent: dev-3
   files: src/receipt.js
4. A discount of ten percent
   agent: dev-1
   files: src/discount.js
5. The README tells the tax
   agent: dev-2
   files: README.md
6. Stock is counted
   agent: dev-3
   files: src/stock.js
`;
export const taskCount = 6;

/** A file that dev-1 holds from its first edit on, and that dev-2 wants too. */
export const wantedFile = "src/price.js";

const withTax =
  "\n/** With 19 percent tax, in whole cents. */\nexport const withTax = (cents) => Math.round(cents * 1.19);\n";
const shown = "\n/** Cents as text for people. */\nexport const shown = (cents) => (cents / 100).toFixed(2);\n";
const receipt = "/** A line for each item. */\nexport const receipt = (items) => items.map(({ name }) => name);\n";
const discount = (rate: string) => `/** Ten percent less. */\nexport const discounted = (cents) => cents * ${rate};\n`;

export const works = {
  tax: { title: "Totals carry tax", files: { [wantedFile]: total + withTax } },
  /** Written on the file as it was before the tax came, which conflicts. */
  euros: { title: "Prices are shown in euros", files: { [wantedFile]: total + shown } },
  eurosMerged: { title: "Tax and euros, both", files: { [wantedFile]: total + withTax + shown } },
  receipt: { title: "A receipt lists every item", files: { "src/receipt.js": receipt } },
  discountWrong: { title: "A discount of ten percent", files: { "src/discount.js": discount("1.1") } },
  discount: { title: "A discount makes it cheaper", files: { "src/discount.js": discount("0.9") } },
  readme: {
    title: "The README tells the tax",
    files: { "README.md": "# Shop\n\nPrices are in cents, with 19 percent tax.\n" },
  },
  stock: {
    title: "Stock is counted",
    files: { "src/stock.js": "/** What is left. */\nexport const left = (had, sold) => had - sold;\n" },
  },
} as const satisfies Readonly<Record<string, Work>>;
