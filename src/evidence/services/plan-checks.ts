/**
 * The checks of plans, run on verified work as far as the owner lets them: in a clean tree of exactly the commit, each once
 * a report. What does not pass disputes the tasks at the commit. Rules: docs/protocol/verdicts.md, section 11.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isJsonObject, parseBounded } from "../../base/json.ts";
import { inOrder, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TaskVerdict } from "../../perform/operations/reply.ts";
import type { CheckRecord } from "../../tasks/state/task-state.ts";
import { type CheckCommand, sharedByDefault } from "../../team/state/definition.ts";
import {
  type CheckOutcome,
  type CheckRules,
  changedNote,
  checkProblem,
  notesAfter,
  openChecks,
  setsChecks,
} from "../decide/contract-checks.ts";
import { checkoutMsMax, withoutFilters } from "../git/checkout.ts";
import type { Environment } from "../git/git.ts";
import { look, textOf } from "../git/questions.ts";
import { listedTrees, openRepository, type Repository } from "../git/repository.ts";
import type { TakenWork, Whereabouts } from "../state.ts";
import {
  type CheckPlace,
  folderParts,
  newFolder,
  noSandbox,
  runCheck,
  type Sandbox,
  sandboxHere,
} from "./check-run.ts";
import type { RepositoryPlace } from "./gate.ts";
import type { Candidate } from "./reported-work.ts";

/** A candidate with what was found, and the paths that its commit changed; null: they are not known. */
export interface Judged {
  readonly candidate: Candidate;
  readonly files: readonly string[] | null;
  readonly verdict: TaskVerdict;
  /** The work, where it was taken now; absent: it is not verified, or was taken before. */
  readonly work?: TakenWork;
  /** The work as its branch has gone on with it; absent: it has not. */
  readonly grown?: TakenWork;
  /** Where the work is; absent: it is not verified. */
  readonly place?: Whereabouts;
}

/** Called as each check ends, with the end of its output. */
export type OnCheck = (outcome: CheckOutcome, of?: string) => void;

/**
 * The verdicts with what is known of the checks of their plans; `isNamed`: those that did not pass are to run again. Work
 * that changes how checks run is noted.
 */
export async function withKnownChecks(
  { repository, judged, rules }: Pick<Checking, "repository" | "judged" | "rules">,
  isNamed: boolean,
): Promise<readonly Judged[]> {
  const known: Judged[] = [];
  for (const each of judged) {
    const before = each.candidate.before?.checks?.filter(({ exitCode }) => !isNamed || exitCode === 0) ?? [];
    const noted = await withChangeNoted(repository, each, rules);
    known.push(before.length === 0 ? noted : { ...noted, verdict: { ...noted.verdict, checks: before } });
  }
  return known;
}

/** The verdict, where a check of the report has not passed since it failed: git knows no better. */
export function asFailedBefore(each: Judged): Judged {
  const { candidate, verdict } = each;
  const { problems = [], checks = [], settledBy } = candidate.before ?? {};
  const isOpen =
    settledBy === undefined &&
    checks.some(
      ({ check, exitCode }) =>
        exitCode !== 0 && !verdict.checks?.some((now) => now.check === check && now.exitCode === 0),
    );
  if (!isOpen || verdict.state !== "verified") return each;
  const { work: _, place: __, ...rest } = each;
  return { ...rest, verdict: { ...verdict, state: "disputed", problems, checks } };
}

async function withChangeNoted(repository: Repository, each: Judged, rules: CheckRules): Promise<Judged> {
  const { candidate, verdict, work } = each;
  const { before, planKey } = candidate;
  const wanted = rules.wanted.get(planKey ?? "") ?? [];
  if (verdict.state !== "verified" || before?.state === "verified" || wanted.length === 0) return each;
  const file = await changedSettings(repository, { files: each.files ?? [], work }, wanted);
  return file === null ? each : { ...each, verdict: { ...verdict, notes: [...verdict.notes, changedNote(file)] } };
}

/** The first file that says how these checks run, a `package.json` only where its scripts are others; null: none. */
export async function changedSettings(
  repository: Repository,
  { files, work }: { readonly files: readonly string[]; readonly work: Pick<TakenWork, "files"> | undefined },
  checks: readonly string[],
): Promise<string | null> {
  for (const file of files.filter((each) => setsChecks(each, checks) || isManifest(each))) {
    if (isManifest(file) && !setsChecks(file, checks) && !(await changesScripts(repository, file, work))) continue;
    return file;
  }
  return null;
}

function isManifest(file: string): boolean {
  return /(?:^|\/)package\.json$/.test(file);
}

/** Whether the scripts of a package are others; where that cannot be read, they are. */
async function changesScripts(
  repository: Repository,
  file: string,
  work: Pick<TakenWork, "files"> | undefined,
): Promise<boolean> {
  const { content } = work?.files.find(({ path }) => path === file) ?? {};
  if (content === undefined) return true;
  const read = await look(async () => {
    const texts = [await textOf(repository, content.before), await textOf(repository, content.after)];
    return texts.map(scriptsIn);
  });
  return !read.ok || read.value.includes(null) || read.value[0] !== read.value[1];
}

function scriptsIn(text: string | null): string | null {
  const read = parseBounded(text ?? "");
  if (!read.ok || !isJsonObject(read.value)) return text === "" ? "{}" : null;
  return JSON.stringify(read.value.scripts ?? {});
}

interface Checking {
  readonly repository: Repository;
  readonly place: RepositoryPlace;
  readonly judged: readonly Judged[];
  readonly rules: CheckRules;
  readonly onCheck?: OnCheck | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly kept?: KeptTree | undefined;
}

/** The verdicts after the checks that may run and have not, each run once on a commit. */
export async function withChecks(checking: Checking): Promise<readonly Judged[]> {
  const { judged, rules, signal } = checking;
  const due = judged.map((each) => ({ each, commands: dueOn(each, rules) }));
  const wanted = due.filter(({ commands }) => commands.length > 0);
  if (wanted.length === 0) return judged;
  const outcomes = new Map<string, CommitOutcome>();
  for (const [commit, at] of Map.groupBy(wanted, ({ each }) => each.verdict.commit ?? "")) {
    const commands = new Map(at.flatMap((one) => one.commands.map((command) => [command.run, command] as const)));
    outcomes.set(commit, await runOn(commit, [...commands.values()], checking));
    if (signal?.aborted === true) return judged;
  }
  return due.map(({ each, commands }) => {
    const outcome = outcomes.get(each.verdict.commit ?? "");
    return outcome === undefined || commands.length === 0 ? each : afterChecks(each, commands, outcome);
  });
}

/** The commands that run on a report now; work of which somebody has decided that it counts is not checked. */
function dueOn({ candidate, verdict, place }: Judged, rules: CheckRules): readonly CheckCommand[] {
  const isVerified = verdict.state === "verified" && verdict.commit !== null && place?.at !== "settled";
  if (!isVerified) return [];
  const open = openChecks(candidate.planKey, { report: candidate.report, ...verdict }, rules);
  return open.flatMap(({ leave }) => (typeof leave === "string" ? [] : [leave]));
}

/** What ran at a commit, and why the rest did not; empty: all did. */
export interface CommitOutcome {
  readonly ran: readonly CheckRecord[];
  readonly unrun: string;
}

const noSandboxHere =
  "this machine has no sandbox to run it in. Install bubblewrap (bwrap), or write `sandbox: none` under `checks` in the team file.";

/** The tree of who runs checks again and again: the next one writes only what differs. Who has it releases it. */
export interface KeptTree {
  made: CheckTree | null;
}

interface CheckTree {
  /** Its folder, in which a check can write. */
  readonly folder: string;
  /** What its `.git` says. */
  readonly link: string;
}

/** Removes what is kept. */
export async function releaseTree(kept: KeptTree, place: RepositoryPlace): Promise<void> {
  if (kept.made === null) return;
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return;
  await using repository = opened.value;
  await removeTree(repository, kept.made.folder);
  kept.made = null;
}

/** Runs commands in a clean tree of exactly the commit. */
export async function runOn(
  commit: string,
  commands: readonly CheckCommand[],
  checking: Omit<Checking, "judged" | "rules"> & { readonly rules: Pick<CheckRules, "listed"> },
): Promise<CommitOutcome> {
  const { repository, place, rules, kept = { made: null } } = checking;
  const { listed } = rules;
  const sandbox = listed?.sandbox === "none" ? noSandbox : await sandboxHere(place.environment);
  if (sandbox === null) return { ran: [], unrun: noSandboxHere };
  await removeLeftBehind(repository);
  const { git } = repository;
  try {
    const made = await cleanTree(repository, commit, kept);
    if (!made.ok) return { ran: [], unrun: made.error.message };
    const id = await git.run(["rev-parse", `${commit}^{tree}`]);
    if (!id.ok) return { ran: [], unrun: id.error.message };
    const { folder } = made.value;
    const tree = treeIn(folder);
    const reads = [repository.commonDirectory, ...linkShared(repository, tree, listed?.share ?? sharedByDefault)];
    const run = (command: CheckCommand) => runIn(command, { folder, tree, reads }, sandbox, checking);
    const setup = listed?.setup === undefined ? null : await run(listed.setup);
    const failed = setup === null ? null : checkProblem(setup);
    if (failed !== null) return { ran: [], unrun: `the setup before it failed. ${failed.message}` };
    const ran: CheckRecord[] = [];
    for (const command of commands) {
      const outcome = await run(command);
      if (outcome === null) return { ran, unrun: "/bin/sh cannot be started here." };
      checking.onCheck?.(outcome);
      const { outputEnd: _, ...record } = outcome;
      ran.push({ ...record, commit, tree: id.value.output.toString("latin1").trim() });
    }
    return { ran, unrun: "" };
  } finally {
    if (checking.kept === undefined && kept.made !== null) await removeTree(repository, kept.made.folder);
  }
}

const treeIn = (folder: string) => join(folder, "tree");

/** A tree of exactly the commit: the kept one where git can bring it there, else a new one, which is kept then. */
async function cleanTree(repository: Repository, commit: string, kept: KeptTree): Promise<Result<CheckTree, Problem>> {
  const own = await withoutFilters(repository);
  if (kept.made !== null) {
    if (await isCleaned(repository, kept.made, commit, own)) return ok(kept.made);
    await removeTree(repository, kept.made.folder);
    kept.made = null;
  }
  const folder = newFolder();
  const tree = treeIn(folder);
  const add = ["worktree", "add", "--quiet", "--detach", "--force", tree, commit];
  const added = await repository.git.run(add, { own, msMax: checkoutMsMax });
  if (!added.ok) {
    await removeTree(repository, folder);
    return added;
  }
  kept.made = { folder, link: await readFile(join(tree, ".git"), "utf8") };
  return ok(kept.made);
}

/** What a check cannot forge says which files it changed, whatever the configuration thinks of that. */
const distrusting = ["core.trustctime=true", "core.checkStat=default", "core.untrackedCache=false"].flatMap((each) => [
  "-c",
  each,
]);

/** Whether the tree is as the commit has it, and nothing else is where a check may write. */
async function isCleaned(
  { git }: Repository,
  { folder, link }: CheckTree,
  commit: string,
  filters: Environment,
): Promise<boolean> {
  const tree = treeIn(folder);
  const own = { ...filters, GIT_DIR: link.replace(/^gitdir: /, "").trim(), GIT_WORK_TREE: tree };
  try {
    for (const name of folderParts) {
      await rm(join(folder, name), { recursive: true, force: true });
      mkdirSync(join(folder, name));
    }
    await rm(join(tree, ".git"), { recursive: true, force: true });
    await writeFile(join(tree, ".git"), link, { flag: "wx" });
  } catch {
    // A check has taken the right to write from us, or the folder.
    return false;
  }
  for (const words of [
    ["clean", "-ffdxq"],
    ["reset", "--hard", "--quiet", commit],
  ]) {
    const done = await git.run([...distrusting, ...words], { own, msMax: checkoutMsMax });
    if (!done.ok) return false;
  }
  return true;
}

async function runIn(
  command: CheckCommand,
  place: CheckPlace,
  sandbox: Sandbox,
  checking: Pick<Checking, "repository" | "place" | "signal">,
): Promise<CheckOutcome | null> {
  const { repository, place: at, signal } = checking;
  return await runCheck(command, {
    place,
    sandbox,
    environment: at.environment,
    outputs: join(repository.commonDirectory, "baton/checks"),
    signal,
    ...(at.clock === undefined ? {} : { clock: at.clock }),
  });
}

/** Links ignored folders of the checkout into the tree; answers where they are. */
function linkShared({ workTree }: Repository, tree: string, share: readonly string[]): readonly string[] {
  return share.flatMap((each) => {
    const [from, to] = [join(workTree ?? "", each), join(tree, each)];
    if (workTree === null || !existsSync(from) || existsSync(to)) return [];
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
    return [from, realpathSync(from)];
  });
}

async function removeTree({ git }: Repository, folder: string): Promise<void> {
  const remove = () =>
    git.run(["worktree", "remove", "--force", "--force", treeIn(folder)], { answers: [0, 128], msMax: checkoutMsMax });
  await remove();
  if (existsSync(treeIn(folder))) {
    letRemove(folder);
    await remove();
  }
  await rm(folder, { recursive: true, force: true });
}

/** A check may have taken from us the right to write into its folders. */
function letRemove(folder: string): void {
  if (!existsSync(folder)) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) letRemove(join(folder, entry.name));
}

/** Removes what a process left that was killed: its folders here, and what the repository knows of its trees. */
async function removeLeftBehind(repository: Repository): Promise<void> {
  const parent = realpathSync(tmpdir());
  const listed = await listedTrees(repository);
  const known = listed.ok ? listed.value.map(({ directory }) => dirname(directory)) : [];
  const lying = readdirSync(parent).map((name) => join(parent, name));
  for (const folder of new Set([...known, ...lying])) {
    const [, id] = /\/baton-check-(\d+)-[^/]+$/.exec(folder) ?? [];
    if (id !== undefined && dirname(folder) === parent && isOurs(folder) && !isRunning(Number(id)))
      await removeTree(repository, folder);
  }
}

/** Also what is gone by itself, of which the repository still knows. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found === undefined || (found.isDirectory() && found.uid === process.getuid?.());
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (cause) {
    // Another user's runs.
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}

function afterChecks(each: Judged, commands: readonly CheckCommand[], { ran, unrun }: CommitOutcome): Judged {
  const { verdict } = each;
  const tried = commands.map(({ run }) => run);
  const own = ran.filter(({ check }) => tried.includes(check));
  const problems = own.map(checkProblem).filter((problem) => problem !== null);
  const checks = [...(verdict.checks ?? []), ...own];
  const notes = notesAfter(verdict.notes, tried, unrun);
  const checked: TaskVerdict = { ...verdict, notes, ...(checks.length === 0 ? {} : { checks }) };
  if (problems.length === 0) return { ...each, verdict: checked };
  const { work: _, place: __, ...rest } = each;
  return { ...rest, verdict: { ...checked, state: "disputed", problems: inOrder([...verdict.problems, ...problems]) } };
}
