/**
 * How large the house is, next to what it was when the counting began and what it is meant to become: a number that
 * everybody sees fall, not a limit that fails a build. `npm run check` prints it.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { catalogue } from "../src/main/catalogue.ts";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const notOurs = /(^|\/)(node_modules|dist|generated|fixtures|\.tmp)\//;
const isTest = (path: string) => path.endsWith(".test.ts");

function textsOf(pattern: string, counts: (path: string) => boolean = () => true): readonly string[] {
  return globSync(pattern, { cwd: home, exclude: (path) => path === "node_modules" || path === ".tmp" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !notOurs.test(path) && counts(path))
    .map((path) => readFileSync(join(home, path), "utf8"));
}

function sum(texts: readonly string[], parts: RegExp): number {
  return texts.reduce((all, text) => all + (text.match(parts)?.length ?? 0), 0);
}

const lines = /\n/g;
const words = /\S+/g;

const rows: readonly (readonly [what: string, start: number, goal: number, now: number])[] = [
  [
    "product source, lines",
    148_234,
    132_000,
    sum(
      textsOf("src/**/*.{ts,svelte,css}", (path) => !isTest(path)),
      lines,
    ),
  ],
  [
    "tests, lines",
    101_835,
    80_000,
    sum([...textsOf("src/**/*.test.ts"), ...textsOf("tests/**/*.{ts,c,svelte}")], lines),
  ],
  ["words of Markdown", 199_011, 60_000, sum(textsOf("**/*.md"), words)],
  [
    "bench, scripts, examples, lines",
    13_659,
    8_000,
    sum(textsOf("{bench,scripts,examples}/**/*.{ts,sh,svelte}"), lines),
  ],
  ["commands", 117, 90, catalogue.length],
];

const number = (value: number) => value.toLocaleString("en").padStart(8);
console.log(`${"budget".padEnd(40)}   start      goal       now`);
for (const [what, start, goal, now] of rows)
  console.log(`${what.padEnd(40)}${number(start)}  ${number(goal)}  ${number(now)}`);
