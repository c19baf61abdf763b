/** The team at a glance: definition in force, agents with their mail, open requests, and the journal's condition. */

import { openRequests } from "../../approvals/state.ts";
import { aheadMsOf, timestampOf } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { disputedArtifacts } from "../../evidence/decide/artifact-disputes.ts";
import { orphanedHandoffs } from "../../handoffs/view.ts";
import { breakersOf, healthIn, heldAfterEnd } from "../../health/view/health-views.ts";
import { deliveryState } from "../../mail/services/delivery-note.ts";
import { ownerName } from "../../messages/principal.ts";
import { type TeamContext, withDialects } from "../../perform/context.ts";
import { allApprovals, allContracts, openApprovals, openEscalations } from "../../perform/coordination-state.ts";
import type { ListApprovals } from "../../perform/operations/generated/calls.ts";
import type { TeamState } from "../../perform/state.ts";
import { viewsOf } from "../../phases/services/phase-setting.ts";
import { glanceAt, hasPhases } from "../../phases/view/phase-view.ts";
import { openAtRemotes } from "../../remotes/view.ts";
import { callsIn } from "../../tasks/decide/calls.ts";
import { plansOverBudget } from "../../tasks/decide/contracts.ts";
import { editViews } from "../../tasks/decide/edit-claims.ts";
import { allTasks, taskCounts } from "../../tasks/view/task-list.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { AgentStatus } from "../operations/agents.ts";
import type { OrphanView, TeamStatus } from "../operations/status.ts";
import { landsFirstIn } from "../state/definition.ts";
import { proposalView } from "../view/proposal.ts";
import { hasStopped } from "../view/session-endings.ts";

/** The team's status at the head. */
export async function status(context: TeamContext): Promise<Result<TeamStatus, Problem>> {
  const signs = await context.journal.heartbeats(context.team);
  if (!signs.ok) return signs;
  let folded = await context.journal.state(context.team);
  // What a phase lacks depends on what the team's dialects can say; a team without one loads none.
  const speaking = folded.ok && hasPhases(folded.value.state.coordination) ? await withDialects(context) : null;
  if (speaking !== null) folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state, head } = folded.value;
  const definition = state.team.definition;
  const counts = { ...state.counts };
  const tasks = allTasks(context, state);
  const summary = {
    team: context.team,
    definition,
    revision: state.team.revision,
    proposal: proposalView(state.team),
    head,
    journal: context.journal.condition().condition,
    counts,
    openApprovals: openApprovals(state.coordination).length,
    unreadOfOwner: state.mail.get(ownerName)?.waiting.length ?? 0,
    overBudget: plansOverBudget(state.coordination.contracts),
    contracts: state.coordination.contracts.plans.size,
    ...taskCounts(tasks),
    edits: editViews(state.coordination.work),
    collisions: [...state.coordination.work.collisions.values()].map(({ file, agents, kind, line }) => {
      return { file, agents, kind, line };
    }),
    disputedArtifacts: disputedArtifacts(state.coordination.work),
    breakers: breakersOf(context, state),
    phases: speaking === null ? [] : glanceAt(viewsOf(speaking, state)),
    remotes: openAtRemotes(state),
    orphanedHandoffs: orphansIn(context, state, tasks),
  };
  const agents = await agentsIn(context, state, signs.value);
  return agents.ok ? ok({ ...summary, agents: agents.value }) : agents;
}

/** Copies that the caller may keep, their times by the clock that people look at. */
function orphansIn({ clock }: TeamContext, state: TeamState, tasks: readonly TaskView[]): readonly OrphanView[] {
  const agents = [...state.team.roster.values()];
  return orphanedHandoffs(state.coordination.handoffs.all.values(), { agents, tasks }).map(
    ({ handoff: { issuedAtMs, ...handoff }, waitsFor }) => ({
      ...handoff,
      receivers: [...handoff.receivers],
      issuedAt: timestampOf(issuedAtMs + aheadMsOf(clock)),
      waitsFor,
    }),
  );
}

/** Every agent of the team, at the head. */
export async function agents(context: TeamContext): Promise<Result<readonly AgentStatus[], Problem>> {
  const signs = await context.journal.heartbeats(context.team);
  if (!signs.ok) return signs;
  const folded = await context.journal.state(context.team);
  return folded.ok ? await agentsIn(context, folded.value.state, signs.value) : folded;
}

async function agentsIn(
  context: TeamContext,
  state: TeamState,
  signs: ReadonlyMap<string, number>,
): Promise<Result<readonly AgentStatus[], Problem>> {
  const { coordination } = state;
  const waiting = new Set([
    ...openRequests(coordination.approvals).map(({ requester }) => requester),
    ...openEscalations(coordination).flatMap(({ originators }) => originators),
  ]);
  const rows = [...state.team.roster.values()].map((member) => ({
    ...member,
    ...(waiting.has(member.agent) ? ({ waits: true } as const) : {}),
    ...(heldAfterEnd(coordination, member.agent).length > 0 ? ({ ended: true } as const) : {}),
    ...(hasStopped(state, member) ? ({ stopped: true } as const) : {}),
    unread: state.mail.get(member.agent)?.waiting.length ?? 0,
    acknowledged: state.mail.get(member.agent)?.acknowledged ?? 0,
    lastActAt: state.lastActs.get(member.agent) ?? null,
    health: healthIn(state, member, signs.get(member.agent)),
  }));
  const notes = await context.journal.notes(context.team);
  if (!notes.ok) return notes;
  const listeners = rows.map((row) => ({ ...row, delivery: deliveryState(notes.value.get(row.agent)) }));
  const calls = callsIn(coordination, listeners, landsFirstIn(state.team.definition));
  const shown: AgentStatus[] = [];
  for (const { lastActAt, ...row } of listeners) {
    const marks = await context.journal.marks(context.team, row.agent);
    if (!marks.ok) return marks;
    const lastSeenAt = later(lastActAt, signs.get(row.agent));
    const found = calls.find(({ agent, way }) => agent === row.agent && way === "woken");
    shown.push({ ...row, marks: marks.value, ...(found === undefined ? {} : { call: found.call }), lastSeenAt });
  }
  return ok(shown);
}

/** The later of a recorded operation and a heartbeat; null where there is neither. */
function later(act: string | null, signAt: number | undefined): string | null {
  if (signAt === undefined) return act;
  return act === null || Date.parse(act) < signAt ? timestampOf(signAt) : act;
}

/** The approvals that are asked for; where nothing is said, the open ones. Problems: those of the journal. */
export function approvals(context: TeamContext, { all = false, request }: ListApprovals = {}) {
  return select(context, ({ coordination }) => {
    if (request === undefined) return all ? allApprovals(coordination) : openApprovals(coordination);
    return allApprovals(coordination).filter(({ requestId }) => requestId === request);
  });
}

/** Every contract. Problems: those of the journal. */
export function contracts(context: TeamContext) {
  return select(context, ({ coordination }) => allContracts(coordination));
}

/** Something picked from the state at the head, copied so that the caller may keep it. */
async function select<Value>(context: TeamContext, pick: (state: TeamState) => Value): Promise<Result<Value, Problem>> {
  const folded = await context.journal.state(context.team);
  return folded.ok ? ok(structuredClone(pick(folded.value.state))) : folded;
}
