/** Heartbeats as the simulation saw them: by an entry of the agent, or by reading its mail. */

export interface Signs {
  /** An agent showed itself. */
  sign(agent: string, atMs: number): void;
  /** It got an answer then, so it may have sent a heartbeat up to that time. */
  tell(agent: string, atMs: number): void;
  /** The team's limits changed. */
  revise(atMs: number): void;
  /** Whether an agent may have shown itself at that time or later, also by what the checker does not follow. */
  mayHaveSignSince(agent: string, sinceMs: number): boolean;
  /** Whether an agent showed itself at that time or later. */
  hasSignSince(agent: string, sinceMs: number): boolean;
  /** How long an agent has been silent, and may count as silent. */
  silentMs(agent: string, atMs: number): number;
}

/** Signs nearer to each other than this need not be kept; a shorter limit that comes in between does not know of them. */
const apartMsMax = 10_000;

/** Nobody showed itself yet. */
export function newSigns(): Signs {
  const last = new Map<string, number>();
  const latest = new Map<string, number>();
  let revisedAt = 0;
  return {
    sign(agent, atMs) {
      last.set(agent, Math.max(atMs, last.get(agent) ?? 0));
      latest.set(agent, Math.max(atMs, latest.get(agent) ?? 0));
    },
    tell: (agent, atMs) => void latest.set(agent, Math.max(atMs, latest.get(agent) ?? 0)),
    revise: (atMs) => {
      revisedAt = atMs;
    },
    mayHaveSignSince: (agent, sinceMs) => (latest.get(agent) ?? -1) >= sinceMs,
    hasSignSince: (agent, sinceMs) => (last.get(agent) ?? -1) >= sinceMs,
    silentMs(agent, atMs) {
      const sign = last.get(agent) ?? 0;
      return atMs - sign + (sign < revisedAt ? apartMsMax : 0);
    },
  };
}
