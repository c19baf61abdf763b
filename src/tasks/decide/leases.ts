/**
 * Leases: an agent's claims last as long as it sends heartbeats. Ordered by the last recorded heartbeat, the longest
 * silent first; heartbeats outside the record come in with the command that asks who is silent. A claim whose task
 * waits for the decision of an escalation gets one lease more. Source: docs/protocol/tasks.md, section 13;
 * docs/protocol/record.md, section 10.
 */
import { earliestSign, silentAmong } from "../../perform/deadlines.ts";
import {
  type ClaimsKept,
  holdersOf,
  type KeptTask,
  type LeasesExpired,
  type LeasesRenewed,
} from "../state/claim-events.ts";
import type { Work } from "../state/task-state.ts";

/** Asks whose lease is over. */
export interface ExpireLeases {
  /** The last heartbeat outside the record of each agent that may be silent, in milliseconds. */
  readonly signs: readonly (readonly [agent: string, signMs: number])[];
  /** Claimed tasks that wait for a decision, or got one not long ago, by their holder; absent: none do. */
  readonly waiting?: readonly (readonly [holder: string, tasks: readonly WaitingTask[]])[];
  readonly atMs: number;
  /** How long an agent must have been silent. */
  readonly silentMs: number;
}

/** A claimed task whose escalation is open (`decidedAtMs` null), or was decided then. */
export interface WaitingTask extends KeptTask {
  readonly decidedAtMs: number | null;
}

/** Holders from whom nothing is recorded for that long, in no order. */
export function silentHolders(work: Work, atMs: number, silentMs: number): readonly string[] {
  return silentAmong(work, holdersOf(work), { atMs, silentMs });
}

/** Since when the holder that is silent for the longest is so, by the record alone; null: nobody holds anything. */
export function longestSilent(work: Work): number | null {
  return earliestSign(work);
}

/** The holder's last heartbeat that is recorded; 0: none is. */
export function recordedSign({ kept, signs }: Work, holder: string): number {
  return kept.get(holder)?.signMs ?? signs.get(holder) ?? 0;
}

/**
 * Ends the leases of those who are silent, and keeps the signs of those who are not. A task that waits for a decision is
 * kept for a second lease; a decision within the last lease gives its holder a lease to read it. Never refused.
 */
function expireLeases(command: ExpireLeases, work: Work): readonly (LeasesExpired | LeasesRenewed | ClaimsKept)[] {
  const { atMs, silentMs } = command;
  const [signs, waiting] = [new Map(command.signs), new Map(command.waiting ?? [])];
  const renewed: LeasesRenewed["holders"][number][] = [];
  const expired: LeasesExpired["holders"][number][] = [];
  const kept: ClaimsKept["holders"][number][] = [];
  for (const holder of silentHolders(work, atMs, silentMs).toSorted()) {
    const signMs = signs.get(holder) ?? 0;
    if (signMs + silentMs > atMs) {
      renewed.push({ holder, signMs });
      continue;
    }
    // A sign after the second lease began is the start of another silence.
    const isSecond = signMs < (work.kept.get(holder)?.sinceMs ?? 0);
    const tasks = (waiting.get(holder) ?? []).filter(({ decidedAtMs }) =>
      decidedAtMs === null ? !isSecond : decidedAtMs + silentMs > atMs,
    );
    if (tasks.length > 0) {
      const sinceMs = Math.max(...tasks.map(({ decidedAtMs }) => decidedAtMs ?? atMs));
      const named = tasks.map(({ key, task, escalation }) => ({ key, task, escalation }));
      kept.push({ holder, tasks: named, signMs: Math.max(signMs, recordedSign(work, holder)), sinceMs });
    }
    const ended = [...(work.held.get(holder)?.keys() ?? [])].filter((key) => !tasks.some((task) => task.key === key));
    if (ended.length > 0) expired.push({ holder, tasks: ended });
  }
  return [
    ...(renewed.length === 0 ? [] : [{ event: "leases-renewed" as const, holders: renewed }]),
    ...(expired.length === 0 ? [] : [{ event: "leases-expired" as const, holders: expired, atMs }]),
    ...(kept.length === 0 ? [] : [{ event: "claims-kept" as const, holders: kept }]),
  ];
}

/** The rule of leases, which nobody asks for: it follows from time. */
export const leases = { expire: expireLeases };

/** That everybody who holds something and showed no sign since the pause began has it for as much longer; null: nobody. */
export function lengthenLeases(
  work: Work,
  { endMs, forMs }: { readonly endMs: number; readonly forMs: number },
  signOf: (agent: string) => number | null,
): LeasesRenewed | null {
  const holders = [...work.held.keys()].toSorted().flatMap((holder) => {
    const signMs = Math.max(recordedSign(work, holder), signOf(holder) ?? 0);
    return signMs > endMs - forMs ? [] : [{ holder, signMs: signMs + forMs }];
  });
  return holders.length === 0 ? null : { event: "leases-renewed", holders, pausedMs: forMs };
}
