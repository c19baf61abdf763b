/**
 * The command `baton`: finds the command, reads its arguments, runs it and ends with its exit code. Importing this
 * file runs it; it exports nothing. The only catch of the door is here: what is thrown is a fault of ours (exit 1).
 */

import { nearest } from "../../base/text.ts";
import { readArguments, splitName, usageProblem } from "./arguments.ts";
import { catalogue, findCommand, isGroup } from "./catalogue.ts";
import { type Call, globalOptions } from "./command.ts";
import { commandPage, usageLine } from "./command-page.ts";
import { readConfig } from "./config.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { overview } from "./help.ts";
import { type Output, outputTo } from "./output.ts";
import { packageFacts } from "./package-root.ts";
import { processStreams, stopSignal } from "./process-streams.ts";

const line = process.argv.slice(2);
const stop = stopSignal();
const config = readConfig();
const plain = line.includes("--no-color");
const output = outputTo(processStreams(stop), {
  json: beforeTerminator(line).includes("--json"),
  colour: { stdout: config.colour.stdout && !plain, stderr: config.colour.stderr && !plain },
});

try {
  const code = await run();
  process.exitCode = stop.interrupted() ? exitCodes.interrupted : code;
} catch (fault) {
  process.exitCode = exitCodes.fault;
  output.say(
    `${output.paint.stderr.bad("fault of baton")}: this is a bug of ours, nothing you did. Please report it with the lines below.`,
  );
  output.say(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
}

async function run(): Promise<ExitCode> {
  const { name, rest } = splitName(line, globalOptions, (word) => word === "help" || isGroup(word));
  if (name[0] === "help")
    return await showHelp(
      splitName(
        line.filter((word) => word !== "help"),
        globalOptions,
        isGroup,
      ).name,
    );
  if (name.length === 0) return withoutCommand();
  const entry = findCommand(name);
  if (entry === null) return unknownCommand(name, rest);
  const { command } = await entry.load();
  const declared = { options: [...(command.options ?? []), ...globalOptions], positionals: command.positionals ?? [] };
  const read = readArguments(rest, declared);
  if (!read.ok) return usageFault(output, read.error, `usage: ${usageLine(entry.name, command)}`);
  const given = read.value;
  if (given.flag("help")) return say(commandPage(entry.name, entry.summary, command, output.paint.stdout));
  if (given.flag("version")) return say(packageFacts().version);
  const call: Call = { given, output, config, signal: stop.signal };
  return await command.run(call);
}

/** No command at all: help when nothing else was asked, as clig.dev wants it. */
function withoutCommand(): ExitCode {
  const read = readArguments(line, { options: globalOptions, positionals: [] });
  if (!read.ok) return usageFault(output, read.error, "usage: baton COMMAND [options]");
  if (read.value.flag("version")) return say(packageFacts().version);
  if (read.value.flag("help") || line.length === 0) return say(overview(output.paint.stdout));
  return usageFault(
    output,
    usageProblem("COMMAND", "A command is missing.", "see baton --help"),
    "usage: baton COMMAND [options]",
  );
}

function unknownCommand(name: readonly string[], rest: readonly string[]): ExitCode {
  const [first = "", second] = name;
  const asksHelp = beforeTerminator(rest).some((word) => word === "--help" || word === "-h");
  if (isGroup(first) && second === undefined) {
    if (asksHelp) return say(overview(output.paint.stdout, first));
    return usageFault(
      output,
      usageProblem(first, `"baton ${first}" needs a command.`, subCommands(first)),
      `usage: baton ${first} COMMAND [options]`,
    );
  }
  const said = name.join(" ");
  const known = catalogue
    .map((entry) => entry.name)
    .filter((candidate) => candidate.startsWith(isGroup(first) ? `${first} ` : ""));
  const meant =
    nearest(said, known) ??
    // A group alone is no command, so it helps only those who missed its name.
    (isGroup(first) ? null : nearest(first, [...new Set(known.map((candidate) => candidate.split(" ")[0] ?? ""))]));
  const hint =
    meant === null ? (isGroup(first) ? subCommands(first) : "see baton --help") : `did you mean "baton ${meant}"?`;
  return usageFault(
    output,
    usageProblem(said, `There is no command "${said}".`, hint, said),
    "usage: baton COMMAND [options]",
  );
}

async function showHelp(words: readonly string[]): Promise<ExitCode> {
  const entry = findCommand(words);
  if (entry !== null)
    return say(commandPage(entry.name, entry.summary, (await entry.load()).command, output.paint.stdout));
  const [first] = words;
  if (first === undefined || (words.length === 1 && isGroup(first))) return say(overview(output.paint.stdout, first));
  return unknownCommand(words, []);
}

function subCommands(group: string): string {
  const names = catalogue.map(({ name }) => name).filter((name) => name.startsWith(`${group} `));
  return `one of: ${names.map((name) => name.slice(group.length + 1)).join(", ")}`;
}

function say(text: string): ExitCode {
  output.raw(text);
  return exitCodes.done;
}

function usageFault(to: Output, problem: ReturnType<typeof usageProblem>, usage: string): ExitCode {
  const code = to.fail(problem);
  to.say(usage);
  return code;
}

function beforeTerminator(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}
