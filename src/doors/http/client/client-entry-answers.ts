/** What a hub shows of entries, as its JSON must look: lines of the log, an entry in full, mail. */
import { reportStandings } from "../../../coordination/tasks/report-status.ts";
import { type Entry, entryKinds } from "../../../journal/entry.ts";
import { type FactKind, isFactKind } from "../../../message/facts.ts";
import type { Message } from "../../../message/message.ts";
import type { Principal } from "../../../message/principal.ts";
import { departments } from "../../../message/role.ts";
import type { LogLine, LogPage, Shown } from "../../../runtime/record/log-line.ts";
import type { Delivery, InboxPage } from "../../../runtime/team/team.ts";
import {
  count,
  dialect,
  durability,
  flag,
  hash,
  id,
  json,
  list,
  note,
  nullable,
  object,
  oneOf,
  opaque,
  optional,
  problem,
  role,
  type Shape,
  team,
  text,
  whole,
  word,
} from "./client-answers.ts";

const factKind: Shape<FactKind> = (value): value is FactKind => typeof value === "string" && isFactKind(value);

const lineFields = {
  seq: count,
  epoch: count,
  kind: oneOf(entryKinds),
  id: nullable(text),
  dialect: nullable(dialect),
  type: nullable(text),
  sender: text,
  receivers: list(text),
  recordedAt: word,
  task: nullable(text),
  fact: nullable(factKind),
  report: nullable(oneOf(reportStandings)),
  summary: text,
};

export const logLine = object<LogLine>(lineFields);

export const logPage = object<LogPage>({ entries: list(logLine), next: nullable(count), head: count });

const principal = object<Principal>({
  agent: text,
  role: nullable(role),
  department: optional(oneOf(departments)),
  via: oneOf(["token", "launcher", "hook"]),
});

export const entry = object<Entry>({
  team,
  seq: count,
  epoch: count,
  kind: oneOf(entryKinds),
  principal,
  id: nullable(id),
  digest: nullable(hash),
  receivers: list(text),
  content: json,
  text: optional(text),
  recordedAt: word,
  aheadMs: optional(whole),
  prevHash: hash,
  hash,
});

const message = object<Message>({
  dialect: nullable(dialect),
  type: nullable(text),
  rung: oneOf(["typed", "structured", "document", "markdown"]),
  wireId: nullable(text),
  text,
  fact: nullable(opaque()),
  wire: optional(opaque()),
});

export const shown = object<Shown>({
  ...lineFields,
  entry,
  durability,
  message: nullable(message),
  problems: list(problem),
  notes: list(note),
  delivery: list(
    object<Shown["delivery"][number]>({ agent: text, state: oneOf(["waiting", "offered", "seen", "acknowledged"]) }),
  ),
});

const delivery = object<Delivery>({
  seq: count,
  id: nullable(text),
  dialect: nullable(dialect),
  type: nullable(text),
  sender: text,
  recordedAt: word,
  message: json,
  effect: flag,
  notes: list(note),
});

export const inboxPage = object<InboxPage>({ deliveries: list(delivery), unread: count, acknowledged: count });
