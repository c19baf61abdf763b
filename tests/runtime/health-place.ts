/** A team whose agents come and go, by a clock that the test moves, and what can be seen of them. */
import assert from "node:assert/strict";
import type { Role } from "../../src/messages/role.ts";
import type { Grant } from "../../src/perform/operations/generated/calls.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import { fireDue } from "../../src/perform/timers.ts";
import type { LogLine, Shown } from "../../src/record/operations/entries.ts";
import { manualClock } from "../../src/testing/fixtures.ts";
import { type TestTeam, type TestTeamOptions, testTeam } from "../../src/testing/test-team.ts";

export type Clock = ReturnType<typeof manualClock>;

export const limitMs = 60_000;
/** A sign is expected every 30 s and kept when the last is 10 s old, so the limit passes 100 s after the last one kept. */
export const unseenMs = 100_000;

export async function place(
  agents: readonly (readonly [string, Role])[] = [
    ["dev-1", "dev"],
    ["dev-2", "dev"],
  ],
  more: Partial<TestTeamOptions> = {},
): Promise<{ readonly clock: Clock; readonly team: TestTeam }> {
  const clock = manualClock();
  const team = await testTeam({
    clock,
    agents: [["lead-1", "lead"] as const, ...agents].map(([agent, role]) => ({ agent, role })),
    ...more,
  });
  for (const task of ["1-1-T1", "1-1-T2"]) accepted(await team.as("lead-1").addTask({ task }));
  return { clock, team };
}

export function accepted(reply: Reply): number {
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  return reply.outcome === "accepted" ? reply.receipt.seq : 0;
}

export function refusedFor(reply: Reply): string | undefined {
  assert.equal(reply.outcome, "refused", JSON.stringify(reply));
  return reply.outcome === "refused" ? reply.problems[0]?.code : undefined;
}

export function tokenOf(answer: Reply<Grant>): number {
  assert.ok(answer.outcome === "accepted", JSON.stringify(answer));
  return answer.token;
}

/** The program of the agent shows itself, as `baton mcp` does. */
export async function attend(team: TestTeam, agent: string, program = `${agent}-program`): Promise<void> {
  const attended = await team.as(agent, program).attend();
  assert.deepEqual(attended, { ok: true, value: { everyMs: 30_000 } });
}

export async function agentsOf(team: TestTeam): Promise<Record<string, string>> {
  const status = await team.as("owner").status();
  assert.ok(status.ok);
  return Object.fromEntries(status.value.agents.map(({ agent, health }) => [agent, health]));
}

export async function breakerOf(team: TestTeam) {
  const found = await team.as("owner").breakers();
  assert.ok(found.ok);
  return found.value[0] ?? assert.fail("no breaker");
}

export async function logOf(team: TestTeam): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of team.as("owner").log()) if (line.ok) lines.push(line.value);
  return lines;
}

export async function lastEntry(team: TestTeam): Promise<Shown> {
  const shown = await team.as("owner").show(String((await logOf(team)).at(-1)?.seq));
  assert.ok(shown.ok);
  return shown.value;
}

export function eventsOf({ entry }: Shown): readonly string[] {
  const { events = [] } = entry.content as { readonly events?: readonly { readonly event: string }[] };
  return events.map(({ event }) => event);
}

/** Lets an agent with a program disappear: time passes for all, and the others show themselves. */
export async function lose(team: TestTeam, clock: Clock, agent: string): Promise<void> {
  await attend(team, agent);
  clock.advance(unseenMs);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))[agent], "disappeared");
}
