/**
 * `baton install [PROGRAM]`: an agent program that its person starts loads Baton's plugin in this project, by the program's
 * own commands, or git asks the gate; `baton uninstall [PROGRAM]`: that goes again. What an older Baton wrote into settings
 * goes with both.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import { type OptionFacts, type PositionalFacts, usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { isGiven } from "../../doors/cli/kernel/list-or-one.ts";
import { choiceIfGiven } from "../../doors/cli/kernel/time-argument.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type HookProgram, hookPrograms } from "../../messages/program-hooks.ts";
import { packageFacts } from "../../perform/workspace/package-root.ts";
import { programOnPath } from "../../perform/workspace/program-path.ts";
import { findWorkspace } from "../../perform/workspace/workspace.ts";
import { installCommand as gitHooksInstall, uninstallCommand as gitHooksUninstall } from "./git-hook-commands.ts";
import { addingWords, clearingWords, findProgram, isPluginOn, removingWords, runProgram } from "./plugins.ts";
import { programFacts } from "./program-settings.ts";
import { nearestProject, oldSettings, takeOut } from "./settings-text.ts";

/** Puts the plugin in, or takes it out; what an older Baton wrote into settings goes in both cases. */
function change(call: Call, program: HookProgram, isWanted: boolean): Problem | null {
  const { config, output, given } = call;
  const root = nearestProject(config.directory);
  if (root === null)
    return makeProblem("not-initialised", config.directory, "There is no repository and no .baton/ here or above.", {
      hint: "Go to your project, and run `baton start` in it.",
    });
  if (root === config.home)
    return makeProblem(
      "wrong-usage",
      root,
      "This is your home folder, whose settings are those of all your projects.",
      {
        hint: "Go to your project.",
      },
    );
  if (isWanted && programOnPath(["baton"], config.environment().PATH ?? "") === null)
    return makeProblem("not-found", "baton", "The plugin calls `baton`, which is not on your PATH.", {
      hint: `put it there: npm install -g ${packageFacts().root}; or start the program by baton run, which needs no plugin`,
    });
  const old = oldSettings(config, program, root);
  if (!old.ok) return old.error;
  const isDry = given.flag("dry-run");
  for (const each of old.value) {
    const problem = isDry ? null : takeOut(each);
    if (problem !== null) return problem;
    const action = each.after === null ? "remove" : "change";
    const did = isDry ? "would take out of" : "took out of";
    output.result(
      { file: each.file, action, done: !isDry },
      () => `${did} ${visible(each.file)}: an older Baton's hooks`,
    );
  }
  const isOn = isPluginOn(config, program, root);
  // Put in again it is that of this version.
  const lines = [...(isOn ? removingWords(program) : []), ...(isWanted ? addingWords(program) : [])];
  const problem = runAll(call, program, { lines, root });
  if (problem !== null) return problem;
  const clearing = isWanted ? [] : clearingWords(config, program);
  const uncleared = runAll(call, program, { lines: clearing, root });
  if (uncleared !== null) return uncleared;
  if (lines.length + clearing.length + old.value.length === 0)
    output.result(
      { program, action: "leave", done: true },
      () => `nothing of Baton is in ${programFacts[program].title}`,
    );
  if (isWanted && !isDry) output.say(nextSteps(call, program, root));
  return null;
}

/** Runs the program's commands, or says which would run, up to the first that is refused. */
function runAll(
  { config, output, given }: Call,
  program: HookProgram,
  { lines, root }: { readonly lines: readonly (readonly string[])[]; readonly root: string },
): Problem | null {
  const isDry = given.flag("dry-run");
  for (const words of lines) {
    const problem = isDry ? null : runProgram(config, program, { words, root });
    if (problem !== null) return problem;
    const line = [programFacts[program].command, ...words].join(" ");
    output.result({ command: line, done: !isDry }, () => `${isDry ? "would run" : "ran"} ${visible(line)}`);
  }
  return null;
}

function nextSteps({ config }: Call, program: HookProgram, root: string): string {
  const { title, command, next } = programFacts[program];
  const own = program === "codex" ? "BATON_AGENT=AGENT codex --no-daemon" : `BATON_AGENT=AGENT ${command}`;
  const start = `Start ${title} again, as an agent of the team: ${own}, or ${config.program} run AGENT --program ${program}`;
  const team = findWorkspace(root) === null ? [`No team lives here yet: ${config.program} start`] : [];
  return ["Next:", ...[...team, start, next].map((line) => `  ${line}`)].join("\n");
}

const gitHooks = "git-hooks";
const programs = [...hookPrograms, gitHooks] as const;

const programWord: PositionalFacts = {
  name: "PROGRAM",
  choices: programs,
  summary: "what asks Baton then (default: the agent programs on your PATH)",
};

const dryRun: OptionFacts = { name: "dry-run", kind: "flag", summary: "say what would be done, and do nothing" };

/** The options of both kinds, each once. */
function optionsWith(others: readonly OptionFacts[] | undefined): readonly OptionFacts[] {
  return [dryRun, ...(others ?? []).filter(({ name }) => name !== dryRun.name)];
}

/** Does it for the program that the call names, else for each on the PATH; refuses an option that means nothing to it. */
async function runFor(call: Call, git: typeof gitHooksInstall, isWanted: boolean): Promise<ExitCode> {
  const { given, config, output } = call;
  const named = choiceIfGiven(given.word(programWord.name), programs);
  if (named === gitHooks) return await git.run(call);
  const idle = (git.options ?? []).find((option) => option.name !== dryRun.name && isGiven(given, option));
  if (idle !== undefined)
    return output.fail(
      usageProblem(`--${idle.name}`, `--${idle.name} is of ${gitHooks} alone.`, `leave --${idle.name} out`),
    );
  const found = hookPrograms.filter((each) => findProgram(each, config.environment()).ok);
  if (named === undefined && found.length === 0) {
    const hint = `install one, or start one by its path with baton run; ${gitHooks} lets git ask`;
    return output.fail(makeProblem("not-found", "PATH", "No agent program is on your PATH.", { hint }));
  }
  for (const program of named === undefined ? found : [named]) {
    const problem = change(call, program, isWanted);
    if (problem !== null) return output.fail(problem);
  }
  return exitCodes.done;
}

export const installCommand: Command = {
  isLocal: true,
  globals: [],
  description:
    "Lets an agent program that you start yourself, or git, ask Baton; baton run and baton start need none of it. The program\n" +
    "loads Baton's plugin (hooks, tools and a skill) by its own commands: Claude Code in this project, Codex in all projects,\n" +
    "Gemini CLI in this one and those outside your home folder. What an older Baton wrote into settings goes.\n\n" +
    `With ${gitHooks}: ${gitHooksInstall.description}`,
  positionals: [programWord],
  options: optionsWith(gitHooksInstall.options),
  examples: [
    { line: "baton install", meaning: "each agent program on your PATH" },
    { line: "baton install claude-code --dry-run", meaning: "say which commands would run" },
    ...gitHooksInstall.examples,
  ],
  next: "baton doctor checks the installation; baton uninstall PROGRAM removes it again.",
  run: (call) => runFor(call, gitHooksInstall, true),
};

export const uninstallCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: [],
  description:
    "Takes Baton's plugin out of an agent program again, by the program's own commands, and what an older Baton wrote into its\n" +
    "settings. Everything else there stays. Start the program again.\n\n" +
    `With ${gitHooks}: ${gitHooksUninstall.description}`,
  positionals: [programWord],
  options: optionsWith(gitHooksUninstall.options),
  examples: [
    { line: "baton uninstall claude-code --dry-run", meaning: "say which commands would run" },
    { line: "baton uninstall", meaning: "each agent program on your PATH" },
    ...gitHooksUninstall.examples,
  ],
  next: "baton verify --range A..B still judges what was committed.",
  run: (call) => runFor(call, gitHooksUninstall, false),
};
