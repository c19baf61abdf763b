/** The reference pages of commands, operations, problem codes and agent programs. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { problemCodes } from "../../src/base/problem.ts";
import { type Command, globalOptions } from "../../src/doors/cli/kernel/command.ts";
import { exitCodeOf } from "../../src/doors/cli/terminal/exit-codes.ts";
import { problemStatus } from "../../src/doors/http/server/answers.ts";
import { table } from "../../src/mail/text/reference.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import {
  commandsOf,
  fieldsBesidePath,
  type OperationDefinition,
  wholePathOf,
} from "../../src/perform/operations/define.ts";
import { operationsBySubject } from "../../src/perform/operations/registry.ts";
import { capabilities, isReason } from "./capabilities.ts";
import { page } from "./reference.ts";

const home = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The pages by path. */
export async function lookupPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/reference/commands.md", await commandsPage()],
    ["docs/reference/operations.md", operationsPage()],
    ["docs/reference/problems.md", problemsPage()],
    ["docs/reference/programs.md", programsPage()],
  ]);
}

async function commandsPage(): Promise<string> {
  const loaded = await Promise.all(
    catalogue.map(async ({ name, group, summary, load }) => ({ name, group, summary, ...(await load()) })),
  );
  const groups = [...Map.groupBy(loaded, ({ group }) => group)].flatMap(([group, entries]) => [
    `## ${group}`,
    table(
      ["Command", "Does", "Options"],
      entries.map(({ name, summary, command }) => [`\`${usageOf(name, command)}\``, summary, optionsOf(command)]),
    ),
  ]);
  return page([
    "# Commands",
    "Find the command for what you want to do; `baton COMMAND --help` explains each with examples. An option in **bold** is required.",
    `Everywhere: ${globalOptions.map(({ name }) => `\`--${name}\``).join(", ")}.`,
    ...groups,
  ]);
}

function usageOf(name: string, { positionals = [] }: Command): string {
  const words = positionals.map((each) => (each.required === true ? each.name : `[${each.name}]`));
  return ["baton", name, ...words].join(" ");
}

function optionsOf({ options = [] }: Command): string {
  return options.map(({ name, required }) => (required === true ? `**\`--${name}\`**` : `\`--${name}\``)).join(" ");
}

function operationsPage(): string {
  const subjects = Object.entries(operationsBySubject).flatMap(([subject, operations]) => [
    `## ${subject}`,
    table(["Operation", "Route", "Input", "Does"], (operations as readonly OperationDefinition[]).map(operationRow)),
  ]);
  return page([
    "# Operations and HTTP",
    "Find the operation, its route and its input; `schemas/operations.json` and `GET /openapi.json` have every shape. A route begins with `/api/teams/{team}` unless it begins with `/api` or another word of its own, shown as a whole. `?` marks what may be left out; what changes something also takes an `id`, and a repeat under it has no second effect. The name is also the method of `Team` in the [library](../guides/library.md).",
    ...subjects,
  ]);
}

function operationRow(definition: OperationDefinition): readonly string[] {
  const { call, http, says, mcp, on } = definition;
  const input = Object.entries(fieldsBesidePath(definition)).map(
    ([name, shape]) => `\`${name}\`${(shape as { isOptional?: () => boolean }).isOptional?.() === true ? "?" : ""}`,
  );
  const others = [
    ...commandsOf(definition).map((words) => `\`baton ${words}\``),
    ...(mcp === undefined ? [] : [`tool \`${mcp.tool}\` ${mcp.action}`]),
  ];
  return [
    `\`${call}\``,
    `\`${http.method.toUpperCase()} ${on === "hub" ? wholePathOf(definition) : http.path}\``,
    input.join(" "),
    `${says}${others.length === 0 ? "" : ` (${others.join(", ")})`}`,
  ];
}

function problemsPage(): string {
  const rows: string[][] = [];
  for (const [code, { causedBy, retry }] of Object.entries(problemCodes)) {
    const known = code as keyof typeof problemCodes; // a key of the same table
    const exit = exitCodeOf({ code: known, path: "$", message: "" });
    const facts = [retry === "later" ? `${causedBy}, or later` : causedBy, `${problemStatus[known]}`, `${exit}`];
    const last = rows.at(-1);
    if (last !== undefined && last.slice(1).join() === facts.join()) last[0] += ` \`${code}\``;
    else rows.push([`\`${code}\``, ...facts]);
  }
  return page([
    "# Problem codes",
    "Look up who can repair a problem (the sender, the operator who runs Baton, or the machine; *or later*: the same call may succeed later), its HTTP status and exit code. If a message has several errors, the one that is first here is reported first. Every problem says in a sentence what is wrong, and most have a hint.",
    table(["Codes", "Repaired by", "HTTP", "Exit"], rows),
  ]);
}

function programsPage(): string {
  const { programs, rows } = capabilities();
  const versions = readFileSync(join(home, "scripts/agent-programs.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const reasons = [...new Set(rows.flatMap(({ cells }) => cells.filter(isReason)))];
  const cellOf = (cell: string) => (isReason(cell) ? `no (${reasons.indexOf(cell) + 1})` : "yes");
  return page([
    "# What works in which agent program",
    `Compare what Baton can do in [Claude Code](../guides/claude-code.md), [Codex](../guides/codex.md) and [Gemini CLI](../guides/gemini.md). \`npm run test:programs\` shows each *yes* with the real programs, offline: ${versions.join(", ")}.`,
    table(
      ["", ...programs],
      rows.map(({ says, cells }) => [says, ...cells.map(cellOf)]),
    ),
    reasons.map((reason, index) => `${index + 1}. ${reason.slice(2)}`).join("\n"),
  ]);
}
