/**
 * Whether a JSON value has the form of an entry, for values that come from outside. What its content means is another's
 * question.
 */
import { messageId, teamName } from "../base/ids.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { departments, isRole } from "../message/role.ts";
import { type Entry, entryKinds } from "./entry.ts";

/** The value as an entry; null: it is none. Nothing is copied, so its keys stay in their order. */
export function readEntry(value: Json): Entry | null {
  if (!isJsonObject(value)) return null;
  const { team, seq, epoch, kind, recordedAt, prevHash, hash, principal, id, digest, receivers, content, text } = value;
  const isEntry =
    isText(team) &&
    teamName(team) !== null &&
    isCount(seq) &&
    isCount(epoch) &&
    entryKinds.some((known) => known === kind) &&
    isText(recordedAt) &&
    !Number.isNaN(Date.parse(recordedAt)) &&
    isHash(prevHash) &&
    isHash(hash) &&
    isJsonObject(principal ?? null) &&
    isPrincipal(principal as JsonObject) && // an object, as the line above found
    (id === null || (isText(id) && messageId(id) !== null)) &&
    (digest === null || isHash(digest)) &&
    isJsonList(receivers ?? null) &&
    (receivers as readonly Json[]).every(isText) && // a list, as the line above found
    isJsonObject(content ?? null) &&
    (text === undefined || isText(text));
  // Every field has been looked at; those that an entry may have besides are kept with it.
  return isEntry ? (value as unknown as Entry) : null;
}

/** Whether the value means to be an entry, be it a good one or not. */
export function looksLikeEntry(value: Json): boolean {
  return isJsonObject(value) && ["seq", "kind", "prevHash", "hash"].every((key) => Object.hasOwn(value, key));
}

function isPrincipal({ agent, role, department, via }: JsonObject): boolean {
  return (
    isText(agent) &&
    (role === null || (isText(role) && isRole(role))) &&
    (department === undefined || departments.some((known) => known === department)) &&
    ["token", "launcher", "hook"].some((known) => known === via)
  );
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string";
}

function isCount(value: Json | undefined): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function isHash(value: Json | undefined): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
