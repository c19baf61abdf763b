/** `baton install git-hooks`: git asks the gate before each commit and push. */
import { planInstall } from "../../../evidence/git-hooks.ts";
import { batonWords } from "../../../workspace/package-root.ts";
import type { Command } from "../kernel/command.ts";
import { changeHooks, hookOptions } from "./git-hooks.ts";

export const command: Command = {
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
