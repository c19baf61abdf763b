/**
 * Every command works against a hub as against a file: the same lines are given to both, and what is printed on
 * standard output and the exit codes must be the same. The lines are the examples of the help pages, so no command can
 * be forgotten. Some are separate processes towards the hub, as people start them; the others are called in this one.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hookLines } from "./both-lines/hooks.ts";
import { messageLines } from "./both-lines/messages.ts";
import { inBothForms, type Line, plain, together } from "./both-places.ts";
import { folder, jsonLines, team } from "./command.ts";
import { exampleLines, exampleTeam, firstLines, isAboutTeam } from "./example-lines.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

/** Commands that start programs or say by a word who acts: each is tried elsewhere, or in a story. */
const others = ["run", "inbox"];

/**
 * One command for each way of speaking to a hub: it asks, waits, sends, sends a file, is paged, or brings what it finds in a
 * repository. That each command is whole as a process is tried on a file (output.test.ts), and what goes on until it is
 * interrupted is a process here too.
 */
const asProcesses = [
  "status",
  "inbox",
  "send",
  "task claim",
  "handoff issue",
  "journal export",
  "journal backup",
  "verify",
];

/** In the order they are run: each line finds what those before have left. */
const stories: Readonly<Record<string, readonly Line[]>> = { ...messageLines, ...hookLines };

/** Who acts, each by a token towards the hub. */
const agents = ["lead-1", "dev-1", "qa-1", "scout-1", "owner"];

/** A name that no path of a request may be mistaken for. */
const oddName = "nothing/called so %2F..?#";

/** Every example as its own agent gives it, the first of a command as others do too; and what is named oddly, or twice. */
const examples: readonly (readonly [name: string, Line])[] = exampleLines
  .filter((line) => isAboutTeam(line) && !others.includes(line.name))
  .flatMap(({ name, command, words, as }) => {
    const line = (by: string | undefined, more: readonly string[] = words): readonly [string, Line] => [
      name,
      { ...(by === undefined || by === "owner" ? {} : { as: by }), words: [...name.split(" "), ...more] },
    ];
    const isFirst = firstLines.some((first) => first.name === name && first.words === words);
    if (!isFirst) return [line(agents.find((agent) => agent === as))];
    const isNamed = command.positionals?.[0]?.required === true;
    const hasId = command.options?.some((option) => option.name === "id") === true;
    const again = line("lead-1", [...words, "--id", `again-${name.replace(" ", "-")}`]);
    // A file's journal is read by every program that reads the file; a hub's whole journal is the owner's.
    if (name.startsWith("journal ")) return [line("owner")];
    return [
      ...["dev-1", "lead-1", "owner"].map((by) => line(by)),
      ...(isNamed ? [line("lead-1", [oddName, ...words.slice(1)]), line("owner", [oddName, ...words.slice(1)])] : []),
      ...(hasId ? [again, again] : []),
    ];
  });

/** Runs the lines on a file and on a hub, each with a team of one kind, and answers where they differ. */
async function compared(
  [here, there, away]: readonly [here: string, there: string, away: string],
  lines: readonly (readonly [name: string, Line])[],
): Promise<readonly string[]> {
  // The same tokens are made in both, so that even the numbers of the entries are the same.
  const tokens = new Map<string, string>();
  for (const agent of agents) {
    tokens.set(agent, await tokenOf(there, agent));
    await tokenOf(here, agent);
  }
  const hub = await startHub(there);
  const differences: string[] = [];
  const shown = new Set<string>();
  for (const [name, own] of lines) {
    for (const { line, run } of inBothForms(own, !shown.has(name), asProcesses.includes(name))) {
      const [local, remote] = await together(
        run,
        { place: here, line, who: line.as === undefined ? [] : ["--as", line.as], variables: {} },
        { place: away, line, who: [], variables: towards(hub, tokens.get(line.as ?? "owner") ?? "") },
      );
      if (line.words.includes("--json")) assert.ok(jsonLines(local).length >= 0, "nothing but JSON lines");
      const said = `baton ${line.words.join(" ")}, as ${line.as ?? "the owner"}`;
      const code = `exit code ${line.code ?? local.code}\n`;
      const expected = `${code}${plain(local.stdout)}${plain(local.stderr)}`;
      const found = `exit code ${remote.code}\n${plain(remote.stdout)}${plain(remote.stderr)}`;
      if (local.code !== (line.code ?? local.code) || found !== expected)
        differences.push(`${said} (${local.code})\n${unlike(expected, found)}`);
    }
    shown.add(name);
  }
  return differences;
}

/** The lines of each that the other does not have. */
function unlike(onFile: string, onHub: string): string {
  const [here, there] = [onFile.split("\n"), onHub.split("\n")];
  const only = (lines: readonly string[], others: readonly string[]) => lines.filter((line) => !others.includes(line));
  return ["--- on a file", ...only(here, there), "--- on a hub", ...only(there, here)].join("\n");
}

test("stories of mail and hooks print the same and end the same, on a file and on a hub", async () => {
  const [here, there] = [team({ dialects: "vbw/2, bmad/1" }), team({ dialects: "vbw/2, bmad/1" })];
  const lines = Object.entries(stories).flatMap(([name, own]) => own.map((line) => [name, line] as const));
  assert.equal((await compared([here, there, folder()], lines)).join("\n"), "");
});

test("the examples of every command print the same and end the same, on a file and on a hub", async () => {
  const [here, there, away] = [await exampleTeam(), await exampleTeam(), await exampleTeam()];
  assert.ok(examples.length > 150, String(examples.length));
  assert.ok(asProcesses.every((name) => [...Object.keys(stories), ...examples.map(([tried]) => tried)].includes(name)));
  assert.equal((await compared([here, there, away], examples)).join("\n"), "");
});
