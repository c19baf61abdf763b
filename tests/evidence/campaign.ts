/** The campaign of lies: stories are made into repositories, reported, and judged. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkScope } from "../../src/base/paths/scope.ts";
import type { Problem } from "../../src/base/problem.ts";
import { follow } from "../../src/evidence/decide/following.ts";
import { lookingAt } from "../../src/evidence/decide/looking.ts";
import { takeWork } from "../../src/evidence/decide/taking.ts";
import { type ReportedWork, type Verdict, verifyCompletion } from "../../src/evidence/decide/verdict.ts";
import { commitsWith } from "../../src/evidence/git/commits.ts";
import { look } from "../../src/evidence/git/questions.ts";
import { openRepository } from "../../src/evidence/git/repository.ts";
import { mainTipsOf, tipsOf } from "../../src/evidence/git/tips.ts";
import { chanceFrom } from "../crash/seed.ts";
import { fates } from "./fates.ts";
import { git, makeHistory, testEnvironment } from "./history.ts";
import { honestWays } from "./honest-ways.ts";
import { lies, lyingStory } from "./lies.ts";
import { differences, historyOf, honestStory, type Known, type Lie, places, type Story, shapes } from "./stories.ts";

/** How a verifier answers: the codes of what it found. Empty: it believes the report. */
export type Verifier = (directory: string, work: StoryWork) => Promise<readonly string[]>;

/** What is judged; the work of credited others is taken from the repository. */
export type StoryWork = Omit<ReportedWork, "others"> & Pick<Known, "others">;

export interface CampaignReport {
  readonly judged: number;
  /** Per lie, how often it was reported and how often told with its code. */
  readonly kinds: ReadonlyMap<string, { told: number; caught: number }>;
  /** What went wrong, with the seed that repeats it. */
  readonly wrong: readonly string[];
}

/** Our own verifier. */
export const baton: Verifier = async (directory, work) => {
  const verdict = await verdictIn(directory, work);
  return verdict.problems.map(({ code }: Problem) => code);
};

/** The verdict on work in a repository that is opened for it. */
export async function verdictIn(directory: string, { others = [], ...work }: StoryWork): Promise<Verdict> {
  const opened = await openRepository(directory, { environment: testEnvironment });
  if (!opened.ok) return { state: "undecided", problems: [opened.error], notes: [], evidence: null };
  await using repository = opened.value;
  const known = [];
  for (const { isCredited, ...other } of others) {
    const named = { ...other, filesModified: null, scope: null };
    const seen = isCredited ? await verifyCompletion(repository, named) : null;
    known.push({ ...other, work: seen?.evidence?.work ?? null });
  }
  return await verifyCompletion(repository, { ...work, others: known });
}

/** The control: asks git as a script would, and believes what it shows: whether the commit is there, and the names. */
export const script: Verifier = async (directory, { commits: [commit = ""], scope, filesModified }) => {
  const run = (...words: readonly string[]) =>
    spawnSync("git", words, { cwd: directory, encoding: "utf8", env: testEnvironment });
  if (run("cat-file", "-e", commit).status !== 0) return ["commit-missing"];
  const names = run("-c", "core.quotePath=false", "show", "-m", "--first-parent", "--name-only", "--format=", commit);
  const changed = names.stdout.split("\n").filter((name) => name !== "");
  const outside = scope === null ? [] : checkScope(scope, changed).map(({ code }) => code);
  const unlisted = changed.filter((name) => filesModified !== null && !filesModified.includes(name));
  return [...outside, ...unlisted.map(() => "files-unlisted")];
};

const ways = Object.entries(honestWays);

/** The control of rewritten work: does not know where the branches were when the task was recorded. */
export const forgetful: Verifier = (directory, { branches: _branches, ...work }) => baton(directory, work);

/** The control of honest work: does not know what other tasks reported. */
export const lonely: Verifier = (directory, { others: _others, ...work }) => baton(directory, work);

/** `count` verified tasks of each fate in turn: where the work is in the end. */
export async function tellFates(folder: string, seed: number, count: number): Promise<CampaignReport> {
  const wrong: string[] = [];
  const kinds = new Map<string, { told: number; caught: number }>();
  for (const [name, fate] of Object.entries(fates)) {
    const kind = { told: count, caught: 0 };
    for (let index = 0; index < count; index++) {
      const chance = chanceFrom(seed * 6_151 + index);
      const story = honestStory(chance, "plain");
      const directory = join(folder, "later");
      const later = fate.commits(story, chance);
      const commits = [{ tree: story.before, parents: [] }, { tree: story.after, parents: [0] }, ...later];
      const ids = makeHistory(directory, { commits, references: { "refs/heads/main": commits.length - 1 } });
      const found = await foundOf(directory, ids[1] ?? "", fate.isBranch === true);
      if (found === fate.is) kind.caught++;
      else wrong.push(`${name} ${seed}/${index}: ${found} instead of ${fate.is}`);
      rmSync(directory, { recursive: true, force: true });
    }
    kinds.set(name, kind);
  }
  return { judged: count * kinds.size, kinds, wrong };
}

/** Where the work of a commit is, or whether part of it is gone, that was on a branch or on the main one. */
async function foundOf(directory: string, commit: string, isBranch: boolean): Promise<string> {
  const opened = await openRepository(directory, { environment: testEnvironment });
  if (!opened.ok) throw new Error(opened.error.message);
  await using repository = opened.value;
  const found = await look(async () => {
    const [named] = await commitsWith(repository, [commit]);
    if (named === undefined) throw new Error("the work's commit is there");
    const { work } = await takeWork(repository, [named], { claimed: null, scope: null });
    const tips = await tipsOf(repository);
    const main = await mainTipsOf(repository, tips, null);
    const at = isBranch
      ? ({ at: "branch", branch: "f", since: null } as const)
      : ({ at: "landed", branch: "main", since: commit } as const);
    const before = { ...at, isChanged: false };
    return await follow(lookingAt(repository), { work, before, others: [] }, { tips, main });
  });
  if (!found.ok) return found.error.code;
  const { place, notes } = found.value;
  return notes.some(({ code }) => code === "part-gone") ? "part-gone" : (place?.at ?? "unsure");
}

/** What a verdict says in whole: its state, what it disputes, and what it notes. */
const wholeVerdict: Verifier = async (directory, work) => {
  const { state, problems, notes } = await verdictIn(directory, work);
  return [state, ...problems.map(({ code }) => code), ...notes.map(({ code }) => code)];
};

/**
 * `count` pieces of honest work on a task whose files are a forecast, of which nothing was changed: each is verified and
 * noted, which docs/protocol/verdicts.md decides. Where the forecast is right nothing is noted, and where the same files
 * were claimed the work is disputed.
 */
export async function tellForecasts(
  folder: string,
  seed: number,
  count: number,
  verifier = wholeVerdict,
): Promise<CampaignReport> {
  const wrong: string[] = [];
  const kinds = new Map<string, { told: number; caught: number }>();
  const notes = (isNoted: boolean) => (codes: readonly string[]) =>
    codes[0] === "verified" && codes.includes("outside-forecast") === isNoted;
  const cases: readonly (readonly [string, "claimed" | "forecast", "right" | "wrong", ReturnType<typeof notes>])[] = [
    ["a forecast of which nothing was changed", "forecast", "wrong", notes(true)],
    ["a forecast that was right", "forecast", "right", notes(false)],
    ["a claim of which nothing was changed", "claimed", "wrong", (codes) => codes.includes("nothing-changed")],
  ];
  for (let index = 0; index < count; index++)
    for (const [name, binds, guess, isExpected] of cases) {
      const story = honestStory(chanceFrom(seed * 3_571 + index), shapes[index % shapes.length]);
      const files = guess === "right" ? differences(story.before, story.after) : ["never/was.ts"];
      const { known } = story;
      story.claimed = null;
      story.known = (ids, id) => ({ ...known?.(ids, id), [binds]: files });
      const codes = await judge(folder, story, verifier);
      const kind = kinds.get(name) ?? { told: 0, caught: 0 };
      kind.told++;
      if (isExpected(codes)) kind.caught++;
      else wrong.push(`${name} ${seed}/${index} (${story.shape}, ${story.place}): ${codes.join()}`);
      kinds.set(name, kind);
    }
  return { judged: count * cases.length, kinds, wrong };
}

/** The control: takes a forecast for a claim. */
export const binding: Verifier = (directory, { forecast = null, ...work }) =>
  wholeVerdict(directory, { ...work, claimed: work.claimed ?? forecast });

/** `count` honest stories in every shape and place; all must be believed. */
export async function tellHonest(
  folder: string,
  seed: number,
  count: number,
  verifier = baton,
): Promise<CampaignReport> {
  const wrong: string[] = [];
  const kinds = new Map<string, { told: number; caught: number }>();
  for (let index = 0; index < count; index++) {
    // Every other story is reported in one of the odd ways, which start from one plain commit.
    const [name, way] = index % 2 === 0 ? [null, null] : (ways[((index - 1) / 2) % ways.length] ?? [null, null]);
    const chance = chanceFrom(seed * 7919 + index);
    const plain = index % 4 === 1 ? "plain" : "earlier";
    const story = honestStory(chance, way === null ? shapes[(index / 2) % shapes.length] : plain);
    story.place = places[Math.floor(index / shapes.length) % places.length] ?? story.place;
    way?.(story, chance);
    const codes = await judge(folder, story, verifier);
    const called = name ?? story.shape;
    const kind = kinds.get(called) ?? { told: 0, caught: 0 };
    kind.told++;
    kinds.set(called, kind);
    if (codes.length > 0) wrong.push(`honest ${seed}/${index} (${called}, ${story.place}): ${codes.join()}`);
  }
  return { judged: count, kinds, wrong };
}

/** `count` lies of every kind (of `told`) in turn; each must be reported by its code. */
export async function tellLies(
  folder: string,
  seed: number,
  count: number,
  verifier = baton,
  told: Readonly<Record<string, Lie>> = lies,
): Promise<CampaignReport> {
  const all: readonly (readonly [string, Lie])[] = Object.entries(told);
  const wrong: string[] = [];
  const kinds = new Map<string, { told: number; caught: number }>();
  for (let index = 0; index < count; index++) {
    const [name, lie] = all[index % all.length] ?? ["", undefined];
    if (lie === undefined) continue;
    const asked = lie.isNoted === true && verifier === baton ? wholeVerdict : verifier;
    const codes = await judge(folder, lyingStory(lie, chanceFrom(seed * 104_729 + index)), asked);
    const kind = kinds.get(name) ?? { told: 0, caught: 0 };
    kind.told++;
    if (codes.includes(lie.code)) kind.caught++;
    else wrong.push(`${name} ${seed}/${index}: ${codes.join() || "believed"} instead of ${lie.code}`);
    kinds.set(name, kind);
  }
  return { judged: count, kinds, wrong };
}

/** Makes the story's repository, has the work judged there, and removes it. */
async function judge(folder: string, story: Story, verifier: Verifier): Promise<readonly string[]> {
  const directory = join(folder, "repository");
  try {
    const { at, id, ids } = place(directory, story);
    story.tamper?.(directory, ids, id);
    return await verifier(at, {
      commits: [story.report?.(id) ?? id.slice(0, story.digits)],
      filesModified: story.files,
      scope: story.scope,
      claimed: story.claimed,
      ...story.known?.(ids, id),
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
    rmSync(`${directory}-linked`, { recursive: true, force: true });
  }
}

/** Builds it as the story says; answers the folder to look from, and the id of the reported commit. */
function place(
  directory: string,
  story: Story,
): { readonly at: string; readonly id: string; readonly ids: readonly string[] } {
  const { commits, reported, references } = historyOf(story);
  const isRemote = story.place === "remote" && story.references === undefined;
  const named = story.references?.(references) ?? references;
  const ids = makeHistory(directory, {
    commits,
    references: isRemote
      ? Object.fromEntries(
          Object.entries(named).map(([name, at]) => [name.replace("refs/heads/", "refs/remotes/origin/"), at]),
        )
      : named,
    isBare: story.place === "bare",
    objectFormat: story.place === "sha256" ? "sha256" : "sha1",
  });
  const id = ids[reported] ?? "";
  if (story.place === "packed") git(directory, "repack", "-adq");
  if (story.place === "packed") git(directory, "pack-refs", "--all");
  if (story.place === "worktree") {
    git(directory, "worktree", "add", "--quiet", "--no-checkout", "--detach", `${directory}-linked`, id);
    return { at: `${directory}-linked`, id, ids };
  }
  if (story.place !== "folder") return { at: directory, id, ids };
  mkdirSync(join(directory, "some/where"), { recursive: true });
  return { at: join(directory, "some/where"), id, ids };
}
