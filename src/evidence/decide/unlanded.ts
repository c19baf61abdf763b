/** Which verified work is not on the main branch, as it was recorded. Rules: docs/protocol/verdicts.md, section 6. */
import type { Work } from "../../tasks/state/task-state.ts";
import type { TakenWork } from "../state.ts";

/** Verified work that is not on the main branch yet. */
export interface Unlanded {
  readonly key: string;
  readonly task: string;
  /** The entry that reported it. */
  readonly report: number;
  readonly branch: string | null;
  readonly work: TakenWork;
}

/** All of it, as it was recorded. */
export function unlandedIn({ tasks }: Work): readonly Unlanded[] {
  return [...tasks.values()].flatMap(({ key, task, report, verdict }): readonly Unlanded[] => {
    const { place, work, grown = work } = verdict ?? {};
    if (report === null || verdict?.state !== "verified" || place?.at !== "branch" || grown === undefined) return [];
    return [{ key, task, report: report.seq, branch: place.branch, work: grown }];
  });
}
