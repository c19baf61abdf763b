/**
 * `baton install git-hooks` lets git ask the gate before each commit and push, and `baton uninstall git-hooks` restores
 * what was there before: each opens the repository, shows the plan, and carries it out unless it is only shown.
 */
import { resolve } from "node:path";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { OptionFacts } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { carryOut, type HookChange, planInstall, planUninstall } from "../../evidence/decide/git-hooks.ts";
import { openRepository, type Repository } from "../../evidence/git/repository.ts";
import { batonWords } from "../../perform/workspace/package-root.ts";

export const hookOptions: readonly OptionFacts[] = [
  { name: "dry-run", kind: "flag", summary: "show what would be written, and write nothing" },
  { name: "repository", kind: "text", value: "DIR", summary: "a folder of the repository (default: this one)" },
];

/** Makes the plan, tells it, and carries it out unless `--dry-run` is given. */
export async function changeHooks(
  call: Call,
  plan: (repository: Repository) => Promise<Result<readonly HookChange[], Problem>>,
): Promise<ExitCode> {
  const { given, output, config } = call;
  const directory = resolve(config.directory, given.text("repository") ?? ".");
  const opened = await openRepository(directory, { environment: config.environment() });
  if (!opened.ok) return output.fail(opened.error);
  await using repository = opened.value;
  const changes = await plan(repository);
  if (!changes.ok) return output.fail(changes.error);
  const isDry = given.flag("dry-run");
  const done = isDry ? null : carryOut(changes.value);
  if (done !== null && !done.ok) return output.fail(done.error);
  for (const change of changes.value) output.result({ ...change, done: !isDry }, () => changeText(change, isDry));
  return exitCodes.done;
}

const words: Readonly<Record<HookChange["action"], readonly [done: string, planned: string]>> = {
  write: ["wrote", "would write"],
  update: ["wrote anew", "would update"],
  keep: ["wrote, and calls the hook that was there after it:", "would write, and call the hook that is there:"],
  remove: ["removed", "would remove"],
  restore: ["restored what was there before:", "would restore what was there before:"],
  leave: ["left as it is:", "would leave as it is:"],
};

function changeText({ file, action, aside, text }: HookChange, isDry: boolean): string {
  const [done, planned] = words[action];
  const kept = action === "keep" ? `\n  kept as ${visible(aside)}` : "";
  const shown = isDry && text !== null ? `\n${text.trimEnd().replaceAll(/^/gm, "  | ")}` : "";
  return `${isDry ? planned : done} ${visible(file)}${kept}${shown}`;
}

/** `baton install git-hooks`: git asks the gate before each commit and push. */
export const installCommand: Command = {
  isLocal: true,
  globals: [],
  description:
    "Writes a pre-commit and a pre-push hook that hold what is staged, and what is pushed, against the claims and the\n" +
    "contract of the agent that commits. A hook that is there already is kept and called afterwards. Hooks go where\n" +
    "git looks for them (core.hooksPath counts), once for all worktrees. Where nobody can be asked, git is stopped.",
  options: hookOptions,
  examples: [
    { line: "baton install git-hooks --dry-run", meaning: "show what would be written" },
    { line: "baton install git-hooks", meaning: "write it" },
  ],
  next: "Say who commits: BATON_AGENT, or git config baton.agent NAME in the agent's worktree; a person is owner.",
  run: (call) => changeHooks(call, (repository) => planInstall(repository, batonWords())),
};

/** `baton uninstall git-hooks`: the gate's hooks go, and what was before them comes back. */
export const uninstallCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: [],
  description:
    "Removes the gate's hooks and restores what was there before them. Hooks that Baton did not write stay as\n" +
    "they are, so it can be run at any time.",
  options: hookOptions,
  examples: [
    { line: "baton uninstall git-hooks", meaning: "as it was before" },
    { line: "baton uninstall git-hooks --dry-run", meaning: "show what would go" },
  ],
  next: "baton verify --range A..B still judges what was committed.",
  run: (call) => changeHooks(call, planUninstall),
};
