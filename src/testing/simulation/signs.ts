/** Signs of life as the simulation saw them given: by an entry of the agent's own, or by asking for its mail. */

export interface Signs {
  /** An agent showed itself when the clock could have counted so far. */
  sign(agent: string, atMs: number): void;
  /** How long an agent can have been silent, by any clock. */
  silentMs(agent: string, atMs: number): number;
}

/** Nobody showed itself yet. */
export function newSigns(): Signs {
  const last = new Map<string, number>();
  return {
    sign: (agent, atMs) => void last.set(agent, Math.max(atMs, last.get(agent) ?? 0)),
    silentMs: (agent, atMs) => atMs - (last.get(agent) ?? 0),
  };
}
