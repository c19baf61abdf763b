/**
 * `baton install git-hooks` lets git ask the gate before each commit and push, and `baton uninstall git-hooks` restores
 * what was there before: each opens the repository, shows the plan, and carries it out unless it is only shown.
 */
import { resolve } from "node:path";
import { agentName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { OptionFacts } from "../../doors/cli/kernel/arguments.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { OneOfList } from "../../doors/cli/kernel/list-or-one.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import {
  gateTrees,
  type HookPlan,
  type HookStep,
  planInstall,
  planUninstall,
} from "../../evidence/decide/git-hooks.ts";
import { openRepository, type Repository } from "../../evidence/git/repository.ts";
import { agentOfShell } from "../../perform/workspace/config.ts";
import { batonWords } from "../../perform/workspace/package-root.ts";

const hookOptions: readonly OptionFacts[] = [
  { name: "dry-run", kind: "flag", summary: "show what would be written, and write nothing" },
  { name: "repository", kind: "text", value: "DIR", summary: "a folder of the repository (default: this one)" },
];

/** Makes the plan, tells it, and carries it out unless `--dry-run` is given. */
async function changeHooks(
  call: Call,
  plan: (repository: Repository) => Promise<Result<HookPlan, Problem>>,
  isWanted: boolean,
): Promise<ExitCode> {
  const { given, output, config } = call;
  const options = { environment: config.environment() };
  const opened = await openRepository(resolve(config.directory, given.text("repository") ?? "."), options);
  if (!opened.ok) return output.fail(opened.error);
  await using repository = opened.value;
  const planned = await plan(repository);
  if (!planned.ok) return output.fail(planned.error);
  const isDry = given.flag("dry-run");
  const done = isDry ? ok(undefined) : planned.value.carryOut();
  if (!done.ok) return output.fail(done.error);
  for (const step of planned.value.steps) output.result({ ...step, done: !isDry }, () => stepText(step, isDry));
  if (isDry || !isWanted) return exitCodes.done;
  const trees = await gateTrees(repository, options);
  const missed = trees.ok ? trees.value.find(({ isGated }) => !isGated) : undefined;
  if (missed === undefined) return trees.ok ? exitCodes.done : output.fail(trees.error);
  return output.fail(
    makeProblem("repository-unreadable", missed.directory, "Git does not come to the gate in this work tree.", {
      received: missed.hooks,
      hint: "See who may write its configuration, then install again.",
    }),
  );
}

const words: Readonly<Record<HookStep["action"], readonly [done: string, planned: string]>> = {
  keep: ["kept under another name, and called first:", "would keep under another name, and call first:"],
  write: ["wrote", "would write"],
  update: ["wrote anew", "would update"],
  lead: ["set core.hooksPath for this worktree alone:", "would set core.hooksPath for this worktree alone:"],
  name: ["said who commits:", "would say who commits:"],
  remove: ["removed", "would remove"],
  restore: ["restored what was there before:", "would restore what was there before:"],
  leave: ["left as it is:", "would leave as it is:"],
};

function stepText({ action, path, text }: HookStep, isDry: boolean): string {
  const [done, planned] = words[action];
  const where = text === null ? "" : `: ${visible(text.trim())}`;
  return `${isDry ? planned : done} ${visible(path)}${where}`;
}

/** Whom `--as` names for the work tree; null: nobody. An agent names itself alone. */
function named({ given, config }: Call): Result<string | null, Problem> {
  const name = given.text("as");
  if (name === undefined) return ok(null);
  const own = agentOfShell(config);
  const hint = "`baton agent list` shows who is there; a person is owner.";
  if (agentName(name) === null)
    return err(makeProblem("invalid-id", "--as", "This is no agent's name.", { received: name, hint }));
  if (own === null || own === name) return ok(name);
  return err(
    makeProblem("identity-mismatch", "--as", `This shell belongs to ${own}, who names nobody else.`, {
      expected: own,
      received: name,
    }),
  );
}

/** `baton install git-hooks`: git asks the gate before each commit and push. */
export const installCommand: OneOfList = {
  description:
    "Holds what is committed, and what is pushed, against the claims and the contract of the agent that commits, in\n" +
    "every worktree. Hooks that are there, of husky, lefthook or pre-commit too, are called first by their own names, also when\n" +
    "they change; then the gate judges what will be committed. With --as the worktree that this runs in is that agent's.\n" +
    "Where nobody is named it is the person, who is warned and never stopped. Where the team cannot be asked, an agent is\n" +
    "stopped; git's own --no-verify goes past the gate.",
  options: [
    ...hookOptions,
    { name: "as", kind: "text", value: "AGENT", summary: "who commits in this worktree (default: as before)" },
  ],
  examples: [
    { line: "baton install git-hooks --dry-run", meaning: "show what would be written" },
    { line: "baton install git-hooks", meaning: "write it" },
    { line: "baton install git-hooks --as dev-1", meaning: "in dev-1's worktree" },
  ],
  run: async (call) => {
    const agent = named(call);
    if (!agent.ok) return call.output.fail(agent.error);
    const order = { program: batonWords(), agent: agent.value, environment: call.config.environment() };
    return await changeHooks(call, (repository) => planInstall(repository, order), true);
  },
};

/** `baton uninstall git-hooks`: the gate's hooks go, and what was before them comes back. */
export const uninstallCommand: OneOfList = {
  description:
    "Removes the gate's hooks and the names of the worktrees, and restores what was there before. What other hook\n" +
    "managers have written since stays, so it can be run at any time.",
  options: hookOptions,
  examples: [
    { line: "baton uninstall git-hooks", meaning: "as it was before" },
    { line: "baton uninstall git-hooks --dry-run", meaning: "show what would go" },
  ],
  run: (call) => {
    const order = { program: batonWords(), environment: call.config.environment() };
    return changeHooks(call, (repository) => planUninstall(repository, order), false);
  },
};
