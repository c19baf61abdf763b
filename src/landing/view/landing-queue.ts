/** Verified work on its way to the main branch as people read it: in which order it lands, and what came back. Pure. */
import { shortList } from "../../base/text.ts";
import { isToMerge } from "../../tasks/state/report-status.ts";
import { priorities } from "../../tasks/state/task-state.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { TeamLanding } from "../../team/state/definition.ts";

/** A task's line in the queue. */
export interface QueueLine {
  readonly task: TaskView;
  /** `lands next`, `lands after 11`, `came back`. */
  readonly words: string;
  /** Why it does not land; null: it does. */
  readonly why: string | null;
}

type Seen = Pick<TaskView, "state" | "place" | "notes">;

/**
 * What is verified and not landed, the next first, then what came back. `when`: as the team file has it; without `auto`
 * work lands when the person says so.
 */
export function landingQueue(tasks: readonly TaskView[], when: TeamLanding["when"] | undefined): readonly QueueLine[] {
  const lines = inOrder(tasks.filter(isToMerge));
  let before: string | null = null;
  const waiting = lines.map((task): QueueLine => {
    const why = whyNot(task);
    if (why !== null) return { task, words: "waits", why };
    const next = when !== "auto" ? "lands when you say so" : before === null ? "lands next" : `lands after ${before}`;
    before = task.task;
    return { task, words: next, why };
  });
  const returned = tasks.filter(({ state }) => state === "returned");
  return [...waiting, ...returned.map((task) => ({ task, words: "came back", why: whyNot(task) }))];
}

/** Where the work of a task is, in words; null: landing has not to do with it yet. */
export function landingWords(task: Seen & Pick<TaskView, "task">, queue: readonly QueueLine[]): string | null {
  const line = queue.find((each) => each.task.task === task.task);
  if (line !== undefined) return line.words;
  return task.place?.at === "landed" ? "landed" : null;
}

function whyNot({ notes, blockedBy }: Pick<TaskView, "notes" | "blockedBy">): string | null {
  const why = notes.find(({ code }) => code === "not-landed")?.message;
  return why ?? (blockedBy.length > 0 ? `It waits for ${shortList(blockedBy)}.` : null);
}

/** As `landing/decide/queue.ts` has them: after what they depend on, else by priority and report. */
function inOrder(tasks: readonly TaskView[]): readonly TaskView[] {
  const rank = ({ priority = "normal" }: TaskView): number => priorities.indexOf(priority);
  const left = tasks.toSorted((one, other) => rank(one) - rank(other) || (one.report ?? 0) - (other.report ?? 0));
  const sorted: TaskView[] = [];
  while (left.length > 0) {
    const next = left.findIndex(({ dependsOn }) => !left.some(({ task }) => dependsOn.includes(task)));
    sorted.push(...left.splice(Math.max(next, 0), 1));
  }
  return sorted;
}
