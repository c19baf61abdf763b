/** What a hub says of the team's work, as its JSON must look: tasks, the board, and what is reported of a plan. */
import { type Board, reportVerdicts, type TaskView, taskStates } from "../../coordination/board.ts";
import { filesKinds } from "../../coordination/work-state.ts";
import type { PlanReport } from "../../runtime/task-work.ts";
import { note, problem } from "./client-answers.ts";
import { count, list, nullable, object, oneOf, text, word } from "./client-shape.ts";

const task = object<TaskView>({
  task: text,
  plan: nullable(text),
  title: nullable(text),
  state: oneOf(taskStates),
  files: list(text),
  filesKind: oneOf(filesKinds),
  dependsOn: list(text),
  blockedBy: list(text),
  holder: nullable(text),
  token: nullable(count),
  expiresAt: nullable(word),
  reporter: nullable(text),
  commit: nullable(text),
  commits: list(text),
  report: nullable(count),
  verdict: nullable(oneOf(reportVerdicts)),
  heldUpBy: list(text),
  problems: list(problem),
  notes: list(note),
  seq: count,
});

export const tasks = object<{ tasks: readonly TaskView[] }>({ tasks: list(task) });

export const board = object<Board>({
  tasks: list(task),
  available: list(text),
  outsideContract: list(text),
  advisedDevelopers: count,
  waves: list(list(text)),
  cycle: nullable(list(text)),
});

export const planReport = object<PlanReport>({
  plan: text,
  status: oneOf(["complete", "partial", "failed"]),
  tasksCompleted: count,
  tasksTotal: count,
  commitHashes: list(text),
  filesModified: list(text),
  deviations: list(text),
  objective: nullable(text),
  built: list(text),
  evidence: list(text),
  unproven: list(text),
  unverified: list(text),
  disputed: list(text),
  disputedArtifacts: list(text),
  seq: nullable(count),
  date: word,
});
