/**
 * What agents report of a task, what is found in the repository about the report, and how a dispute is kept.
 * Source: docs/protocol/verdicts.md; docs/protocol/tasks.md.
 */
import type { Problem } from "../../base/problem.ts";
import type { TakenWork, Whereabouts } from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";

/** What was last said about the state of a task. */
export interface Report {
  readonly reporter: string;
  readonly status: "complete" | "partial" | "failed";
  /** As written; empty: none was named. Of several the last. */
  readonly commit: string;
  /** All commits of a report that names several, as written and in their order; absent: it names at most one. */
  readonly commits?: readonly string[];
  /** Files that it says were changed; null: it did not say. */
  readonly files: readonly string[] | null;
  readonly deviations: readonly string[];
  /** What it says shows that the work does what it should; null: nothing. */
  readonly evidence: string | null;
  /** What the reporter's claim covered; null: it held none that said. */
  readonly claimed: readonly string[] | null;
  /** What its claim covered was a forecast, which binds nobody; absent: a bound. */
  readonly isForecast?: true;
  /** The work was finished before the task was recorded, as the lead says who reports it; absent: it was not. */
  readonly finishedBefore?: true;
  /** Seq of the entry that reported. */
  readonly seq: number;
  /** A repository is there to confirm it, so the report alone does not make the task done. Absent: the report is all. */
  readonly awaitsVerdict?: true;
  /** Seq of the completion that its own reporter takes back by this report; absent: it takes none back. */
  readonly withdraws?: number;
  /**
   * The agent whose completion was refuted before this report, which does not say that the task is done: the finding
   * stays open. Absent: nothing was refuted.
   */
  readonly leavesRefuted?: string;
}

/** The owner's word on a check. `once`: on the reports that there are. `always`: on later ones, too. */
export const checkAnswers = ["once", "always", "no"] as const;
export type CheckWord = (typeof checkAnswers)[number];

/** A check of a contract as it ran, and as it is recorded; its output only by its digest. */
export interface CheckRecord {
  readonly check: string;
  /** Null: it could not be started, or was ended. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  readonly durationMs: number;
  /** SHA-256 of what it wrote, standard output and standard error as they came, and how many bytes that were. */
  readonly outputDigest: string;
  readonly outputBytes: number;
  /** What kept it inside; `none`: nothing did. */
  readonly sandbox: string;
  /** What it ran on, and the id of its tree. */
  readonly commit: string;
  readonly tree: string;
}

/** What the repository says about a report. */
export interface Verdict {
  /** `gone`: the work was there, and is not any more. It counts as done until somebody says otherwise. */
  readonly state: "verified" | "disputed" | "gone";
  /** Seq of the report that was looked at. */
  readonly report: number;
  readonly problems: readonly Problem[];
  /** The full id of the commit that was looked at; null: there is none. */
  readonly commit: string | null;
  /** Full ids of all commits of a report that names several; absent: it names at most one. */
  readonly commits?: readonly string[];
  /** Paths that the commits changed; null: they are not known. */
  readonly files: readonly string[] | null;
  /** What is worth knowing about the work and disputes nothing; absent: there is nothing. */
  readonly notes?: readonly Note[];
  /** The work by which it is found again; absent: an earlier version judged it, or it is not verified. */
  readonly work?: TakenWork;
  /** The work as its branch has gone on with it, which is what will land; absent: it has not. */
  readonly grown?: TakenWork;
  /** Where the work was at the last look; absent: nobody has looked since it was verified. */
  readonly place?: Whereabouts;
  /** The checks that ran on the report, each as it last ran; absent: none did. */
  readonly checks?: readonly CheckRecord[];
  /** Who decided so, where the repository did not; absent: the repository did. */
  readonly settledBy?: string;
  readonly seq: number;
}

/** See `Finding`. */
export const findingStates = ["verified", "disputed", "gone", "undecided"] as const;

/** What a verifier next to a clone found about a report. */
export interface Finding
  extends Omit<Verdict, "state" | "report" | "work" | "grown" | "place" | "checks" | "settledBy"> {
  /** `undecided`: it looked, and cannot see the work; the problems say why. */
  readonly state: (typeof findingStates)[number];
  /** `verifier:NAME`; in older entries also `baton`. */
  readonly judge: string;
}

/**
 * A report that the repository contradicted. It is kept for as long as the record: also once it is repaired, and also when
 * the task is not in the list any more.
 */
export interface Dispute {
  /** Seq of the report. */
  readonly report: number;
  readonly reporter: string;
  /** What the last such verdict on the report found. */
  readonly state: "disputed" | "gone";
  /** Seq of the first verdict against it. */
  readonly seq: number;
  /** The verdict that confirmed the task afterwards, and the report that it confirmed; null: none has. */
  readonly repair: { readonly seq: number; readonly report: number; readonly reporter: string } | null;
}
