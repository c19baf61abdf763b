/**
 * Teams that a session's server keeps open between its hooks, because opening one costs more than the answer. A kept team
 * is used as long as opening it again would find the same: its place, what its files say, and the file of the journal.
 */
import { statSync } from "node:fs";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { placeOf } from "../../perform/workspace/place.ts";
import { type HookTeam, type HookTeamAsked, openHookTeam } from "./hook-team.ts";

/** Opens teams as `openHookTeam` does; closes what it keeps when it is disposed of. */
export interface KeptTeams extends AsyncDisposable {
  open(asked: HookTeamAsked): Promise<Result<HookTeam, readonly Problem[]>>;
}

interface Kept {
  readonly stamp: string;
  readonly found: HookTeam;
  /** How many answers use it now. */
  users: number;
  isDropped: boolean;
}

/** Most teams that are kept: one for each agent of a session. */
const keptMax = 16;

export function keptTeams(call: Call): KeptTeams {
  const kept = new Map<string, Kept>();

  const drop = async (key: string, one: Kept): Promise<void> => {
    if (kept.get(key) === one) kept.delete(key);
    one.isDropped = true;
    if (one.users === 0) await one.found.team[Symbol.asyncDispose]();
  };

  /** The team for one answer, whose end does not close it. */
  const lend = (key: string, one: Kept): HookTeam => {
    one.users += 1;
    const end = async (): Promise<void> => {
      one.users -= 1;
      const isSound = one.found.team.condition().condition === "ready";
      if (one.isDropped || !isSound) await drop(key, one);
    };
    return { ...one.found, team: { ...one.found.team, [Symbol.asyncDispose]: end } };
  };

  return {
    open: async (asked) => {
      const stamp = await stampOf(call);
      if (stamp === null) return await openHookTeam(call, asked);
      const key = keyOf(asked);
      const before = kept.get(key);
      if (before?.stamp === stamp) return ok(lend(key, before));
      if (before !== undefined) await drop(key, before);
      const opened = await openHookTeam(call, asked);
      // Who is not known now may be registered before the next answer. What opening recorded may have changed the place.
      const isKept = opened.ok && (opened.value.agent !== null || opened.value.helps !== null);
      if (!isKept || kept.size >= keptMax || kept.has(key) || (await stampOf(call)) !== stamp) return opened;
      const one: Kept = { stamp, found: opened.value, users: 0, isDropped: false };
      kept.set(key, one);
      return ok(lend(key, one));
    },
    [Symbol.asyncDispose]: async () => {
      for (const [key, one] of kept) await drop(key, one);
    },
  };
}

/** By what the acting agent is chosen. */
function keyOf({ input, session }: HookTeamAsked): string {
  const { agentType, agentId, teammate } = input;
  // The name of an agent that the program says is bound for each session.
  const id = session.agent === null ? input.session : null;
  return JSON.stringify([session.agent, session.refused, id, agentType, agentId, teammate]);
}

/** What opening the team depends on; null: it is not kept, because it is on a hub, or nothing may be recorded there. */
async function stampOf(call: Call): Promise<string | null> {
  if (hubOf(call) !== null) return null;
  const place = await placeOf(call);
  if (!place.ok || place.value.refusal !== null) return null;
  const { journal, address, teamFile, root } = place.value;
  if (address !== journal) return JSON.stringify([address, teamFile, root]);
  const file = statSync(journal, { bigint: true, throwIfNoEntry: false });
  if (file === undefined) return null;
  // Entries go to the log next to it, so the file itself changes rarely: what was written over is opened again.
  return JSON.stringify([journal, `${file.dev}/${file.ino}/${file.size}/${file.mtimeNs}`, teamFile, root]);
}
