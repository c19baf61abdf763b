/** `team_status`: the team at a glance. */

import * as z from "zod";
import type { Problem } from "../../base/problem.ts";
import { wordsOfOrphan } from "../../handoffs/view.ts";
import { ownerName } from "../../messages/principal.ts";
import type { OrphanView, TeamStatus } from "../../team/operations/status.ts";
import { claimsRuleOf, editingAdvice } from "../../team/state/definition.ts";
import { unknownAgent } from "../../team/state/roster.ts";
import { looks, refusal, type Tool } from "./tool.ts";

const input = z.strictObject({});

export const teamStatus: Tool<z.infer<typeof input>> = {
  name: "team_status",
  title: "The team at a glance",
  description:
    "Who you are, who is in your team, how you come to edit files, open approvals, phases and what blocks them.",
  input,
  annotations: looks,
  run: async (_, { team }) => {
    const status = await team.status();
    if (!status.ok) return refusal([status.error]);
    const { agent } = team.actor;
    const problem = retiredProblem(status.value, agent);
    const data = { ...glance(status.value, agent), ...(problem === null ? {} : { problems: [problem] }) };
    return { data };
  },
};

/** Why this agent may do nothing here; null: it is one of the team. It can look around all the same. */
function retiredProblem({ agents }: TeamStatus, you: string): Problem | null {
  if (you === ownerName || agents.some(({ agent }) => agent === you)) return null;
  const hint = `The person registers you with: baton agent register ${you} --role dev (or another role).`;
  return unknownAgent(
    you,
    agents.map(({ agent }) => agent),
    { hint },
  );
}

/** What an agent acts on; marks, hashes and limits stay with the command line. */
function glance(status: TeamStatus, you: string): Readonly<Record<string, unknown>> {
  const {
    team,
    definition,
    head,
    journal,
    counts,
    openApprovals,
    contracts,
    tasks,
    unverified,
    phases,
    disputedArtifacts,
    orphanedHandoffs = [],
  } = status;
  const own = status.agents.find(({ agent }) => agent === you);
  return {
    team,
    you,
    ...(own === undefined ? {} : { editing: editingAdvice(own.role, claimsRuleOf(definition)) }),
    agents: status.agents.map(({ agent, role, department, dialect, status, unread, health, lastSeenAt }) => ({
      agent,
      role,
      ...(department === undefined ? {} : { department }),
      dialect,
      status,
      unread,
      health,
      lastSeenAt,
    })),
    dialects: definition?.dialects ?? [],
    policy: definition?.policy ?? null,
    head: head.seq,
    journal,
    messages: counts.message,
    refusals: counts.refusal,
    openApprovals,
    contracts,
    tasks,
    unverified,
    // They are usually closed; only one that keeps agents out is shown.
    breakers: status.breakers
      .filter(({ state }) => state !== "closed")
      .map(({ department, state, spawn, until }) => ({ department, state, spawn, until })),
    ...(disputedArtifacts.length === 0 ? {} : { disputedArtifacts }),
    ...orphansFor(orphanedHandoffs),
    phases,
  };
}

/** Of more handoffs that nobody can answer the oldest are listed, and the rest is counted. */
const orphansMax = 12;

function orphansFor(orphans: readonly OrphanView[]): Readonly<Record<string, unknown>> {
  if (orphans.length === 0) return {};
  const shown = orphans.slice(0, orphansMax).map(({ id, issuedAt, waitsFor, ...handoff }) => ({
    handoff: id,
    about: wordsOfOrphan(handoff),
    issuedAt,
    waitsFor,
  }));
  const more = orphans.length - shown.length;
  return { orphanedHandoffs: shown, ...(more === 0 ? {} : { orphanedHandoffsMore: more }) };
}
