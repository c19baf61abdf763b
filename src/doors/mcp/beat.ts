/**
 * How a program shows that its agent is there while the agent says nothing. A fault is told by the next tool that is
 * called, and tried again here. Source: docs/protocol/health.md.
 */
import type { Clock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { Team } from "../../runtime/team/team.ts";

/** Brings the team that is told; a team that cannot be opened is tried again. */
export type AttendedTeam = () => Promise<Result<Pick<Team, "attend">, readonly Problem[]>>;

/** When nobody of the agent's name is at work yet, or the team cannot be opened, how soon it is tried again. */
const retryMs = 30_000;

/** How soon to come again, in milliseconds. `replaced`: another speaks for the agent, so there is nothing more to show. */
export type Attended = number | "failed" | "replaced";

/** Shows once that the agent's program is there. */
export async function attend(source: AttendedTeam): Promise<Attended> {
  const team = await source();
  if (!team.ok) return "failed";
  const attended = await team.value.attend();
  if (attended.ok) return attended.value.everyMs;
  return attended.error.code === "session-replaced" ? "replaced" : "failed";
}

/** An agent that thinks for long says nothing; its program does. A fault here is told by the next tool that is called. */
export async function beat(
  source: AttendedTeam,
  first: Promise<Attended>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  // What failed is tried again no later than what went well: a team may take its agents for gone after seconds.
  let everyMs = retryMs;
  for (let last = await first; last !== "replaced" && !signal.aborted; last = await attend(source)) {
    if (last !== "failed") everyMs = last;
    await clock.wait(last === "failed" ? Math.min(everyMs, retryMs) : last, signal);
    if (signal.aborted) return;
  }
}
