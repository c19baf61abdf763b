/**
 * The state of a team as it was at an entry: folded again from the first one, by the code of today. Changes nothing.
 * Source: docs/protocol/doors.md, section 1.
 */
import type { TeamName } from "../../base/ids.ts";
import { invariant } from "../../base/invariant.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { emptyHead, headAfter } from "../../journal/chain.ts";
import type { Head } from "../../journal/journal.ts";
import { evolve } from "../projection.ts";
import { initialState } from "../state.ts";
import type { JournalRecord } from "./record.ts";

/** A team's state at one of its entries; its maps are objects where their keys are inputs, else lists of pairs. */
export interface Replayed {
  readonly team: TeamName;
  readonly head: Head;
  readonly recordedAt: string | null;
  readonly state: Json;
}

/** Folds up to the entry `at`; absent: to the head. Refuses `not-found` for a number that the team has not reached. */
export async function replay(
  record: Pick<JournalRecord, "entries">,
  team: TeamName,
  at?: number,
): Promise<Result<Replayed, Problem>> {
  let state = initialState();
  let head: Head = emptyHead;
  let recordedAt: string | null = null;
  if (at !== 0) {
    for await (const entry of record.entries(team)) {
      if (!entry.ok) return entry;
      // A number that was lost stands for what was before it.
      if (at !== undefined && entry.value.seq > at) break;
      state = evolve(state, entry.value);
      head = headAfter(entry.value);
      recordedAt = entry.value.recordedAt;
      if (entry.value.seq === at) break;
    }
  }
  if (at !== undefined && at > head.seq && !(await isReached(record, team, at)))
    return err(notReached(team, at, head.seq));
  return ok({ team, head, recordedAt, state: plain(state) });
}

/** Whether the stream goes on behind a number that was lost. */
async function isReached(record: Pick<JournalRecord, "entries">, team: TeamName, at: number): Promise<boolean> {
  for await (const entry of record.entries(team)) if (!entry.ok || entry.value.seq >= at) return entry.ok;
  return false;
}

function notReached(team: TeamName, at: number, last: number): Problem {
  return problem("not-found", String(at), `The team ${team} has no entry ${at}; the last is ${last}.`, {
    expected: `0 to ${last}`,
    received: String(at),
    hint: "`baton log` lists the entries with their numbers.",
  });
}

/** State as plain JSON: it holds nothing but plain values and maps. */
function plain(value: unknown): Json {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value as Json; // a scalar of JSON
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) {
    const pairs = [...value].map(([key, inner]): readonly [unknown, Json] => [key, plain(inner)]);
    const isNamed = pairs.every(([key]) => typeof key === "string");
    return isNamed ? Object.fromEntries(pairs) : pairs.map(([key, inner]) => [plain(key), inner]);
  }
  invariant(typeof value === "object", "state holds plain values and maps");
  const object: { [key: string]: Json } = {};
  for (const [key, inner] of Object.entries(value ?? {})) if (inner !== undefined) object[key] = plain(inner);
  invariant(isJsonObject(object), "an object of plain values is one of JSON");
  return object;
}
