/**
 * Where the two generations of a protocol say one thing in different words, each field has a separate neutral name, and
 * the one follows from the other: reasons and answers of a shutdown. Deciders read the words of the second revision,
 * whichever dialect was spoken; a separate writer says those. Source: docs/protocol/messages.md, section 19.
 */
import { isJsonList, type Json } from "../../../base/json.ts";
import type { FactKind } from "../../facts.ts";

type Fields = { readonly [field: string]: Json };

/** A reason of the first revision in words of the second; compared, for a map would work out a new text's hash first. */
function laterReason(said: Json | undefined): string | null {
  if (said === "phase_complete") return "phase_complete";
  return said === "timeout" || said === "error" ? "user_abort" : null;
}

/** Reasons of the second revision in words of the first. */
const earlierReasons = new Map<Json, string>([
  ["phase_complete", "phase_complete"],
  ["plan_complete", "phase_complete"],
  ["user_abort", "error"],
]);

/** A state of the first revision as the state of the second; its answer is yes to each. */
function laterState(said: Json | undefined): string | null {
  if (said === "clean") return "complete";
  if (said === "in_progress") return "in_progress";
  return said === "error" ? "idle" : null;
}

/** A request's own words for its reason, in addition to the protocol's word for it. */
export const reasonTextField = "reason_text";

/**
 * The reason of a request whose sender knows no closed list, as an agent program's own: the protocol's word where it is
 * one, else the one for everything that a team did not decide by its plan, with the sender's words next to it.
 */
export function reasonFor(said: string): { readonly body: Fields; readonly extra?: { readonly payload: Fields } } {
  if (earlierReasons.has(said)) return { body: { reason: said } };
  const later = laterReason(said);
  if (later !== null) return { body: { reason: later, stopReason: said } };
  const body = { reason: "user_abort" };
  return said === "" ? { body } : { body, extra: { payload: { [reasonTextField]: said } } };
}

type ReadField = readonly [neutral: string, type: "string" | "boolean"];

/** Fields by which deciders read a fact of the kind, and what type each has. */
const requestFields: readonly ReadField[] = [
  ["reason", "string"],
  ["teamName", "string"],
];
const responseFields: readonly ReadField[] = [
  ["requestId", "string"],
  ["approved", "boolean"],
  ["finalStatus", "string"],
  ["pendingWork", "string"],
];

/** Whether `asRead` may add fields to the body of a fact of the kind. */
export function isCompleted(kind: FactKind): boolean {
  return fieldsRead(kind) !== null;
}

function fieldsRead(kind: FactKind): readonly ReadField[] | null {
  if (kind === "shutdown-request") return requestFields;
  return kind === "shutdown-response" ? responseFields : null;
}

/** The body with every field that follows from those it has; fields that are there stay as they are. */
export function derived(kind: FactKind, body: Fields): Fields {
  if (kind === "shutdown-request") return withReasons(body);
  return kind === "shutdown-response" ? withAnswers(body) : body;
}

/**
 * The body as deciders read it: what follows from it, and what an extra field says of it in its neutral spelling.
 * Such an extra field is taken out of `extra`, unless it only repeats what follows anyway. `body` is completed in place.
 */
export function asRead(
  kind: FactKind,
  body: { [field: string]: Json },
  extra: { [key: string]: Json } | null,
  wireName: (neutral: string) => string,
): Fields {
  const fields = extra === null ? null : fieldsRead(kind);
  if (extra === null || fields === null) {
    addLaterWords(kind, body);
    return body;
  }
  const following: { [field: string]: Json } = { ...body };
  addLaterWords(kind, following);
  for (const [neutral, type] of fields) {
    if (body[neutral] !== undefined) continue;
    const follows = following[neutral];
    const name = wireName(neutral);
    const said = extra[name];
    if (said !== undefined && typeof said === type && said !== follows) {
      body[neutral] = said;
      delete extra[name];
    } else if (follows !== undefined) body[neutral] = follows;
  }
  return body;
}

/** Whether an extra field under the neutral field's spelling would be taken for it where the body says `own`. */
export function isTakenFor(kind: FactKind, neutral: string, value: Json, own: Json): boolean {
  const type = fieldsRead(kind)?.find(([name]) => name === neutral)?.[1];
  return type === undefined || (typeof value === type && value !== own);
}

/** Adds the words of the second revision that follow from what a message of a first says; others stay as they are. */
function addLaterWords(kind: FactKind, body: { [field: string]: Json }): void {
  if (kind === "shutdown-request") {
    const reason = body.reason === undefined ? laterReason(body.stopReason) : null;
    if (reason !== null) body.reason = reason;
  } else if (kind === "shutdown-response") {
    const { stopStatus, pendingItems } = body;
    const state = laterState(stopStatus);
    if (state !== null) {
      if (body.approved === undefined) body.approved = true;
      if (body.finalStatus === undefined) body.finalStatus = state;
    }
    if (body.pendingWork === undefined && isTexts(pendingItems)) body.pendingWork = pendingItems.join("\n");
  }
}

function withReasons(body: Fields): Fields {
  const full = { ...body };
  addLaterWords("shutdown-request", full);
  const earlier = earlierReasons.get(body.reason ?? null);
  if (earlier !== undefined) full.stopReason ??= earlier;
  return full;
}

function withAnswers(body: Fields): Fields {
  const { approved, finalStatus, pendingWork } = body;
  const full = { ...body };
  addLaterWords("shutdown-response", full);
  // A refusal is work that goes on.
  if (typeof approved === "boolean") {
    full.stopStatus ??= approved && finalStatus !== "in_progress" ? "clean" : "in_progress";
  }
  if (typeof pendingWork === "string") full.pendingItems ??= pendingWork === "" ? [] : pendingWork.split("\n");
  return full;
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return isJsonList(value) && value.every((one) => typeof one === "string");
}
