/**
 * The commands that set up an agent program and take it back: making the plan, showing it, carrying it out, saying what
 * comes next.
 */
import { agentName } from "../../../base/ids.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { visible, visibleLines } from "../../../base/text.ts";
import type { HookProgram } from "../../../message/program-hooks.ts";
import type { OptionFacts } from "../kernel/arguments.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { batonWords } from "../place/package-root.ts";
import { findWorkspace } from "../place/workspace.ts";
import { carryOutSettings, planRemoval, planSetup, type SettingsChange } from "./program-plan.ts";
import { programFacts } from "./program-settings.ts";
import { type ProjectFolder, projectFolder } from "./project-folder.ts";

export const setupOptions: readonly OptionFacts[] = [
  { name: "dry-run", kind: "flag", summary: "show what would change, and write nothing" },
  { name: "project", kind: "text", value: "DIR", summary: "the project (default: the nearest repository or .baton/)" },
];

/** Sets the program up in the project that the call means. */
export function setUp(call: Call, program: HookProgram): ExitCode {
  const project = projectFolder(call);
  const agent = agentOf(call);
  if (!project.ok) return call.output.fail(project.error);
  if (!agent.ok) return call.output.fail(agent.error);
  const { root } = project.value;
  const code = change(call, project.value, planSetup(root, { program, words: batonWords(), agent: agent.value }));
  if (code === exitCodes.done && !call.given.flag("dry-run"))
    call.output.say(nextSteps(call, program, root, agent.value));
  return code;
}

/** Takes the program's set-up back. */
export function takeBack(call: Call, program: HookProgram): ExitCode {
  const project = projectFolder(call);
  if (!project.ok) return call.output.fail(project.error);
  return change(call, project.value, planRemoval(project.value.root, program));
}

function agentOf({ given }: Call): Result<string | null, Problem> {
  const name = given.text("as");
  if (name === undefined) return ok(null);
  if (agentName(name) !== null) return ok(name);
  return err(
    problem("invalid-id", "--as", "This is no agent's name.", { received: name, hint: "baton agent list shows them" }),
  );
}

function change(
  { given, output }: Call,
  { root, isHome }: ProjectFolder,
  plan: Result<readonly SettingsChange[], Problem>,
): ExitCode {
  if (!plan.ok) return output.fail(plan.error);
  const isDry = given.flag("dry-run");
  if (isHome) output.say(`note: ${visible(root)} is your home folder: what stands there holds for all your projects.`);
  // Shown first: whatever becomes of the writing, nothing is written that nobody saw.
  if (!output.json) for (const { diff } of plan.value) if (diff !== "") output.raw(visibleLines(diff));
  const done = isDry ? null : carryOutSettings(plan.value);
  if (done !== null && !done.ok) return output.fail(done.error);
  for (const { file, action, diff } of plan.value)
    output.result({ file, action, done: !isDry, diff }, () => `${words[action][isDry ? 1 : 0]} ${visible(file)}`);
  return exitCodes.done;
}

const words: Readonly<Record<SettingsChange["action"], readonly [done: string, planned: string]>> = {
  write: ["wrote", "would write"],
  change: ["changed", "would change"],
  remove: ["removed", "would remove"],
  leave: ["nothing to change in", "nothing would change in"],
};

function nextSteps({ config }: Call, program: HookProgram, root: string, agent: string | null): string {
  const { title, command, next } = programFacts[program];
  const start =
    agent === null
      ? `Start ${title} anew, and say which agent it is: BATON_AGENT=AGENT ${command}`
      : `Start ${title} anew; it is ${visible(agent)} here.`;
  const team = findWorkspace(root) === null ? [`No team lives here yet: ${config.program} init`] : [];
  return ["Next:", ...[...team, start, next].map((line) => `  ${line}`)].join("\n");
}
