/**
 * The gate's hooks in a repository: installing them so that the hooks of others go on, seeing whether git comes to them in
 * each work tree, putting them back where another hook manager took their place, and taking all of it back. Nothing is
 * written that the plan does not show. The folder of hooks that was there keeps its files and their names next to ours.
 * Source: docs/protocol/doors.md, section 11.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { readPlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { agentFile, pointedBy } from "../../perform/workspace/workspace.ts";
import { type Environment, gitEnvironment, unreadable } from "../git/git.ts";
import { openRepository, type Repository, type RepositoryOptions, workTreesOf } from "../git/repository.ts";
import { beforeEnding, hookMark, hookScript, scriptFile } from "./git-hook-script.ts";

/** One thing that is done, to an absolute path. */
export interface HookStep {
  /**
   * `keep`: the folder of hooks gets another name, from which its hooks are called; `lead`: a work tree's own configuration
   * leads git to the hooks; `name`: the file says who commits; `leave` does nothing.
   */
  readonly action: "keep" | "write" | "update" | "lead" | "name" | "remove" | "restore" | "leave";
  readonly path: string;
  /** The new name, or what is written there; null: the action says it. */
  readonly text: string | null;
}

export interface HookPlan {
  readonly steps: readonly HookStep[];
  /** Does what the steps say. What the file system or git refuses is returned, and the plan can be made again. */
  carryOut(): Result<void, Problem>;
}

/** What is to be installed. */
export interface HookOrder {
  /** The words that start Baton. */
  readonly program: readonly string[];
  /** Who commits in this work tree; null: it stays as it is. */
  readonly agent: string | null;
  readonly environment: Environment;
}

/**
 * What installing would do. Refuses `already-exists` where hooks were put aside before and others are in their place, and
 * `identity-mismatch` where the configuration of all work trees names who commits.
 */
export async function planInstall(repository: Repository, order: HookOrder): Promise<Result<HookPlan, Problem>> {
  const { own, before } = foldersOf(repository);
  const named = await agentNamed(repository);
  if (!named.ok) return named;
  const trees = await gateTrees(repository, order);
  if (!trees.ok) return trees;
  const isOurs = isInstalled(own);
  const isThere = lstatSync(own, { throwIfNoEntry: false }) !== undefined;
  if (isThere && !isOurs && existsSync(before)) return err(twoFolders(own, before));
  const text = hookScript(order.program);
  const isSame = isOurs && readFileSync(join(own, scriptFile), "utf8") === text;
  const steps: readonly HookStep[] = [
    ...(isThere && !isOurs ? [{ action: "keep", path: own, text: before } as const] : []),
    { action: isSame ? "leave" : isOurs ? "update" : "write", path: join(own, scriptFile), text: null },
    ...trees.value.flatMap(({ directory, hooks, isConfigured }): readonly HookStep[] =>
      isConfigured && hooks !== own ? [{ action: "lead", path: directory, text: own }] : [],
    ),
    ...(order.agent === null
      ? []
      : [{ action: "name", path: join(repository.gitDirectory, agentFile), text: `${order.agent}\n` } as const]),
  ];
  return ok({
    steps,
    carryOut: () =>
      tried(own, () => {
        writeScript({ own, before }, text, isThere && !isOurs);
        for (const { action, path, text: name } of steps) if (action === "name") writeFileSync(path, name ?? "");
        // Each for its own configuration; a bare repository without work trees has only its folder.
        const places = trees.value.map(({ directory }) => directory);
        for (const place of places.length === 0 ? [repository.commonDirectory] : places)
          runScript(own, "heal", place, order);
      }),
  });
}

/** What taking the hooks away would do: ours go, with all that names who commits, and what was before is there again. */
export async function planUninstall(
  repository: Repository,
  order: Omit<HookOrder, "agent">,
): Promise<Result<HookPlan, Problem>> {
  const { own, before } = foldersOf(repository);
  const trees = await gateTrees(repository, order);
  if (!trees.ok) return trees;
  const isOurs = isInstalled(own);
  const action = !isOurs ? "leave" : existsSync(before) ? "restore" : "remove";
  const led = isOurs ? trees.value.filter(({ isConfigured }) => isConfigured) : [];
  return ok({
    steps: [
      { action, path: own, text: null },
      ...led.map(({ directory }) => ({ action: "restore", path: directory, text: null }) as const),
    ],
    carryOut: () =>
      tried(own, () => {
        if (isOurs) runScript(own, "uninstall", repository.commonDirectory, order);
      }),
  });
}

/** A work tree as the gate sees it. */
export interface GateTree {
  readonly directory: string;
  /** Where git looks for its hooks, absolute. */
  readonly hooks: string;
  /** Whether some configuration says so. */
  readonly isConfigured: boolean;
  /** Whether git comes to the gate there. */
  readonly isGated: boolean;
}

/** The work trees of the repository with the folder in which git looks for the hooks of each. */
export async function gateTrees(
  repository: Repository,
  options: RepositoryOptions,
): Promise<Result<readonly GateTree[], Problem>> {
  const listed = await workTreesOf(repository);
  if (!listed.ok) return listed;
  const trees: GateTree[] = [];
  for (const { directory } of listed.value) {
    const tree = await gateTree(directory, options);
    if (!tree.ok) return tree;
    trees.push(tree.value);
  }
  return ok(trees);
}

/** A work tree as the gate sees it. Refuses what git refuses there. */
export async function gateTree(directory: string, options: RepositoryOptions): Promise<Result<GateTree, Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using tree = opened.value;
  const { own } = foldersOf(tree);
  const configured = await configuredHooks(tree);
  if (!configured.ok) return configured;
  const hooks = realOf(configured.value ?? own);
  const isGated = hooks === own && isInstalled(own) && gateNames.every((name) => leadsToGate(own, name));
  return ok({ directory, hooks, isConfigured: configured.value !== null, isGated });
}

/** Whether the gate is installed in the repository. */
export function isGateInstalled(repository: Pick<Repository, "commonDirectory">): boolean {
  return isInstalled(foldersOf(repository).own);
}

/**
 * Puts the gate back where another hook manager has taken its place, in the work tree at `root` of the repository whose git
 * folder is `common`. Costs a look at a few files. Answers whether it had to; what cannot be put back is found by
 * `baton doctor`.
 */
export function healGate(root: string, common: string, { program, environment }: Omit<HookOrder, "agent">): boolean {
  const own = join(common, "hooks");
  if (!isInstalled(own)) return false;
  const isLed = isMentioned(join(common, "config"))
    ? isMentioned(join(pointedBy(root) ?? join(root, ".git"), "config.worktree"))
    : true;
  if (isLed && gateNames.every((name) => leadsToGate(own, name))) return false;
  return tried(own, () => runScript(own, "heal", root, { program, environment })).ok;
}

/** The hooks without which a commit or a push is not judged. */
const gateNames = ["pre-commit", "commit-msg", "pre-push"] as const;

/** pre-commit (pre-commit.com) calls what it found there by this ending. */
function leadsToGate(own: string, name: string): boolean {
  return isOurFile(join(own, name)) || isOurFile(join(own, `${name}.legacy`));
}

function isMentioned(configuration: string): boolean {
  const read = readPlainFile(configuration, configurationBytesMax);
  return read.ok && /hookspath/i.test(read.value?.text ?? "");
}

const configurationBytesMax = 1024 * 1024;

function foldersOf({ commonDirectory }: Pick<Repository, "commonDirectory">): { own: string; before: string } {
  const own = join(realOf(commonDirectory), "hooks");
  return { own, before: `${own}${beforeEnding}` };
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function isInstalled(own: string): boolean {
  return isOurFile(join(own, scriptFile)) && lstatSync(own).isDirectory();
}

function isOurFile(path: string): boolean {
  const read = readPlainFile(path, configurationBytesMax);
  return read.ok && read.value?.text.split("\n", 2)[1] === hookMark;
}

/** The folder of hooks that a configuration names, absolute; null: none does. */
async function configuredHooks(repository: Repository): Promise<Result<string | null, Problem>> {
  const words = ["config", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const answer = await repository.git.run(words, { answers: [0, 1] });
  if (!answer.ok) return answer;
  const settings = answer.value.output
    .toString("utf8")
    .split("\n")
    .map((line) => line.split("\t"))
    // What our own call sets is not the repository's.
    .filter(([scope, path]) => scope !== "command" && path !== undefined);
  const path = settings.at(-1)?.[1];
  if (path === undefined) return ok(null);
  return ok(isAbsolute(path) ? path : resolve(repository.workTree ?? repository.gitDirectory, path));
}

/** The script and the folder in one step: git must never run half a hook. */
function writeScript({ own, before }: { own: string; before: string }, text: string, isKept: boolean): void {
  const isOurs = isInstalled(own);
  const fresh = isOurs ? own : `${own}.new-baton`;
  if (!isOurs) rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const whole = join(fresh, `${scriptFile}.new-baton`);
  writeFileSync(whole, text);
  chmodSync(whole, 0o755);
  renameSync(whole, join(fresh, scriptFile));
  if (isKept) renameSync(own, before);
  if (!isOurs) renameSync(fresh, own);
}

/** Runs the script as this Baton has it, whatever lies in the folder. Throws where it fails. */
function runScript(own: string, word: "heal" | "uninstall", cwd: string, order: Omit<HookOrder, "agent">): void {
  const text = hookScript(order.program);
  const ran = spawnSync("sh", ["-c", text, join(own, scriptFile), word], {
    cwd,
    env: gitEnvironment(order.environment),
    encoding: "utf8",
    timeout: scriptMsMax,
  });
  if (ran.status !== 0) throw ran.error ?? new Error(ran.stderr.trim() || `sh ended with ${ran.status}`);
}

const scriptMsMax = 60_000;

function tried(path: string, act: () => void): Result<void, Problem> {
  try {
    act();
    return ok(undefined);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return err(
      makeProblem("repository-unreadable", path, `The hooks could not be changed: ${reason}`, {
        hint: "See who may write there, then run the command again.",
      }),
    );
  }
}

function twoFolders(own: string, before: string): Problem {
  return makeProblem("already-exists", own, "Hooks were put aside before, and there are others in their place.", {
    received: before,
    hint: "Join both into one folder of that name, then install again.",
  });
}

/*
 * Who commits in a work tree: a file in git's own folder of that tree says it, because the configuration is that of all
 * work trees.
 */

const nameBytesMax = 1_000;

/**
 * Who commits in the work tree that the repository was opened from, as installing named it; null: nobody was named. Refuses
 * `identity-mismatch` where the configuration names one for all of several work trees.
 */
export async function agentNamed(repository: Repository): Promise<Result<string | null, Problem>> {
  const file = readPlainFile(join(repository.gitDirectory, agentFile), nameBytesMax);
  if (!file.ok) return err(unreadable(join(repository.gitDirectory, agentFile), file.error));
  const own = file.value?.text.trim() ?? "";
  if (own !== "") return ok(own);
  const words = ["config", "--show-scope", "--get", "baton.agent"];
  const answer = await repository.git.run(words, { answers: [0, 1] });
  if (!answer.ok) return answer;
  const [scope, name = ""] = answer.value.output.toString("utf8").trim().split("\t");
  if (name === "" || scope === "worktree") return ok(name === "" ? null : name);
  const trees = await workTreesOf(repository);
  if (!trees.ok) return trees;
  return trees.value.length < 2 ? ok(name) : err(commonName(name, scope ?? ""));
}

function commonName(name: string, scope: string): Problem {
  const where = scope === "local" ? "" : ` --${scope}`;
  return makeProblem(
    "identity-mismatch",
    "baton.agent",
    "This configuration names who commits for all work trees at once.",
    {
      expected: "a name for each work tree",
      received: name,
      hint: `git config${where} --unset baton.agent; then, in the work tree of ${name}: \`baton install git-hooks --as ${name}\``,
    },
  );
}
