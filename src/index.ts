/**
 * The public door `.`. First half: for users (read and write messages, open a team). Second half: for people who build
 * journals, dialects and doors.
 */

export type { Problem, ProblemCode } from "./base/problem.ts";
export { problemCodes } from "./base/problem.ts";
export type { Result } from "./base/result.ts";
export type { Board, TaskFilter, TaskState, TaskView } from "./coordination/board.ts";
export type { DenialReason } from "./coordination/claim-denials.ts";
export { compareSummaryLine, summaryLine, summaryMarkdown } from "./coordination/summary-form.ts";
export type { Definition, Dialect } from "./dialects/dialect.ts";
export { dialectIds, dialectOf, dialects, type WireMessage } from "./dialects/registry.ts";
export { type MessageReading, type ReadMessageOptions, readMessage, writeMessage } from "./intake/read-message.ts";
export type { Reading } from "./intake/reading.ts";
export type { Entry, EntryKind, Receipt } from "./journal/entry.ts";
export type { Fact, FactKind } from "./message/facts.ts";
export type { DialectId, Message, Note, Rung } from "./message/message.ts";
export type { AddTask, Calls, ClaimTask, CompleteTask, ReleaseTask, RenewClaim } from "./operations/generated/calls.ts";
export type { ClaimAnswer, Reply } from "./operations/reply.ts";
export type { PlanReport } from "./operations/task-shapes.ts";
export { type Hub, type HubOptions, type Identity, openHub } from "./runtime/hub.ts";
export type { LogLine, LogOptions, Shown } from "./runtime/log-line.ts";
export { type OpenOptions, openTeam } from "./runtime/open.ts";
export type {
  Answer,
  Delivery,
  InboxPage,
  IssuedToken,
  Registration,
  SendOptions,
  Team,
  WorkingTeam,
} from "./runtime/team.ts";
export type { AgentStatus, TeamStatus } from "./runtime/team-status.ts";
