/**
 * The team of the claim campaign. Its lease is as short as a team's limits allow, so that claims run out within the
 * run; it is in task mode, where no circuit breaker keeps those out who were killed.
 */
import { invariant } from "../../src/base/invariant.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";

/** How long a claim lasts without a heartbeat. */
export const leaseMs = 1_000;

/** The team file for so many workers. */
export function teamText(workers: number): string {
  const agents = Array.from({ length: workers }, (_, index) => `  ${agentOf(index)}: { role: dev }\n`).join("");
  return `version: 1\nteam: racers\ndialects: [vbw/2]\nteam_mode: task\nlimits: { lease_seconds: ${leaseMs / 1000} }\nagents:\n${agents}`;
}

/** The worker of that number. */
export function agentOf(index: number): string {
  return `dev-${index + 1}`;
}

/** Opens the team of an existing journal, as that agent. */
export async function openWorkerTeam(journal: string, agent?: string): Promise<Team> {
  const opened = await openTeam({ journal, create: false, ...(agent === undefined ? {} : { agent }) });
  invariant(opened.ok, `the campaign's journal opens: ${JSON.stringify(opened)}`);
  return opened.value;
}
