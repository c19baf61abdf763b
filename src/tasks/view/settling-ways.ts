/** What a person can decide about a task's report, by its state, and what each decision means. Pure. */
import type { Settlement } from "../decide/settling.ts";
import type { TaskView } from "./task-view.ts";

/** A decision. `reopen` is an operation of its own; the others settle. */
export interface SettlingWay {
  readonly as: Settlement | "reopen";
  /** The words of its button. */
  readonly verb: string;
  readonly means: string;
}

const counts: SettlingWay = {
  as: "verified",
  verb: "It counts",
  means: "You have looked, and the work is there: the report counts as done.",
};
const refuted: SettlingWay = {
  as: "disputed",
  verb: "It does not count",
  means: "The work is not there: the report does not count, and the task is free.",
};
const superseded: SettlingWay = {
  as: "superseded",
  verb: "It is meant to be gone",
  means: "The task stays done, and what waits for it can begin.",
};
const reopen: SettlingWay = {
  as: "reopen",
  verb: "Have it done again",
  means: "The report counts no more, contradicts nobody, and the task is free.",
};

/** The decisions that the task's state allows; none: nothing was reported as done, or somebody works on it again. */
export function waysToSettle({ state, holder, unseen }: Pick<TaskView, "state" | "holder" | "unseen">) {
  if (holder !== null) return [];
  if (state === "gone" || state === "reverted") return [superseded, reopen];
  if (state === "disputed" || state === "returned") return [counts, reopen];
  if (state === "reported" && unseen !== undefined) return [counts, refuted, reopen];
  return state === "reported" || state === "verified" || state === "complete" ? [reopen] : [];
}
