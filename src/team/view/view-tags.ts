/**
 * Tags of what a team shows: as long as a tag is the same, so is what it tags, and a reader that has it need not be given
 * it again. A tag costs the parts that it is made of, never the view. Leases and estimates move with the time without an
 * entry, so they count in steps. Source: docs/protocol/doors.md, section 4.
 */
import { sha256 } from "../../base/canonical.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Actor, Context } from "../../perform/context.ts";
import type { StatePart } from "../../perform/deciders.ts";
import type { TeamState } from "../../perform/state.ts";

/** What a hub shows with tags. */
export interface Views {
  /** The tag of what the call shows now, for the caller of this handle; null: it has none. */
  viewTag(call: string): Promise<Result<string | null, Problem>>;
}

/** How far a lease may have moved before a view that shows it is another one. */
export const leaseStepMs = 15_000;
/** How long an estimate counts as the same. */
const estimateStepMs = 30_000;

/** What a view is made of; `all`: of every entry. */
interface View {
  readonly parts: readonly (StatePart | "team" | "refusals")[] | "all";
  readonly hasLeases?: true;
  readonly hasEstimates?: true;
  /** It says how much silent agents have not read. */
  readonly hasUnread?: true;
}

/** By the call of `Team`. */
const views: { readonly [call: string]: View } = {
  status: { parts: "all", hasLeases: true, hasEstimates: true },
  agents: { parts: "all", hasLeases: true },
  needs: {
    parts: ["approvals", "escalations", "work", "contracts", "health", "phases", "team", "refusals"],
    hasLeases: true,
    hasEstimates: true,
    hasUnread: true,
  },
  approvals: { parts: ["approvals"] },
  escalations: { parts: ["escalations"] },
  contracts: { parts: ["contracts"] },
  tasks: { parts: ["work", "contracts", "team"], hasLeases: true },
  board: { parts: ["work", "contracts", "team"], hasLeases: true },
  handoffs: { parts: ["handoffs", "team"] },
  phases: { parts: ["phases", "work", "contracts", "escalations", "approvals", "team"], hasEstimates: true },
  shutdowns: { parts: "all" },
};

/** Whether what the call shows has a tag. */
export function hasViewTag(call: string): boolean {
  return Object.hasOwn(views, call);
}

/** See `Views.viewTag`. */
export async function viewTag(context: Context, actor: Actor, call: string): Promise<Result<string | null, Problem>> {
  const view = Object.hasOwn(views, call) ? views[call] : undefined;
  if (view === undefined) return ok(null);
  const signs = await context.journal.heartbeats(context.team);
  if (!signs.ok) return signs;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { head, state } = folded.value;
  const { parts, hasLeases = false, hasEstimates = false, hasUnread = false } = view;
  const seq = parts === "all" ? head.seq : Math.max(0, ...parts.map((part) => state.changed.get(part) ?? 0));
  const rest = [
    actor.agent,
    // A rewritten or another record has other hashes at the same numbers.
    parts === "all" ? head.hash : head.epoch,
    hasLeases ? leasesOf(state, signs.value, parts === "all") : null,
    hasEstimates ? Math.floor(context.clock.now() / estimateStepMs) : null,
    hasUnread ? unreadOfSilent(state) : null,
  ];
  return ok(`${seq}-${sha256(JSON.stringify(rest)).slice(0, 16)}`);
}

/** In which step each holder's last heartbeat is, or each agent's. */
function leasesOf(state: TeamState, signs: ReadonlyMap<string, number>, isOfAll: boolean): readonly number[] {
  const agents = isOfAll ? state.team.roster.keys() : state.coordination.work.held.keys();
  return [...agents].map((agent) => {
    const signMs = Math.max(Date.parse(state.lastActs.get(agent) ?? "") || 0, signs.get(agent) ?? 0);
    return Math.floor(signMs / leaseStepMs);
  });
}

function unreadOfSilent({ coordination, mail }: TeamState): readonly number[] {
  return [...coordination.health.agents].flatMap(([agent, { lost }]) =>
    lost === null ? [] : [mail.get(agent)?.waiting.length ?? 0],
  );
}
