/** Operations on a hub's whole journal, for the owner. Rules: docs/protocol/record.md. */
import { z } from "zod";
import { copyKind, copyMediaType } from "../../journal/engines.ts";
import type { Durability } from "../../journal/entry.ts";
import type { JournalCondition, JournalStats, VerifyReport } from "../../journal/journal.ts";
import { count, inForm, operation, shapeOf, shown } from "../../perform/operations/define.ts";
import { headShape, problemShape, receiptShape } from "../../perform/operations/shapes.ts";
import { entryShape } from "./entries.ts";

/** Sizes and counts, whether it may be written, and what the engine promises. */
export interface RecordStats extends JournalStats {
  readonly condition: JournalCondition["condition"];
  readonly abilities: {
    readonly durability: Durability;
    /** Whether several processes may have it open at once. */
    readonly shared: boolean;
    readonly persistent: boolean;
  };
}

/** The stats as one JSON object, over HTTP and of `--json`: the engine's facts are members next to the sizes. */
export interface StatsJson extends Omit<RecordStats, "place" | "engine"> {
  readonly path: string;
}

const team = inForm("team", z.string());
const heads = z.array(z.object({ team, entries: count(), head: headShape }));

const verifyShape = shapeOf<VerifyReport>()(
  z.object({ ok: z.boolean(), teams: heads, problems: z.array(problemShape) }).meta({ id: "VerifyReport" }),
);

/** What a client checks of the sizes; those of an engine's own are any. */
const statsForm = z.object({
  path: z.string(),
  bytes: count().nullable(),
  teams: heads,
  // A hub that was built before does not say it.
  search: z.object({ bytes: count(), teams: z.array(z.object({ team, indexed: count() })) }).optional(),
  condition: z.enum(["ready", "unreachable", "regressed", "failed"]),
  abilities: z.object({
    durability: z.enum(["fsync", "os", "memory"]),
    shared: z.boolean(),
    persistent: z.boolean(),
  }),
});

export const journalStats = operation({
  name: "journalStats",
  on: "hub",
  call: "journalStats",
  byHand: "It is about the whole journal, of which no team knows.",
  access: "owner",
  says: "How much the journal holds, and whether it may be written.",
  input: z.strictObject({}),
  answer: shown<StatsJson>(null, "Sizes in bytes and counts, by team.", inForm(statsForm, z.looseObject({}))),
  http: { method: "get", path: "/api/journal/stats" },
});

export const verifyJournal = operation({
  name: "verifyJournal",
  on: "hub",
  call: "verifyJournal",
  byHand: "It takes long, so another thread does it.",
  access: "owner",
  says: "Recomputes every hash chain and compares with the anchor and the receipts presented. Changes nothing.",
  input: z.strictObject({ presented: z.array(receiptShape).optional() }),
  answer: shown<VerifyReport>(null, "What was found; `ok` false where anything differs.", verifyShape),
  http: { method: "post", path: "/api/journal/verify" },
});

export const exportJournal = operation({
  name: "exportJournal",
  on: "hub",
  call: "exportJournal",
  byHand: "It is a stream of a team's whole record.",
  access: "owner",
  says: "Every entry, in order, a line of JSON each, hashes included.",
  input: z.strictObject({ team: z.string().optional() }),
  answer: { kind: "stream", says: "JSON lines.", mediaType: "application/x-ndjson", item: entryShape },
  http: { method: "get", path: "/api/journal/export" },
});

export const backupJournal = operation({
  name: "backupJournal",
  on: "hub",
  call: "backupJournal",
  byHand: "It is a file.",
  access: "owner",
  says: "A consistent copy of the whole journal, made while agents go on working. The hub does not know where you save it, so it writes no note there: create FILE.backup next to FILE, and Baton reads the copy and records nothing in it.",
  input: z.strictObject({}),
  answer: { kind: "stream", says: copyKind, mediaType: copyMediaType },
  http: { method: "get", path: "/api/journal/backup" },
});

/** In the order of the document, but for `acceptLoss`, which is written by hand. */
export const journalOperations = [journalStats, verifyJournal, exportJournal, backupJournal] as const;
