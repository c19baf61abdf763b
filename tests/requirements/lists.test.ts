/**
 * The lists of what the dialects' documents ask for: every statement is held by tests that exist, or is marked as outside
 * the program with the reason.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { home, nodesOf, sourceOf } from "../architecture/sources.ts";
import { type Requirement, type RequirementList, readRequirements } from "./requirements.ts";

const lists = readRequirements();

/** How many statements each document has: a row that is lost is missed. */
const counts: Readonly<Record<string, number>> = {
  "vbw-1": 76,
  "vbw-2": 181,
  "yolo-1": 390,
  "bmad-1": 96,
  "yolo-2": 170,
};

/** The titles of the tests in a file, as its source has them. */
function titlesIn(path: string): ReadonlySet<string> {
  const source = sourceOf(path, readFileSync(join(home, path), "utf8"));
  const titles = nodesOf(source.program).flatMap((node) => {
    if (node.type !== "CallExpression" || !Array.isArray(node.arguments)) return [];
    const first: unknown = node.arguments[0];
    if (typeof first !== "object" || first === null || !("type" in first)) return [];
    const { type, value, start, end } = first as { type: string; value?: unknown; start: number; end: number };
    if (type === "Literal" && typeof value === "string") return [value];
    return type === "TemplateLiteral" ? [source.text.slice(start + 1, end - 1)] : [];
  });
  return new Set(titles);
}

const known = new Map<string, ReadonlySet<string> | null>();

function hasTest(named: string): boolean {
  const at = named.indexOf(": ");
  const path = named.slice(0, at);
  if (!path.endsWith(".test.ts")) return false;
  let titles = known.get(path);
  if (titles === undefined) {
    titles = exists(path) ? titlesIn(path) : null;
    known.set(path, titles);
  }
  return titles?.has(named.slice(at + 2)) ?? false;
}

function exists(path: string): boolean {
  try {
    readFileSync(join(home, path));
    return true;
  } catch {
    return false;
  }
}

function hasSection(section: string): boolean {
  const [page = "", number = ""] = section.split(" ");
  const path = `docs/protocol/${page}.md`;
  return exists(path) && new RegExp(`^## ${number}\\. `, "m").test(readFileSync(join(home, path), "utf8"));
}

/** What is wrong with a row. */
function problemsOf({ id, state, tests, note, section, says }: Requirement): readonly string[] {
  return [
    ...(says === "" ? [`${id} says nothing`] : []),
    ...(hasSection(section) ? [] : [`${id}: there is no section ${section}`]),
    ...(state === "held" || note !== "" ? [] : [`${id} is ${state} without a reason`]),
    ...(state === "outside" || tests.length > 0 ? [] : [`${id} has no test`]),
    ...(state === "outside" && tests.length > 0 ? [`${id} is outside and has a test`] : []),
    ...tests.filter((named) => !hasTest(named)).map((named) => `${id}: there is no test ${named}`),
  ];
}

function problemsIn({ name, rows }: RequirementList): readonly string[] {
  const ids = new Set(rows.map(({ id }) => id));
  return [
    ...(rows.length === counts[name] && ids.size === rows.length ? [] : [`${name} has ${ids.size} statements`]),
    ...rows.flatMap(problemsOf),
  ];
}

for (const list of lists) {
  test(`${list.dialect}: every statement has tests that exist, or the reason why it is outside the program`, () => {
    assert.deepEqual(problemsIn(list), []);
  });
}

test("a row without a test, with one that does not exist, without a reason, or that is lost is found", () => {
  const [list] = lists;
  const [row] = list?.rows ?? [];
  assert.ok(list !== undefined && row !== undefined);
  const wrong: readonly Requirement[] = [
    { ...row, tests: [] },
    { ...row, tests: ["tests/requirements/lists.test.ts: nobody wrote this test"] },
    { ...row, tests: ["tests/requirements/gone.test.ts: nobody wrote this file"] },
    { ...row, state: "otherwise", note: "" },
    { ...row, section: "messages 99" },
  ];
  for (const each of wrong) assert.equal(problemsOf(each).length, 1, JSON.stringify(each));
  assert.equal(problemsIn({ ...list, rows: list.rows.slice(1) }).length, 1);
});
