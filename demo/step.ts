/**
 * Steps: what an agent reports of what it does, one line of JSON each on its standard output. The demo shows them as they
 * come; what it claims in the end it reads from the journal.
 */
import { isJsonObject, parseBounded } from "../src/base/json.ts";
import type { Moment } from "./agent-order.ts";
import type { DoorKind } from "./cast.ts";
import type { Answer, BoardLine, ClaimAnswer, PlanLine, PlannedTask } from "./doors/agent-door.ts";

export type Step = { readonly agent: string } & (
  | { readonly step: "arrived"; readonly door: DoorKind; readonly livesBefore: number }
  | { readonly step: "read"; readonly seq: number; readonly type: string | null; readonly sender: string }
  /** Baton said something by itself. */
  | { readonly step: "told"; readonly seq: number; readonly words: string }
  | {
      readonly step: "sent";
      /** Null: prose. */
      readonly type: string | null;
      readonly id: string;
      /** In a few words, what it says. */
      readonly gist: string;
      readonly answer: Answer;
    }
  | { readonly step: "committed"; readonly hash: string; readonly subject: string; readonly isNew: boolean }
  | { readonly step: "planned"; readonly task: PlannedTask; readonly answer: Answer }
  | { readonly step: "claimed"; readonly task: string; readonly id: string; readonly answer: ClaimAnswer }
  | { readonly step: "looked"; readonly line: BoardLine }
  | { readonly step: "summed"; readonly plan: PlanLine }
  | {
      /** A report was checked against git. */
      readonly step: "compared";
      readonly task: string;
      readonly commit: string;
      readonly reported: readonly string[];
      /** The files that the commit changes; null: there is no such commit. */
      readonly committed: readonly string[] | null;
    }
  | { readonly step: "tested"; readonly passed: number; readonly failed: number }
  | { readonly step: "holding"; readonly at: Moment }
  | { readonly step: "acknowledged"; readonly seq: number; readonly answer: Answer }
  | { readonly step: "left" }
  | { readonly step: "failed"; readonly said: string }
);

/** The step as a line, without its line end. */
export function writeStep(step: Step): string {
  return JSON.stringify(step);
}

/** The step that a line holds, or null: it is none. */
export function readStep(line: string): Step | null {
  const parsed = parseBounded(line);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  if (typeof parsed.value.agent !== "string" || typeof parsed.value.step !== "string") return null;
  // Only this program's agents write here (writeStep); what is not a step at all was sorted out above.
  return parsed.value as unknown as Step;
}
