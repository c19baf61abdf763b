/**
 * The public door `.`. First half: for users (read and write messages, open a team). Second half: for people who build
 * journals, dialects and doors.
 */

export type { Problem, ProblemCode } from "./base/problem.ts";
export { problemCodes } from "./base/problem.ts";
export type { Result } from "./base/result.ts";
export type { Definition, Dialect } from "./dialects/dialect.ts";
export { dialectIds, dialectOf, dialects, type WireMessage } from "./dialects/registry.ts";
export { type MessageReading, type ReadMessageOptions, readMessage, writeMessage } from "./intake/read-message.ts";
export type { Reading } from "./intake/reading.ts";
export type { Entry, EntryKind, Receipt } from "./journal/entry.ts";
export type { Fact, FactKind } from "./message/facts.ts";
export type { DialectId, Message, Note, Rung } from "./message/message.ts";
export { type Hub, type HubOptions, type Identity, openHub } from "./runtime/hub.ts";
export { type OpenOptions, openTeam } from "./runtime/open.ts";
export type {
  AgentStatus,
  Answer,
  Delivery,
  InboxPage,
  IssuedToken,
  LogLine,
  LogOptions,
  Registration,
  Reply,
  SendOptions,
  Shown,
  Team,
  TeamStatus,
} from "./runtime/team.ts";
