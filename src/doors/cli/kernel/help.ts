/** The page of all commands. The page of one command is in command-page.ts. */

import type { Paint } from "../terminal/paint.ts";
import type { Catalogue } from "./catalogue.ts";
import { globalOptions } from "./command.ts";
import { facts, optionRow, section } from "./command-page.ts";

/** What the commands of a group are about. */
const groupWords: Readonly<Record<string, string>> = {
  agent: "who is in the team; what is said here stands in the journal, the team file stays as it is",
  approval: "requests that an agent or the person must answer before work goes on",
  contract: "what the plans of the team allow, and whether paths lie inside",
  handoff: "work passed on with a document: what to do, what it rests on, and files that can be checked",
  install: "let git and agent programs ask Baton; uninstall takes it back",
  journal: "the record itself: whether it is sound, what it holds, copies of it",
  task: "the board: who works on what; two agents never hold the same task or the same file",
  token: "credentials that prove an agent, or the owner, to a hub",
  uninstall: "what install wrote goes, and nothing else",
};

/** The page of all commands, or of those of one group (`agent`). */
export function overview(catalogue: Catalogue, paint: Paint, group?: string): string {
  const shown = group === undefined ? catalogue : catalogue.filter(({ name }) => name.startsWith(`${group} `));
  const groups = Map.groupBy(shown, (entry) => entry.group);
  const usage = group === undefined ? "  baton COMMAND [options]" : `  baton ${group} COMMAND [options]`;
  const next =
    group === undefined
      ? "  baton demo shows a team at work; baton up starts the hub of yours. Every page has examples: baton COMMAND --help"
      : `  baton ${group} COMMAND --help`;
  return [
    group === undefined
      ? `${paint.strong("baton")}: typed, verified handoffs between coding agents`
      : `${paint.strong(`baton ${group}`)}: ${groupWords[group] ?? "these commands belong together"}`,
    section("Usage", [usage], paint),
    ...[...groups].map(([name, entries]) => {
      return section(name, facts(entries.map((entry) => [entry.name, entry.summary])), paint);
    }),
    section("Everywhere", facts(globalOptions.map(optionRow)), paint),
    section("Next", [next], paint),
  ].join("\n\n");
}
