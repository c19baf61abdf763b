/**
 * The sizing of a journal in a server as arithmetic: from what was measured of an engine and what is demanded of it follow
 * the journals, hubs, memory, disk and connections that are needed. Pure; the page in `.tmp` shows each step.
 */

/** What was measured of an engine, all of it on one machine that also runs its servers. */
export interface Inputs {
  readonly engine: string;
  /** Copies that the servers keep of each byte. */
  readonly copies: number;
  /** Messages a second that one journal takes, sent to many teams. */
  readonly messagesPerSecond: number;
  /** Milliseconds from `send` to the receipt while nothing else is under way. */
  readonly latenciesMs: readonly number[];
  /** Processor time of the hub's process for one message, in milliseconds. */
  readonly hubProcessorMs: number;
  /** Bytes in the servers for one message, and for one message with its acknowledgement, one copy. */
  readonly bytesPerMessage: number;
  readonly bytesPerAcknowledgedMessage: number;
  /** Memory of a hub: without teams, for each team, and for each message that it has seen recorded. */
  readonly hubBytes: number;
  readonly hubBytesPerTeam: number;
  readonly hubBytesPerMessage: number;
  /** Milliseconds until a hub that has not read a team yet has its state. */
  readonly firstLookMs: number;
  /** Milliseconds of a look for deadlines with this many teams. */
  readonly deadlines: { readonly teams: number; readonly lookMs: number };
  /** Milliseconds until a hub knows whose token it is. */
  readonly tokenMs: number;
  /** Milliseconds until a hub with this many teams has found the owner's session. */
  readonly sessions: { readonly teams: number; readonly lookMs: number };
  /** Connections of one hub to the servers. */
  readonly connections: number;
}

export interface Demand {
  readonly teams: number;
  readonly messagesPerSecond: number;
  /** The part of the time that a journal and a hub's processor may be busy: above it, waiting grows fast. */
  readonly busyMax: number;
}

/** What is needed. */
export interface Sizing {
  /** Journals, each on its servers, which share out the teams. */
  readonly journals: number;
  readonly teamsPerJournal: number;
  /** The part of the time that each journal is busy. */
  readonly busy: number;
  readonly hubsPerJournal: number;
  readonly hubs: number;
  /** One copy of a day, and all copies of it, each message acknowledged. */
  readonly bytesPerDay: number;
  readonly bytesPerDayInAllCopies: number;
  /** Of one hub: when it has read every team of its journal, and what an hour adds while nothing is full. */
  readonly hubBytes: number;
  readonly hubBytesPerHour: number;
  /** How long a new hub takes to read every team of its journal, one after another, in seconds. */
  readonly takeOverSeconds: number;
  readonly connectionsPerJournal: number;
  /** How long finding the owner's session takes with the teams of a journal, in milliseconds. */
  readonly sessionMs: number;
}

const secondsOfDay = 86_400;

/** Sizes one engine. Every value follows from the inputs by one multiplication, division or rounding up. */
export function sizingOf(inputs: Inputs, { teams, messagesPerSecond, busyMax }: Demand): Sizing {
  const journals = Math.ceil(messagesPerSecond / (busyMax * inputs.messagesPerSecond));
  const teamsPerJournal = Math.ceil(teams / journals);
  const ofEach = messagesPerSecond / journals;
  // Two at least: one may be restarted while the other answers.
  const hubsPerJournal = Math.max(2, Math.ceil((ofEach * inputs.hubProcessorMs) / 1_000 / busyMax));
  const bytesPerDay = messagesPerSecond * secondsOfDay * inputs.bytesPerAcknowledgedMessage;
  return {
    journals,
    teamsPerJournal,
    busy: ofEach / inputs.messagesPerSecond,
    hubsPerJournal,
    hubs: journals * hubsPerJournal,
    bytesPerDay,
    bytesPerDayInAllCopies: bytesPerDay * inputs.copies,
    hubBytes: inputs.hubBytes + teamsPerJournal * inputs.hubBytesPerTeam,
    hubBytesPerHour: ofEach * 3_600 * inputs.hubBytesPerMessage,
    takeOverSeconds: (teamsPerJournal * inputs.firstLookMs) / 1_000,
    connectionsPerJournal: hubsPerJournal * inputs.connections,
    sessionMs: (inputs.sessions.lookMs * teamsPerJournal) / inputs.sessions.teams,
  };
}

/** The value below which this part of the values lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
