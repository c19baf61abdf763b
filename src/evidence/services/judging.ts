/**
 * Reports judged one after the other, in their order: what is found of one counts for those behind it. Verified work is only
 * followed: nobody is accused later. Rules: docs/protocol/verdicts.md, sections 5 and 6.
 */
import { ownTurn } from "../../base/clock.ts";
import type { Problem, ProblemCode } from "../../base/problem.ts";
import { idsOf, isOfOwnProcess, ownProcessNote } from "../../tasks/state/report-status.ts";
import { type Followed, follow, type Places } from "../decide/following.ts";
import { type Looking, lookingAt } from "../decide/looking.ts";
import { takeWork } from "../decide/taking.ts";
import type { Unlanded } from "../decide/unlanded.ts";
import { namesSame, verifyCompletion } from "../decide/verdict.ts";
import { changedPaths } from "../git/changes.ts";
import { commitsWith, findCommit } from "../git/commits.ts";
import { factsOf, look } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";
import type { TakenWork, Whereabouts } from "../state.ts";
import { mergingIn, withConflicts } from "./conflicts.ts";
import type { Judged } from "./plan-checks.ts";
import type { Candidate, Reported } from "./reported-work.ts";

interface Judging {
  /** The branch that the team names as its main one; null: it names none. */
  readonly main?: string | null;
  /** No other clone of the team judges, so what is in this one nowhere is lost. */
  readonly isOnlyClone?: boolean;
  /** What only the process of its reporter has looked at is judged again; absent: it is followed. */
  readonly looksAgain?: boolean;
  /** Verified work that has not landed, with which others may conflict. */
  readonly unlanded?: readonly Unlanded[];
  readonly signal?: AbortSignal | undefined;
}

/** The verdicts on the reports, in the order of the tasks. */
export async function judgeAll(
  repository: Repository,
  chosen: readonly Candidate[],
  reported: readonly Reported[],
  judging: Judging,
): Promise<readonly Judged[]> {
  const isTold = ({ before }: Candidate): boolean =>
    before !== null &&
    (before.state !== "disputed" || before.settledBy !== undefined) &&
    !(judging.looksAgain === true && isOfOwnProcess(before));
  const open = chosen.filter((each) => !isTold(each)).toSorted((a, b) => a.report - b.report);
  const asked = new Set(open.map(({ key }) => key));
  // Who is judged now answers for others until it is found to be contradicted.
  let known = reported.filter(({ key, isDisputed }) => isDisputed !== true || asked.has(key));
  const looking = lookingAt(repository, judging.main);
  // Git lists the branches while commits are read; who needs them hears why there are none.
  looking.tips().catch(() => undefined);
  for (;;) {
    const { judged, answering } = await judgeInTurn(looking, open, known, judging.signal);
    const failed = judged.filter(({ candidate, verdict }) => {
      const isAnswering = known.some(({ key }) => key === candidate.key);
      return verdict.state === "disputed" && isAnswering && judged.some((each) => isLeaning(each, candidate));
    });
    if (failed.length > 0 && judging.signal?.aborted !== true) {
      const silent = new Set(failed.map(({ candidate }) => candidate.key));
      known = known.filter(({ key }) => !silent.has(key));
      continue;
    }
    const all = [...chosen.filter(isTold).map(alreadyJudged), ...judged];
    const followed = await followAll(looking, all, answering, judging);
    return chosen.flatMap((candidate) => followed.find((each) => each.candidate === candidate) ?? []);
  }
}

/** Whether a report is verified that names a commit of another one, which then answers for its part. */
function isLeaning({ candidate, verdict }: Judged, other: Candidate): boolean {
  return verdict.state === "verified" && candidate !== other && namesSame(candidate.work.commits, other.work.commits);
}

/** Judges in the order of the reports; `answering`: what others reported then, with the work that is found. */
async function judgeInTurn(
  looking: Looking,
  open: readonly Candidate[],
  reported: readonly Reported[],
  signal: AbortSignal | undefined,
): Promise<{ readonly judged: readonly Judged[]; readonly answering: readonly Reported[] }> {
  const judged: Judged[] = [];
  let answering = reported;
  for (const candidate of open) {
    await ownTurn();
    if (signal?.aborted === true) break;
    const found = await judge(looking, candidate, answering);
    judged.push(found);
    const { work, verdict } = found;
    if (verdict.state === "disputed") answering = answering.filter(({ key }) => key !== candidate.key);
    if (work === undefined) continue;
    const { commits } = verdict;
    answering = answering.map((each) => (each.key === candidate.key ? { ...each, commits, work } : each));
  }
  return { judged, answering };
}

async function judge(looking: Looking, candidate: Candidate, reported: readonly Reported[]): Promise<Judged> {
  const { task, plan, key, work } = candidate;
  const others = reported.filter((other) => other.key !== key);
  const { state, problems, notes, evidence } = await verifyCompletion(looking.repository, { ...work, others }, looking);
  // What became of a commit since says nothing against its report: its work is followed.
  const isLater = state === "undecided" || problems.every(({ code }) => lossCodes.has(code));
  if (isOfOwnProcess(candidate.before) && state !== "verified" && isLater)
    return withoutOwnNote(alreadyJudged(candidate));
  const shown = state === "undecided" ? "reported" : state;
  const { commit = null, commits = [], files = null, branch = null } = evidence ?? {};
  const verdict = { task, plan, state: shown, commit, commits, problems, notes } as const;
  if (state !== "verified" || evidence === null) return { candidate, files, verdict };
  const place = { at: "branch", branch, since: null, isChanged: false } as const;
  return { candidate, files, verdict, work: evidence.work, place };
}

const lossCodes: ReadonlySet<ProblemCode> = new Set(["commit-missing", "commit-unreachable", "work-reverted"]);

function withoutOwnNote(judged: Judged): Judged {
  const notes = judged.verdict.notes.filter(({ code }) => code !== ownProcessNote.code);
  return { ...judged, verdict: { ...judged.verdict, notes } };
}

/** What is known of work that was judged before, as a verdict. */
function alreadyJudged(candidate: Candidate): Judged {
  const { task, plan, before } = candidate;
  const { state = "verified", commit = null, files = null, problems = [], notes = [], place } = before ?? {};
  const commits = idsOf(before);
  const verdict = { task, plan, state, commit, commits, problems, notes } as const;
  return { candidate, files, verdict, ...(place === undefined ? {} : { place }) };
}

/** Where verified work is now. What cannot be seen stays as it was. */
async function followAll(
  looking: Looking,
  judged: readonly Judged[],
  others: readonly Reported[],
  { isOnlyClone = false, unlanded = [], signal }: Judging,
): Promise<readonly Judged[]> {
  const verified = judged.filter(
    ({ verdict, place }) => verdict.state !== "disputed" && verdict.state !== "reported" && place?.at !== "settled",
  );
  if (verified.length === 0) return judged;
  const seen = await look(async () => ({ tips: await looking.tips(), main: await looking.main() }));
  if (!seen.ok)
    return judged.map((each) =>
      each.candidate.before === null && verified.includes(each) ? unseen(each, seen.error) : each,
    );
  const works = others.flatMap(({ task, key, work }) => (work === null ? [] : [{ task, key, work }]));
  const round: Round = { looking, places: seen.value, works, isOnlyClone, untouched: new Map() };
  const followed: Judged[] = [];
  for (const each of judged) {
    if (!verified.includes(each) || signal?.aborted === true) {
      followed.push(each);
      continue;
    }
    await ownTurn();
    const found = await look(() => followOne(round, each));
    followed.push(found.ok ? found.value : each.candidate.before === null ? unseen(each, found.error) : each);
  }
  const landed = new Set(followed.flatMap(({ candidate, place }) => (place?.at === "branch" ? [] : [candidate.key])));
  const open = unlanded.filter(({ key }) => !landed.has(key));
  const merging = mergingIn(looking.repository, seen.value, open);
  const noted: Judged[] = [];
  for (const each of followed) {
    const found = signal?.aborted === true ? null : await look(() => withConflicts(merging, each));
    noted.push(found?.ok === true ? found.value : each);
  }
  return noted;
}

function unseen(each: Judged, problem: Problem): Judged {
  const { work: _, place: __, ...rest } = each;
  return { ...rest, verdict: { ...each.verdict, state: "reported", problems: [problem] } };
}

interface Round {
  readonly looking: Looking;
  readonly places: Places;
  readonly works: readonly { readonly task: string; readonly key: string; readonly work: TakenWork }[];
  readonly isOnlyClone: boolean;
  /** Paths that changed on the main branch, by the commit since when. */
  readonly untouched: Map<string, ReadonlySet<string>>;
}

async function followOne(round: Round, judged: Judged): Promise<Judged> {
  const { looking, works, places } = round;
  const { repository } = looking;
  const { before, key, task } = judged.candidate;
  const work = judged.work ?? before?.work ?? (await takenAgain(repository, judged));
  if (work === null) return judged;
  const again = before !== null && before.work === undefined ? { ...judged, work } : judged;
  const { place } = judged;
  const name = `${repository.commonDirectory} ${key} ${judged.candidate.report}`;
  const files = [...work.files, ...(before?.grown?.files ?? [])];
  if (place !== undefined && (await isUntouched(round, files, place, name))) return again;
  const others = works.filter((other) => other.key !== key);
  const known = { task, others, ...(place === undefined ? {} : { before: place }) };
  const first = await follow(looking, { work, ...known }, places);
  const grown = first.problem === null ? undefined : before?.grown;
  const found = grown === undefined ? first : await follow(looking, { work: grown, ...known }, places);
  if (found.place === null) return again;
  if (found.problem !== null && !round.isOnlyClone && !(await isKnownHere(repository, work, place))) return again;
  const after = placed(again, found);
  const [tip] = places.main;
  // What was found at an earlier tip says nothing of what is there since the place changed.
  if (JSON.stringify(after.place) !== JSON.stringify(place)) looks.delete(name);
  else if (tip !== undefined) keepLook(name, tip.id);
  return after;
}

/** The tip of the main branch at which what is recorded of a task's work was last found so; a start forgets it. */
const looks = new Map<string, string>();
const looksMax = 10_000;

function keepLook(name: string, tip: string): void {
  if (looks.size >= looksMax) looks.clear();
  looks.set(name, tip);
}

function placed(judged: Judged, { place, notes, problem, grown }: Followed): Judged {
  const kept = notes.length === 0 ? {} : { notes };
  const { verdict } = judged;
  const state = problem === null ? "verified" : "gone";
  const now = { ...verdict, state, problems: problem === null ? [] : [problem] } as const;
  return {
    ...judged,
    verdict: now,
    ...(place === null ? {} : { place: { ...place, ...kept } }),
    ...(grown === undefined ? {} : { grown }),
  };
}

/** Whether landed work was looked at, and nothing in its files changed on the main branch since. */
async function isUntouched(
  { looking, places, untouched }: Round,
  files: TakenWork["files"],
  place: Whereabouts,
  name: string,
): Promise<boolean> {
  const [tip] = places.main;
  if (place.notes?.some(({ code }) => code === "moved") === true) return false;
  if (place.at !== "landed" || tip === undefined || tip.name !== place.branch) return false;
  const from = looks.get(name) ?? (place.isChanged ? null : place.since);
  if (from === null) return false;
  const known = untouched.get(from);
  if (known === undefined && (await factsOf(looking.repository, from)) === null) return false;
  const changed = known ?? (await changedPaths(looking.repository, from, tip.id));
  untouched.set(from, changed);
  return !files.some(({ path }) => changed.has(path));
}

/** Whether this clone has what showed the work: where it has neither, another clone knows more. */
async function isKnownHere(repository: Repository, work: TakenWork, place: Whereabouts | undefined): Promise<boolean> {
  for (const id of [work.commits.at(-1), place?.since])
    if (id !== undefined && id !== null && (await factsOf(repository, id)) !== null) return true;
  return false;
}

/** The work of a verdict that an earlier version recorded without it; null: its commits are not here. */
async function takenAgain(repository: Repository, { candidate, verdict }: Judged): Promise<TakenWork | null> {
  const ids = await Promise.all(verdict.commits.map((id) => findCommit(repository, id)));
  if (ids.length === 0 || ids.some(({ ok }) => !ok)) return null;
  const commits = await commitsWith(
    repository,
    ids.flatMap((each) => (each.ok ? [each.value] : [])),
  );
  const { work } = await takeWork(repository, commits, { claimed: candidate.work.claimed, scope: null });
  return work.files.length === 0 ? null : work;
}
