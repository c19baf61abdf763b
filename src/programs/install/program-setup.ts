/**
 * The commands that set up an agent program and take it back: making the plan, showing it, carrying it out, saying what
 * comes next.
 */

import { existsSync, realpathSync } from "node:fs";
import { agentName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { counted, visible, visibleLines } from "../../base/text.ts";
import { type OptionFacts, usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type HookProgram, noWakeWord, wakesBy } from "../../messages/program-hooks.ts";
import { batonWords } from "../../perform/workspace/package-root.ts";
import { findWorkspace } from "../../perform/workspace/workspace.ts";
import { ruleFor } from "../../team/state/roster.ts";
import { codexUserFiles, programFacts, type SettingsFile } from "./program-settings.ts";
import { carryOutSettings, type ProjectFolder, projectFolder, type SettingsChange } from "./settings-file.ts";
import { planRemoval, planSetup } from "./settings-plan.ts";

export const setupOptions: readonly OptionFacts[] = [
  { name: "dry-run", kind: "flag", summary: "say what would change, and write nothing" },
  { name: "diff", kind: "flag", summary: "show each line that changes" },
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
export function takeBack(call: Call, program: HookProgram): ExitCode {
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

export function change(
  { given, output }: Call,
  { root, isHome, isUsers }: Settings,
  plan: Result<readonly SettingsChange[], Problem>,
): ExitCode {
  if (!plan.ok) return output.fail(plan.error);
  const isDry = given.flag("dry-run");
  const what = isUsers ? "has Codex's own settings" : "is your home folder";
  if (isHome)
    output.say(`note: ${visible(root)} ${what}: ${isUsers ? "they" : "its settings"} apply to all your projects.`);
  // Shown first, whatever becomes of the writing.
  if (given.flag("diff") && !output.json)
    for (const { diff } of plan.value) if (diff !== "") output.raw(visibleLines(diff));
  const done = isDry ? null : carryOutSettings(plan.value);
  if (done !== null && !done.ok) return output.fail(done.error);
  for (const change of plan.value) {
    const { file, action, diff } = change;
    const text = () => `${words[action][isDry ? 1 : 0]} ${visible(file)}${summaryOf(change)}`;
    output.result({ file, action, done: !isDry, diff }, text);
  }
  if (isDry && !given.flag("diff") && plan.value.some(({ diff }) => diff !== "")) output.say("--diff shows each line.");
  return exitCodes.done;
}

/** `: 284 lines added (hooks, the MCP server baton)`; empty where nothing changes. */
function summaryOf({ diff, holds }: SettingsChange): string {
  if (diff === "") return "";
  // The first two lines name the file.
  const lines = diff.split("\n").slice(2);
  const changed = [["+", "added"] as const, ["-", "removed"] as const].flatMap(([sign, what]) => {
    const number = lines.filter((line) => line.startsWith(sign)).length;
    return number === 0 ? [] : [`${counted(number, "line")} ${what}`];
  });
  return `: ${changed.join(", ")} (${holds.map((each) => parts[each]).join(", ")})`;
}

const parts: Readonly<Record<SettingsFile["holds"][number], string>> = {
  hooks: "hooks",
  permissions: "permissions, sandbox.filesystem.denyWrite",
  server: "the MCP server baton",
  "server block": "the MCP server baton",
};

const words: Readonly<Record<SettingsChange["action"], readonly [done: string, planned: string]>> = {
  write: ["wrote", "would write"],
  change: ["changed", "would change"],
  remove: ["removed", "would remove"],
  leave: ["nothing to change in", "nothing would change in"],
};

function nextSteps({ config }: Call, program: HookProgram, root: string | null, agent: string | null): string {
  const { title, next } = programFacts[program];
  const start =
    agent === null
      ? `Start ${title} again, as an agent of the team: ${config.program} run ${program} --as AGENT`
      : `Start ${title} again; it is ${visible(agent)} here.`;
  const team = root !== null && findWorkspace(root) === null ? [`No team lives here yet: ${config.program} init`] : [];
  return ["Next:", ...[...team, start, next].map((line) => `  ${line}`)].join("\n");
}

/* `baton install claude-code|codex|gemini`: the program asks Baton by its hooks and has its tools by MCP. */

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

/** What installing writes next to the MCP server. */
function entriesOf(program: HookProgram): string {
  return programFacts[program].files.some(({ holds }) => holds.includes("permissions"))
    ? "hooks, permissions, sandbox rule"
    : "hooks";
}

/** The command that sets up `program`. */
export function installProgram(program: HookProgram): Command {
  const { title, files } = programFacts[program];
  const paths = files.map(({ path }) => path).join(" and ");
  return {
    isLocal: true,
    globals: [],
    description:
      `Writes Baton's ${entriesOf(program)} and the MCP server baton into the project's settings of\n` +
      `${title}: ${paths}. Says what changes in each. All else in these files stays\n` +
      "as it is, to the byte; twice does nothing more, and a line that an older Baton wrote is brought up to date.\n" +
      "The lines name this machine's paths.",
    options: [
      ...setupOptions,
      { name: "as", kind: "text", value: "AGENT", summary: "the agent that the program is (default: its BATON_AGENT)" },
      hubOption,
      ...(wakesBy(program) === null ? [] : [noWake]),
      ...(program === "codex" ? [userOption] : []),
    ],
    examples: [
      { line: `baton install ${program} --dry-run --diff`, meaning: "show each line that would change" },
      { line: `baton install ${program}`, meaning: "write it; BATON_AGENT says which agent the program is" },
      { line: `baton install ${program} --as dev-1`, meaning: "every session in this project is dev-1" },
    ],
    next: `baton doctor --hooks checks the installation; baton uninstall ${program} removes it again.`,
    run: async (call) => setUp(call, program),
  };
}

/* `baton uninstall claude-code|codex|gemini`: what installing wrote goes, and nothing else. */

/** The command that takes the set-up of `program` back. */
export function uninstallProgram(program: HookProgram): Command {
  const { title, files } = programFacts[program];
  return {
    isLocal: true,
    isOwners: true,
    globals: [],
    description:
      `Takes Baton's ${entriesOf(program)} and its MCP server out of\n` +
      `${files.map(({ path }) => path).join(" and ")}. Everything else there stays as it is; files that were made\n` +
      "for it go. Says what changes in each, and can be run at any time.",
    options: [...setupOptions, ...(program === "codex" ? [userOption] : [])],
    examples: [
      { line: `baton uninstall ${program} --dry-run --diff`, meaning: "show each line that would go" },
      { line: `baton uninstall ${program}`, meaning: "as it was before" },
    ],
    next: `Start ${title} again: it has read its settings already.`,
    run: async (call) => takeBack(call, program),
  };
}
