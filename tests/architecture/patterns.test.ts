/**
 * Every regular expression of the sources takes linear time on any string: recheck judges each, literal or made from a
 * literal, in scripts, components and generated validators alike. Exceptions are data, each with what bounds its text.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { check } from "recheck";
import { isLongRun } from "../run-size.ts";
import { home, type Node, nodesOf, sourceOf } from "./sources.ts";

/** Patterns that are not linear, and why no string makes them slow. */
const exceptions: { readonly [pattern: string]: string } = {
  "src/perform/workspace/team-creation.ts /^-+|-+$/g": "the name of a folder, cut to 64 characters",
};

interface Pattern {
  /** Where it first appears, and the pattern itself. */
  readonly name: string;
  readonly source: string;
  readonly flags: string;
}

/** Every pattern of a source, or null for one that is made of what no literal says. */
function patternsIn(path: string, text: string): readonly (Pattern | null)[] {
  return nodesOf(sourceOf(path, text).program).flatMap((node) => {
    const found = literalOf(node) ?? constructedOf(node);
    if (found === undefined) return [];
    return [found === null ? null : { name: `${path} /${found.source}/${found.flags}`, ...found }];
  });
}

function literalOf(node: Node): Omit<Pattern, "name"> | undefined {
  const regex = node.regex as { readonly pattern: string; readonly flags: string } | undefined;
  return regex === undefined ? undefined : { source: regex.pattern, flags: regex.flags };
}

function constructedOf(node: Node): Omit<Pattern, "name"> | null | undefined {
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return undefined;
  if ((node.callee as Node).name !== "RegExp") return undefined;
  const [source, flags] = (node.arguments as readonly Node[]).map(textOf);
  if (typeof source !== "string") return null;
  return { source, flags: typeof flags === "string" ? flags : "" };
}

/** The text that a literal says, in quotes or in backticks that hold nothing but text. */
function textOf({ type, value, quasis }: Node): unknown {
  if (type !== "TemplateLiteral") return value;
  const parts = quasis as readonly { readonly value: { readonly cooked: string } }[];
  return parts.length === 1 ? parts[0]?.value.cooked : null;
}

/** How patterns are judged that only trying tells: by counting steps from one seed, so that no busy machine has a say. */
const judging = { timeout: 120_000, randomSeed: 1, attackTimeout: null, incubationTimeout: null };

/** Repetitions that end somewhere far; the checker tries each length of them. */
const longRepetition = /\{\d*,\d{2,}\}/g;

/**
 * How a pattern is judged. One that is linear where its long repetitions have no end is linear as written, and that is
 * told by proof where lengths must be tried.
 */
async function judge(source: string, flags: string) {
  const endless = source.replace(longRepetition, "*");
  const first = await check(endless, flags, judging);
  return first.status === "safe" || endless === source ? first : await check(source, flags, judging);
}

/** The patterns of `found` that are not linear, each with what is wrong. */
async function slow(found: readonly Pattern[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name, source, flags } of found) {
    const judged = await judge(source, flags);
    if (judged.status === "vulnerable") problems.push(`${name}: ${judged.complexity.summary}`);
    else if (judged.status !== "safe") problems.push(`${name}: ${judged.status}`);
  }
  return problems;
}

const paths = globSync("{src,packages,examples/demo}/**/*.{ts,js,svelte}", { cwd: home })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !path.endsWith(".test.ts") && !path.endsWith(".d.ts"))
  .toSorted();
const all = paths.flatMap((path) => patternsIn(path, readFileSync(join(home, path), "utf8")));

test("every pattern is written out, so that it can be judged", () => {
  assert.ok(all.length > 100, `only ${all.length} patterns are seen`);
  assert.ok(!all.includes(null), "a RegExp is made of a text that is no literal; match by hand, in linear time");
});

/** Patterns that were judged linear before, one a line: judged again in a long run only, which takes a while. */
const judgedBefore = new Set(
  readFileSync(join(home, "tests/architecture/linear-patterns.txt"), "utf8").trimEnd().split("\n"),
);

test("every pattern is linear, but for the exceptions, and no exception is stale", async (t) => {
  const written = new Map(all.filter((one) => one !== null).map((one) => [`/${one.source}/${one.flags}`, one]));
  const asked = [...written].filter(([pattern]) => isLongRun || !judgedBefore.has(pattern));
  const found = await slow(asked.map(([, one]) => one));
  const excused = Object.keys(exceptions);
  for (const [pattern, { name }] of asked)
    if (!judgedBefore.has(pattern) && !excused.includes(name)) t.diagnostic(`new in linear-patterns.txt: ${pattern}`);
  const gone = [...judgedBefore].filter((pattern) => !written.has(pattern));
  assert.deepEqual(gone, [], "no source has these lines of linear-patterns.txt");
  const unexcused = found.filter((problem) => !excused.some((name) => problem.startsWith(`${name}: `)));
  assert.deepEqual(unexcused, []);
  for (const name of excused)
    assert.ok(
      found.some((problem) => problem.startsWith(`${name}: `)),
      `stale: ${name}`,
    );
});

test("a pattern that takes squared or exponential time is seen, wherever it is written", async () => {
  const planted = patternsIn(
    "planted.ts",
    'const a = /0+$/; const b = new RegExp("^(a+)+$", "u"); const c = RegExp(x);',
  );
  assert.equal(planted.filter((pattern) => pattern === null).length, 1);
  const found = await slow(planted.filter((pattern) => pattern !== null));
  assert.equal(found.length, 2, found.join());
});
