/**
 * How fast the demo is played, and how soon the agent that falls silent is found out. The limit is the team's and so
 * applies to every agent whose program sends heartbeats; why none of the others reaches it is in decision 0130.
 */

export interface Tempo {
  /** Pause of an agent before each step, for people who watch, in milliseconds. */
  readonly paceMs: number;
  /** How late an expected heartbeat may be, in seconds. */
  readonly disappearSeconds: number;
}

/** As it is watched, and as it is when nobody waits for it. */
export const tempos = {
  watched: { paceMs: 2_800, disappearSeconds: 8 },
  fast: { paceMs: 0, disappearSeconds: 4 },
} as const satisfies Readonly<Record<string, Tempo>>;
