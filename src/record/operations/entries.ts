/**
 * Operations on the record of a team: page by page, one entry whole, and as it grows; and on a hub's whole journal, for
 * the owner. Rules: docs/protocol/record.md, docs/protocol/doors.md.
 */
import { z } from "zod";
import type { Problem } from "../../base/problem.ts";
import { copyKind, copyMediaType } from "../../journal/engines.ts";
import { type Durability, type Entry, entryKinds } from "../../journal/entry.ts";
import type { JournalCondition, JournalStats, VerifyReport } from "../../journal/journal.ts";
import { type FactKind, factKinds } from "../../messages/facts.ts";
import type { DialectId, Message, Note } from "../../messages/message.ts";
import { departments, roles } from "../../messages/role.ts";
import { type LineOutcome, outcomes } from "../../perform/line-outcome.ts";
import { count, hash, inForm, operation, shapeOf, shown, time } from "../../perform/operations/define.ts";
import { headShape, noteShape, problemShape, receiptShape, seq, texts } from "../../perform/operations/shapes.ts";
import { type ReportStatus, reportStatuses } from "../../tasks/state/report-status.ts";

/** One entry as `log` and `show` present it. */
export interface LogLine extends LineOutcome {
  readonly seq: number;
  readonly epoch: number;
  readonly kind: Entry["kind"];
  readonly id: string | null;
  readonly dialect: DialectId | null;
  readonly type: string | null;
  readonly sender: string;
  /** Who decided in the owner's place; absent: nobody. */
  readonly person?: string;
  readonly receivers: readonly string[];
  readonly recordedAt: string;
  /** The task that a message says it belongs to, or an operation is about, of several the first; null: there is none. */
  readonly task: string | null;
  /** What kind of thing the message says, whatever its dialect calls it; null: it is no message, or prose. */
  readonly fact: FactKind | null;
  /** The state of its report when the line is read; for a new entry, what it says. Null: it makes none. */
  readonly report: ReportStatus | null;
  /** The first problem of a refusal, in a sentence with agent text, so doors escape it. Null: nothing was refused. */
  readonly problem: Pick<Problem, "code" | "message"> | null;
  /**
   * The remote that the entry asks, or whose word it records; absent: it has to do with none. A remote is no agent of the
   * team, and what it says is no verdict.
   */
  readonly remote?: RemoteParty;
  /** One line for people: what the entry says. Agent text, so doors escape it. */
  readonly summary: string;
}

/** A remote in an entry. `says`: its word for what it was asked, such as `completed`; null: it is asked. */
export interface RemoteParty {
  readonly name: string;
  readonly says: string | null;
}

/** What the repository says of a report. `seq`: the verdict that counts, else the first against the report. */
export interface ReportVerdict {
  readonly task: string;
  readonly seq: number;
  readonly state: "verified" | "disputed" | "gone";
  readonly problems: readonly Problem[];
}

/** One entry in full, as `show` presents it. */
export interface Shown extends LogLine {
  /** What became of its reports in the repository, for each task. Absent: nothing was found, or an older hub. */
  readonly verdicts?: readonly ReportVerdict[];
  readonly entry: Entry;
  /** What the journal that keeps it promises. */
  readonly durability: Durability;
  readonly message: Message | null;
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
  /** Per receiver: how far delivery of this entry came. */
  readonly delivery: readonly {
    readonly agent: string;
    readonly state: "waiting" | "offered" | "seen" | "acknowledged";
  }[];
}

/** One answer of a reader of the log: what was found among a bounded number of entries. */
export interface LogPage {
  readonly entries: readonly LogLine[];
  /** Where to go on, with `after` (oldest first) or `before` (newest first); null: everything was looked at. */
  readonly next: number | null;
  /** The number of the team's last entry. */
  readonly head: number;
  /** How many entries match in all; absent: nobody asked. */
  readonly count?: MatchCount;
}

/** How many entries match. */
export interface MatchCount {
  readonly matched: number;
  /** Everything was looked at; else there may be more. */
  readonly isAll: boolean;
}

const dialect = inForm("dialect", z.string()).nullable();

const lineFields = {
  seq,
  epoch: count(),
  kind: z.enum(entryKinds),
  id: z.string().nullable(),
  dialect,
  type: z.string().nullable(),
  sender: z.string(),
  receivers: texts,
  recordedAt: time,
  task: z.string().nullable(),
  fact: inForm("word", z.union([z.enum(factKinds), z.templateLiteral(["own:", z.string()])])).nullable(),
  report: z
    .enum(reportStatuses)
    .nullable()
    .describe("the state of the report that it makes; in a stream, what it says; null: it makes none"),
  outcome: z
    .enum(outcomes)
    .nullable()
    .describe("what became of what the entry began or decided, now; null: nothing becomes of such an entry"),
  thread: seq.nullable().describe("the entry that began the thread, such as the request; null: it is in none"),
  supersededBy: seq.nullable().describe("the entry that counts now in its place"),
  problem: z
    .object({ code: inForm("code", z.string()), message: z.string() })
    .nullable()
    .describe("of a refusal its first problem"),
  remote: z
    .object({
      name: z.string(),
      says: z.string().nullable().describe("its word, such as completed; null: it is asked"),
    })
    .optional()
    .describe("the remote that the entry asks, or whose word it records; absent: none"),
  summary: z.string(),
};
const logLineShape = shapeOf<LogLine>()(z.object(lineFields).meta({ id: "LogLine" }));

const logPageShape = shapeOf<LogPage>()(
  z.object({
    entries: z.array(logLineShape),
    next: seq
      .nullable()
      .describe(
        "go on with after=next (asc) or before=next (desc), also where `entries` is empty; null: there is no more",
      ),
    head: seq,
    count: z
      .object({ matched: count(), isAll: z.boolean().describe("everything was looked at; else there may be more") })
      .optional()
      .describe("how many entries match in all; absent: nobody asked"),
  }),
);

const principalShape = z.object({
  agent: z.string(),
  role: z.enum(roles).nullable(),
  department: z.enum(departments).optional(),
  via: z.enum(["token", "launcher", "hook"]),
  person: z.string().optional().describe("whom the owner has invited, and who decided"),
});

const entryShape = shapeOf<Entry>()(
  z
    .object({
      team: inForm("team", z.string()),
      seq,
      epoch: count(),
      kind: z.enum(entryKinds),
      principal: principalShape,
      id: inForm("id", z.string()).nullable(),
      digest: hash().nullable(),
      receivers: texts,
      content: z.unknown(),
      text: z.string().optional().describe("the message's text, verbatim"),
      recordedAt: time,
      aheadMs: z
        .int()
        .optional()
        .describe("how far that clock was ahead of the one by which deadlines count; absent: they agreed"),
      prevHash: hash(),
      hash: hash(),
    })
    .meta({ id: "Entry" }),
);

/** A value that a client only passes on. */
const passedOn = z.looseObject({});

const shownShape = shapeOf<Shown>()(
  z
    .object({
      ...lineFields,
      verdicts: z
        .array(
          z.object({
            task: z.string(),
            seq,
            state: z.enum(["verified", "disputed", "gone"]),
            problems: z.array(problemShape),
          }),
        )
        .optional()
        .describe("what the repository says of its reports; absent: nothing, or an older hub"),
      entry: entryShape,
      message: z
        .object({
          dialect,
          type: z.string().nullable(),
          rung: z.enum(["typed", "structured", "document", "markdown"]),
          wireId: z.string().nullable(),
          text: z.string().describe("verbatim"),
          fact: inForm(passedOn.nullable(), z.unknown()),
          wire: inForm(
            passedOn,
            z.unknown().optional().describe("the message's object, where the text is not that alone"),
          ),
        })
        .nullable(),
      problems: z.array(problemShape),
      notes: z.array(noteShape),
      durability: z.enum(["fsync", "os", "memory"]),
      delivery: z.array(z.object({ agent: z.string(), state: z.enum(["waiting", "offered", "seen", "acknowledged"]) })),
    })
    .meta({ id: "Shown" }),
);

export const listEntries = operation({
  name: "listEntries",
  call: "logPage",
  byHand: "A reader goes on from page to page, and may stop.",
  access: "caller",
  says: "The record, page by page, filtered. One answer looks at a bounded number of entries, so it may hold fewer than `limit`, even none, and still say where to go on.",
  input: z.strictObject({
    after: z.int().optional().describe("only entries after this one"),
    before: z.int().optional().describe("only entries before this one"),
    limit: z.int().min(1).max(1_000).optional().describe("at most so many; 100 when absent"),
    order: z.enum(["asc", "desc"]).optional(),
    kind: z.array(z.enum(entryKinds)).optional(),
    view: z
      .enum(["messages", "refusals"])
      .optional()
      .describe("messages: what was said or turned down, no bookkeeping; refusals: what agents were refused"),
    type: z.string().optional(),
    sender: z.string().optional(),
    agent: z
      .string()
      .optional()
      .describe("that this agent sent, or that were addressed to it; of a remote: remote:NAME"),
    task: z.string().optional(),
    text: z.string().max(256).optional().describe("plain text that the message contains, in any case"),
    since: z.string().optional().describe("recorded at or after this RFC 3339 time"),
    until: z.string().optional().describe("recorded before this RFC 3339 time"),
    outcome: z.array(z.enum(outcomes)).optional().describe("that have become one of these"),
    count: z.boolean().optional().describe("count the matching entries too, among the newest 20,000 of the range"),
  }),
  answer: shown<LogPage>(null, "A page of entries.", logPageShape),
  http: { method: "get", path: "/messages" },
  handWritten: ["log"],
});

export const showEntry = operation({
  name: "showEntry",
  call: "show",
  byHand: "Its method takes the entry's name alone.",
  access: "caller",
  says: "One entry by its number or id, with all that is known of it; 409 lists the entries of an id that several used.",
  input: z.strictObject({
    key: z.string(),
    sender: z.string().optional().describe("whose entry, where several senders used the id"),
  }),
  answer: shown<Shown>(null, "The entry.", shownShape),
  http: { method: "get", path: "/messages/{key}" },
  handWritten: ["show"],
});

export const followEntries = operation({
  name: "followEntries",
  call: "follow",
  byHand: "It is a stream, which is resumed where it broke.",
  access: "caller",
  says: "The record as it grows, as server-sent events; the id of each is the entry's number. Resumes after Last-Event-ID.",
  input: z.strictObject({ after: z.int().optional().describe("absent: from the head on") }),
  answer: {
    kind: "stream",
    says: "Events `entry` with a LogLine each; `overflow` with {lastSeq} before a reader that is too slow is let go.",
    mediaType: "text/event-stream",
    shape: logLineShape,
  },
  http: { method: "get", path: "/events" },
});

/** In the order of the document. */
export const entryOperations = [listEntries, showEntry, followEntries] as const;

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
