/** Why a claim is denied, and why an operation on it is refused, in words. */

import { argument } from "../../base/argument.ts";
import type { Scope } from "../../base/paths/scope.ts";
import { makeProblem, type Problem, type ProblemCode } from "../../base/problem.ts";
import { shortList } from "../../base/text.ts";
import type { Escalation } from "../../escalations/state.ts";
import type { Note } from "../../messages/message.ts";
import { taskKey } from "../../messages/task-ids.ts";
import type { IndexedGlob } from "../state/claim-places.ts";
import type { Claim, Task, Work } from "../state/task-state.ts";

/** Why a claim is denied. */
export type DenialReason =
  | "held"
  | "overlap"
  | "blocked"
  | "done"
  | "outside-contract"
  | "breaker-open"
  | "unknown-task";

/** The code of each denial, once: answers derive their reason from it. */
export const denialCodes = {
  "unknown-task": "unknown-task",
  done: "task-done",
  held: "task-held",
  "breaker-open": "breaker-open",
  blocked: "task-blocked",
  "outside-contract": "outside-contract",
  overlap: "claim-overlap",
} as const satisfies { readonly [reason in DenialReason]: ProblemCode };

/** Every reason, for those who list them. */
export const denialReasons = Object.keys(denialCodes) as readonly DenialReason[]; // the keys of that table

/** The reason that a problem of a denied claim gives; null: it was refused for something else. */
export function denialReasonOf(code: ProblemCode): DenialReason | null {
  const found = Object.entries(denialCodes).find(([, denial]) => denial === code);
  // The keys of that table are the reasons.
  return found === undefined ? null : (found[0] as DenialReason);
}

/** The refusal of a task that is not in the list. */
export function unknownTask(work: Work, taskId: string, planId: string | null): Problem {
  const several = work.names.get(taskKey(taskId))?.size ?? 0;
  const where = planId === null ? "" : ` of plan ${planId}`;
  const problem = several > 1 && planId === null ? `Several plans have a task "${taskId}".` : null;
  return makeProblem("unknown-task", "$.body.taskId", problem ?? `There is no task "${taskId}"${where}.`, {
    received: taskId.slice(0, 200).toWellFormed(),
    hint:
      problem === null
        ? "`baton task list` shows the tasks; a contract or `baton task add` brings new ones."
        : "Name its plan too.",
  });
}

/** `wrong-value`: the word `none` in place of files. A claim without a bound would be the opposite of what it says. */
export function noneClaimed(): Problem {
  const message = "A claim covers the files that it names, else those of its task; only a task is added without files.";
  return makeProblem("wrong-value", "$.body.files", message, {
    expected: "paths",
    received: "none",
    hint: `Leave \`${argument("files")}\` out: a task without files is claimed without any. A file of that name is ./none.`,
  });
}

/** The refusal, or the ground of a note, that files are another's. */
export function overlap(work: Work, met: readonly IndexedGlob[], path: string): Problem {
  const holders = [...new Set(met.map(({ holder }) => holder))];
  const tasks = [...new Set(met.map(({ task }) => work.tasks.get(task)?.task ?? task))];
  const paths = pathsOf(met).join(", ");
  return makeProblem(
    "claim-overlap",
    path,
    `${holders.join(" and ")} ${holders.length === 1 ? "holds" : "hold"} ${paths} for ${tasks.join(", ")}.`,
    {
      expected: "files that nobody else holds",
      received: paths,
      hint: "Take another task, name other files, or wait until that one is done.",
    },
  );
}

/** `task-held`: another has it. */
export function held(task: string, holder: string, token: number): Problem {
  return makeProblem("task-held", "$.body.taskId", `${holder} holds ${task} since entry ${token}.`, {
    expected: "a task that nobody holds",
    received: holder,
    hint: "Take another one; `baton task list --available` lists them.",
  });
}

/** A denial because of a claim that outlives its holder's silence, with the escalations that it waits for. */
export function withBlockers(denial: Problem, waiting: readonly Pick<Escalation, "id" | "level">[]): Problem {
  if (waiting.length === 0) return denial;
  const named = shortList(waiting.map(({ id, level }) => `${id} (at ${level})`));
  const message = `${denial.message} The work there waits for a decision: ${named}.`;
  return {
    ...denial,
    message,
    hint: `${denial.hint ?? ""} \`baton needs --escalations\` shows what has to be decided.`.trim(),
  };
}

/** `task-blocked`: what it depends on is not done. */
export function blocked(task: Task, blockers: readonly string[]): Problem {
  const shown = shortList(blockers);
  return makeProblem("task-blocked", "$.body.taskId", `${task.task} waits for ${shown}.`, {
    expected: "a task whose dependencies are done",
    received: shown,
    hint: "Take another one; `baton task list --available` lists them.",
  });
}

/** `outside-contract`: files that the plan's contract does not allow; `path` says where they were named. */
export function outside({ allowed, forbidden }: Scope, strays: readonly Problem[], path: string): Problem {
  const named = shortList(strays.map(({ received }) => received ?? ""));
  return makeProblem("outside-contract", path, `Outside the contract of the task's plan: ${named}.`, {
    expected: `files inside ${shortList(allowed)}${forbidden.length === 0 ? "" : `, none of ${shortList(forbidden)}`}`,
    received: named,
    hint: "Claim what the contract allows, or ask for more with an approval_request of type scope_change.",
  });
}

/** `fenced-claim`: granted to another since, under the token `granted`. */
export function fenced(task: Task, token: number, holder: string, granted: number): Problem {
  return makeProblem(
    "fenced-claim",
    "$.body.taskId",
    `${task.task} was granted to ${holder} since, at entry ${granted}.`,
    {
      expected: `the token ${granted} of ${holder}`,
      received: String(token),
      hint: "Your claim has ended. Leave its files alone and claim a task again.",
    },
  );
}

/** The agent holds the task itself and names a token that is not its claim's, perhaps of an earlier session. */
export function otherToken(
  code: "fenced-claim" | "not-holder",
  { task }: Task,
  given: number,
  { holder, token }: Pick<Claim, "holder" | "token">,
): Problem {
  return makeProblem(code, "$.body.taskId", `You hold ${task} with token ${token}, not ${given}.`, {
    expected: `the token ${token} of ${holder}`,
    received: String(given),
    hint: `Use \`${argument("token")} ${token}\`, or leave \`${argument("token")}\` out. If another session of yours claimed it, leave its files alone.`,
  });
}

/** `not-holder`: the task is another's, or nobody's. */
export function notHolder(task: Task, holder: string | null, token: number | null): Problem {
  const whose = holder === null ? "nobody does" : `${holder} has it since entry ${token}`;
  return makeProblem("not-holder", "$.body.taskId", `You do not hold ${task.task}: ${whose}.`, {
    expected: holder ?? "a claim of the task",
    hint: "Claim the task, or leave it to its holder.",
  });
}

/** The note of a claim whose files no contract judges; `path` says where they were named. */
export function uncheckedScope(task: Task, path: string): Note {
  const message = `${task.plan === null ? `${task.task} has no plan` : `Plan ${task.plan} has no contract`}, so its files are not checked.`;
  return { code: "no-contract", path, message };
}

/** The globs that were met, each once. */
export function pathsOf(met: readonly IndexedGlob[]): readonly string[] {
  return [...new Set(met.map(({ glob }) => glob))];
}
