/** What axe finds on the page as it is now, by the rules of WCAG 2.2 A and AA. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { isLongRun } from "../run-size.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Which of these appearances axe looks at for the nth page: all of them in a long run, else one, each in its turn. Looking
 * takes a third of a second of the processor.
 */
export function looksFor<Appearance>(all: readonly Appearance[], nth: number): readonly Appearance[] {
  return isLongRun ? all : all.filter((_, at) => at === nth % all.length);
}

/** Each finding in a line. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // Evaluated, not added to the page: its policy runs no script that is written into it.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  return page.evaluate<string[]>(`axe
    .run(document, { resultTypes: ["violations"], iframes: false, preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 160) + " " + failureSummary)))`);
}
