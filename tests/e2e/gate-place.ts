/** A team in a repository with the gate installed, and git as people and agents run it there. */
import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { planInstall } from "../../src/evidence/decide/git-hooks.ts";
import { withoutMaintenance } from "../evidence/history.ts";
import { opened } from "../evidence/place.ts";
import { calledWithCode } from "./called.ts";
import { commandMsMax, commandNode, contract, environment, mainBundle, team } from "./command.ts";

const identity = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "x",
  GIT_AUTHOR_EMAIL: "x@example.invalid",
  GIT_COMMITTER_NAME: "x",
  GIT_COMMITTER_EMAIL: "x@example.invalid",
};

type Variables = Readonly<Record<string, string>>;

export function git(directory: string, words: readonly string[], variables: Variables = {}): SpawnSyncReturns<string> {
  const env = environment({ ...identity, ...variables });
  const options = { cwd: directory, encoding: "utf8", env, timeout: commandMsMax } as const;
  return spawnSync("git", [...withoutMaintenance, ...words], options);
}

/** As `git`, and it must be done. */
export function done(directory: string, ...words: readonly string[]): string {
  const run = git(directory, words);
  assert.equal(run.status, 0, `git ${words.join(" ")}\n${run.stderr}`);
  return run.stdout;
}

/** A team in a repository; dev-1 has claimed `src/`, which its contract allows. */
export async function gatedTeam(): Promise<string> {
  const directory = team();
  writeFileSync(join(directory, ".baton/.gitignore"), "*\n");
  done(directory, "init", "--quiet", "-b", "main");
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"]));
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  return directory;
}

/** Installs the gate so that it calls this test's bundle; `agent` commits in this work tree. */
export async function install(directory: string, agent: string | null = null): Promise<void> {
  await using repository = await opened(directory);
  const surroundings = Object.entries(environment(identity)).filter((each) => each[1] !== undefined);
  const plan = await planInstall(repository, {
    program: [commandNode, mainBundle],
    agent,
    environment: Object.fromEntries(surroundings) as Record<string, string>, // without those that are not set
  });
  assert.ok(plan.ok, JSON.stringify(plan));
  const carried = plan.value.carryOut();
  assert.ok(carried.ok, JSON.stringify(carried));
}

/** A file with the text, made with the folders that it needs. */
export function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

export function stage(directory: string, path: string, text = "x"): void {
  write(join(directory, path), text);
  done(directory, "add", "--force", path);
}

/** A commit of what is staged; `agent` null: the environment names nobody. */
export function commit(directory: string, agent: string | null, ...words: readonly string[]): SpawnSyncReturns<string> {
  const variables: Variables = agent === null ? {} : { BATON_AGENT: agent, GIT_AUTHOR_NAME: agent };
  return git(directory, ["commit", "--quiet", "-m", "work", ...words], variables);
}

/** The commit is made. */
export function passes(run: SpawnSyncReturns<string>): void {
  assert.equal(run.status, 0, run.stderr);
}

/** The commit or push is made, and these words are said once. */
export function isWarned(run: SpawnSyncReturns<string>, words: RegExp): void {
  passes(run);
  assert.match(run.stderr, words);
  assert.equal(run.stderr.match(new RegExp(words, `g${words.flags}`))?.length, 1, run.stderr);
}

/** The commit or push is stopped by the gate, with these words. */
export function isStopped(run: SpawnSyncReturns<string>, words: RegExp): void {
  assert.notEqual(run.status, 0, `it passed: ${run.stdout}${run.stderr}`);
  assert.match(run.stderr, words);
  assert.match(run.stderr, /was stopped by the gate/);
}

/** Everything that installing may touch: paths, modes, where links lead, and what files say. */
export function everything(directory: string): readonly string[] {
  const roots = [".git/hooks", ".git/hooks.before-baton", ".git/config", ".git/config.worktree", ".githooks", ".husky"];
  const below = roots.flatMap((root) => {
    const path = join(directory, root);
    if (!existsSync(path)) return [];
    const inside = lstatSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
    return [path, ...inside.map((name) => join(path, name))];
  });
  return below.toSorted().map((path) => {
    const stat = lstatSync(path);
    const says = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path, "utf8") : "";
    return `${path} ${stat.mode} ${says}`;
  });
}
