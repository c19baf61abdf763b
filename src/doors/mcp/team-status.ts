/** `team_status`: the team at a glance. */

import * as z from "zod";
import { jsonLine } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { wordsOfOrphan } from "../../handoffs/view.ts";
import { breakerStates } from "../../health/decide/breakers.ts";
import { healthStates } from "../../health/decide/health.ts";
import { ownerName } from "../../messages/principal.ts";
import type { OrphanView, TeamStatus } from "../../team/operations/status.ts";
import { claimsRuleOf, editingAdvice, teamModes } from "../../team/state/definition.ts";
import { unknownAgent } from "../../team/state/roster.ts";
import { looks, problemsShape, refusal, type Tool } from "./tool.ts";

const input = z.strictObject({});

const output = z.looseObject({
  team: z.string().optional(),
  you: z.string().optional(),
  editing: z.string().optional(),
  agents: z
    .array(
      z.looseObject({
        agent: z.string(),
        role: z.string(),
        unread: z.int(),
        health: z.enum(healthStates),
        lastSeenAt: z.string().nullable(),
      }),
    )
    .optional(),
  head: z.int().optional(),
  journal: z.enum(["ready", "unreachable", "regressed", "failed"]).optional(),
  openApprovals: z.int().optional(),
  contracts: z.int().optional(),
  phases: z
    .array(
      z.looseObject({
        phase: z.string(),
        department: z.string().nullable(),
        status: z.string(),
        step: z.string().nullable(),
        percentComplete: z.int(),
        blockers: z.array(z.string()),
      }),
    )
    .optional(),
  breakers: z
    .array(z.looseObject({ department: z.string(), state: z.enum(breakerStates), spawn: z.enum(teamModes) }))
    .optional(),
  problems: problemsShape,
});

export const teamStatus: Tool<z.infer<typeof input>> = {
  name: "team_status",
  title: "The team at a glance",
  description:
    "Who is in your team, who you are, your rule for edits, open approvals, each phase and what blocks it, breakers that are not closed (spawn says as what to start an agent), and whether the journal takes messages.",
  input,
  output,
  annotations: looks,
  run: async (_, { team }) => {
    const status = await team.status();
    if (!status.ok) return refusal([status.error]);
    const { agent } = team.actor;
    const problem = retiredProblem(status.value, agent);
    const data = { ...glance(status.value, agent), ...(problem === null ? {} : { problems: [problem] }) };
    return { data, text: jsonLine(data) };
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
