/**
 * The commands about the gate's hooks: opening the repository, telling the plan, carrying it out unless it is only
 * shown.
 */
import { resolve } from "node:path";
import type { Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import { visible } from "../../../base/text.ts";
import { openRepository, type Repository } from "../../../evidence/git/repository.ts";
import { carryOut, type HookChange } from "../../../evidence/git-hooks.ts";
import type { OptionFacts } from "../kernel/arguments.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";

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
