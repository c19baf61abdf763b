/** Every relative link in our own Markdown leads to a file that exists, so that no reader meets a missing page. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { numberingProblems, pageProblems, protocolPages } from "./citations.ts";
import { linkedFiles, linksOf } from "./links.ts";
import { home } from "./sources.ts";

const pages: ReadonlyMap<string, string> = new Map(
  globSync("**/*.md", {
    cwd: home,
    exclude: (name) => ["node_modules", "dist", ".tmp", ".git"].includes(name),
  }).map((path) => [path, readFileSync(join(home, path), "utf8")]),
);

test("every relative link leads somewhere", () => {
  assert.ok(pages.size > 20, "the pages are found");
  const broken = [...pages].flatMap(([path, text]) =>
    linkedFiles(text)
      .filter((target) => !existsSync(join(home, dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test("a link that leads nowhere would be found, and one in code is none", () => {
  assert.deepEqual(linksOf("see [a](b.md) and ![c](d.png)\n```\n[e](f.md)\n```\n`[g](h.md)`"), ["b.md", "d.png"]);
  assert.deepEqual(linkedFiles("[a](b.md#c), [d](#e), [f](https://example.org/g.md)"), ["b.md"]);
});

test("what a page imports of the package is one of its exports", () => {
  // The package's own file: its shape is ours.
  const facts = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const isExported = (named: string) => Object.hasOwn(facts.exports, named.replace(facts.name, "."));
  const named = [...pages].flatMap(([path, text]) => importsNamedIn(text).map((each) => ({ path, named: each })));
  assert.ok(named.length > 5, "the names are found");
  assert.deepEqual(
    named.filter((each) => !isExported(each.named)),
    [],
  );
  const planted = importsNamedIn(
    'see `baton/http`, `batonhq/htpp` and `.git/baton/x`\n```ts\nfrom "batonhq/mcp";\n```',
  );
  assert.deepEqual(planted, ["baton/http", "batonhq/htpp", "batonhq/mcp"]);
  assert.deepEqual(planted.filter(isExported), ["batonhq/mcp"]);
});

/** What a page names as a module of the package, in code or as an import; also by `baton`, which is only the command. */
function importsNamedIn(page: string): readonly string[] {
  return [...page.matchAll(/[`"'](baton(?:hq)?\/[a-z./]+|batonhq)[`"']/g)].map((match) => match[1] ?? "");
}

test("sections of the protocol have numbers in their order, and pages that cite one cite one that exists", () => {
  const pages = protocolPages();
  assert.ok(pages.size > 5, "the pages are found");
  assert.deepEqual([...numberingProblems(pages), ...pageProblems(pages)], []);
});

test("a section without its number, and a citation of none, would be found", () => {
  const planted = new Map([["docs/protocol/tasks.md", "## 1. One\n## Two\n[claims](claims.md), section 99"]]);
  assert.equal(numberingProblems(planted).length, 1);
  assert.equal(pageProblems(planted).length, 1);
});
