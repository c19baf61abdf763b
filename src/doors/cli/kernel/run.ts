/**
 * One run of the command `baton`: finds the command, reads its arguments, runs it and ends with its exit code. The only
 * catch of the door is here: what is thrown is a bug of ours (exit 1).
 */
import { atDoor, type DoorNames } from "../../../base/argument.ts";
import type { Problem } from "../../../base/problem.ts";
import type { ConnectHub } from "../../../perform/hub-connection.ts";
import { type Config, readConfig } from "../../../perform/workspace/config.ts";
import { packageFacts } from "../../../perform/workspace/package-root.ts";
import { isForPerson, misplacedHub, ownerProblem, sharedProblem } from "../place/hub-address.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "../terminal/exit-codes.ts";
import { type Output, outputTo, type Streams } from "../terminal/output.ts";
import { processStreams, type Stop, stopSignal } from "../terminal/process-streams.ts";
import { foldPage } from "../terminal/terminal-text.ts";
import {
  type Arguments,
  beforeTerminator,
  type Declared,
  readArguments,
  splitName,
  usageProblem,
} from "./arguments.ts";
import { type Catalogue, findCommand, isGroup, outputCalledAs } from "./catalogue.ts";
import { type Call, type Command, globalOptions, globalsOf } from "./command.ts";
import { commandPage, firstPage, overview, usageLine } from "./command-page.ts";
import { acceptLossLine } from "./next-command.ts";

/** What the command is made of. */
export interface CommandLine {
  readonly catalogue: Catalogue;
  /** The client of a hub; only a call that needs it loads it. */
  readonly connectHub: ConnectHub;
}

/** Everything one run needs to answer. */
export interface Run extends CommandLine {
  /** The words after the program's name. */
  readonly line: readonly string[];
  readonly stop: Stop;
  readonly config: Config;
  readonly output: Output;
}

/** Runs the command that this process was started with, and sets its exit code. */
export async function runCommandLine(parts: CommandLine): Promise<void> {
  // A process that ends before its command did has not done it.
  process.exitCode = exitCodes.problem;
  const line = process.argv.slice(2);
  const stop = stopSignal();
  const config = readConfig();
  const output = outputFor(line, config, processStreams(stop));
  try {
    process.exitCode = await runLine({ ...parts, line, stop, config, output });
  } catch (problem) {
    process.exitCode = exitCodes.problem;
    output.say(
      `${output.paint.stderr.bad("bug of baton")}: this is a bug of ours, nothing you did. Please report it with the lines below.`,
    );
    output.say(problem instanceof Error ? (problem.stack ?? problem.message) : String(problem));
  }
}

/** Where the answers to these words go: as JSON lines or painted, as the words and the surroundings want it. */
export function outputFor(line: readonly string[], { colour, isWatched }: Config, streams: Streams): Output {
  const plain = line.includes("--no-color");
  return outputTo(streams, {
    json: beforeTerminator(line).includes("--json"),
    colour: { stdout: () => !plain && colour.stdout(), stderr: () => !plain && colour.stderr() },
    isWatched,
  });
}

/**
 * Runs one line of words to its end. Whatever the outside can cause is reported on the output; a bug of ours is thrown.
 * A command that did all it should, and whose answer nobody can read, has failed (`output-failed`); one that refused or
 * failed has said so by its code, which is kept.
 */
export async function runLine(asked: Run): Promise<ExitCode> {
  const run = { ...asked, output: outputCalledAs(asked.output, asked.config.program, asked.catalogue) };
  const code = await answerLine(run);
  const unwritten = await run.output.written();
  if (unwritten === null) return code;
  // What could not be written asked the command to stop, which is not what its caller wants.
  const isDone = code === exitCodes.done || (code === exitCodes.interrupted && !run.stop.interrupted());
  run.output.problems([unwritten]);
  return isDone ? exitCodeOf(unwritten) : code;
}

async function answerLine(run: Run): Promise<ExitCode> {
  const { catalogue, line, output } = run;
  const { name, rest } = splitName(line, globalOptions, (word) => word === "help" || isGroup(catalogue, word));
  if (name[0] === "help")
    return await showHelp(
      run,
      splitName(
        line.filter((word) => word !== "help"),
        globalOptions,
        (word) => isGroup(catalogue, word),
      ).name,
    );
  if (name.length === 0) return withoutCommand(run);
  const whole = findCommand(catalogue, name);
  // A command whose name begins others too takes a word that names none of them as its own.
  const alone = whole === null ? findCommand(catalogue, name.slice(0, 1)) : null;
  const entry = whole ?? alone;
  if (entry === null) return await unknownCommand(run, name, rest);
  const { command } = await entry.load();
  if (alone !== null && name.length > 1 && (command.positionals ?? []).length === 0)
    return await unknownCommand(run, name, rest);
  const declared = { options: [...(command.options ?? []), ...globalOptions], positionals: command.positionals ?? [] };
  const words = alone === null ? rest : splitName(line, globalOptions, () => false).rest;
  const read = readArguments(words, declared);
  if (!read.ok) return refuseUsage(output, read.error, `usage: ${usageLine(entry.name, command)}`);
  const given = read.value;
  if (given.flag("help")) return say(run, pageOf(run, entry, command));
  if (given.flag("version")) return sayVersion(run);
  const { config, connectHub } = run;
  const call: Call = {
    given,
    isOwners: isForPerson(command, given),
    output: namingOutput(output, namesOf(declared, { given, config })),
    config,
    connectHub,
    signal: run.stop.signal,
  };
  const misplaced = misplacedHub(call, command) ?? idleOption(command, given);
  if (misplaced !== null) return refuseUsage(output, misplaced, `usage: ${usageLine(entry.name, command)}`);
  const refused = ownerProblem(command, call) ?? sharedProblem(command, call);
  if (refused !== null) return output.fail(refused);
  const code = await command.run(call);
  return run.stop.interrupted() && command.endsByInterrupt !== true ? exitCodes.interrupted : code;
}

/** The error of a global option that means nothing to the command: if it were ignored, it would seem to work. */
function idleOption(command: Command, given: Arguments): Problem | null {
  const meant = globalsOf(command);
  const own = command.options?.map(({ name }) => name) ?? [];
  for (const option of globalOptions.filter(({ name }) => !own.includes(name))) {
    if (option.kind === "flag" || meant.includes(option) || given.text(option.name) === undefined) continue;
    return usageProblem(
      `--${option.name}`,
      `--${option.name} means nothing to this command.`,
      `leave --${option.name} out`,
    );
  }
  return null;
}

/** No command at all: help when nothing else was asked, as clig.dev wants it. */
function withoutCommand(run: Run): ExitCode {
  const { catalogue, line, output } = run;
  const read = readArguments(line, { options: globalOptions, positionals: [] });
  if (!read.ok) return refuseUsage(output, read.error, "usage: baton COMMAND [options]");
  if (read.value.flag("version")) return sayVersion(run);
  if (read.value.flag("help") || line.length === 0) return say(run, firstPage(catalogue, output.paint.stdout));
  return refuseUsage(
    output,
    usageProblem("COMMAND", "A command is missing.", "see baton help"),
    "usage: baton COMMAND [options]",
  );
}

async function unknownCommand(run: Run, name: readonly string[], rest: readonly string[]): Promise<ExitCode> {
  const { catalogue, output } = run;
  const { commandHint, commandTaking, subCommands } = await import("./unknown-command.ts");
  const [first = "", second] = name;
  const asksHelp = beforeTerminator(rest).some((word) => word === "--help" || word === "-h");
  const taking = await commandTaking(catalogue, first, rest);
  if (isGroup(catalogue, first) && (second === undefined || taking !== null)) {
    if (asksHelp) return say(run, overview(catalogue, output.paint.stdout, first));
    return refuseUsage(
      output,
      usageProblem(first, `"baton ${first}" needs a command.`, taking ?? subCommands(catalogue, first)),
      `usage: baton ${first} COMMAND [options]`,
    );
  }
  const said = name.join(" ");
  return refuseUsage(
    output,
    usageProblem(said, `There is no command "${said}".`, commandHint(catalogue, name), said),
    isGroup(catalogue, first) ? `usage: baton ${first} COMMAND [options]` : "usage: baton COMMAND [options]",
  );
}

async function showHelp(run: Run, words: readonly string[]): Promise<ExitCode> {
  const { catalogue, output } = run;
  const entry = findCommand(catalogue, words);
  if (entry !== null) return say(run, pageOf(run, entry, (await entry.load()).command));
  const [first] = words;
  const paint = output.paint.stdout;
  if (first === undefined)
    return say(run, run.line.includes("--all") ? overview(catalogue, paint) : firstPage(catalogue, paint));
  if (words.length === 1 && isGroup(catalogue, first)) return say(run, overview(catalogue, paint, first));
  return await unknownCommand(run, words, []);
}

/** The help page of a command, with the commands whose names begin with its own. */
function pageOf({ catalogue, output }: Run, entry: Catalogue[number], command: Command): string {
  const below = catalogue.filter(({ name }) => name.startsWith(`${entry.name} `));
  return commandPage(entry, command, output.paint.stdout, below);
}

/** With `--json` also which Node this is, and where Baton lies. */
function sayVersion({ output }: Run): ExitCode {
  const { version, root } = packageFacts();
  output.result({ version, node: process.versions.node, folder: root }, () => version);
  return exitCodes.done;
}

function say({ output, config }: Run, text: string): ExitCode {
  output.raw(foldPage(text, config.columns()));
  return exitCodes.done;
}

function refuseUsage(to: Output, problem: ReturnType<typeof usageProblem>, usage: string): ExitCode {
  const code = to.fail(problem);
  to.say(usage);
  return code;
}

/*
 * What the command line calls the arguments of an operation: the options and words that the command declares. The only
 * place where a neutral name becomes one that can be typed.
 */

/**
 * `output`, whose problems name things as one types them for a command that declares `declared`: `--files`, `TASK`.
 * What it takes under no name is named as it is.
 */
function namingOutput(output: Output, names: DoorNames): Output {
  const worded = (problems: readonly Problem[]) => output.worded(problems.map((each) => atDoor(each, names)));
  return {
    ...output,
    worded,
    problems: (problems) => output.problems(worded(problems)),
    fail: (problem) => output.fail(worded("code" in problem ? [problem] : problem)),
  };
}

/** What was not given on the line and comes from the environment is named so. */
function namesOf({ options, positionals }: Declared, { given, config }: Pick<Call, "given" | "config">): DoorNames {
  const hub = given.text("hub") === undefined && config.hub !== null ? "BATON_HUB" : "--hub";
  return {
    opening: { team: "--team", actor: "--as", credential: "--token", hub },
    of(name) {
      // A word first: an option of every command may be called the same.
      const word = positionals.find(({ argument }) => argument === name)?.name;
      const option = options.find((each) => (each.argument ?? each.name) === name);
      return word ?? (option === undefined ? null : `--${option.name}`);
    },
    // Without its journal this one would ask about another one, and say that nothing is lost there.
    command: (name) => (name === "journal accept-loss" ? `\`${acceptLossLine({ given })}\`` : null),
  };
}

/* What somebody meant who typed an unknown command: another program's word, a typo, half a name. */
