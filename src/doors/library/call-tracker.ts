/**
 * Tracks the calls of a team: they run while it is open. Closing ends those that wait, lets those that are running
 * finish, and then closes what is below.
 */

import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Team } from "../../perform/team.ts";
import type { TaskState, TaskView } from "../../tasks/view/task-view.ts";

/** What runs, and whether anything may still begin. */
export interface CallTracker {
  /** Why nothing begins any more; null: the team is open. */
  readonly closed: Problem | null;
  /** What `begin` answers; once the team is closed, what `otherwise` makes of the reason. */
  run<Value>(begin: () => Promise<Value>, otherwise: (closed: Problem) => Value): Promise<Value>;
  /** Ends with `signal`, if there is one, and with the team. */
  signalWith(signal: AbortSignal | undefined): AbortSignal;
  /** The same items; closing the team waits for the one that is being asked for. */
  pulled<Value>(source: AsyncGenerator<Value, void>): AsyncIterable<Value>;
  close(): Promise<void>;
}

/** A tracker of an open team. Closing it calls `stop` at once and, when no call runs any more, `end`. */
export function trackCalls({
  stop,
  end,
}: {
  readonly stop?: (() => void) | undefined;
  end(): Promise<void>;
}): CallTracker {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let closed: Promise<void> | null = null;
  const tracked = async <Value>(answer: Promise<Value>): Promise<Value> => {
    running.add(answer);
    try {
      return await answer;
    } finally {
      running.delete(answer);
    }
  };
  const finish = async () => {
    closing.abort();
    stop?.();
    await Promise.allSettled(running);
    await end();
  };
  return {
    get closed() {
      return closing.signal.aborted ? teamClosed : null;
    },
    run: (begin, otherwise) => (closing.signal.aborted ? Promise.resolve(otherwise(teamClosed)) : tracked(begin())),
    signalWith: (signal) => (signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal])),
    pulled: (source) => ({
      [Symbol.asyncIterator]: () => ({
        next: () => tracked(source.next()),
        return: async () => await source.return(),
      }),
    }),
    close: () => (closed ??= finish()),
  };
}

const teamClosed: Problem = makeProblem("wrong-usage", "team", "This team is closed.", {
  hint: "Open it again with openTeam or connectHub.",
});

/* Waiting for what git says of a reported task. Rule: docs/protocol/verdicts.md. */

/** Which task is waited for. */
interface VerdictQuestion {
  readonly task: string;
  readonly plan?: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** The states of a task whose report has a verdict, or needs none. */
const judgedStates: readonly TaskState[] = ["verified", "complete", "disputed", "reverted", "gone"];

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
    makeProblem("unknown-task", argument("task"), "There is no such task.", {
      received: task.slice(0, 80),
      hint: "`baton task list` shows the tasks.",
    }),
  );
}

function noVerdict(task: string): Problem {
  return makeProblem("timed-out", task.slice(0, 80), "The wait ended before the task had a verdict.", {
    hint: "Look with `baton task list` whether it was reported, and wait again.",
  });
}
