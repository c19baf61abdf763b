import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { meant } from "../../../tests/paths/reference.ts";
import { worstGlobs, worstPaths } from "../../../tests/paths/worst.ts";
import { covers, overlaps } from "./glob-overlap.ts";
import { allows, forbids, type Glob, globMatches, readGlob } from "./globs.ts";
import { canonicalPath, type Path } from "./paths.ts";
import { checkScope } from "./scope.ts";

const seed = 256;

function glob(text: string): Glob {
  const result = readGlob(text);
  assert.ok(result.ok, text);
  return result.value;
}

function path(text: string): Path {
  const result = canonicalPath(text);
  assert.ok(result.ok, text);
  return result.value;
}

test(`long globs over any characters mean what plain recursion says (seed ${seed})`, () => {
  const part = fc
    .array(fc.constantFrom("a", "b", "é", "😀", "[", "*", "?", "**"), { minLength: 1, maxLength: 4 })
    .map((all) => all.join(""));
  const file = fc.array(
    fc.array(fc.constantFrom("a", "b", "é", "["), { minLength: 1, maxLength: 3 }).map((all) => all.join("")),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean(), file, (parts, tree, files) => {
      const text = parts.join("/") + (tree ? "/" : "");
      assert.equal(globMatches(glob(text), files.join("/")), meant(text, files.join("/")));
    }),
    { seed, numRuns: 5_000 },
  );
});

test("a question mark takes one character, however many units it has", () => {
  assert.ok(globMatches(glob("?.md"), "😀.md"));
});

test("the worst globs and paths take at most nine words of states a character: 9,225 steps", (t) => {
  let most = 0;
  for (const text of worstGlobs) {
    const read = glob(text);
    assert.ok(read.states.length <= Array.from(text).length + 3);
    const words = Math.ceil(read.states.length / 32);
    assert.ok(words <= 9);
    for (const file of worstPaths) {
      const meter = { steps: 0 };
      globMatches(read, file, meter);
      assert.ok(meter.steps <= words * (Array.from(file).length + 1), `${text}: ${meter.steps}`);
      most = Math.max(most, meter.steps);
    }
  }
  assert.ok(most > 9_000, "the worst is among them");
  t.diagnostic(`at most ${most} steps, each a few operations on 32 states`);
});

test("refuses globs that are too long or would leave the repository", () => {
  for (const text of [
    "a".repeat(257),
    "",
    ".",
    "/",
    "/**",
    "../**",
    "src/../*",
    ".git/**",
    "**/.git",
    "a\\*",
    "a\0",
    ".",
    "C:/*",
  ]) {
    const read = readGlob(text);
    assert.equal(read.ok ? text : read.error.code, "invalid-glob");
  }
  assert.ok(readGlob("a".repeat(256)).ok);
});

const relations: readonly (readonly [a: readonly string[], b: string, covers: boolean, overlaps: boolean])[] = [
  [["src"], "src/app.ts", true, true],
  [["src/"], "src/**", true, true],
  [["src/**"], "src/", false, true],
  [["**"], "any/thing/", true, true],
  [["src/*.ts"], "src/*", false, true],
  [["src/*"], "src/*.ts", true, true],
  [["src/*.ts"], "src/a.js", false, false],
  [["src/a*", "src/*b"], "src/a?b", true, true],
  [["?*/x", "y"], "*/x", true, true],
  [["src/a", "src/b"], "src/?", false, true],
  [["Src"], "src/a", false, false],
];
for (const [a, b, isCovered, isMet] of relations) {
  test(`${a.join(" and ")} ${isCovered ? "cover" : "do not cover"} ${b}`, () => {
    assert.equal(covers(a.map(glob), glob(b)), isCovered);
    assert.equal(
      a.some((text) => overlaps(glob(text), glob(b))),
      isMet,
    );
  });
}

test("gives up on hostile comparisons instead of working for ever, and calls them not covered", () => {
  const hostile = Array.from({ length: 8 }, (_, index) => glob(`**/*a${"?".repeat(20 + index)}`));
  assert.equal(covers(hostile, glob("**/*b*a*")), false);
});

test("forbids in any case and spelling, allows only exactly", () => {
  const secrets = [glob("Secrets/"), glob("straße.txt"), glob("é*.md"), glob("A?b")];
  for (const file of [
    "secrets/key",
    "SECRETS/KEY",
    "Secrets",
    "secrets./key",
    "secrets /key",
    "sec\u200brets/key",
    "STRASSE.TXT",
    "e\u0301x.md",
    "Éx.md",
    "aßB",
    "AßB",
  ]) {
    assert.ok(forbids(secrets, path(file)), file);
  }
  for (const file of ["secret", "secretsx/key", "src/secrets/key", "strase.txt"])
    assert.ok(!forbids(secrets, path(file)), file);
  assert.ok(allows([glob("Src/")], path("Src/a")));
  assert.ok(!allows([glob("Src/")], path("src/a")));
});

test("a scope reports each file's error in order", () => {
  const scope = { allowed: ["src/", "docs/*.md"], forbidden: ["src/secret/"] };
  const files = ["src/a.ts", "src/SECRET/b", "docs/x/y.md", "../z", "./docs/x.md", "README.md"];
  assert.deepEqual(
    checkScope(scope, files, "$.payload.files_modified").map(({ code, path: place }) => `${code} ${place}`),
    [
      "outside-contract $.payload.files_modified[1]",
      "outside-contract $.payload.files_modified[2]",
      "invalid-path $.payload.files_modified[3]",
      "outside-contract $.payload.files_modified[5]",
    ],
  );
  assert.deepEqual(
    checkScope({ allowed: ["ok", "../x"], forbidden: ["/y"] }, files).map(
      ({ code, path: place }) => `${code} ${place}`,
    ),
    ["invalid-glob $.allowed[1]", "invalid-glob $.forbidden[0]"],
  );
});

test("a hostile contract against a hostile report ends within its bound, refused", () => {
  const allowed = Array.from({ length: 900 }, (_, index) => `${"?*".repeat(120)}${index}`);
  const files = Array.from({ length: 240 }, (_, index) => `${"a".repeat(1_000)}${index}x`);
  const problems = checkScope({ allowed, forbidden: allowed }, files);
  assert.equal(problems.at(-1)?.code, "too-large");
  assert.ok(problems.length < 20, `${problems.length}`);
  const usual = Array.from({ length: 200 }, (_, index) => `packages/part-${index}/src/**/*.ts`);
  const many = Array.from({ length: 2_000 }, (_, index) => `packages/part-${index % 200}/src/deep/file-${index}.ts`);
  assert.deepEqual(checkScope({ allowed: usual, forbidden: ["**/*.key", "dist/"] }, many), []);
});
