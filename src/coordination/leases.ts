/**
 * Leases: an agent's claims live as long as it shows that it is there. Kept by the last sign that is recorded, the
 * longest silent first; signs that stand beside the record come in with the command that asks who is silent.
 * Source: semantics.md section 3 (Tasks and claims); guarantees.md section 1.9.
 */
import { earliestSign, keepSignOf, settleWatch, silentAmong } from "./silence.ts";
import type { LeasesExpired, LeasesRenewed } from "./work-events.ts";
import type { Work } from "./work-state.ts";

/** Asks whose lease is over. */
export interface ExpireLeases {
  readonly command: "expire-leases";
  /** The last sign of life beside the record of each agent that may be silent, in milliseconds. */
  readonly signs: readonly (readonly [agent: string, signMs: number])[];
  readonly atMs: number;
  /** How long an agent must have been silent. */
  readonly silentMs: number;
}

/** Holders from whom nothing is recorded for that long, in no order. */
export function silentHolders(work: Work, atMs: number, silentMs: number): readonly string[] {
  return silentAmong(work, holdersOf(work), { atMs, silentMs });
}

/** Since when the holder that is silent for the longest is so, by the record alone; null: nobody holds anything. */
export function longestSilent(work: Work): number | null {
  return earliestSign(work);
}

/** Ends the leases of those who are silent, and keeps the signs of those who are not. Never refused. */
export function expireLeases(command: ExpireLeases, work: Work): readonly (LeasesExpired | LeasesRenewed)[] {
  const signs = new Map(command.signs);
  const renewed: LeasesRenewed["holders"][number][] = [];
  const expired: LeasesExpired["holders"][number][] = [];
  for (const holder of silentHolders(work, command.atMs, command.silentMs).toSorted()) {
    const signMs = signs.get(holder) ?? 0;
    if (signMs + command.silentMs > command.atMs) renewed.push({ holder, signMs });
    else expired.push({ holder, tasks: [...(work.held.get(holder)?.keys() ?? [])] });
  }
  return [
    ...(renewed.length === 0 ? [] : [{ event: "leases-renewed" as const, holders: renewed }]),
    ...(expired.length === 0 ? [] : [{ event: "leases-expired" as const, holders: expired, atMs: command.atMs }]),
  ];
}

/** Notes that a holder showed itself, in place. Of who holds nothing no sign is kept. */
export function keepSign(work: Work, agent: string, signMs: number): void {
  keepSignOf(work, holdersOf(work), agent, signMs);
}

/** Puts right who stands first: who holds nothing any more goes, who has shown itself since is put in anew. */
export function settle(work: Work): void {
  settleWatch(work, holdersOf(work));
}

function holdersOf({ held }: Work): (agent: string) => boolean {
  return (agent) => held.has(agent);
}
