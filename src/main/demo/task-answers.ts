/** What the hub says about tasks, whatever door it comes through, narrowed to what the agents need. */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { ProblemCode } from "../../base/problem.ts";
import type { DenialReason } from "../../coordination/claim-denials.ts";
import { type Answer, type Fault, faultsIn, textOf, textsOf } from "./agent-door.ts";

/** What became of a claim. `failed`: no answer came; the same id may be sent again. */
export type ClaimAnswer =
  | { readonly outcome: "granted"; readonly token: number; readonly files: readonly string[] }
  | {
      readonly outcome: "denied";
      /** Why, e.g. `overlap`; where it was refused like any act may be, the code of that. */
      readonly reason: string;
      readonly holder: string | null;
      readonly paths: readonly string[];
      readonly faults: readonly Fault[];
    }
  | Extract<Answer, { readonly outcome: "failed" }>;

/** Why a claim is denied that will be granted when somebody else is done. */
export const waitingHelps: ReadonlySet<string> = new Set<DenialReason>(["overlap", "held", "blocked"]);

/** Why nothing is heard any more of an agent about a task: it was granted to another since. No repair helps. */
export const fencedCode: ProblemCode = "fenced-claim";

/** A task of the plan, before anybody works on it. */
export interface PlannedTask {
  readonly task: string;
  readonly title: string;
  /** What it will touch; a claim of the task covers these. */
  readonly files: readonly string[];
}

/** A task as the board has it. */
export interface BoardLine {
  readonly task: string;
  readonly state: string;
  /** Why it is disputed. */
  readonly faults: readonly Fault[];
}

/** What became of a plan. */
export interface PlanLine {
  readonly plan: string;
  readonly status: string;
  readonly tasksCompleted: number;
  readonly tasksTotal: number;
  readonly files: readonly string[];
}

/** The answer to a claim: a grant says token and files, a denial reason, holder and paths. */
export function claimAnswerIn(reply: Json): ClaimAnswer {
  if (!isJsonObject(reply)) return { outcome: "failed", said: "an answer that is none" };
  if (typeof reply.token === "number") return { outcome: "granted", token: reply.token, files: textsOf(reply.files) };
  const faults = faultsIn(reply.problems);
  const reason = textOf(reply.reason) ?? faults[0]?.code;
  if (reason === undefined) return { outcome: "failed", said: "an answer that is none" };
  return { outcome: "denied", reason, holder: textOf(reply.holder), paths: textsOf(reply.paths), faults };
}

/** Ids of the tasks that may be claimed; a list of ids, or of tasks. */
export function availableIn(board: Json): readonly string[] {
  if (!isJsonObject(board) || !isJsonList(board.available)) return [];
  return board.available.flatMap((each) => textOf(isJsonObject(each) ? each.task : each) ?? []);
}

/** The lines of `{"tasks":[…]}`. */
export function boardLinesIn(board: Json): readonly BoardLine[] {
  return objectsIn(isJsonObject(board) ? board.tasks : undefined).flatMap(({ task, state, problems }) =>
    typeof task === "string" && typeof state === "string" ? [{ task, state, faults: faultsIn(problems) }] : [],
  );
}

/** A plan's summary; null: the answer is none. */
export function planLineIn(reply: Json): PlanLine | null {
  if (!isJsonObject(reply)) return null;
  const { plan, status, tasksCompleted, tasksTotal, filesModified } = reply;
  if (typeof plan !== "string" || typeof status !== "string") return null;
  if (typeof tasksCompleted !== "number" || typeof tasksTotal !== "number") return null;
  return { plan, status, tasksCompleted, tasksTotal, files: textsOf(filesModified) };
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return isJsonList(list) ? list.filter(isJsonObject) : [];
}
