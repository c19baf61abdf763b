import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { covers, overlaps } from "./glob-sets.ts";
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

/** The meaning of a glob, said once more by plain recursion over parts and characters. */
function meant(pattern: string, file: string): boolean {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  const files = file.split("/");
  const isTree = pattern.endsWith("/") || !/[*?]/.test(pattern);
  if (!isTree) return partsMatch(parts, files);
  return files.some((_, index) => partsMatch(parts, files.slice(0, index + 1)));
}

function partsMatch(parts: readonly string[], files: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return files.length === 0;
  if (part === "**") {
    if (rest.length === 0) return files.length > 0;
    return partsMatch(rest, files) || (files.length > 0 && partsMatch(parts, files.slice(1)));
  }
  return files[0] !== undefined && charactersMatch(part, files[0]) && partsMatch(rest, files.slice(1));
}

function charactersMatch(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern[0] === "*")
    return charactersMatch(pattern.slice(1), text) || (text !== "" && charactersMatch(pattern, text.slice(1)));
  return (
    text !== "" && (pattern[0] === "?" || pattern[0] === text[0]) && charactersMatch(pattern.slice(1), text.slice(1))
  );
}

function words(alphabet: string, lengthMax: number): readonly string[] {
  let longest = [""];
  const all: string[] = [];
  for (let length = 1; length <= lengthMax; length++) {
    longest = longest.flatMap((word) => [...alphabet].map((character) => word + character));
    all.push(...longest);
  }
  return all;
}

const globs = words("ab/*?", 5).flatMap((text) => {
  const read = readGlob(text);
  return read.ok ? [{ text, glob: read.value }] : [];
});
/** Two of these, where they meet or differ, do so on a path that is short too. */
const short = globs.filter(({ text }) => text.length <= 3);
const paths = words("ab/", 6).filter((text) => !/^\/|\/\/|\/$/.test(text));

test("every glob of up to five characters means what plain recursion says, on short paths", () => {
  let asked = 0;
  globs.forEach(({ text, glob: read }, index) => {
    // A different seventh of the paths for each glob: all pairs of neighbours are met, in a fraction of the time.
    for (let at = index % 7; at < paths.length; at += 7) {
      const file = paths[at] ?? "";
      asked++;
      if (globMatches(read, file) !== meant(text, file)) assert.equal(`${text} on ${file}`, meant(text, file));
    }
  });
  assert.ok(asked > 100_000, `${asked} questions`);
});

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

test("the worst globs stay within states times characters", () => {
  const file = `${"a".repeat(1_000)}/${"a".repeat(23)}`;
  for (const text of [
    "*a".repeat(128),
    "**/".repeat(85),
    "*".repeat(256),
    "?*".repeat(128),
    `${"a*/**/".repeat(42)}b`,
    "**/*a*a*a*a*a*a*a*b",
  ]) {
    const read = glob(text);
    const meter = { steps: 0 };
    globMatches(read, file, meter);
    assert.ok(read.states.length <= text.length + 3);
    assert.ok(meter.steps <= read.states.length * (file.length + 1), `${text}: ${meter.steps}`);
  }
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

test("overlap agrees with looking for a common path, on short globs", () => {
  const some = short;
  const small = words("ab/", 7).filter((text) => !/^\/|\/\/|\/$/.test(text));
  const matched = some.map(({ glob: read }) => new Set(small.filter((file) => globMatches(read, file))));
  some.forEach((one, first) => {
    some.forEach((other, second) => {
      const isShared = [...(matched[first] ?? [])].some((file) => matched[second]?.has(file));
      assert.equal(overlaps(one.glob, other.glob), isShared, `${one.text} and ${other.text}`);
    });
  });
});

test("covering agrees with looking for a path left out, on short globs", () => {
  const some = short.filter(({ text }) => !text.includes("b"));
  // The letter c stands for all the characters no glob names.
  const small = words("ac/", 8).filter((text) => !/^\/|\/\/|\/$/.test(text));
  const matched = some.map(({ glob: read }) => small.map((file) => globMatches(read, file)));
  some.forEach((one, first) => {
    some.forEach((other, second) => {
      const third = some[(first * 7 + second * 3) % some.length];
      const sets = [matched[first], matched[some.indexOf(third ?? one)]];
      const isHeld = small.every((_, at) => matched[second]?.[at] !== true || sets.some((set) => set?.[at] === true));
      assert.equal(
        covers([one.glob, (third ?? one).glob], other.glob),
        isHeld,
        `${one.text} ${third?.text} over ${other.text}`,
      );
    });
  });
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

test("a scope tells each file's fault in order", () => {
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
