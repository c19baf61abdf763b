/**
 * What a verifier next to a clone finds about a report: a verdict like Baton's own, or that it cannot see the work.
 * Source: docs/protocol/verdicts.md, section 9.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Decided } from "../../perform/decider.ts";
import { isSameVerdict } from "../state/report-status.ts";
import type { FindingRecorded, PlanSummarised, TaskJudged, VerdictOpened } from "../state/task-events.ts";
import type { Finding, Verdict } from "../state/task-report.ts";
import { findTask, type Work } from "../state/task-state.ts";
import { unknownTask } from "./claims.ts";
import { lateNote, recordVerdict } from "./completions.ts";

/** What a verifier found about a report. */
export interface RecordFinding extends Finding, Pick<Verdict, "work" | "grown" | "place"> {
  readonly command: "record-finding";
  readonly taskId: string;
  readonly planId: string | null;
  /** Seq of the report that was looked at. */
  readonly report: number;
}

type FindingEvent = FindingRecorded | VerdictOpened | TaskJudged | PlanSummarised;

/** Never refused for a known task: a finding about what is no longer the last word comes too late, which is noted. */
export function recordFinding(command: RecordFinding, work: Work): Result<Decided<FindingEvent>, readonly Problem[]> {
  const { command: _, taskId, planId, report, work: taken, grown, place, ...finding } = command;
  const { judge, state, ...found } = finding;
  if (state !== "undecided") {
    const kept = {
      ...(taken === undefined ? {} : { work: taken }),
      ...(grown === undefined ? {} : { grown }),
      ...(place === undefined ? {} : { place }),
    };
    return recordVerdict({ command: "record-verdict", taskId, planId, report, state, ...found, ...kept }, work);
  }
  const task = findTask(work, taskId, planId);
  if (task === null) return err([unknownTask(work, taskId, planId)]);
  const late = lateNote(task, report);
  if (late !== null) return ok({ events: [], notes: [late] });
  const { key, verdict, unseen } = task;
  if (unseen?.judge === judge && isSameVerdict(unseen, finding)) {
    const message = `${judge} found ${task.task} undecided before, at entry ${unseen.seq}.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const about = { key, task: task.task, report };
  const opened: VerdictOpened = { event: "verdict-opened", ...about, seq: finding.seq };
  const recorded: FindingRecorded = { event: "finding-recorded", ...about, ...finding };
  // What is verified stays so: only a dispute is taken back.
  return ok({ events: verdict?.state === "disputed" ? [recorded, opened] : [recorded], notes: [] });
}
