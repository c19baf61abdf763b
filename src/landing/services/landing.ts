/**
 * Puts verified work on the main branch: each task's work is merged behind the one before, the owner's checks run on exactly
 * the commit that comes of it, and then the branch moves to that commit, or does not move at all. Git merges without a work
 * tree; the person's files are touched by one fast-forward, which git refuses where it would overwrite something.
 * Rules: docs/protocol/verdicts.md, section 12.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList, visible } from "../../base/text.ts";
import { checkProblem, checkRules } from "../../evidence/decide/contract-checks.ts";
import { gitAt } from "../../evidence/git/git.ts";
import { ask, isAncestor, linesOf, look } from "../../evidence/git/questions.ts";
import { openRepository, type Repository, workTreesOf } from "../../evidence/git/repository.ts";
import { mainTipsOf, tipsOf } from "../../evidence/git/tips.ts";
import { mergeDrivers, unlandedIn } from "../../evidence/services/conflicts.ts";
import type { RepositoryPlace } from "../../evidence/services/gate.ts";
import { changedSettings, type OnCheck, runOn } from "../../evidence/services/plan-checks.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import type { TeamChecks } from "../../team/state/definition.ts";
import { type Landable, queueOf, unverifiedCommits, type Waiting } from "../decide/queue.ts";

export interface LandOptions {
  /** Only these tasks; absent: all that are verified. */
  readonly tasks?: readonly string[];
  /** Merges and checks, and moves nothing. */
  readonly isDry?: boolean;
  readonly onCheck?: OnCheck;
  readonly signal?: AbortSignal;
}

/** What became of one task's work. */
export interface Landing {
  readonly task: string;
  /** `conflict`: git cannot merge it; `failed`: a check does not pass with it; `waits`: it is not tried. */
  readonly outcome: "landed" | "conflict" | "failed" | "waits";
  /** The reported commit; null: it was not looked at. */
  readonly commit: string | null;
  /** Why it did not land; null: it did. */
  readonly why: string | null;
}

export interface Landed {
  readonly branch: string;
  /** Where the branch was, and is now; the same where nothing landed. With `isDry` where it would be. */
  readonly from: string;
  readonly to: string;
  readonly tasks: readonly Landing[];
}

/** So often landing begins again because somebody moved the branch meanwhile. */
const triesMax = 8;

/**
 * Lands what is verified. Refuses `human-required` for anybody but the owner, what the journal and the repository refuse,
 * and `not-ready` where the main branch cannot be moved: it has not changed then.
 */
export async function land(
  context: TeamContext,
  actor: Actor,
  place: RepositoryPlace,
  { tasks = [], isDry = false, onCheck, signal }: LandOptions = {},
): Promise<Result<Landed, Problem>> {
  if (actor.agent !== ownerName) return err(onlyOwner(actor.agent));
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { coordination, team } = folded.value.state;
  const { main, checks } = team.definition ?? {};
  const rules = checkRules(coordination.contracts, checks);
  const queue = queueOf(unlandedIn(folded.value.state), coordination.work, rules, tasks);
  const unverified = unverifiedCommits(coordination.work);
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const checking = { repository, place, rules: { listed: checks }, onCheck, signal };
  const asked = { listed: checks, named: tasks.length > 0, unverified };
  const run = async (commit: string): Promise<string | null> => await failureOf(commit, checking);
  const once = async (): Promise<Result<Landed & { readonly isMoved: boolean }, Problem>> => {
    const onto = await mainBranch(repository, main ?? null);
    if (!onto.ok) return onto;
    const { name, tip } = onto.value;
    const { ready, waits } = await sorted(repository, { ...asked, onto: tip }, queue.ready);
    const done = await stacked(repository, tip, ready, run);
    if (signal?.aborted === true) return err(interrupted(name));
    const left = [...queue.waits, ...waits].map(({ task, why }): Landing => {
      return { task, outcome: "waits", commit: null, why };
    });
    const landed = { branch: name, from: tip, to: done.tip, tasks: [...done.tasks, ...left] };
    if (isDry || done.tip === tip) return ok({ ...landed, isMoved: false });
    const moved = await move(repository, place, name, landed);
    if (moved.ok) return ok({ ...landed, isMoved: false });
    const now = await mainBranch(repository, main ?? null);
    return now.ok && now.value.tip !== tip ? ok({ ...landed, isMoved: true }) : moved;
  };
  const found = await look(async (): Promise<Result<Landed, Problem>> => {
    for (let left = triesMax; left > 0; left -= 1) {
      const tried = await once();
      if (!tried.ok) return tried;
      const { isMoved, ...landed } = tried.value;
      if (!isMoved) return ok(landed);
    }
    return err(unmoved(main ?? "the branch", "it is moved by somebody else again and again"));
  });
  return found.ok ? found.value : found;
}

/** The local main branch. */
async function mainBranch(
  repository: Repository,
  named: string | null,
): Promise<Result<{ readonly name: string; readonly tip: string }, Problem>> {
  const all = await tipsOf(repository);
  const tips = await mainTipsOf(repository, all, named);
  const local = tips.find(({ name }) => !name.startsWith("origin/"));
  const drivers = await ask(repository, ["config", "--get-regexp", mergeDrivers], { answers: [0, 1] });
  if (drivers.code === 0) return err(ownDriver());
  if (local !== undefined) return ok({ name: local.name, tip: local.id });
  const message = `There is no local branch ${named ?? "main"} to land on.`;
  return err(
    makeProblem("not-ready", "main", message, {
      hint: "Make the branch, or name the one that is yours under `main` in the team file.",
    }),
  );
}

/** What is known before anything is merged. */
interface Asked {
  readonly listed: TeamChecks | undefined;
  /** Whether the person named the tasks, and so has looked at them. */
  readonly named: boolean;
  readonly onto: string;
  readonly unverified: ReadonlyMap<string, string>;
}

/** Which of the work can be merged: the person names what changes the checks, and no branch brings unverified work along. */
async function sorted(
  repository: Repository,
  { listed, named, onto, unverified }: Asked,
  ready: readonly Landable[],
): Promise<{ readonly ready: readonly Landable[]; readonly waits: readonly Waiting[] }> {
  const waits: Waiting[] = [];
  const left: Landable[] = [];
  const commands = listed?.commands.map(({ run }) => run) ?? [];
  for (const each of ready) {
    const work = { files: each.work.files.map(({ path }) => path), work: each.work };
    const changed = named || commands.length === 0 ? null : await changedSettings(repository, work, commands);
    const brought = await linesOf(repository, ["rev-list", each.commit, `^${onto}`]);
    const other = [...unverified].find(([commit]) => brought.some((id) => id.startsWith(commit)));
    if (changed !== null) waits.push({ task: each.task, why: changesChecks(each.task, changed) });
    else if (other !== undefined) waits.push({ task: each.task, why: carries(other) });
    else left.push(each);
  }
  return { ready: left, waits };
}

function changesChecks(task: string, file: string): string {
  return `It changes ${file}, and with it how checks run. Look at it, then name it: baton land ${task}.`;
}

function carries([commit, task]: readonly [string, string]): string {
  return `Its branch has commit ${commit.slice(0, 12)} of ${task}, which is not verified.`;
}

type Check = (commit: string) => Promise<string | null>;

/** The work merged behind `base`. All is checked together; where that fails, one after the other. */
async function stacked(
  repository: Repository,
  base: string,
  ready: readonly Landable[],
  check: Check,
): Promise<{ readonly tip: string; readonly tasks: readonly Landing[] }> {
  const together = await merged(repository, base, ready, () => Promise.resolve(null));
  if (together.tip === base || (await check(together.tip)) === null) return together;
  return await merged(repository, base, ready, check);
}

async function merged(repository: Repository, base: string, ready: readonly Landable[], check: Check) {
  let tip = base;
  const tasks: Landing[] = [];
  const behind: string[] = [];
  for (const each of ready) {
    const { task, by, commit } = each;
    const next = (await isAncestor(repository, commit, tip)) ? ok(tip) : await mergeOf(repository, tip, each);
    const failure = next.ok && next.value !== tip ? await check(next.value) : null;
    if (!next.ok) {
      const others = behind.length === 0 ? "the branch" : `the branch with ${shortList(behind)}`;
      const why = `It conflicts with ${others} in ${shortList(next.error)}. ${by} merges the branch and reports again.`;
      tasks.push({ task, outcome: "conflict", commit, why });
    } else if (failure === null) {
      tip = next.value;
      behind.push(task);
      tasks.push({ task, outcome: "landed", commit, why: null });
    } else tasks.push({ task, outcome: "failed", commit, why: failure });
  }
  return { tip, tasks };
}

/** The merge of the work into the tip, a commit that no branch has yet; or the files in which it conflicts. */
async function mergeOf(
  repository: Repository,
  tip: string,
  { task, title, by, commit }: Landable,
): Promise<Result<string, readonly string[]>> {
  const tree = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", tip, commit];
  const { code, output } = await ask(repository, [...durable, "-c", "merge.renormalize=false", ...tree], {
    answers: [0, 1],
  });
  const [id = "", ...paths] = output.toString("utf8").split("\0");
  if (code === 1) return err(paths.filter((path) => path !== ""));
  const what = title === null ? task : `${task}: ${shorten(visible(title), titleMax)}`;
  const input = `Merge ${what} (${by})\n\nBaton-Task: ${task}\n`;
  const words = [...durable, "commit-tree", "--no-gpg-sign", "-p", tip, "-p", commit, "-F", "-", id];
  const made = await ask(repository, words, { input, own: await nameless(repository) });
  return ok(made.output.toString("latin1").trim());
}

const titleMax = 60;
/** A branch that moved is on the disk with all that it points to. */
const durable = ["-c", "core.fsync=committed,loose-object"];

/** Who merges where git knows no name of the person: a machine that only runs the team. */
async function nameless({ git }: Repository): Promise<Readonly<Record<string, string>>> {
  const known = await git.run(["var", "GIT_COMMITTER_IDENT"], { answers: [0, 128] });
  if (known.ok && known.value.code === 0) return {};
  const [name, mail] = ["Baton", "baton@localhost"];
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: mail };
}

/** Why a commit does not pass the owner's checks; null: it does, or there are none. */
async function failureOf(
  commit: string,
  checking: Omit<Parameters<typeof runOn>[2], "judged">,
): Promise<string | null> {
  const { commands = [] } = checking.rules.listed ?? {};
  if (commands.length === 0) return null;
  const { ran, unrun } = await runOn(commit, commands, checking);
  if (unrun !== "") return `The checks did not run: ${unrun}`;
  const [failed] = ran.map(checkProblem).filter((problem) => problem !== null);
  return failed?.message ?? null;
}

/** Moves the branch, by a fast-forward in the work tree that has it checked out, or where none has, alone. */
async function move(
  repository: Repository,
  place: RepositoryPlace,
  name: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Result<void, Problem>> {
  const trees = await workTreesOf(repository);
  if (!trees.ok) return trees;
  const own = trees.value.find(({ branch }) => branch === name);
  if (own === undefined) {
    const words = [...durable, "update-ref", "-m", "baton land", `refs/heads/${name}`, to, from];
    const done = await repository.git.run(words, { answers: [0, 1, 128] });
    if (!done.ok) return done;
    return done.value.code === 0 ? ok(undefined) : err(unmoved(name, done.value.words));
  }
  // The person's own checkout: hooks do not run, and git refuses what would overwrite a file.
  const there = gitAt({ ...place, directory: own.directory });
  const done = await there.run([...durable, "merge", "--ff-only", "--quiet", "--no-autostash", to], {
    answers: [0, 1, 128],
  });
  if (!done.ok) return done;
  return done.value.code === 0 ? ok(undefined) : err(unmoved(name, done.value.words));
}

function ownDriver(): Problem {
  const message = "A program of git's configuration merges (merge.*.driver), and Baton does not start it.";
  return makeProblem("not-ready", "merge", message, {
    hint: "Merge the branches that `baton task list` names with git merge.",
  });
}

function unmoved(name: string, words: string): Problem {
  return makeProblem("not-ready", name, `Git does not move ${name}: ${shorten(visible(words.trim()), wordsMax)}`, {
    hint: "Nothing has changed. Commit or put away what is in the way, then land again.",
  });
}

const wordsMax = 400;

function interrupted(name: string): Problem {
  return makeProblem("not-ready", name, `Landing was stopped; ${name} has not moved.`, { hint: "Land again." });
}

function onlyOwner(agent: string): Problem {
  return makeProblem("human-required", agent, "Only the person lands work.", {
    hint: "Run it as the owner: leave --as out.",
  });
}
