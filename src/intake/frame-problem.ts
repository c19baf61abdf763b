/**
 * What a control frame of an agent program lacks to be one: the field that is missing or of the wrong type, so that one
 * wrong field is not reported as an unknown type. `native.ts` reads the frames; a test compares the two.
 */
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { type Problem, problem } from "../base/problem.ts";
import { shortened } from "../schema/hint.ts";
import type { NativeType } from "./native.ts";

/** One field that a frame needs: the names under which it may come, and its form. */
interface Needed {
  readonly names: readonly [string, ...string[]];
  readonly form: "a string" | "true or false" | "a string or a whole number";
}

const request: Needed = { names: ["requestId", "request_id"], form: "a string" };
const task: Needed = { names: ["taskId"], form: "a string or a whole number" };
const text = (...names: Needed["names"]): Needed => ({ names, form: "a string" });
const flag = (...names: Needed["names"]): Needed => ({ names, form: "true or false" });

const neededBy: { readonly [type in NativeType]: readonly Needed[] } = {
  idle_notification: [text("from"), text("idleReason", "timestamp")],
  shutdown_request: [request, text("from")],
  shutdown_approved: [request, text("from", "paneId")],
  shutdown_rejected: [request],
  shutdown_response: [request, flag("approve")],
  task_assignment: [task, text("subject", "assignedBy")],
  task_completed: [task],
  teammate_terminated: [text("message")],
  plan_approval_request: [request, text("planFilePath", "planContent")],
  plan_approval_response: [request, flag("approved", "approve")],
  permission_request: [request, text("tool_name")],
  permission_response: [request, text("subtype")],
};

/**
 * The first problem of a value whose type is a frame's and that `readNative` does not read; null: its type is no
 * frame's, or nothing is wrong with the fields that a frame needs.
 */
export function frameProblem(value: JsonObject): Problem | null {
  const { type, payload } = value;
  if (typeof type !== "string" || !Object.hasOwn(neededBy, type)) return null;
  const needed = neededBy[type as NativeType]; // it is one of its keys
  const place = isJsonObject(payload) ? "$.payload" : "$";
  const frame = isJsonObject(payload) ? { ...payload, ...value } : value;
  for (const { names, form } of needed) {
    if (names.some((name) => fits(frame[name], form))) continue;
    const written = names.find((name) => Object.hasOwn(frame, name));
    const path = (name: string) => `${Object.hasOwn(value, name) ? "$" : place}.${name}`;
    const words = names.join(" or ");
    if (written === undefined) {
      return problem("missing-field", path(names[0]), `The frame ${type} of an agent program needs ${words}.`, {
        expected: form,
        received: "nothing",
        hint: `Add ${words}, or send the text as prose.`,
      });
    }
    return problem("wrong-type", path(written), `In the frame ${type} of an agent program, ${written} is ${form}.`, {
      expected: form,
      received: shortened(frame[written] ?? null),
      hint: `Write ${written} as ${form}.`,
    });
  }
  return null;
}

function fits(value: unknown, form: Needed["form"]): boolean {
  if (form === "true or false") return typeof value === "boolean";
  if (typeof value === "string") return value !== "";
  return (
    form === "a string or a whole number" && typeof value === "number" && Number.isSafeInteger(value) && value >= 0
  );
}
