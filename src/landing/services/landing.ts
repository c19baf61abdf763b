/**
 * Puts verified work on the main branch: each task's work is merged behind the one before, the owner's checks run on exactly
 * the commit that comes of it, and then the branch moves to that commit, or does not move at all. Git merges without a work
 * tree; the person's files are touched by one fast-forward, which git refuses where it would overwrite something. A hub
 * lands on a branch of Baton's own, and never touches what a work tree has checked out.
 * Rules: docs/protocol/verdicts.md, section 12.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { saidBy, shorten, shortList, visible } from "../../base/text.ts";
import { checkProblem, checkRules } from "../../evidence/decide/contract-checks.ts";
import { uncommittedAmong } from "../../evidence/decide/uncommitted.ts";
import { eachChange } from "../../evidence/git/changes.ts";
import { hasNoDriver, isRebased, mergesOtherwise, moveFiles } from "../../evidence/git/checkout.ts";
import { mergedTree, treeOf } from "../../evidence/git/merged-tree.ts";
import { durable } from "../../evidence/git/new-commit.ts";
import { answerOf, entriesAt, isAncestor, linesOf, look, textOf } from "../../evidence/git/questions.ts";
import { openRepository, type Repository, workTreesOf } from "../../evidence/git/repository.ts";
import { landingBranchOf, mainTipsOf, tipOf, tipsOf } from "../../evidence/git/tips.ts";
import type { RepositoryPlace } from "../../evidence/services/gate.ts";
import { changedSettings, type KeptTree, type OnCheck, runOn } from "../../evidence/services/plan-checks.ts";
import type { FileWork } from "../../evidence/state.ts";
import { ownerName } from "../../messages/principal.ts";
import { type Actor, batonActor, type TeamContext } from "../../perform/context.ts";
import { isVerified } from "../../tasks/state/report-status.ts";
import { type CheckRecord, isBatons, type LandingBranch, type Work } from "../../tasks/state/task-state.ts";
import type { TeamChecks } from "../../team/state/definition.ts";
import { type Landable, queueOf, type Returned, returnedCommits, unverifiedCommits } from "../decide/queue.ts";
import type { Landed, Landing } from "../operations.ts";
import { landingOnto, mergeCommit, moveLanding, type Onto } from "./landing-branch.ts";
import {
  type Failure,
  type Hunk,
  type Outcome,
  recordBegun,
  recordHeld,
  recordOutcomes,
  recordUndone,
} from "./outcomes.ts";
import { needed, takenBack, type Undoing, undoingOf } from "./undoing.ts";

export interface LandOptions {
  /** Only these tasks; absent: all that are verified. */
  readonly tasks?: readonly string[];
  /** Takes the landed work of this task back, and lands nothing else. */
  readonly undo?: string;
  /** Merges and checks, and moves nothing. */
  readonly isDry?: boolean;
  readonly onCheck?: OnCheck;
  /** Commits on which the checks failed without any work, with why; who lands again and again keeps them. */
  readonly redBases?: Map<string, string>;
  /** Where the checks run; absent: in a tree that goes afterwards. */
  readonly kept?: KeptTree;
  readonly signal?: AbortSignal;
}

/** So often landing begins again because somebody moved the branch meanwhile. */
const triesMax = 8;
/** So much later a hub looks again before it says what holds work up. */
const confirmMs = 2_000;

/**
 * Lands what is verified. Refuses `human-required` for anybody but the owner, what the journal and the repository refuse,
 * and `not-ready` where the main branch cannot be moved: it has not changed then.
 */
export async function land(
  context: TeamContext,
  actor: Actor,
  place: RepositoryPlace,
  { tasks = [], undo, isDry = false, onCheck, redBases = new Map(), kept, signal }: LandOptions = {},
): Promise<Result<Landed, Problem>> {
  if (actor.agent !== ownerName && actor !== batonActor) return err(onlyOwner(actor.agent));
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { coordination, team } = folded.value.state;
  const { main = null, checks } = team.definition ?? {};
  const undoing = undo === undefined ? ok(null) : undoingOf(coordination.work, undo);
  if (!undoing.ok) return undoing;
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const names = new Map<string, string>();
  const checking = { repository, place, rules: { listed: checks }, onCheck, signal, kept, names };
  const once = remembered((commit) => checkedOnce(commit, checking));
  const checked = remembered(async (commit) => checkedTwice(commit, await once(commit), checking));
  const landings = { context, actor, place, repository, main };
  let seen = "";
  const found = await look(async () => {
    for (let tries = triesMax; tries > 0; tries -= 1) {
      const round = { tasks, undone: undoing.value, isDry, redBases, signal, once, checked, checks, names };
      const done = await tryOnce(landings, round);
      const isHeld = done?.ok === false && done.error.code !== "interrupted" && actor === batonActor;
      const isDoubted = isHeld && tries > 1 && done.error.message !== seen;
      if (done !== null && !isDoubted) return done;
      if (!isDoubted) continue;
      // Git may be in the middle of a merge of the person's: what holds work up is there a moment later, too.
      seen = done.error.message;
      await context.clock.wait(confirmMs, signal);
    }
    return err(unmoved(main ?? "the branch", "it is moved by somebody else again and again"));
  });
  const landed = found.ok ? found.value : found;
  if (actor === batonActor && signal?.aborted !== true) await recordHeld(context, landed);
  return landed;
}

interface Tries extends Required<Pick<LandOptions, "tasks" | "isDry" | "redBases">> {
  readonly undone: Undoing | null;
  readonly signal: AbortSignal | undefined;
  readonly checks: TeamChecks | undefined;
  readonly names: Map<string, string>;
  once(commit: string): ReturnType<typeof checkedOnce>;
  checked(commit: string): ReturnType<typeof checkedTwice>;
}

/** Lands what is verified by now; null: somebody moved the branch meanwhile, who may have landed some of it. */
async function tryOnce(
  landings: Landings,
  { tasks, undone, isDry, redBases, signal, once, checked, checks, names }: Tries,
): Promise<Result<Landed, Problem> | null> {
  const { context, repository } = landings;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { coordination, team } = folded.value.state;
  const queue = queueOf(coordination.work, checkRules(coordination.contracts, checks), tasks);
  const unknown = queue.unknown[0];
  if (unknown !== undefined) return err(makeProblem("unknown-task", unknown, `There is no task ${visible(unknown)}.`));
  const terms: Terms = {
    listed: checks,
    named: tasks.length > 0,
    unverified: unverifiedCommits(coordination.work),
    returned: returnedCommits(coordination.work),
    held: new Set(queue.held),
    redBases,
    names,
    check: async (commit) => (await checked(commit)).red,
    look: async (commit) => (await once(commit)).red,
  };
  const left: readonly Landing[] =
    undone === null
      ? queue.waits.map(({ task, why }) => ({ task, outcome: "waits", commit: null, why }))
      : [{ task: undone.task, outcome: "undone", commit: undone.commits.at(-1) ?? null, why: null }];
  const isAuto = team.definition?.land?.when === "auto";
  const away = isAuto && undone === null ? landedAway(coordination.work) : [];
  const onBranch = async (name: string): Promise<LandingBranch | undefined> => {
    const now = await context.journal.state(context.team);
    return now.ok ? now.value.state.coordination.work.landings.get(name) : undefined;
  };
  const ranAt = async (commit: string) => (await checked(commit)).ran;
  const own = { isDry, left, away, undone: undone?.task ?? null, onBranch: isAuto ? onBranch : null, ranAt, signal };
  const build = async (base: string): Promise<Result<Stack, Problem>> => {
    if (undone === null) return ok(await stacked(repository, base, queue.ready, terms, signal));
    const tip = await takenBack(repository, base, undone);
    if (!tip.ok) return tip;
    const seen = await terms.look(tip.value);
    // What does not pass with the work either may be why it is taken back.
    const isRedBefore = seen !== null && (await terms.check(base)) !== null;
    const red = seen === null || isRedBefore ? seen : await terms.check(tip.value);
    return red !== null && !isRedBefore
      ? err(needed(undone, red.why))
      : ok({ tip: tip.value, checked: red === null ? tip.value : null, tried: [] });
  };
  return await round(landings, build, own);
}

interface Landings {
  readonly context: TeamContext;
  readonly actor: Actor;
  readonly place: RepositoryPlace;
  readonly repository: Repository;
  /** The main branch that the team names; null: it names none. */
  readonly main: string | null;
}

interface RoundTerms {
  readonly isDry: boolean;
  /** What is said besides of tasks. */
  readonly left: readonly Landing[];
  /** What is on Baton's branch already, with which the main branch moves. */
  readonly away: readonly Landing[];
  /** The task whose landed work is taken back; null: none. */
  readonly undone: string | null;
  /** Where a branch of Baton's was moved, as it is recorded now; null: work lands on the main branch itself. */
  readonly onBranch: ((name: string) => Promise<LandingBranch | undefined>) | null;
  /** The checks that passed on a commit. */
  ranAt(commit: string): Promise<readonly CheckRecord[]>;
  readonly signal: AbortSignal | undefined;
}

/** Null: somebody moved the branch in between. */
async function round(
  landings: Landings,
  build: (base: string) => Promise<Result<Stack, Problem>>,
  { isDry, left, away, undone, onBranch, ranAt, signal }: RoundTerms,
): Promise<Result<Landed, Problem> | null> {
  const { context, actor, place, repository, main: named } = landings;
  if (!(await hasNoDriver(repository)) || mergesOtherwise(repository)) return err(ownDriver());
  const main = await mainBranch(repository, named);
  if (!main.ok) return main;
  const { name, tip } = main.value;
  const own = actor.agent === ownerName && !isDry ? await treeWith(repository, name) : null;
  if (own !== null && (await isMerging(repository, own))) return err(halfMerged(name));
  const straight: Onto = { name, tip, base: tip };
  const found =
    onBranch === null
      ? ok(straight)
      : await landingOnto(repository, { name, id: tip }, () => onBranch(landingBranchOf(name)));
  if (!found.ok) return found;
  const onto = found.value;
  const built = await build(onto.base);
  if (signal?.aborted === true) return err(interrupted(onto.name));
  if (!built.ok) return built;
  const done = built.value;
  const tried = done.tried.map(({ landing }) => landing);
  const brought = new Set(done.tip === tip ? [] : await broughtTo(repository, tip, done.tip));
  const moves = away.filter(
    ({ task, commit }) => brought.has(commit ?? "") && !tried.some((each) => each.task === task),
  );
  const tasks = [...moves, ...tried, ...left];
  // Told to the person alone; a hub lands often, and nobody reads it there.
  const apart = actor.agent === ownerName ? await apartFrom(repository, name, done.tip) : null;
  const landed = { branch: name, from: tip, to: done.tip, tasks, ...(apart === null ? {} : { apart }) };
  if (isDry) return ok(landed);
  const begun = await onBranch?.(onto.name);
  // What a crash left was checked before it.
  const before = begun?.to === done.tip ? (begun.checks ?? []) : [];
  const checks = done.tip === onto.base ? before : done.checked === null ? [] : await ranAt(done.checked);
  const recorded = async () => {
    // Nobody can merge a branch that is not there yet.
    const isThere = onto.tip !== null || done.tip !== tip;
    const failed = isThere ? onto.name : name;
    await recordOutcomes(context, actor, await outcomesOf(repository, { ...done, checks }, onto.name, failed));
    if (undone !== null) await recordUndone(context, actor, { task: undone, branch: onto.name, commit: done.tip });
  };
  if (onBranch !== null) {
    // What only brings the main branch's own commits along waits until there is work.
    const isNews = done.tip !== onto.base || (onto.tip !== null && onto.base === tip) || actor.agent === ownerName;
    if (isNews && done.tip !== onto.tip && (done.tip !== tip || onto.tip !== null)) {
      await recordBegun(context, { branch: onto.name, from: onto.tip, to: done.tip, checks });
      const moved = await moveLanding(context, repository, onto, done.tip);
      if (!moved.ok) {
        if ((await tipOf(repository, onto.name)) === onto.tip) return moved;
        return null;
      }
    }
    await recorded();
  }
  const tree = onBranch === null || actor.agent === ownerName ? null : await treeWith(repository, name);
  const isPersons = tree !== null;
  const inWay = isPersons ? answerOf(await uncommittedAmong(repository, tree, { from: tip, to: done.tip }, place)) : [];
  if (isPersons && (await isMerging(repository, tree))) return err(halfMerged(name));
  if (inWay.length > 0) return err(changedHere(name, inWay));
  const moved = isPersons || done.tip === tip ? ok(undefined) : await move(repository, place, name, landed);
  if (!moved.ok) {
    if ((await tipOf(repository, name)) === tip) return moved;
    return null;
  }
  if (onBranch === null) await recorded();
  return ok(isPersons ? { ...landed, to: tip } : landed);
}

/** Work that landed on Baton's branch and that the person's own does not have yet. */
function landedAway(work: Work): readonly Landing[] {
  return [...work.tasks.values()].flatMap(({ task, landed, ended, ...each }) => {
    const place = isVerified(each) ? each.verdict?.place : undefined;
    const isAway = place?.at === "landed" && isBatons(place.branch ?? "");
    if (!isAway || landed === undefined || ended !== undefined) return [];
    return [{ task, outcome: "landed" as const, commit: landed.commit, why: null }];
  });
}

/** The remote's branch where each of the two has commits that the other one lacks; null: one has all, or there is none. */
async function apartFrom(repository: Repository, name: string, tip: string): Promise<string | null> {
  const remote = `origin/${name}`;
  const theirs = (await tipsOf(repository)).find((each) => each.name === remote)?.id;
  if (theirs === undefined) return null;
  const isBehind = (await isAncestor(repository, theirs, tip)) || (await isAncestor(repository, tip, theirs));
  return isBehind ? null : remote;
}

/** The work tree that has a branch checked out; null: none has. */
async function treeWith(repository: Repository, name: string): Promise<string | null> {
  return answerOf(await workTreesOf(repository)).find(({ branch }) => branch === name)?.directory ?? null;
}

/** The local main branch. */
async function mainBranch(
  repository: Repository,
  named: string | null,
): Promise<Result<{ readonly name: string; readonly tip: string }, Problem>> {
  const all = await tipsOf(repository);
  const tips = await mainTipsOf(repository, all, named);
  const local = tips.find(({ name }) => !/^(?:origin|baton)\//.test(name));
  if (local !== undefined) return ok({ name: local.name, tip: local.id });
  const message = `There is no local branch ${named ?? "main"} to land on.`;
  return err(
    makeProblem("not-ready", "main", message, {
      hint: "Make the branch, or name the one that is yours under `main` in the team file.",
    }),
  );
}

/** What decides whether work may be merged. */
interface Terms {
  readonly listed: TeamChecks | undefined;
  /** Whether the person named the tasks, and so has looked at all that their branches bring. */
  readonly named: boolean;
  /** Who reported a commit, of reports that are not verified. */
  readonly unverified: ReadonlyMap<string, string>;
  /** Whose a commit is, of verified work that has come back. */
  readonly returned: ReadonlyMap<string, Returned>;
  /** Keys of verified work that is not tried. */
  readonly held: ReadonlySet<string>;
  readonly redBases: Map<string, string>;
  /** What a commit is that is checked, for who reads how its checks end. */
  readonly names: Map<string, string>;
  /** Why a commit does not pass the checks; null: it does. */
  check(commit: string): Promise<Red | null>;
  /** The same after one run, which blames nobody. */
  look(commit: string): Promise<Red | null>;
}

/** A check that does not pass, or that could not run. */
interface Red {
  readonly why: string;
  /** Null: it could not run. */
  readonly check: string | null;
  readonly outputEnd: string;
}

/** One task's work as it was tried. */
interface Tried {
  readonly each: Landable;
  readonly landing: Landing;
  /** The merge that has it; null: it was there, or stays out. */
  readonly merge: string | null;
  /** Why it stays out; null: it does not, or only waits for other work. */
  readonly failure: Failure | null;
}

interface Stack {
  readonly tip: string;
  /** The commit that passed the checks: the tip, or the last one before work that needs no leave of theirs; null: none. */
  readonly checked: string | null;
  readonly tried: readonly Tried[];
}

/**
 * The work merged behind `base`. All is checked together; where that fails, one after the other. Where the branch does not
 * pass without it either, nobody's work is at fault, and all of it waits.
 */
async function stacked(
  repository: Repository,
  base: string,
  ready: readonly Landable[],
  terms: Terms,
  signal: AbortSignal | undefined,
): Promise<Stack> {
  const together = await merged(repository, base, ready, { ...terms, check: () => Promise.resolve(null) });
  if (together.tip === base) return together;
  const tasks = together.tried.flatMap(({ merge, landing: { task } }) => (merge === null ? [] : [task]));
  terms.names.set(together.tip, `with ${shortList(tasks)}`).set(base, `without ${shortList(tasks)}`);
  const red = terms.redBases.has(base) ? null : await terms.look(together.tip);
  if ((red === null && !terms.redBases.has(base)) || signal?.aborted === true)
    return { ...together, checked: together.tip };
  const before = red === null || red.check === null ? red : await terms.check(base);
  if (before !== null) terms.redBases.set(base, before.check === null ? before.why : `${redBase} ${before.why}`);
  else if (red !== null && (await terms.check(together.tip)) === null) return { ...together, checked: together.tip };
  const why = terms.redBases.get(base);
  const all =
    why === undefined ? terms : { ...terms, check: () => Promise.resolve({ why, check: null, outputEnd: "" }) };
  return await merged(repository, base, ready, all);
}

const redBase = "The checks do not pass on the branch as it is, without this work.";

/** Each commit is checked once: what is merged again in the same order may be the same commit. */
function remembered<Found>(check: (commit: string) => Promise<Found>): (commit: string) => Promise<Found> {
  const known = new Map<string, Promise<Found>>();
  return (commit) => {
    const found = known.get(commit) ?? check(commit);
    known.set(commit, found);
    return found;
  };
}

async function merged(repository: Repository, base: string, ready: readonly Landable[], terms: Terms): Promise<Stack> {
  let tip = base;
  let checked: string | null = null;
  const tried: Tried[] = [];
  const held = new Set(terms.held);
  const last = new Set(ready.flatMap(({ key, leave }) => (leave === null ? [] : [key])));
  for (const each of ready) {
    const { task, commit, leave } = each;
    const before = each.after.find((key) => held.has(key) || (leave === null && last.has(key)));
    const next =
      before === undefined ? await mergeOf(repository, tip, each) : waiting("What it depends on does not land.");
    const isJudged = next.ok && next.value !== tip && leave === null;
    const why = isJudged ? await foundIn(repository, { tip, to: next.value, each, ready }, terms) : null;
    if (isJudged && !terms.names.has(next.value)) terms.names.set(next.value, `with ${task}`);
    const red = isJudged && why === null ? await terms.check(next.value) : null;
    if (next.ok && why === null && red === null) {
      const merge = next.value === tip ? null : next.value;
      tip = next.value;
      if (isJudged) checked = tip;
      tried.push({ each, landing: { task, outcome: "landed", commit, why: null }, merge, failure: null });
      continue;
    }
    held.add(each.key);
    const back = red === null ? null : behindReturned(await broughtTo(repository, tip, each.commit), terms, task);
    const stays = next.ok ? (why ?? back ?? failed(red)) : next.error;
    const landing: Landing = { task, commit, outcome: stays.outcome, why: stays.why };
    const failure = before === undefined ? { ...nothingMore, ...stays, reason: stays.outcome, onto: tip } : null;
    tried.push({ each, landing, merge: null, failure });
  }
  // What stayed out may have come with the work of a later task of its branch.
  for (const [at, { each, landing }] of tried.entries())
    if (landing.outcome !== "landed" && (await isAncestor(repository, each.commit, tip)))
      tried[at] = { each, landing: { ...landing, outcome: "landed", why: null }, merge: null, failure: null };
  return { tip, checked, tried };
}

type Stays = { readonly outcome: Failure["reason"]; readonly why: string } & Partial<Failure>;
const nothingMore = { files: [], hunks: [], check: null, outputEnd: "" };

function waiting(why: string) {
  return err<Stays>({ outcome: "waits", why });
}

function failed(red: Red | null): Stays {
  const { why, check, outputEnd } = red ?? { why: "", check: null, outputEnd: "" };
  return { outcome: check === null ? "waits" : "failed", why, check, outputEnd };
}

/** What is recorded of each. Work that was there already came with another's merge, or before somebody was stopped. */
async function outcomesOf(
  repository: Repository,
  { tip, tried, checks }: Stack & { readonly checks: readonly CheckRecord[] },
  branch: string,
  failed: string,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { each, landing, merge, failure } of tried) {
    const { key, task, report, commit: theirs, leave } = each;
    const override = leave === null ? {} : { override: leave };
    // Of work that lands by leave only what ran with it says something.
    const own = leave === null ? checks : checks.filter((check) => check.commit === tip);
    const about = { key, task, report, theirs, branch, failure, checks: own, ...override };
    if (landing.outcome !== "landed") {
      if (failure !== null) outcomes.push({ ...about, branch: failed, commit: null });
      continue;
    }
    const line = merge === null ? await broughtBy(repository, theirs, tip) : merge;
    outcomes.push({ ...about, commit: line });
  }
  return outcomes;
}

/** The commit of a branch's own line that brought another one: itself, where it lies there; the last, where none did. */
async function broughtBy(repository: Repository, commit: string, tip: string): Promise<string> {
  const later = new Set([commit, ...(await linesOf(repository, ["rev-list", "--ancestry-path", tip, `^${commit}`]))]);
  const line = await linesOf(repository, ["rev-list", "--first-parent", tip, `^${commit}`]);
  return line.findLast((id) => later.has(id)) ?? (line.length === 0 ? commit : tip);
}

/** The merge of the work into the tip, a commit that no branch has yet; the tip where it has the work; or why it stays. */
async function mergeOf(
  repository: Repository,
  tip: string,
  { task, title, by, commit }: Landable,
): Promise<Result<string, Stays>> {
  if (await isAncestor(repository, commit, tip)) return ok(tip);
  const merged = await mergedTree(repository, tip, commit);
  if (!merged.ok) {
    const { files, tree, words } = merged.error;
    if (tree === null) return waiting(words);
    const why = `It conflicts in ${shortList(files)}. ${by} merges the branch and reports again.`;
    return err({ outcome: "conflict", why, files, hunks: await hunksOf(repository, tree, files) });
  }
  // A pull request brought all of it as another commit.
  if (merged.value === (await treeOf(repository, tip))) return ok(tip);
  const what = title === null ? task : `${task}: ${shorten(visible(title), titleMax)}`;
  const message = `Merge ${what} (${by})\n\nBaton-Landed: ${task}\n`;
  return ok(await mergeCommit(repository, merged.value, [tip, commit], message));
}

const hunksMax = 4;
const hunkCharactersMax = 600;

/** Both sides of what conflicts, as git has marked them in the tree of the merge; of much the first. */
async function hunksOf(repository: Repository, tree: string, files: readonly string[]): Promise<readonly Hunk[]> {
  const first = files.slice(0, hunksMax);
  const entries = await entriesAt(repository, tree, first);
  const hunks: Hunk[] = [];
  for (const file of first) {
    const text = (await textOf(repository, entries.get(file)?.id ?? "0")) ?? "";
    for (const part of text.split(/^<{7} .*\n/m).slice(1, 1 + hunksMax)) {
      const [ours = "", rest = ""] = part.split(/^={7}\n/m, 2);
      const [theirs = ""] = rest.split(/^>{7} /m, 1);
      hunks.push({ file, ours: shorten(ours, hunkCharactersMax), theirs: shorten(theirs, hunkCharactersMax) });
    }
  }
  return hunks.slice(0, hunksMax);
}

interface Merge {
  readonly tip: string;
  readonly to: string;
  readonly each: Landable;
  readonly ready: readonly Landable[];
}

/**
 * Why a merge stays out although git makes it; null: it does not. It may bring only what was verified: no commit of a
 * report that is not, no file that none of the verified work in it changed, and no other way in which checks run.
 */
async function foundIn(
  repository: Repository,
  { tip, to, each, ready }: Merge,
  { listed, named, unverified, returned }: Terms,
): Promise<Stays | null> {
  if (named) return null;
  const brought = await broughtTo(repository, tip, each.commit);
  const other = [...unverified].find(([commit]) => brought.some((id) => id.startsWith(commit)));
  const name = `Look at its branch, then name it: baton land ${each.task}.`;
  if (other !== undefined) {
    const [commit, task] = other;
    return waiting(`Its branch has commit ${commit.slice(0, 12)} of ${task}, which is not verified. ${name}`).error;
  }
  const changes: FileWork[] = [];
  await eachChange(repository, tip, to, ({ path, mode, content }) => changes.push({ path, mode, content }));
  // Of very much work not all files are recorded; then the person looks.
  const verified = ready.filter(({ commit }) => brought.includes(commit));
  const known = new Set(verified.flatMap(({ work }) => work.files.map(({ path }) => path)));
  const foreign = changes.find(({ path }) => !known.has(path));
  if (foreign !== undefined) {
    const why = `Its branch also changes ${visible(foreign.path)}, which the verified work does not. ${name}`;
    return behindReturned(brought, { returned }, each.task) ?? waiting(why).error;
  }
  const commands = listed?.commands.map(({ run }) => run) ?? [];
  if (commands.length === 0) return null;
  const asked = { files: changes.map(({ path }) => path), work: { files: changes } };
  const setting = await changedSettings(repository, asked, commands);
  return setting === null ? null : waiting(`It changes ${visible(setting)}, and with it how checks run. ${name}`).error;
}

/** The commits that merging `commit` brings to the tip. */
async function broughtTo(repository: Repository, tip: string, commit: string): Promise<readonly string[]> {
  return await linesOf(repository, ["rev-list", commit, `^${tip}`]);
}

/** Why work waits that brings a commit of another task that came back; null: it brings none. */
function behindReturned(brought: readonly string[], { returned }: Pick<Terms, "returned">, own: string): Stays | null {
  const commit = brought.find((id) => (returned.get(id)?.task ?? own) !== own);
  const other = commit === undefined ? undefined : returned.get(commit);
  if (commit === undefined || other === undefined) return null;
  const { task, by } = other;
  const why = `It waits for ${task}, which came back, because its branch has commit ${commit.slice(0, 12)} of it. ${by} repairs ${task} and reports it again; then both land.`;
  return { ...waiting(why).error, behind: other.key };
}

const titleMax = 60;

/** The owner's checks on a commit. */
interface Checked {
  /** Why it does not pass them; null: it does, or there are none. */
  readonly red: Red | null;
  readonly ran: readonly CheckRecord[];
}

/** What does not pass runs once more before somebody's work is blamed. */
async function checkedTwice(commit: string, first: Checked, checking: Checking): Promise<Checked> {
  const isBlame = first.red !== null && first.red.check !== null && !first.ran.some(({ isTimedOut }) => isTimedOut);
  return isBlame && checking.signal?.aborted !== true ? await checkedOnce(commit, checking) : first;
}

type Checking = Parameters<typeof runOn>[2] & { readonly names: ReadonlyMap<string, string> };

async function checkedOnce(commit: string, checking: Checking): Promise<Checked> {
  const { commands = [] } = checking.rules.listed ?? {};
  if (commands.length === 0) return { red: null, ran: [] };
  let red: Red | null = null;
  const onCheck: OnCheck = (outcome) => {
    checking.onCheck?.(outcome, checking.names.get(commit));
    const problem = checkProblem(outcome);
    if (problem !== null) red ??= { why: problem.message, check: outcome.check, outputEnd: outcome.outputEnd };
  };
  const { ran, unrun } = await runOn(commit, commands, { ...checking, onCheck });
  if (unrun === "") return { red, ran };
  return { red: { why: `The checks did not run: ${unrun}`, check: null, outputEnd: "" }, ran };
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
  const [own, ...others] = trees.value.filter(({ branch }) => branch === name);
  if (others.length > 0) return err(unmoved(name, "several work trees have it checked out"));
  if (isRebased(repository, name)) return err(unmoved(name, "a rebase of it has not ended"));
  if (own === undefined) {
    const words = [...durable, "update-ref", "--no-deref", "-m", "baton land", `refs/heads/${name}`, to, from];
    const done = await repository.git.run(words, { answers: [0, 1, 128] });
    if (!done.ok) return done;
    return done.value.code === 0 ? ok(undefined) : err(unmoved(name, done.value.words));
  }
  const { directory } = own;
  // A fast-forward alone would bring back what was taken off the branch meanwhile.
  if ((await tipOf(repository, name)) !== from) return err(unmoved(name, "it was moved meanwhile"));
  const done = await moveFiles(repository, { ...place, directory }, { from, to });
  if (done.ok && done.value === null && (await tipOf(repository, name)) === to) return ok(undefined);
  const said = done.ok ? (done.value?.words ?? "it was moved meanwhile") : done.error.message;
  const isSame = done.ok && done.value?.code === 1;
  return err(unmoved(name, said, isSame ? nothingChanged : `Look at \`git status\` in ${directory}.`));
}

function ownDriver(): Problem {
  const message =
    "Git's configuration or info/attributes say how files merge (merge.*.driver, merge=), and Baton does not follow them.";
  return makeProblem("not-ready", "merge", message, {
    hint: "Merge the branches that `baton task list` names with git merge.",
  });
}

/** Whether a merge in the work tree waits for its commit. */
async function isMerging({ git }: Repository, tree: string): Promise<boolean> {
  const words = ["-C", tree, "rev-parse", "--verify", "--quiet", "MERGE_HEAD"];
  return answerOf(await git.run(words, { answers: [0, 1, 128] })).code === 0;
}

function halfMerged(name: string): Problem {
  return makeProblem("not-ready", name, `You have begun a merge on ${name} and not committed it.`, {
    hint: "Commit it, or take it back (git merge --abort), then: baton land",
  });
}

function changedHere(name: string, files: readonly string[]): Problem {
  const message = `What has landed brings what you have not committed here: ${shortList(files)}.`;
  // A file that git does not know stays where it is without -u.
  const isPlain = files.length <= 4 && files.every((file) => /^[\w./-]+$/.test(file));
  const these = isPlain ? ` -- ${files.join(" ")}` : "";
  const hint = `Commit it, or put it away (git stash -u${these}), then: baton land`;
  return makeProblem("not-ready", name, message, { hint });
}

const nothingChanged = "Nothing has changed. Commit or put away what is in the way, then land again.";

function unmoved(name: string, words: string, hint = nothingChanged): Problem {
  const message = `Git does not move ${name}: ${saidBy(words, wordsMax)}`;
  return makeProblem("not-ready", name, message, { hint });
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
