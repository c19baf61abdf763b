/** The page of all commands. The page of one command is in command-page.ts. */
import { catalogue } from "./catalogue.ts";
import { globalOptions } from "./command.ts";
import { facts, optionRow, section } from "./command-page.ts";
import type { Paint } from "./paint.ts";

/** The page of all commands, or of those of one group (`agent`). */
export function overview(paint: Paint, group?: string): string {
  const shown = group === undefined ? catalogue : catalogue.filter(({ name }) => name.startsWith(`${group} `));
  const groups = Map.groupBy(shown, (entry) => entry.group);
  const usage = group === undefined ? "  baton COMMAND [options]" : `  baton ${group} COMMAND [options]`;
  const next =
    group === undefined
      ? "  baton init, then baton COMMAND --help: every page has examples."
      : `  baton ${group} COMMAND --help`;
  return [
    `${paint.strong("baton")}: typed, verified handoffs between coding agents`,
    section("Usage", [usage], paint),
    ...[...groups].map(([name, entries]) => {
      return section(name, facts(entries.map((entry) => [entry.name, entry.summary])), paint);
    }),
    section("Everywhere", facts(globalOptions.map(optionRow)), paint),
    section("Next", [next], paint),
  ].join("\n\n");
}
