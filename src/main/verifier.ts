/**
 * A verifier's rounds: it asks the team for the reports that it has not judged, fetches the remote's branches, judges, and
 * records what is new under its own name. It keeps nothing: what it found is in the record, so one that is killed and
 * started again goes on where it was. Source: docs/protocol/verdicts.md, section 9.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { RemoteBranches } from "../evidence/git/remote-branches.ts";
import { judgeSheet, type SheetFinding } from "../evidence/handlers/sheet-judging.ts";
import type { WorkSheet } from "../evidence/operations/verification.ts";
import { type UndecidedReports, undecidedReports } from "../evidence/services/undecided-reports.ts";
import { problemsOf } from "../perform/operations/reply.ts";
import type { Team } from "../perform/team.ts";

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
  tell(found: SheetFinding["finding"], seq: number | null): void;
  /** Called with what keeps the verifier from looking, once until it changes; null: it can look again. */
  hinder(problem: Problem | null): void;
}

/**
 * Judges everything once. Refuses what keeps it from looking: the hub or journal does not answer, the credential is not
 * a verifier's, or the remote cannot be fetched. Then nothing of that page is recorded.
 */
export async function verifyOnce(verifying: Verifying): Promise<Result<readonly SheetFinding["finding"][], Problem>> {
  const round = await judgeAll(verifying, { all: true });
  return round.ok ? ok(round.value.found) : round;
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
    const round: Result<Round, Problem> = await judgeAll(
      { ...verifying, undecided },
      all || after === null ? { all } : { all, after },
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

/** A verifier at work; `undecided`: what it remembers of the reports that it could not judge, absent: it judges all. */
interface Judging extends Verifying {
  readonly undecided?: UndecidedReports;
}

interface Round {
  /** The head as of which the first page was. */
  readonly seq: number;
  readonly found: readonly SheetFinding["finding"][];
  /** Something is undecided, or came too late to be recorded. */
  readonly isOpen: boolean;
}

async function judgeAll(
  verifying: Judging,
  asked: { readonly all: boolean; readonly after?: number },
): Promise<Result<Round, Problem>> {
  const { team, branches, signal } = verifying;
  const found: SheetFinding["finding"][] = [];
  let [from, seq, isOpen] = [0, 0, false];
  for (;;) {
    const sheet: Result<WorkSheet, Problem> = await team.reportedWork({ ...asked, from });
    if (!sheet.ok) return sheet;
    if (from === 0) seq = sheet.value.seq;
    if (sheet.value.reports.length === 0 || signal.aborted) return ok({ seq, found, isOpen });
    // Fetched after the reports were read, so a branch that was pushed before its report is there.
    const fetched = await branches.fetch();
    if (!fetched.ok) return fetched;
    const page = await judgePage(verifying, sheet.value);
    if (!page.ok) return page;
    found.push(...page.value.found);
    isOpen ||= page.value.isOpen;
    if (sheet.value.next === null) return ok({ seq, found, isOpen });
    from = sheet.value.next;
  }
}

async function judgePage(
  { team, branches, signal, tell, undecided }: Judging,
  sheet: WorkSheet,
): Promise<Result<Omit<Round, "seq">, Problem>> {
  const opened = await branches.open();
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const found: SheetFinding["finding"][] = [];
  const judged = await judgeSheet(repository, sheet, signal, undecided);
  let isOpen = judged.length < sheet.reports.length;
  for (const { finding, isNews } of judged) {
    if (signal.aborted) break;
    const reply = isNews ? await team.recordFinding(finding) : null;
    const [refused] = reply === null ? [] : problemsOf(reply);
    if (refused !== undefined) return err(refused);
    const isLate = reply?.outcome === "accepted" && reply.notes.some(({ code }) => code === "verdict-outdated");
    isOpen ||= isLate || finding.state === "undecided";
    found.push(finding);
    tell(finding, reply?.outcome === "accepted" && !isLate ? reply.receipt.seq : null);
  }
  return ok({ found, isOpen });
}
