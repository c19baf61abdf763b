/**
 * Judging what a team reported from another machine: reports come as a sheet of data, the repository is next to the judge,
 * and the judge is the same code as a hub's. Source: docs/protocol/verdicts.md, section 9.
 */
import { findingFilesMax, problemsMax } from "../../base/limits.ts";
import type { RecordFinding } from "../../perform/operations/generated/calls.ts";
import type { TaskVerdict } from "../../perform/operations/reply.ts";
import { findingStates } from "../../tasks/state/task-report.ts";
import type { Repository } from "../git/repository.ts";
import type { WorkReport, WorkSheet } from "../operations/verification.ts";
import type { Judged } from "../services/plan-checks.ts";
import type { Candidate } from "../services/reported-work.ts";
import type { UndecidedReports } from "../services/undecided-reports.ts";
import { judgeReports } from "../services/verification.ts";

/** What was found about one report. */
export interface SheetFinding {
  readonly finding: RecordFinding & Pick<TaskVerdict, "problems" | "notes">;
  /** Whether it must be recorded: not what the judge found before, nor that this machine cannot look. */
  readonly isNews: boolean;
}

/**
 * Judges the reports of the sheet, in its order. Total: what cannot be seen is undecided. Of what could not be seen before
 * only what `undecided` says is due; absent: all.
 */
export async function judgeSheet(
  repository: Repository,
  sheet: WorkSheet,
  signal: AbortSignal,
  undecided?: UndecidedReports,
): Promise<readonly SheetFinding[]> {
  const candidates = sheet.reports.map((report) => candidateOf(sheet, report));
  const due = (await undecided?.due(repository, candidates, sheet.others)) ?? candidates;
  const work = { candidates: due, reported: sheet.others };
  const judged = await judgeReports(repository, work, signal);
  return judged.flatMap((each) => {
    const report = sheet.reports.find(({ key }) => key === each.candidate.key);
    if (report === undefined) return [];
    const finding = findingOf(each, sheet.seq);
    const isOpen = finding.state === "undecided";
    undecided?.keep([isOpen ? { ...each, verdict: { ...each.verdict, state: "reported" } } : each]);
    const isBlind = isOpen && !finding.problems.every(({ code }) => telling.includes(code));
    return [{ finding, isNews: !isBlind && !isSame(report, finding) }];
  });
}

function candidateOf({ sightings }: WorkSheet, report: WorkReport): Candidate {
  const { key, task, plan, report: seq, work, recorded, isFinishedBefore, before, undecided } = report;
  const sightingAt = (named: number | null) => sightings.find((each) => each.seq === named) ?? null;
  const branches = { recorded: sightingAt(recorded), isFinishedBefore };
  return { key, task, plan, planKey: null, report: seq, work: { ...work, branches }, before, undecided };
}

/** Problems that only say that a commit is not at the remote. Its branch may be pushed later, so they dispute nothing. */
const unpushed: readonly string[] = ["commit-missing", "commit-unreachable"];
/** Problems of undecided reports that their agents can end; all others are of the verifier's machine. */
const telling: readonly string[] = [...unpushed, "too-large", "same-change"];

function findingOf({ candidate, files, verdict, work, grown, place }: Judged, asOf: number): SheetFinding["finding"] {
  const { task, plan, state, commit, commits, notes } = verdict;
  const isUnpushed = state === "disputed" && verdict.problems.every(({ code }) => unpushed.includes(code));
  const decided = state === "complete" ? "verified" : state;
  const found = isUnpushed ? "undecided" : (findingStates.find((each) => each === decided) ?? "undecided");
  const hint = "Push the branch that holds it (`git push`). If it is pushed, report the id of a commit of that branch.";
  const judged = isUnpushed ? verdict.problems.map((each) => ({ ...each, hint })) : verdict.problems;
  const problems = judged.slice(0, problemsMax);
  return {
    task,
    ...(plan === null ? {} : { plan }),
    report: candidate.report,
    asOf,
    state: found,
    commit,
    commits,
    files: files !== null && files.length > findingFilesMax ? null : files,
    problems,
    notes: notes.slice(0, problemsMax),
    ...(work === undefined ? {} : { work }),
    ...(grown === undefined ? {} : { grown }),
    ...(place === undefined ? {} : { place }),
  };
}

/** Whether the judge found this before. Of what it could not see, only the codes count: times and paths may differ. */
function isSame({ before, undecided }: WorkReport, finding: RecordFinding): boolean {
  const { state, commit, commits, files, problems, notes, work, grown, place = null } = finding;
  const codes = (list: readonly { readonly code: string }[]): string => list.map(({ code }) => code).join();
  if (state === "undecided") return undecided !== null && codes(undecided.problems) === codes(problems);
  if (before === null || before.state !== state || grown !== undefined) return false;
  if (work !== undefined && before.work === undefined) return false;
  const said = [commit, commits.length < 2 ? null : commits, files, problems, notes, place];
  const known = [
    before.commit,
    before.commits ?? null,
    before.files,
    before.problems,
    before.notes ?? [],
    before.place ?? null,
  ];
  return JSON.stringify(said) === JSON.stringify(known);
}
