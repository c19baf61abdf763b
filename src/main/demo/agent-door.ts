/**
 * What an agent of the demo does with Baton, whatever door it comes through: read, send, acknowledge, claim. Letters and
 * answers are what the hub said, narrowed to what the agents need.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { DoorKind } from "./cast.ts";
import type { BoardLine, ClaimAnswer, PlanLine, PlannedTask } from "./task-answers.ts";

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
export interface Fault {
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
  | { readonly outcome: "refused"; readonly faults: readonly Fault[] }
  | { readonly outcome: "failed"; readonly said: string };

/** A message to send: a wire object, or prose, which needs receivers and an id of its own. */
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
    return { outcome: "refused", faults: faultsIn(reply.problems) };
  }
  if (isJsonObject(reply) && isJsonObject(reply.receipt) && typeof reply.receipt.seq === "number") {
    const receivers = isJsonList(reply.receivers) ? reply.receivers.filter((each) => typeof each === "string") : [];
    return { outcome: "accepted", seq: reply.receipt.seq, duplicate: reply.receipt.duplicate === true, receivers };
  }
  return { outcome: "failed", said: "an answer that is none" };
}

/** The problems of a list; none for anything else. */
export function faultsIn(problems: Json | undefined): readonly Fault[] {
  return isJsonList(problems) ? problems.flatMap(faultIn) : [];
}

function faultIn(value: Json): readonly Fault[] {
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

/** A text, or null for anything else. */
export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** The texts of a list; none for anything else. */
export function textsOf(value: Json | undefined): readonly string[] {
  return isJsonList(value) ? value.filter((each) => typeof each === "string") : [];
}
