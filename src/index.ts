/**
 * The public door `.`. First half: for programs that work with a team or read and write messages
 * (docs/guides/library.md). Second half: for people who build journals, dialects and doors.
 */

export type { Problem, ProblemCode } from "./base/problem.ts";
export { problemCodes } from "./base/problem.ts";
export type { Result } from "./base/result.ts";
export {
  BatonError,
  type ConnectHubOptions,
  type CreateTeamOptions,
  connectHub,
  createTeam,
  type OpenTeamOptions,
  openTeam,
  orThrow,
} from "./doors/library/entry-points.ts";
export type { CreatedTeam, NewAgent } from "./doors/library/folder-team.ts";
export type {
  InboxOptions,
  LogOptions,
  SendOptions,
  Team,
  VerifyOptions,
  WaitForVerdict,
  WatchOptions,
} from "./doors/library/team.ts";
export type { ArtifactVerdict } from "./evidence/operations/verification.ts";
export type { Entry, EntryKind, Receipt } from "./journal/entry.ts";
export type { Delivery, InboxPage } from "./mail/operations.ts";
export type { Definition, Dialect } from "./messages/dialects/dialect.ts";
export { dialectIds, dialectOf, dialects, type WireMessage } from "./messages/dialects/registry.ts";
export type { Fact, FactKind } from "./messages/facts.ts";
export {
  type MessageReading,
  type ReadMessageOptions,
  readMessage,
  writeMessage,
} from "./messages/intake/read-message.ts";
export type { Reading } from "./messages/intake/reading.ts";
export type { DialectId, Message, Note, Rung } from "./messages/message.ts";
export type { Department, Role } from "./messages/role.ts";
export type {
  AddTask,
  Calls,
  ClaimTask,
  CompleteTask,
  Grant,
  IssuedToken,
  ReleaseTask,
  RenewClaim,
} from "./perform/operations/generated/calls.ts";
export type { Reply, TaskVerdict } from "./perform/operations/reply.ts";
export type { Answer } from "./perform/system-message.ts";
export type { Registration } from "./perform/team.ts";
export type { LogLine, Shown } from "./record/operations/entries.ts";
export type { DenialReason } from "./tasks/decide/claims.ts";
export type { PlanReport } from "./tasks/operations/task-shapes.ts";
export { compareSummaryLine, summaryLine } from "./tasks/state/summary-text.ts";
export type { Board } from "./tasks/view/board.ts";
export type { TaskFilter, TaskState, TaskView } from "./tasks/view/task-view.ts";
export type { AgentStatus } from "./team/operations/agents.ts";
export type { TeamStatus } from "./team/operations/status.ts";
export type { TeamKindName } from "./team/state/kinds.ts";
