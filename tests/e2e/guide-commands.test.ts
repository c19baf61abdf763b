/**
 * Every call of `baton` in the README, the guides, the examples and our own hints is one that the command takes. A line
 * to be typed is read whole. A sentence may leave out the words that a command needs, but not its options: people paste
 * what is between the quotes. It names commands and options that there are.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readArguments, splitName } from "../../src/doors/cli/kernel/arguments.ts";
import { findCommand, isGroup } from "../../src/doors/cli/kernel/catalogue.ts";
import { globalOptions } from "../../src/doors/cli/kernel/command.ts";
import { catalogue } from "../../src/main/catalogue.ts";

const home = join(import.meta.dirname, "../..");
const documents = ["README.md", ...globSync(["docs/guides/*.md", "examples/*/README.md"], { cwd: home })];

interface CallOfDocument {
  readonly words: readonly string[];
  readonly isWhole: boolean;
}

/** The sources whose strings propose commands. */
const sources = globSync(["src/**/*.ts", "src/**/*.svelte"], { cwd: home }).filter(
  (file) => !/\.test\.ts$|\/generated\//.test(file),
);

/** What follows `baton` in the strings of a source: a hint proposes it between quotes, the page in an element. */
function callsInStrings(source: string): readonly CallOfDocument[] {
  const lines = source.split("\n").filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line));
  const calls = lines.flatMap((line) => [...line.matchAll(/(?:`|<code>)(?:npx )?baton ([a-z$][^`|…<\\]*)/g)]);
  return calls.map(([, call = ""]) => ({ words: wordsOf(call.replaceAll(/\$\{[^}]*\}?/g, "X")), isWhole: false }));
}

/** What follows `baton` in a document: in lines to be typed, and in its sentences. */
function callsIn(document: string): readonly CallOfDocument[] {
  const text = readFileSync(join(home, document), "utf8").replaceAll("\\\n", " ");
  // In a string or a comment it may stand for anything.
  const lines = text.matchAll(/^(?: {4})?(?:[A-Z_]+=\S+ )*(?:npx )?baton (.*?)(?: {2,}.*)?$/gm);
  const sentences = text.matchAll(/`(?:npx )?baton ([^`|…]+)`/g);
  return [
    ...[...lines].map(([, call = ""]) => ({ words: wordsOf(call), isWhole: true })),
    ...[...sentences].map(([, call = ""]) => ({ words: wordsOf(call), isWhole: false })),
  ];
}

/** The words up to what is the shell's, without their quotes; a variable with a default stands for that. */
function wordsOf(call: string): readonly string[] {
  const words = call.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  // What follows `--` is another program's.
  const end = words.findIndex((word) => word === "--" || /^(?:[|&#<>]|\d>)/.test(word));
  return words
    .slice(0, end < 0 ? words.length : end)
    .map((word) => word.replaceAll(/['"]/g, "").replaceAll(/\$\{[A-Z]+:-(\w+)\}/g, "$1"));
}

/** What is wrong with a call; null: nothing. */
async function problemOf({ words, isWhole }: CallOfDocument): Promise<string | null> {
  const { name } = splitName(words, globalOptions, (word) => isGroup(catalogue, word));
  const entry = findCommand(catalogue, name) ?? findCommand(catalogue, name.slice(0, 1));
  if (entry === null) {
    const [first = "COMMAND"] = name;
    // A word that is computed may be any.
    if (name.includes("X")) return null;
    return first === "COMMAND" || (name.length === 1 && isGroup(catalogue, first)) ? null : "no such command";
  }
  const { command } = await entry.load();
  const options = [...(command.options ?? []), ...globalOptions];
  if (!isWhole) {
    const unknown = words.filter(
      (word) => word.startsWith("--") && !options.some(({ name: each }) => word.split("=")[0] === `--${each}`),
    );
    if (unknown.length > 0) return `no such option: ${unknown.join(", ")}`;
    const missing = options.filter(({ name: each, required }) => required === true && !words.includes(`--${each}`));
    return missing.length === 0 ? null : `without --${missing.map(({ name: each }) => each).join(", --")}`;
  }
  const { rest } = splitName(words, globalOptions, (word) => entry.name.startsWith(`${word} `));
  const read = readArguments(rest, { options, positionals: command.positionals ?? [] });
  return read.ok ? null : read.error.message;
}

test("the documents call commands that there are, with options that they take", async () => {
  const problems: string[] = [];
  let calls = 0;
  for (const document of documents) {
    for (const call of callsIn(document)) {
      calls++;
      const problem = await problemOf(call);
      if (problem !== null) problems.push(`${document}: baton ${call.words.join(" ")}: ${problem}`);
    }
  }
  assert.deepEqual(problems, []);
  assert.ok(calls > 120, `${calls} calls`);
});

test("a command that a hint proposes has the options that it needs", async () => {
  const problems: string[] = [];
  let calls = 0;
  for (const source of sources) {
    for (const call of callsInStrings(readFileSync(join(home, source), "utf8"))) {
      calls++;
      const problem = await problemOf(call);
      if (problem !== null) problems.push(`${source}: baton ${call.words.join(" ")}: ${problem}`);
    }
  }
  assert.deepEqual(problems, []);
  assert.ok(calls > 120, `${calls} calls`);
});

test("a call that the command does not take is seen", async () => {
  for (const line of ["lgo", "log --lsat 3", "agent regster", "inbox --limit many"])
    assert.notEqual(await problemOf({ words: wordsOf(line), isWhole: true }), null, line);
  assert.notEqual(await problemOf({ words: wordsOf("task add --pln"), isWhole: false }), null);
  const [proposed] = callsInStrings('hint: "If it is gone, run `baton journal accept-loss`.",');
  assert.equal(proposed === undefined ? null : await problemOf(proposed), "without --reason");
});
