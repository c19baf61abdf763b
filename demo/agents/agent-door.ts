/**
 * What an agent of the demo does over any door, and what the hub answers, narrowed to what the agents need: letters,
 * receipts, claims, the board.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/base/json.ts";
import type { ProblemCode } from "../../src/base/problem.ts";
import type { DenialReason } from "../../src/tasks/decide/claim-denials.ts";
import type { DoorKind, PlannedTask } from "../story/story.ts";

/** A message that waits for the agent. */
export interface Letter {
  readonly seq: number;
  readonly id: string | null;
  readonly type: string | null;
  readonly sender: string;
  readonly recordedAt: string;
  /** The wire object in the agent's own dialect, or prose. */
  readonly message: Json;
}

/** What is wrong with a message, as Baton told its sender. */
export interface ReportedProblem {
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly received: string | null;
  readonly hint: string | null;
}

/** What Baton answered. `failed`: no answer came, or none of the message's own doing; the same id may be sent again. */
export type Answer =
  | {
      readonly outcome: "accepted";
      readonly seq: number;
      readonly duplicate: boolean;
      readonly receivers: readonly string[];
    }
  | { readonly outcome: "refused"; readonly problems: readonly ReportedProblem[] }
  | { readonly outcome: "failed"; readonly said: string };

/** A message to send: a wire object, or prose, which needs receivers and a separate id. */
export interface Outgoing {
  readonly message: JsonObject | string;
  readonly to?: readonly string[];
  readonly id: string;
}

export interface AgentDoor extends AsyncDisposable {
  readonly kind: DoorKind;
  /** Unacknowledged letters in order; waits for the first, and comes back empty when none came for a while. */
  read(signal: AbortSignal): Promise<readonly Letter[]>;
  send(outgoing: Outgoing): Promise<Answer>;
  /** Acknowledges everything up to `seq`. Repeating it changes nothing. */
  acknowledge(seq: number): Promise<Answer>;
  /** Claims a task with the files that the plan says it touches. Repeating it under the same id changes nothing. */
  claim(task: string, id: string): Promise<ClaimAnswer>;
  /** Ids of the tasks that this agent may claim now. */
  available(): Promise<readonly string[]>;
  /** Null: MCP's tools, which are for those who do the work, have nothing of this. */
  readonly planning: Planning | null;
}

/** What those use who plan and watch over the work. */
export interface Planning {
  /** The terms of the plan's contract in force; null: there is none. */
  contract(planId: string): Promise<JsonObject | null>;
  addTask(task: PlannedTask & { readonly plan: string }, id: string): Promise<Answer>;
  /** Every task with its state. */
  tasks(): Promise<readonly BoardLine[]>;
  /** What became of the plan; null: the hub does not say. */
  summary(planId: string): Promise<PlanLine | null>;
}

/** How long a reading waits for the first letter, in seconds. */
export const waitSeconds = 20;

/** The letters of an inbox page as any door gives it: `{"deliveries":[…]}`. */
export function lettersIn(page: Json): readonly Letter[] {
  if (!isJsonObject(page) || !isJsonList(page.deliveries)) return [];
  return page.deliveries.flatMap((each) => {
    if (!isJsonObject(each) || typeof each.seq !== "number" || typeof each.sender !== "string") return [];
    // Shown only: nothing may follow from it.
    if (each.effect === false && each.type !== null) return [];
    return [
      {
        seq: each.seq,
        id: textOf(each.id),
        type: textOf(each.type),
        sender: each.sender,
        recordedAt: textOf(each.recordedAt) ?? "",
        message: each.message ?? null,
      },
    ];
  });
}

/** The answer of `{"receipt":…,"receivers":[…]}` or `{"problems":[…]}`. */
export function answerIn(reply: Json): Answer {
  if (isJsonObject(reply) && isJsonList(reply.problems)) {
    return { outcome: "refused", problems: problemsIn(reply.problems) };
  }
  if (isJsonObject(reply) && isJsonObject(reply.receipt) && typeof reply.receipt.seq === "number") {
    const receivers = isJsonList(reply.receivers) ? reply.receivers.filter((each) => typeof each === "string") : [];
    return { outcome: "accepted", seq: reply.receipt.seq, duplicate: reply.receipt.duplicate === true, receivers };
  }
  return { outcome: "failed", said: "an answer that is none" };
}

/** The problems of a list; none for anything else. */
export function problemsIn(problems: Json | undefined): readonly ReportedProblem[] {
  return isJsonList(problems) ? problems.flatMap(problemIn) : [];
}

function problemIn(value: Json): readonly ReportedProblem[] {
  if (!isJsonObject(value) || typeof value.code !== "string") return [];
  return [
    {
      code: value.code,
      path: textOf(value.path) ?? "$",
      message: textOf(value.message) ?? "",
      received: textOf(value.received),
      hint: textOf(value.hint),
    },
  ];
}

/** A string, or null for anything else. */
export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** The strings of a list; none for anything else. */
export function textsOf(value: Json | undefined): readonly string[] {
  return isJsonList(value) ? value.filter((each) => typeof each === "string") : [];
}

/** What became of a claim. `failed`: no answer came; the same id may be sent again. */
export type ClaimAnswer =
  | { readonly outcome: "granted"; readonly token: number; readonly files: readonly string[] }
  | {
      readonly outcome: "denied";
      /** Why, e.g. `overlap`; where it was refused like any act may be, the code of that. */
      readonly reason: string;
      readonly holder: string | null;
      readonly paths: readonly string[];
      readonly problems: readonly ReportedProblem[];
    }
  | Extract<Answer, { readonly outcome: "failed" }>;

/** Why a claim is denied that will be granted when somebody else is done. */
export const waitingHelps: ReadonlySet<string> = new Set<DenialReason>(["overlap", "held", "blocked"]);

/** Why an agent's report about a task is refused: it was granted to another since. No correction helps. */
export const fencedCode: ProblemCode = "fenced-claim";

/** A task as the board has it. */
export interface BoardLine {
  readonly task: string;
  readonly state: string;
  /** Why it is disputed. */
  readonly problems: readonly ReportedProblem[];
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
  const problems = problemsIn(reply.problems);
  const reason = textOf(reply.reason) ?? problems[0]?.code;
  if (reason === undefined) return { outcome: "failed", said: "an answer that is none" };
  return { outcome: "denied", reason, holder: textOf(reply.holder), paths: textsOf(reply.paths), problems };
}

/** Ids of the tasks that may be claimed; a list of ids, or of tasks. */
export function availableIn(board: Json): readonly string[] {
  if (!isJsonObject(board) || !isJsonList(board.available)) return [];
  return board.available.flatMap((each) => textOf(isJsonObject(each) ? each.task : each) ?? []);
}

/** The lines of `{"tasks":[…]}`. */
export function boardLinesIn(board: Json): readonly BoardLine[] {
  return objectsIn(isJsonObject(board) ? board.tasks : undefined).flatMap(({ task, state, problems }) =>
    typeof task === "string" && typeof state === "string" ? [{ task, state, problems: problemsIn(problems) }] : [],
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
