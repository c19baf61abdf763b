/**
 * What needs the person who owns the team, at the head, the most urgent first. Every door shows this and ranks nothing
 * itself. Source: docs/protocol/asking.md, sections 11 to 13.
 */

import { aheadMsOf, steadyNow, timestampOf } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { deliveryState } from "../../mail/services/delivery-note.ts";
import type { Role } from "../../messages/role.ts";
import { type TeamContext, withDialects } from "../../perform/context.ts";
import type { ListNeeds } from "../../perform/operations/generated/calls.ts";
import { entryAt } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { isRunning } from "../../perform/workspace/agent-sessions.ts";
import { viewsOf } from "../../phases/services/phase-setting.ts";
import { type PhaseView, phaseNames } from "../../phases/view/phase-view.ts";
import { callsIn } from "../../tasks/decide/calls.ts";
import { landsFirstIn, leaseMsOf } from "../../team/state/definition.ts";
import { membersOf } from "../../team/state/roster.ts";
import { proposalView } from "../../team/view/proposal.ts";
import {
  blocksNamedMax,
  type FoundNeed,
  groupOf,
  groupsOf,
  type Need,
  type NeedKind,
  type Needs,
  type NeedsMoment,
  needKinds,
  needsMax,
  ranked,
  subgroupOf,
  type Triage,
  triageOf,
  triages,
  untoldName,
} from "../view/need-ranking.ts";
import { needsIn } from "../view/needs.ts";

/** The needs at the head; `limit`: at most so many, the rest is counted. */
export async function needs(
  context: TeamContext,
  { limit = needsMax }: ListNeeds = {},
): Promise<Result<Needs, Problem>> {
  const signs = await context.journal.heartbeats(context.team);
  if (!signs.ok) return signs;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { head, state } = folded.value;
  const { seq } = head;
  // Only phases ask what the dialects can say.
  const phases = phaseNames(state.coordination).length === 0 ? [] : viewsOf(await withDialects(context), state);
  const notes = await context.journal.notes(context.team);
  if (!notes.ok) return notes;
  const listeners = [...state.team.roster.values()].map((member) => ({
    ...member,
    delivery: deliveryState(notes.value.get(member.agent)),
  }));
  const calls = callsIn(state.coordination, listeners, landsFirstIn(state.team.definition));
  const idleSince = new Map(
    listeners.flatMap(({ agent, status, delivery }) =>
      status === "active" && delivery.idleSince !== null ? [[agent, Date.parse(delivery.idleSince)] as const] : [],
    ),
  );
  const unguarded = new Map(
    listeners.flatMap(({ agent, status, delivery: { unguarded: why } }) => {
      // Of who was never seen no server says that its program has ended.
      const isOver = why?.because === "unseen" && why.process !== undefined && !isRunning(why.process);
      return status === "active" && why !== null && !isOver ? [[agent, why] as const] : [];
    }),
  );
  const untold = notes.value.get(untoldName);
  const found = ranked(foundIn(context, state, { signs: signs.value, phases, calls, idleSince, unguarded, untold }));
  const groups = groupsOf(found);
  const counts = Object.fromEntries(needKinds.map((kind) => [kind, 0])) as Record<NeedKind, number>; // each of them
  const triage = Object.fromEntries(triages.map((each) => [each, 0])) as Record<Triage, number>; // each of them
  for (const { kind, class: name } of found)
    [counts[kind], triage[triageOf(name)]] = [counts[kind] + 1, triage[triageOf(name)] + 1];
  const shown: Need[] = [];
  for (const need of found.slice(0, limit)) {
    const since = await sinceOf(context, need);
    if (!since.ok) return since;
    shown.push(shownNeed(need, since.value, groups));
  }
  return ok({ seq, total: found.length, counts, triage, needs: shown });
}

/** What is found in a state, in no order; `signs`: heartbeats outside the record. */
function foundIn(
  context: TeamContext,
  state: TeamState,
  {
    signs,
    ...more
  }: Pick<NeedsMoment, "calls" | "idleSince" | "unguarded" | "untold"> & {
    readonly signs: ReadonlyMap<string, number>;
    readonly phases: readonly PhaseView[];
  },
): readonly FoundNeed[] {
  const proposal = proposalView(state.team);
  const isThere = (role: Role) => membersOf(state.team.roster, role).length > 0;
  return needsIn(state.coordination, {
    atMs: steadyNow(context.clock),
    aheadMs: aheadMsOf(context.clock),
    loops: state.refusals,
    checks: state.team.definition?.checks,
    landsWhenAsked: state.team.definition?.land?.when === "ask",
    ...more,
    isOwnerThere: isThere("owner"),
    isLed: isThere("lead"),
    unreadOf: (agent) => state.mail.get(agent)?.waiting.length ?? 0,
    proposal:
      proposal?.status === "waiting"
        ? { id: proposal.id, changes: proposal.changes.filter(({ waits }) => waits).length }
        : null,
    viewer: {
      signOf: (agent) => Math.max(Date.parse(state.lastActs.get(agent) ?? "") || 0, signs.get(agent) ?? 0),
      leaseMs: leaseMsOf(state.team.definition),
    },
  });
}

/** Since when, RFC 3339; of what only an entry says, when that was recorded. */
async function sinceOf(context: TeamContext, { sinceMs, seq }: FoundNeed): Promise<Result<string | null, Problem>> {
  if (sinceMs !== null) return ok(timestampOf(sinceMs));
  if (seq === 0) return ok(null);
  const entry = await entryAt(context, seq);
  return entry.ok ? ok(entry.value?.recordedAt ?? null) : entry;
}

function shownNeed(need: FoundNeed, since: string | null, groups: ReadonlyMap<string, number>): Need {
  const { class: name, dueAtMs, sinceMs: _, seq, changedSeq, cause: __, about: ___, blocks, ...said } = need;
  const shared = (group: string | null) => (group !== null && (groups.get(group) ?? 0) > 1 ? group : null);
  return {
    ...said,
    triage: triageOf(name),
    blocks: blocks.slice(0, blocksNamedMax),
    blocksTotal: blocks.length,
    dueAt: dueAtMs === null ? null : timestampOf(dueAtMs),
    since,
    group: shared(groupOf(need)),
    subgroup: shared(subgroupOf(need)),
    ifSeq: changedSeq ?? seq,
  };
}
