/**
 * The public door `.`. First half: for programs that work with a team or read and write messages
 * (docs/guides/library.md). Second half: for people who build journals, dialects and doors.
 */

export type { Problem, ProblemCode } from "./base/problem.ts";
export { problemCodes } from "./base/problem.ts";
export type { Result } from "./base/result.ts";
export type { DenialReason } from "./coordination/claims/claim-denials.ts";
export type { Board } from "./coordination/tasks/board.ts";
export { compareSummaryLine, summaryLine, summaryMarkdown } from "./coordination/tasks/summary-text.ts";
export type { TaskFilter, TaskState, TaskView } from "./coordination/tasks/task-view.ts";
export type { Definition, Dialect } from "./dialects/dialect.ts";
export { dialectIds, dialectOf, dialects, type WireMessage } from "./dialects/registry.ts";
export { type MessageReading, type ReadMessageOptions, readMessage, writeMessage } from "./intake/read-message.ts";
export type { Reading } from "./intake/reading.ts";
export type { Entry, EntryKind, Receipt } from "./journal/entry.ts";
export {
  BatonError,
  type ConnectHubOptions,
  type CreateTeamOptions,
  connectHub,
  createTeam,
  type OpenTeamOptions,
  openTeam,
  orThrow,
} from "./library/entry-points.ts";
export type { CreatedTeam, NewAgent } from "./library/folder-team.ts";
export type {
  InboxOptions,
  LogOptions,
  SendOptions,
  Team,
  VerifyOptions,
  WaitForVerdict,
  WatchOptions,
} from "./library/team.ts";
export type { Fact, FactKind } from "./message/facts.ts";
export type { DialectId, Message, Note, Rung } from "./message/message.ts";
export type { Department, Role } from "./message/role.ts";
export type { AgentStatus } from "./operations/agents.ts";
export type { LogLine, Shown } from "./operations/entries.ts";
export type { AddTask, Calls, ClaimTask, CompleteTask, ReleaseTask, RenewClaim } from "./operations/generated/calls.ts";
export type { Delivery, InboxPage } from "./operations/inbox.ts";
export type { ClaimAnswer, Reply, TaskVerdict } from "./operations/reply.ts";
export type { TeamStatus } from "./operations/status.ts";
export type { PlanReport } from "./operations/task-shapes.ts";
export type { ArtifactVerdict } from "./operations/verification.ts";
export type { Answer } from "./runtime/delivery/system-message.ts";
export type { IssuedToken, Registration } from "./runtime/team/team.ts";
export type { TeamKindName } from "./team/kinds.ts";
