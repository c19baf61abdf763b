/**
 * The record of a hub's journal: what `journal verify` and its like need, over HTTP. The owner's only, which the hub
 * decides. Long answers are taken as streams, a line or a block at a time.
 */
import type { TeamName } from "../../../base/ids.ts";
import { parseBounded } from "../../../base/json.ts";
import { entryBytesMax } from "../../../base/limits.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { copyMediaType } from "../../../journal/copy.ts";
import type { Entry } from "../../../journal/entry.ts";
import type { JournalCondition } from "../../../journal/journal.ts";
import { statsOfJson } from "../../../runtime/record/journal-stats.ts";
import type { JournalRecord } from "../../../runtime/record/record.ts";
import * as answers from "./client-answers.ts";
import { readPart } from "./client-body.ts";
import { type Asked, actOf, type Caller, openAnswer } from "./client-caller.ts";
import { saveCopy } from "./client-copy.ts";
import * as entryAnswers from "./client-entry-answers.ts";
import { notAHub, unread } from "./client-faults.ts";
import { recordStats, verifyReport } from "./client-record-answers.ts";

/** Recomputing a large journal takes its time. */
const verifyMsMax = 15 * 60_000;
const entryLimits = { bytesMax: entryBytesMax, depthMax: 64, nodesMax: 1_000_000 };

/** The record over `caller`, whose journal stood in `condition` when it was reached. `stop` ends what only reads. */
export function remoteRecord(caller: Caller, condition: JournalCondition, stop: AbortSignal): JournalRecord {
  const at = (name: string) => ["api", "journal", name];
  const stats = async () => {
    const found = await asking(caller, { method: "GET", path: at("stats"), shape: recordStats });
    return found.ok ? ok(statsOfJson(found.value)) : found;
  };
  return {
    condition: () => condition,
    async teams() {
      const found = await stats();
      return found.ok ? ok(found.value.teams.map(({ team }) => team)) : found;
    },
    stats,
    verify: ({ presented, signal }) => {
      const body = JSON.stringify(presented.length === 0 ? {} : { presented });
      const asked = { method: "POST", path: at("verify"), body, shape: verifyReport, isRead: true } as const;
      return asking(caller, { ...asked, extraMs: verifyMsMax, retriesMax: 1 }, signal);
    },
    entries: (team) => entriesOf(caller, at("export"), team, stop),
    acceptLoss: (team, reason, { id } = {}) =>
      asking(caller, { ...actOf(at("accept-loss"), { team, reason }, id), shape: answers.receipt }),
    async backup(file) {
      // The heads are asked for first: what comes in between makes the copy longer than its anchor, never shorter.
      const heads = await stats();
      if (!heads.ok) return heads;
      const begun = await openAnswer(caller, { method: "GET", path: at("backup") }, copyMediaType, stop);
      if (!begun.ok) return begun;
      const headOf = new Map(heads.value.teams.map(({ team, head }) => [team, head]));
      const broken = () => unread(caller.wire.hub.shown, "the connection broke in the middle of the copy", stop);
      return saveCopy(begun.value, file, headOf, broken);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function asking<Value>(
  caller: Caller,
  asked: Asked<Value>,
  signal?: AbortSignal,
): Promise<Result<Value, Problem>> {
  const came = await caller.ask(asked, signal);
  return came.ok ? came : err(came.error.problems[0]);
}

/** The lines of an export, each read by itself; one that breaks off ends it with a problem. */
async function* entriesOf(
  caller: Caller,
  path: readonly string[],
  team: TeamName,
  stop: AbortSignal,
): AsyncIterable<Result<Entry, Problem>> {
  const hub = caller.wire.hub.shown;
  const begun = await openAnswer(caller, { method: "GET", path, query: { team } }, "application/x-ndjson", stop);
  if (!begun.ok) {
    yield begun;
    return;
  }
  const reader = begun.value.getReader();
  let held: Uint8Array = new Uint8Array();
  for (;;) {
    const part = await readPart(reader);
    if (part === "broken" || (part === "ended" && held.byteLength > 0)) {
      yield err(unread(hub, "the connection broke in the middle of the export", stop));
      return;
    }
    if (part === "ended") return;
    const bytes = held.byteLength === 0 ? part : Buffer.concat([held, part]);
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
      const entry = entryOf(hub, bytes.subarray(from, end));
      yield entry;
      if (!entry.ok) return;
      from = end + 1;
    }
    held = bytes.subarray(from);
    if (held.byteLength > entryBytesMax) {
      yield err(notAHub(hub, "a line of its export does not end"));
      return;
    }
  }
}

function entryOf(hub: string, line: Uint8Array): Result<Entry, Problem> {
  const parsed = parseBounded(line, entryLimits);
  if (parsed.ok && entryAnswers.entry(parsed.value)) return ok(parsed.value);
  return err(notAHub(hub, "a line of its export is no entry"));
}
