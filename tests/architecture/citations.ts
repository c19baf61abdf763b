/**
 * Citations: what a comment or a page names as its source is in the repository, down to the section. A rule that nobody
 * can look up is no rule.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, join, posix, sep } from "node:path";
import { type Guard, home, isTest, type Violation } from "./sources.ts";

/** Markdown files that comments speak of and that belong to a team's project, not to this one. */
const foreignFiles = new Set(["go.md", "notes.md", "readme.md", "story.md"]);

/** Every page of the repository by its path, with the numbers of its sections. */
const pages: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  globSync("{*.md,docs/**/*.md}", { cwd: home }).map((found) => {
    const path = found.split(sep).join("/");
    return [path, sectionsOf(readFileSync(join(home, path), "utf8"))];
  }),
);
const names = new Set([...pages.keys()].map((path) => basename(path)));

/** The numbers of the second headings. */
function sectionsOf(page: string): ReadonlySet<string> {
  return new Set([...page.matchAll(/^## (\d+)\. /gm)].map(([, number = ""]) => number));
}

/** Comments cite pages and sections that exist. */
export const citationsGuard: Guard = (sources) =>
  sources.flatMap((source) => {
    const { path, written, comments, lineOf } = source;
    const inComments = comments.flatMap(({ value, start }): Violation[] => {
      const words = value.replaceAll(/\n\s*\*? ?/g, " ");
      return problemsOf(words).map((message) => ({ path, line: lineOf(start), message }));
    });
    const inText = isTest(path)
      ? []
      : [...written.matchAll(/docs\/(?:protocol|guides|reference)\/[\w./-]+\.md/g)]
          .filter(([page]) => !isThere(page))
          .map(({ 0: page, index }) => ({ path, line: lineOf(index), message: missing(page) }));
    return [...inComments, ...inText];
  });

/** What is wrong with the citations of one comment. */
function problemsOf(words: string): readonly string[] {
  const problems: string[] = [];
  if (/\.\.\/shared\b/.test(words)) problems.push("Names a folder outside of the repository. Cite docs/protocol.");
  if (/\bthe seeds'|\bseed (of )?(vbw|yolo|bmad)\b/i.test(words))
    problems.push("The dialects' documents are not in the repository. Cite tests/requirements.");
  for (const [, page = ""] of words.matchAll(/(?<![\w*])((?:[\w.-]+\/)*[\w.-]+\.md)\b/g)) {
    if (!isThere(page)) problems.push(missing(page));
  }
  if (/\bdecision \d{4}\b/i.test(words)) problems.push("Decisions have no numbers. Cite docs/decisions.md.");
  let rest = words;
  for (const [cited, page = "", numbers = ""] of words.matchAll(
    /(docs\/[\w./-]+\.md), sections? (\d+(?:(?:, (?:and )?| and | to )\d+)*)/g,
  )) {
    rest = rest.replace(cited, "");
    for (const [number] of numbers.matchAll(/\d+/g)) {
      if (!(pages.get(page)?.has(number) ?? false))
        problems.push(`${page} has no section ${number}. Cite one that exists.`);
    }
  }
  if (/docs\/protocol\/[\w-]+\.md,? (?:\(?[A-Z"])/.test(rest.replaceAll(/\.md\. /g, "")))
    problems.push("Cite a section by its number: docs/protocol/tasks.md, section 3.");
  if (/\bsections? \d/i.test(rest.replaceAll(/RFC \d+,? sections? [\d.]+|\(sections? [\d.]+\)/g, "")))
    problems.push("Which page is this section in? Cite it as docs/protocol/tasks.md, section 3.");
  return problems;
}

function missing(page: string): string {
  return `There is no ${page}. Cite a page that is in the repository.`;
}

/** Whether a page is in the repository; a name in capitals stands for any. */
function isThere(page: string): boolean {
  const name = basename(page);
  if (/^[A-Z]{4,}(?:-[a-z]+)?\.md$/.test(name) && page.includes("/")) return true;
  return page.includes("/") ? pages.has(page) || foreignFiles.has(name) : names.has(name) || foreignFiles.has(name);
}

/** Links of the pages to a section of another that does not exist. */
export function pageProblems(pagesToRead: ReadonlyMap<string, string>): readonly string[] {
  return [...pagesToRead].flatMap(([path, text]) =>
    [...text.matchAll(/\]\(([\w./-]+\.md)\), sections? (\d+(?:(?:, (?:and )?| and )\d+)*)/g)].flatMap(
      ([, target = "", numbers = ""]) => {
        const page = posix.join(posix.dirname(path), target);
        return [...numbers.matchAll(/\d+/g)]
          .filter(([number]) => !(pages.get(page)?.has(number) ?? false))
          .map(([number]) => `${path}: ${page} has no section ${number}`);
      },
    ),
  );
}

/** Sections of the protocol are numbered 1, 2, 3 in their order, so that a citation stays what it is. */
export function numberingProblems(pagesToRead: ReadonlyMap<string, string>): readonly string[] {
  return [...pagesToRead].flatMap(([path, text]) =>
    [...text.matchAll(/^## (.*)$/gm)].flatMap(([, title = ""], index) =>
      title.startsWith(`${index + 1}. `) ? [] : [`${path}: "${title}" is section ${index + 1}; number it so`],
    ),
  );
}

/** The pages that are cited by section, by path. */
export function protocolPages(): ReadonlyMap<string, string> {
  const found = globSync("docs/protocol/*.md", { cwd: home }).map((path) => path.split(sep).join("/"));
  return new Map(
    found.filter((path) => !path.endsWith("README.md")).map((path) => [path, readFileSync(join(home, path), "utf8")]),
  );
}
