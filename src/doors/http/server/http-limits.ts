/** What the hub bears from its callers: sizes, times and numbers. Source: docs/protocol/doors.md, section 5. */

export interface HubLimits {
  /** How long a client may take to send its headers, and its whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /**
   * How long a connection is kept without requests. Clients keep theirs for later, and one that sends a request at the
   * moment the hub ends the connection cannot know whether it arrived; so longer than clients usually wait.
   */
  readonly idleMs: number;
  readonly connectionsMax: number;
  readonly streamsPerPrincipalMax: number;
  /** How often one principal may wait for mail at a time, by HTTP and MCP together. */
  readonly waitsPerPrincipalMax: number;
  /** What waits for one slow reader of a stream before the stream is closed. */
  readonly streamBufferBytesMax: number;
  /** How long a reader that catches up may take nothing before its stream is closed. */
  readonly streamIdleMs: number;
  /** How long a closed stream's reader gets to take what is left, and how often a quiet stream shows life. */
  readonly streamFarewellMs: number;
  readonly heartbeatMs: number;
  /** Wrong credentials of one address within a minute, after which only valid ones are accepted. */
  readonly authFailuresPerMinuteMax: number;
  /** Longest wait of `GET .../inbox?wait=`, in seconds. */
  readonly waitSecondsMax: number;
  /** How long the one-time code and the session that it buys are good. */
  readonly codeMs: number;
  readonly sessionMs: number;
}

/** The limits of `baton up`. */
export const hubLimits: HubLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 60_000,
  connectionsMax: 1_000,
  streamsPerPrincipalMax: 8,
  waitsPerPrincipalMax: 16,
  streamBufferBytesMax: 1024 * 1024,
  streamIdleMs: 30_000,
  streamFarewellMs: 5_000,
  heartbeatMs: 15_000,
  authFailuresPerMinuteMax: 10,
  waitSecondsMax: 300,
  codeMs: 15 * 60_000,
  sessionMs: 12 * 3_600_000,
};
