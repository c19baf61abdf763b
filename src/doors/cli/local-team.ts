/** A team on a journal of this machine, for commands that also look at files here: no hub can do that for them. */

import type { Problem } from "../../base/problem.ts";
import { err, type Result } from "../../base/result.ts";
import { openTeam } from "../../runtime/open.ts";
import type { WorkingTeam } from "../../runtime/team.ts";
import type { Call } from "./command.ts";
import type { ExitCode } from "./exit-codes.ts";
import { placeOf } from "./place.ts";
import { warnOf } from "./session.ts";

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

async function openLocal(call: Call, agent: string | undefined): Promise<Result<WorkingTeam, readonly Problem[]>> {
  const place = placeOf(call);
  if (!place.ok) return err([place.error]);
  const { journal, teamFile } = place.value;
  const team = call.given.text("team");
  return await openTeam({
    journal,
    teamFile,
    create: teamFile !== null,
    ...(team === undefined ? {} : { team }),
    ...(agent === undefined ? {} : { agent }),
  });
}
