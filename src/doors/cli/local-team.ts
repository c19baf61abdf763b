/** A team on a journal of this machine, for commands that also look at files here: no hub can do that for them. */

import type { WorkingTeam } from "../../runtime/team.ts";
import type { Call } from "./command.ts";
import type { ExitCode } from "./exit-codes.ts";
import { openLocal, warnOf } from "./session.ts";

/** Runs `act` on the local team that the call means, as `agent` (absent: the owner), and closes it whatever happens. */
export async function withLocalTeam(
  call: Call,
  agent: string | undefined,
  act: (team: WorkingTeam) => Promise<ExitCode>,
): Promise<ExitCode> {
  const opened = await openLocal(call, agent);
  if (!opened.ok) return call.output.fail(opened.error);
  await using team = opened.value;
  warnOf(call, team.condition());
  return await act(team);
}
