/**
 * Durations written by agents: the distance between two timestamps of one sender. Only the distance is taken, so
 * that a sender's wrong clock does no harm. Source: docs/protocol/messages.md, section 3; docs/protocol/approvals.md.
 */

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

/**
 * Milliseconds from `start` to `end`, negative when `end` lies before; null when either is neither an RFC 3339
 * date-time nor a full date (read as its midnight in UTC).
 */
export function durationBetween(start: string, end: string): number | null {
  const startMs = millisecondsOf(start);
  const endMs = millisecondsOf(end);
  return startMs === null || endMs === null ? null : endMs - startMs;
}

function millisecondsOf(timestamp: string): number | null {
  if (!TIMESTAMP.test(timestamp)) return null;
  const ms = Date.parse(timestamp.toUpperCase().replace(" ", "T"));
  return Number.isNaN(ms) ? null : ms;
}
