/** Every relative link in our own Markdown leads to a file that exists, so that no reader meets a missing page. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { test } from "node:test";
import { numberingFaults, pageFaults, protocolPages } from "./citations.ts";
import { home } from "./sources.ts";

/** The targets of links and images in a page, without those in code. */
function linksOf(page: string): readonly string[] {
  const words = page.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "");
  return [...words.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
}

const isRelative = (target: string): boolean => !/^([a-z]+:|#)/.test(target);

test("every relative link leads somewhere", () => {
  const pages = globSync("**/*.md", {
    cwd: home,
    exclude: (name) => ["node_modules", "dist", ".tmp", ".git"].includes(name),
  });
  assert.ok(pages.length > 20, "the pages are found");
  const broken = pages.flatMap((page) =>
    linksOf(readFileSync(join(home, page), "utf8"))
      .filter((target) => isRelative(target))
      .filter((target) => !existsSync(join(home, dirname(page), target.split("#")[0] ?? "")))
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test("a link that leads nowhere would be found, and one in code is none", () => {
  assert.deepEqual(linksOf("see [a](b.md) and ![c](d.png)\n```\n[e](f.md)\n```\n`[g](h.md)`"), ["b.md", "d.png"]);
});

/** The source files that a page names in code, as it writes them; a pattern or a folder is none. */
function filesNamedIn(page: string): readonly string[] {
  return [...page.matchAll(/`([a-z0-9/.-]+\.(?:ts|svelte))`/g)].map((match) => match[1] ?? "");
}

test("every source file that the architecture names is there", () => {
  const files = globSync(["src/**/*.{ts,svelte}", "demo/**/*.ts", "tests/**/*.ts"], { cwd: home });
  const known = new Set(files.flatMap((file) => endsOf(file.split(sep))));
  const named = filesNamedIn(readFileSync(join(home, "ARCHITECTURE.md"), "utf8"));
  assert.ok(named.length > 100, "the names are found");
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  );
  assert.deepEqual(filesNamedIn("see `shown/gone.ts`, `schema/subset-*.ts` and `docs/a.md`"), ["shown/gone.ts"]);
});

/** A file's path and each end of it: a page may name a file by its last folders. */
function endsOf(steps: readonly string[]): readonly string[] {
  return steps.map((_, index) => steps.slice(index).join("/"));
}

test("sections of the protocol have numbers in their order, and pages that cite one cite one that exists", () => {
  const pages = protocolPages();
  assert.ok(pages.size > 20, "the pages are found");
  assert.deepEqual([...numberingFaults(pages), ...pageFaults(pages)], []);
});

test("a section of the protocol keeps its number and its title", () => {
  const listed = readFileSync(join(home, "tests/architecture/protocol-sections.txt"), "utf8").trimEnd().split("\n");
  const there = [...protocolPages()].flatMap(([path, text]) =>
    [...text.matchAll(/^## (\d+)\. (.*)$/gm)].map(([, number, title]) => `${basename(path, ".md")} ${number} ${title}`),
  );
  const hint =
    "A new section gets the next number of its page and a line in protocol-sections.txt; no section changes its number.";
  assert.deepEqual(there.toSorted(), listed.toSorted(), hint);
});

test("a section without its number, and a citation of none, would be found", () => {
  const planted = new Map([["docs/protocol/tasks.md", "## 1. One\n## Two\n[claims](claims.md), section 99"]]);
  assert.equal(numberingFaults(planted).length, 1);
  assert.equal(pageFaults(planted).length, 1);
});

test("the index of decisions and the index of reasons have every page of their folder, by subject", () => {
  for (const folder of ["docs/decisions", "docs/protocol/rationale"]) {
    const pages = globSync("0*.md", { cwd: join(home, folder) });
    const index = linksOf(readFileSync(join(home, folder, "README.md"), "utf8"));
    assert.ok(pages.length > 10, folder);
    assert.deepEqual(
      pages.filter((page) => !index.includes(page)),
      [],
    );
  }
});
