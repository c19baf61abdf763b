/**
 * The commands that set up an agent program and take it back: making the plan, showing it, carrying it out, saying what
 * comes next.
 */

import { existsSync, realpathSync } from "node:fs";
import { agentName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible, visibleLines } from "../../base/text.ts";
import { type OptionFacts, type PositionalFacts, usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { isGiven } from "../../doors/cli/kernel/list-or-one.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type HookProgram, hookPrograms, noWakeWord, wakesBy } from "../../messages/program-hooks.ts";
import { batonWords } from "../../perform/workspace/package-root.ts";
import { findWorkspace } from "../../perform/workspace/workspace.ts";
import { ruleFor } from "../../team/state/roster.ts";
import { installCommand as gitHooksInstall, uninstallCommand as gitHooksUninstall } from "./git-hook-commands.ts";
import { codexUserFiles, programFacts, type SettingsFile } from "./program-settings.ts";
import {
  carryOutSettings,
  type ProjectFolder,
  projectFolder,
  type SettingsChange,
  settingsProblem,
} from "./settings-file.ts";
import { planRemoval, planSetup } from "./settings-plan.ts";

const setupOptions: readonly OptionFacts[] = [
  { name: "dry-run", kind: "flag", summary: "say what would change, and write nothing" },
  { name: "project", kind: "text", value: "DIR", summary: "the project (default: the nearest repository or .baton/)" },
];

/** Sets the program up in the project that the call means. */
async function setUp(call: Call, program: HookProgram): Promise<ExitCode> {
  const project = settingsOf(call, program);
  const agent = agentOf(call);
  if (!project.ok) return call.output.fail(project.error);
  if (!agent.ok) return call.output.fail(agent.error);
  const hub = call.given.text(hubOption.name);
  if (hub !== undefined && !/^https?:$/.test(URL.parse(hub)?.protocol ?? ""))
    return call.output.fail(
      usageProblem("--hub", "This is no address of a hub.", "such as http://127.0.0.1:4777", hub),
    );
  const { root, files, isUsers } = project.value;
  const setup = {
    program,
    words: batonWords(),
    agent: agent.value,
    hub,
    wakes: wakesBy(program) === null || !call.given.flag(noWakeWord),
  };
  const code = change(call, project.value, planSetup(root, setup, files));
  if (code !== exitCodes.done) return code;
  const unknown = agent.value === null ? null : await unknownWarning(call, agent.value);
  if (unknown !== null) call.output.say(unknown);
  if (!call.given.flag("dry-run")) call.output.say(nextSteps(call, program, isUsers ? null : root, agent.value));
  return code;
}

/** Takes the program's set-up back. */
function takeBack(call: Call, program: HookProgram): ExitCode {
  const project = settingsOf(call, program);
  if (!project.ok) return call.output.fail(project.error);
  return change(call, project.value, planRemoval(project.value.root, program, project.value.files));
}

/** The folder whose settings the call means, and the files in it. */
interface Settings extends ProjectFolder {
  readonly files: readonly SettingsFile[];
  /** They are Codex's own, in `$CODEX_HOME`. */
  readonly isUsers: boolean;
}

/** Refuses as `projectFolder`; with `--user` also `wrong-usage` next to `--project`, and `not-found`. */
function settingsOf(call: Call, program: HookProgram): Result<Settings, Problem> {
  const { given, config } = call;
  if (program !== "codex" || !given.flag(userOption.name)) {
    const project = projectFolder(call);
    return project.ok ? ok({ ...project.value, files: programFacts[program].files, isUsers: false }) : project;
  }
  if (given.text("project") !== undefined)
    return err(usageProblem("--user", "Settings are a project's or the user's.", "leave --project or --user out"));
  const { codexHome } = config;
  const isThere = codexHome !== null && existsSync(codexHome);
  if (!isThere) {
    const hint = "Start codex once, which makes this folder, or set CODEX_HOME.";
    return err(makeProblem("not-found", codexHome ?? "CODEX_HOME", "Codex keeps no settings here.", { hint }));
  }
  return ok({ root: realpathSync(codexHome), isHome: true, files: codexUserFiles, isUsers: true });
}

function agentOf({ given }: Call): Result<string | null, Problem> {
  const name = given.text("as");
  if (name === undefined) return ok(null);
  if (agentName(name) !== null) return ok(name);
  return err(
    makeProblem("invalid-id", "--as", "This is no agent's name.", {
      received: name,
      hint: "baton agent list shows them",
    }),
  );
}

/** That the team has no such agent at work; null: it has, or it cannot be asked here. */
async function unknownWarning(call: Call, name: string): Promise<string | null> {
  if (hubOf(call) !== null) return null;
  const opened = await openLocal(call, null);
  if (!opened.ok) return null;
  await using team = opened.value;
  const status = await team.status();
  if (!status.ok) return null;
  const { agents, definition } = status.value;
  const isKnown = agents.some(({ agent, status: now }) => agent === name && now === "active");
  if (isKnown || ruleFor(definition?.names, name) !== null) return null;
  const register = `${call.config.program} agent register ${visible(name)} --role ROLE`;
  return `warning: team ${visible(team.name)} has no agent ${visible(name)}, so its edits and messages are denied until: ${register}`;
}

function change(
  { given, output }: Call,
  { root, isHome, isUsers }: Settings,
  plan: Result<readonly SettingsChange[], Problem>,
): ExitCode {
  if (!plan.ok) return output.fail(plan.error);
  const isDry = given.flag("dry-run");
  const what = isUsers ? "has Codex's own settings" : "is your home folder";
  if (isHome)
    output.say(`note: ${visible(root)} ${what}: ${isUsers ? "they" : "its settings"} apply to all your projects.`);
  const done = isDry ? null : carryOutSettings(plan.value);
  if (done !== null && !done.ok) return output.fail(done.error);
  for (const change of plan.value) {
    const { file, action, after } = change;
    const text = () =>
      action === "paste"
        ? `put this into ${visible(file)}${summaryOf(change)}\n${visibleLines(after ?? "")}`
        : `${words[action][isDry ? 1 : 0]} ${visible(file)}${action === "leave" ? "" : summaryOf(change)}`;
    output.result({ file, action, done: !isDry && action !== "paste", text: after }, text);
  }
  const [pasted] = plan.value.filter(({ action }) => action === "paste");
  if (pasted === undefined) return exitCodes.done;
  return output.fail(
    settingsProblem(
      pasted.file,
      "This has settings of yours, which Baton does not touch, so nothing was written into it.",
      {
        hint: `baton run needs none of this; or take out what an older Baton wrote (uninstall) and put in what is shown`,
      },
    ),
  );
}

/** `: hooks, the MCP server baton` */
function summaryOf({ holds }: SettingsChange): string {
  return `: ${holds.map((each) => parts[each]).join(", ")}`;
}

const parts: Readonly<Record<SettingsFile["holds"][number], string>> = {
  hooks: "hooks",
  permissions: "sandbox.filesystem.denyWrite",
  server: "the MCP server baton",
  "server block": "the MCP server baton",
};

const words: Readonly<Record<Exclude<SettingsChange["action"], "paste">, readonly [done: string, planned: string]>> = {
  write: ["wrote", "would write"],
  change: ["changed", "would change"],
  remove: ["removed", "would remove"],
  leave: ["nothing to change in", "nothing would change in"],
};

function nextSteps({ config }: Call, program: HookProgram, root: string | null, agent: string | null): string {
  const { title, next } = programFacts[program];
  const start =
    agent === null
      ? `Start ${title} again, as an agent of the team: ${config.program} run AGENT --program ${program}`
      : `Start ${title} again; it is ${visible(agent)} here.`;
  const team = root !== null && findWorkspace(root) === null ? [`No team lives here yet: ${config.program} init`] : [];
  return ["Next:", ...[...team, start, next].map((line) => `  ${line}`)].join("\n");
}

/*
 * `baton install PROGRAM`: the program asks Baton by its hooks and has its tools by MCP, or git asks the gate; `baton
 * uninstall PROGRAM`: what installing wrote goes, and nothing else.
 */

const hubOption = {
  name: "hub",
  kind: "text",
  value: "URL",
  summary: "the hub that the program's agent works on (default: its BATON_HUB); its BATON_TOKEN proves the agent",
} as const;

const noWake = {
  name: noWakeWord,
  kind: "flag",
  summary: "do not wake an idle agent when mail comes for it",
} as const;

const userOption = {
  name: "user",
  kind: "flag",
  summary: "into Codex's own settings ($CODEX_HOME), which are those of all your projects: reviewed once",
} as const;

const asOption = {
  name: "as",
  kind: "text",
  value: "AGENT",
  summary: "who works or commits there (default: the agent that its BATON_AGENT names)",
} as const;

const gitHooks = "git-hooks";

/** What can be installed. */
const programs = [...hookPrograms, gitHooks] as const;
type Program = (typeof programs)[number];

const programWord: PositionalFacts = {
  name: "PROGRAM",
  required: true,
  choices: programs,
  summary: "what asks Baton then",
};

/** The options that installing takes for this program. */
function installOptions(program: Program): readonly OptionFacts[] {
  if (program === gitHooks) return gitHooksInstall.options ?? [];
  const ofProgram = [...(wakesBy(program) === null ? [] : [noWake]), ...(program === "codex" ? [userOption] : [])];
  return [...setupOptions, asOption, hubOption, ...ofProgram];
}

function uninstallOptions(program: Program): readonly OptionFacts[] {
  if (program === gitHooks) return gitHooksUninstall.options ?? [];
  return [...setupOptions, ...(program === "codex" ? [userOption] : [])];
}

/** Every option once. */
function ofAll(optionsOf: (program: Program) => readonly OptionFacts[]): readonly OptionFacts[] {
  return [...new Map(programs.flatMap(optionsOf).map((option) => [option.name, option])).values()];
}

/** Runs what is meant by the program that the call names; refuses an option that means nothing to it. */
async function runFor(
  call: Call,
  optionsOf: (program: Program) => readonly OptionFacts[],
  run: (program: Program) => Promise<ExitCode> | ExitCode,
): Promise<ExitCode> {
  const program = chosen(call.given.word(programWord.name) ?? "", programs);
  const taken = new Set(optionsOf(program).map(({ name }) => name));
  const idle = ofAll(optionsOf).find((option) => !taken.has(option.name) && isGiven(call.given, option));
  if (idle === undefined) return await run(program);
  const name = `--${idle.name}`;
  return call.output.fail(usageProblem(name, `${name} means nothing to ${program}.`, `leave ${name} out`));
}

const filesOf = hookPrograms
  .map((program) => `  ${program.padEnd(11)}  ${programFacts[program].files.map(({ path }) => path).join(", ")}`)
  .join("\n");

export const installCommand: Command = {
  isLocal: true,
  globals: [],
  description:
    "Lets an agent program that you start yourself, or git, ask Baton; baton run and baton start need none of it. Of a program\n" +
    `writes the hooks, what they need to be heeded, and Baton as an MCP server into settings of the project:\n${filesOf}\n` +
    "A file that is not there yet, or is Baton's alone, is written; for one with settings of yours the lines to put into it are\n" +
    "printed (exit 2). The lines name this machine's paths.\n\n" +
    `With ${gitHooks}: ${gitHooksInstall.description}`,
  positionals: [programWord],
  options: ofAll(installOptions),
  examples: [
    { line: "baton install claude-code --dry-run", meaning: "say which files would be written" },
    { line: "baton install codex", meaning: "write it; BATON_AGENT says which agent the program is" },
    { line: "baton install gemini --as dev-1", meaning: "every session in this project is dev-1" },
    ...gitHooksInstall.examples,
  ],
  next: "baton doctor checks the installation; baton uninstall PROGRAM removes it again.",
  run: (call) =>
    runFor(call, installOptions, (program) =>
      program === gitHooks ? gitHooksInstall.run(call) : setUp(call, program),
    ),
};

export const uninstallCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: [],
  description:
    "Takes what Baton installed out of an agent program's settings again. Everything else there stays, as JSON that is indented\n" +
    "by two; files that were made for it go. Can be run at any time. Start the program again: it has read its settings.\n\n" +
    `With ${gitHooks}: ${gitHooksUninstall.description}`,
  positionals: [programWord],
  options: ofAll(uninstallOptions),
  examples: [
    { line: "baton uninstall claude-code --dry-run", meaning: "say which files would change" },
    { line: "baton uninstall codex", meaning: "as it was before" },
    ...gitHooksUninstall.examples,
  ],
  next: "baton verify --range A..B still judges what was committed.",
  run: (call) =>
    runFor(call, uninstallOptions, (program) =>
      program === gitHooks ? gitHooksUninstall.run(call) : takeBack(call, program),
    ),
};
