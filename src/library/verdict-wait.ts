/** Waiting for what git says of a reported task. Rule: docs/protocol/verdicts.md. */
import { argument } from "../base/argument.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { TaskState, TaskView } from "../coordination/tasks/board.ts";
import type { Team } from "../runtime/team/team.ts";

/** Which task is waited for. */
export interface VerdictQuestion {
  readonly task: string;
  readonly plan?: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** The states of a task whose report has a verdict, or needs none. */
const judgedStates: readonly TaskState[] = ["verified", "complete", "disputed", "stale"];

/**
 * The task once its report has a verdict. Every entry may bring it, so the task is read again after each. Refuses
 * `unknown-task` where there is no such task at the beginning, and `timed-out` at the end of the wait.
 */
export async function waitForVerdict(team: Team, question: VerdictQuestion): Promise<Result<TaskView, Problem>> {
  const { signal } = question;
  // The head is read first: a verdict that comes between the two is an entry after it.
  const status = await team.status();
  if (!status.ok) return status;
  const before = await taskIn(team, question);
  if (!before.ok || judgedStates.includes(before.value.state)) return before;
  for await (const _ of team.follow({ after: status.value.head.seq, signal })) {
    const now = await taskIn(team, question);
    if (!now.ok || judgedStates.includes(now.value.state)) return now;
    if (signal.aborted) break;
  }
  // Where following ended by itself, asking says why.
  const after = signal.aborted ? before : await team.status();
  return after.ok ? err(noVerdict(question.task)) : after;
}

async function taskIn(team: Team, { task, plan }: VerdictQuestion): Promise<Result<TaskView, Problem>> {
  const found = await team.tasks({ task, ...(plan === undefined ? {} : { plan }) });
  if (!found.ok) return found;
  const [only] = found.value;
  if (only !== undefined) return ok(only);
  return err(
    problem("unknown-task", argument("task"), "There is no such task.", {
      received: task.slice(0, 80),
      hint: "`baton task list` shows the tasks.",
    }),
  );
}

function noVerdict(task: string): Problem {
  return problem("timed-out", task.slice(0, 80), "The wait ended before the task had a verdict.", {
    hint: "Look with `baton task list` whether it was reported, and wait again.",
  });
}
