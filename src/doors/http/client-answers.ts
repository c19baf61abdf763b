/** The answers of a hub that the client takes: the values of `Team` and of the record, as their JSON must look. */

import { messageId, teamName } from "../../base/ids.ts";
import type { Json } from "../../base/json.ts";
import { type Problem, type ProblemCode, problemCodes } from "../../base/problem.ts";
import type { ArtifactView } from "../../coordination/artifact-view.ts";
import { type DenialReason, denialReasons } from "../../coordination/claim-denials.ts";
import { healthStates } from "../../coordination/health.ts";
import { type Entry, entryKinds, type Receipt } from "../../journal/entry.ts";
import type { Head, Marks } from "../../journal/journal.ts";
import { type FactKind, isFactKind } from "../../message/facts.ts";
import { levels } from "../../message/level.ts";
import type { DialectId, Message, Note } from "../../message/message.ts";
import type { OwnMessage } from "../../message/own-message.ts";
import type { Principal } from "../../message/principal.ts";
import { departments, roles } from "../../message/role.ts";
import type { LogLine, Shown } from "../../runtime/log-line.ts";
import type { Attendance } from "../../runtime/programs.ts";
import type { ClaimAnswer } from "../../runtime/task-work.ts";
import type { Delivery, InboxPage, Reply } from "../../runtime/team.ts";
import type { AgentStatus, TeamStatus } from "../../runtime/team-status.ts";
import { readSubset } from "../../schema/subset-read.ts";
import type { Credential } from "../../team/credentials.ts";
import type { TeamDefinition } from "../../team/definition.ts";
import { teamModes } from "../../team/definition.ts";
import { breaker } from "./client-breakers.ts";
import { phaseGlance } from "./client-phases.ts";
import {
  branded,
  count,
  flag,
  hash,
  list,
  nullable,
  object,
  oneOf,
  opaque,
  optional,
  recordOfAll,
  type Shape,
  text,
  whole,
  word,
} from "./client-shape.ts";

export const team = branded(teamName);
const id = branded(messageId);
export const json: Shape<Json> = (value): value is Json => value !== undefined; // it came out of the parser
const dialect: Shape<DialectId> = (value): value is DialectId => word(value) && value.includes("/");
export const role = oneOf(roles);
const factKind: Shape<FactKind> = (value): value is FactKind => typeof value === "string" && isFactKind(value);
export const durability = oneOf(["fsync", "os", "memory"]);
const code = oneOf(Object.keys(problemCodes) as ProblemCode[]); // the keys of that very table

export const receipt = object<Receipt>({
  team,
  seq: count,
  id: nullable(id),
  digest: nullable(hash),
  hash,
  prevHash: hash,
  epoch: count,
  durability,
  duplicate: flag,
});

export const problem = object<Problem>({
  code,
  path: text,
  message: text,
  expected: optional(text),
  received: optional(text),
  hint: optional(text),
});

export const note = object<Note>({
  code: word,
  path: text,
  message: text,
  from: optional(text),
  to: optional(text),
});

const acceptedFields = { receipt, receivers: list(text), notes: list(note) };

/** An accepted act. */
export const accepted = object<Accepted>(acceptedFields);

export type Accepted = Omit<Extract<Reply, { readonly outcome: "accepted" }>, "outcome">;

/** A granted or renewed claim. */
export const grant = object<Accepted & Omit<Extract<ClaimAnswer, { readonly granted: true }>, "reply" | "granted">>({
  ...acceptedFields,
  task: text,
  token: count,
  expiresAt: word,
  files: list(text),
});

/** A refused or failed one; of a claim, with what stands in its way. `receipt`: absent where nothing was to be recorded, null where nothing was. */
export const refused = object<{
  problems: readonly Problem[];
  receipt?: Receipt | null;
  notes?: readonly Note[];
  granted?: boolean;
  reason?: DenialReason | null;
  holder?: string | null;
  paths?: readonly string[];
}>({
  problems: list(problem),
  receipt: optional(nullable(receipt)),
  notes: optional(list(note)),
  granted: optional(flag),
  reason: optional(nullable(oneOf(denialReasons))),
  holder: optional(nullable(text)),
  paths: optional(list(text)),
});

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
  summary: text,
};

export const logLine = object<LogLine>(lineFields);

export const logPage = object<{ entries: readonly LogLine[]; next: number | null }>({
  entries: list(logLine),
  next: nullable(count),
});

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

/** How often whoever attends is to show itself. */
export const attendance = object<Attendance>({ everyMs: count });

const agent = object<AgentStatus>({
  agent: text,
  role,
  department: optional(oneOf(departments)),
  dialect,
  source: oneOf(["file", "command"]),
  status: oneOf(["active", "retired"]),
  session: count,
  unread: count,
  marks: object<Marks>({ offered: count, seen: count }),
  acknowledged: count,
  mode: optional(oneOf(teamModes)),
  health: oneOf(healthStates),
  lastSeenAt: nullable(word),
});

/** A message type of the team's own; one whose schema this build cannot check by makes the answer none of ours. */
const ownMessage = object<OwnMessage>({
  type: text,
  summary: text,
  senders: list(role),
  receivers: list(role),
  schema: (value): value is Json => json(value) && readSubset(value).faults.length === 0,
  example: opaque(),
});

export const head = object<Head>({ seq: count, hash, epoch: count });
const definition = object<TeamDefinition>({
  name: text,
  dialects: list(dialect),
  policy: oneOf(["enforce", "observe"]),
  teamMode: optional(oneOf(["teammate", "task"])),
  chain: optional(list(oneOf(levels))),
  agents: list(opaque()),
  routing: list(opaque()),
  limits: opaque(),
  messages: optional(list(ownMessage)),
});

export const artifactFields = {
  seq: count,
  type: text,
  sender: text,
  plan: nullable(text),
  artifacts: list(text),
  state: oneOf(["reported", "verified", "disputed"]),
  problems: list(problem),
};
const artifactView = object<ArtifactView>(artifactFields);

export const teamStatus = object<TeamStatus>({
  team: text,
  definition: nullable(definition),
  revision: count,
  head,
  journal: oneOf(["ready", "regressed", "failed"]),
  counts: recordOfAll(count),
  agents: list(agent),
  openApprovals: count,
  overBudget: list(text),
  breakers: list(breaker),
  contracts: count,
  tasks: recordOfAll(count),
  disputedArtifacts: list(artifactView),
  phases: list(phaseGlance),
});

const credential = object<Credential>({
  tokenId: word,
  agent: word,
  hash,
  session: count,
  status: oneOf(["valid", "revoked"]),
});

export const credentials = object<{ tokens: readonly Credential[] }>({ tokens: list(credential) });

export const issued = object<{ token: string | null; tokenId: string | null }>({
  token: nullable(word),
  tokenId: nullable(word),
});
