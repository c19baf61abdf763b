/**
 * Reports judged one after the other, and together where they name the same commits: a change that only another report
 * claims is that report's to answer for, as long as it is not contradicted itself. Rules: docs/protocol/verdicts.md,
 * section 5.
 */
import { ownTurn } from "../../base/clock.ts";
import type { ProblemCode } from "../../base/problem.ts";
import { coveredPaths } from "../decide/claim-cover.ts";
import { verifyCompletion } from "../decide/verdict.ts";
import type { Repository } from "../git/repository.ts";
import type { Judged } from "./plan-checks.ts";
import { type Candidate, idsOf, namesSame, othersOf, type Reported } from "./reported-work.ts";

interface Judging {
  /** Somebody asks for these reports, so what was verified before is judged again. */
  readonly isNamed: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The verdicts on the reports, in the order of the tasks. A report that is not verified does not answer for what others
 * changed: those that are verified only because it claims their changes are judged again without it. Where it could not be
 * judged itself, they are undecided, too.
 */
export async function judgeAll(
  repository: Repository,
  chosen: readonly Candidate[],
  reported: readonly Reported[],
  judging: Judging,
): Promise<readonly Judged[]> {
  const keys = new Set(chosen.map(({ key }) => key));
  // What is judged now answers for others until it is found to be contradicted.
  const silent = new Set(reported.flatMap(({ key, isDisputed }) => (isDisputed === true && !keys.has(key) ? key : [])));
  const open = new Map<string, Judged>();
  for (;;) {
    const answering = reported.map((each) => (silent.has(each.key) ? { ...each, claimed: [] } : each));
    const found = await judgeInTurn(repository, chosen, answering, judging);
    const unseen = found.filter(({ candidate }) => !silent.has(candidate.key));
    const failed = unseen.filter((each) => each.verdict.state !== "verified" && isLeanedOn(each, found));
    const disputed = failed.filter(({ verdict }) => verdict.state !== "reported");
    // Those that could not be judged come last: what they would have to answer for is open then.
    const next = disputed.length > 0 ? disputed : failed;
    if (next.length === 0 || judging.signal?.aborted === true)
      return found.map((each) => (each.verdict.state === "disputed" ? (open.get(each.candidate.key) ?? each) : each));
    for (const each of next) silent.add(each.candidate.key);
    if (disputed.length === 0) for (const each of failed) keepOpen(open, each, found);
  }
}

function isLeanedOn(failed: Judged, found: readonly Judged[]): boolean {
  return found.some((each) => each.verdict.state === "verified" && isShared(each, failed));
}

function isShared({ candidate: one }: Judged, { candidate: other }: Judged): boolean {
  return one.key !== other.key && namesSame(one.work.commits, other.work.commits);
}

/** Notes how the reports that share commits with one that is undecided are answered where they fail without it. */
function keepOpen(open: Map<string, Judged>, undecided: Judged, found: readonly Judged[]): void {
  for (const each of found) {
    if (each.verdict.state !== "verified" || !isShared(each, undecided)) continue;
    const verdict = { ...each.verdict, state: "reported", problems: undecided.verdict.problems } as const;
    open.set(each.candidate.key, { ...each, verdict });
  }
}

/** How many reports are looked at before others have their turn: what was verified before takes little, and is many. */
const lookedAtOnce = 200;

/** Judges in the order of the reports, because who is credited first counts; answers in the order of the tasks. */
async function judgeInTurn(
  repository: Repository,
  chosen: readonly Candidate[],
  reported: readonly Reported[],
  { isNamed, signal }: Judging,
): Promise<readonly Judged[]> {
  const found = new Map<Candidate, Judged>();
  let known = reported;
  for (const [index, candidate] of chosen.toSorted((a, b) => a.report - b.report).entries()) {
    if (index % lookedAtOnce === lookedAtOnce - 1) await ownTurn();
    if (signal?.aborted === true) break;
    const judged = await judge(repository, candidate, known, isNamed);
    found.set(candidate, judged);
    if (judged.verdict.state !== "verified" || candidate.before?.state === "verified") continue;
    const { commits } = judged.verdict;
    const credited = { commits, files: judged.files, isCredited: true, creditedAt: Number.MAX_SAFE_INTEGER - 1 };
    known = known.map((each) => (each.key === candidate.key ? { ...each, ...credited } : each));
  }
  return chosen.flatMap((candidate) => found.get(candidate) ?? []);
}

async function judge(
  repository: Repository,
  candidate: Candidate,
  reported: readonly Reported[],
  isNamed: boolean,
): Promise<Judged> {
  const { before } = candidate;
  if (isNamed || before?.state !== "verified" || before.commit === null || before.files === null)
    return await judgeWork(repository, candidate, reported);
  const { commit, files, notes = [] } = before;
  const { task, plan, work } = candidate;
  const commits = idsOf(before);
  const verdict = { task, plan, state: "verified", commit, commits, problems: [], notes } as const;
  if (work.claimed !== null && (await hasOthersChanges(files, work.claimed))) {
    const found = await judgeWork(repository, candidate, reported);
    if (found.verdict.problems.some(({ code }) => beyondCodes.has(code))) return found;
  }
  return { candidate, files, verdict };
}

/** What is said of a change that goes beyond a claim or a contract. */
const beyondCodes: ReadonlySet<ProblemCode> = new Set([
  "outside-contract",
  "outside-claim",
  "symlink-escape",
  "submodule-change",
  "attributes-change",
]);

/** Whether verified work has changes outside its own claim, for which another report had to answer. */
async function hasOthersChanges(files: readonly string[], claimed: readonly string[]): Promise<boolean> {
  const mode = { before: "", after: "" };
  const changed = files.map((path) => ({ path, change: "modified", mode, content: mode, isText: true }) as const);
  return (await coveredPaths(claimed, changed)).size < files.length;
}

async function judgeWork(repository: Repository, candidate: Candidate, reported: readonly Reported[]): Promise<Judged> {
  const { task, plan, before, work } = candidate;
  const others = othersOf(candidate, reported);
  const { state, problems, notes, evidence } = await verifyCompletion(repository, { ...work, others });
  const files = evidence?.changed.map(({ path }) => path) ?? null;
  // Work that was verified once and is gone is stale, however often one looks.
  const isStale = state === "disputed" && before?.state === "stale";
  const shown = state === "undecided" ? "reported" : isStale ? "stale" : state;
  const { commit = null, commits = [] } = evidence ?? {};
  return { candidate, files, verdict: { task, plan, state: shown, commit, commits, problems, notes } };
}
