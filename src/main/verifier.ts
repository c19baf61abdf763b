/**
 * A verifier's rounds: it asks the team for the reports that it has not judged, fetches the remote's branches, judges as a
 * hub does, and has what is new recorded. It keeps nothing: what it found is in the record, so one that is killed and
 * started again goes on where it was. Source: docs/protocol/verdicts.md, section 9.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import { findingFilesMax, problemsMax } from "../base/limits.ts";
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { RemoteBranches } from "../evidence/git/remote-branches.ts";
import { judgeAll } from "../evidence/services/judging.ts";
import type { Judged } from "../evidence/services/plan-checks.ts";
import type { Candidate, Reported } from "../evidence/services/reported-work.ts";
import { type UndecidedReports, undecidedReports } from "../evidence/services/undecided-reports.ts";
import type { ListReportedWork, RecordFinding } from "../perform/operations/generated/calls.ts";
import { problemsOf, type TaskVerdict } from "../perform/operations/reply.ts";
import type { Team } from "../perform/team.ts";
import { isSameVerdict } from "../tasks/state/report-status.ts";

/** What was found about one report. */
export type VerifierFinding = RecordFinding & Pick<TaskVerdict, "problems" | "notes">;

/** What a verifier needs. */
export interface Verifying {
  readonly team: Pick<Team, "reportedWork" | "recordFinding">;
  readonly branches: Pick<RemoteBranches, "fetch" | "open">;
  readonly signal: AbortSignal;
  /** Between two looks for new reports, and between two looks at everything, in milliseconds. */
  readonly lookMs: number;
  readonly lookAgainMs: number;
  readonly clock?: Clock;
  /** Called with each finding, once it is recorded; `seq` null: it was the verifier's finding before, or is not recorded. */
  tell(found: VerifierFinding, seq: number | null): void;
  /** Called with what keeps the verifier from looking, once until it changes; null: it can look again. */
  hinder(problem: Problem | null): void;
}

/** Follows the team until the signal aborts. What keeps it from looking is reported, and tried again. */
export async function verifyOn(verifying: Verifying): Promise<Problem | null> {
  const { signal, lookMs, lookAgainMs, clock = systemClock } = verifying;
  const undecided = undecidedReports(clock);
  let after: number | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let told: string | null = null;
  while (!signal.aborted) {
    const all = clock.monotonic() - lookedAt >= lookAgainMs;
    const round: Result<Round, Problem> = await judgeRound(
      verifying,
      all || after === null ? { all } : { after },
      undecided,
    );
    const problem = round.ok ? null : round.error;
    if (problem !== null && isFinal(problem)) return problem;
    const words = problem === null ? null : `${problem.code} ${problem.message}`;
    if (words !== told && !signal.aborted) verifying.hinder(problem);
    told = words;
    if (round.ok) {
      // What it cannot see yet, it looks for again, although nothing happened to work.
      after = round.value.isOpen ? null : round.value.seq;
      if (all) lookedAt = clock.monotonic();
    }
    await clock.wait(lookMs, signal);
  }
  return null;
}

/** Whether asking again brings nothing: the credential is no verifier's, or is one no more. */
function isFinal({ code }: Problem): boolean {
  return code === "unauthenticated" || code === "token-revoked" || code === "sender-not-authorised";
}

interface Round {
  /** The head as of which the reports were. */
  readonly seq: number;
  readonly found: readonly VerifierFinding[];
  /** Something is undecided, or came too late to be recorded. */
  readonly isOpen: boolean;
}

/**
 * Judges what is asked for, once. Refuses what keeps it from looking: the hub or journal does not answer, the credential is
 * not a verifier's, or the remote cannot be fetched. Then nothing is recorded.
 */
export async function judgeRound(
  { team, branches, signal, tell }: Omit<Verifying, "lookMs" | "lookAgainMs" | "hinder">,
  asked: ListReportedWork,
  undecided: UndecidedReports = undecidedReports(systemClock),
): Promise<Result<Round, Problem>> {
  const sheet = await team.reportedWork(asked);
  if (!sheet.ok) return sheet;
  const { seq, main } = sheet.value;
  const found: VerifierFinding[] = [];
  if (sheet.value.reports.length === 0) return ok({ seq, found, isOpen: false });
  // Fetched after the reports were read, so a branch that was pushed before its report is there.
  const fetched = await branches.fetch();
  if (!fetched.ok) return fetched;
  const opened = await branches.open();
  if (!opened.ok) return opened;
  await using repository = opened.value;
  // The hub wrote them from these.
  const [candidates, others] = [sheet.value.reports as readonly Candidate[], sheet.value.others as readonly Reported[]];
  const due = await undecided.due(repository, candidates, others);
  const judged = await judgeAll(repository, due, others, { main, signal });
  let isOpen = judged.length < candidates.length;
  for (const each of judged) {
    if (signal.aborted) break;
    const finding = findingOf(each, seq);
    const isUnseen = finding.state === "undecided";
    undecided.keep([isUnseen ? { ...each, verdict: { ...each.verdict, state: "reported" } } : each]);
    const reply = isNews(each.candidate, finding) ? await team.recordFinding(finding) : null;
    const [refused] = reply === null ? [] : problemsOf(reply);
    if (refused !== undefined) return err(refused);
    const isLate = reply?.outcome === "accepted" && reply.notes.some(({ code }) => code === "verdict-outdated");
    isOpen ||= isLate || isUnseen;
    found.push(finding);
    tell(finding, reply?.outcome === "accepted" && !isLate ? reply.receipt.seq : null);
  }
  return ok({ seq, found, isOpen });
}

/** Problems that only say that a commit is not at the remote. Its branch may be pushed later, so they dispute nothing. */
const unpushed: readonly string[] = ["commit-missing", "commit-unreachable"];
/** Problems of undecided reports that their agents can end; all others are of the verifier's machine. */
const telling: readonly string[] = [...unpushed, "too-large", "same-change"];
const pushHint =
  "Push the branch that holds it (`git push`). If it is pushed, report the id of a commit of that branch.";

function findingOf({ candidate, files, verdict, work, grown, place }: Judged, asOf: number): VerifierFinding {
  const { task, plan, state, commit, commits, notes } = verdict;
  const isUnpushed = state === "disputed" && verdict.problems.every(({ code }) => unpushed.includes(code));
  const decided = state === "complete" ? "verified" : state;
  const judged = isUnpushed ? verdict.problems.map((each) => ({ ...each, hint: pushHint })) : verdict.problems;
  return {
    task,
    ...(plan === null ? {} : { plan }),
    report: candidate.report,
    asOf,
    state: isUnpushed || decided === "reported" ? "undecided" : decided,
    commit,
    commits,
    files: files !== null && files.length > findingFilesMax ? null : files,
    problems: judged.slice(0, problemsMax),
    notes: notes.slice(0, problemsMax),
    ...(work === undefined ? {} : { work }),
    ...(grown === undefined ? {} : { grown }),
    ...(place === undefined ? {} : { place }),
  };
}

/** Whether it is to be recorded: not what is recorded already, nor that this machine cannot look. */
function isNews({ before, undecided }: Candidate, finding: VerifierFinding): boolean {
  const { commits, work, grown, ...said } = finding;
  const codes = (list: readonly Problem[]): string => list.map(({ code }) => code).join();
  if (said.state === "undecided")
    return (
      said.problems.every(({ code }) => telling.includes(code)) &&
      // Times and paths may differ.
      (undecided === null || codes(undecided.problems) !== codes(said.problems))
    );
  if (before === null || grown !== undefined || (work !== undefined && before.work === undefined)) return true;
  const { settledBy: _, ...known } = before;
  return !isSameVerdict(known, { ...said, ...(commits.length < 2 ? {} : { commits }) });
}
