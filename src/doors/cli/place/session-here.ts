/** Opens the team of a call in a journal on this machine. `session.ts` loads this file for a command without a hub. */
import type { Problem } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import type { OpenOptions } from "../../../runtime/open.ts";
import type { LocalTeam } from "../../../runtime/team/team.ts";
import { placeOf } from "../../../workspace/place.ts";
import { type OpeningOptions, openAt } from "../../../workspace/team-opening.ts";
import type { Call } from "../kernel/command.ts";
import { proposalNotice } from "../team/revision-text.ts";

/** Opens the team that the call means on the journal of this machine, as `agent`; null: the owner. */
export async function openHere(
  call: Call,
  agent: NonNullable<OpenOptions["agent"]> | null,
  { sayRefusal, ...options }: OpeningOptions & { sayRefusal(refusal: Problem): void },
): Promise<Result<LocalTeam, readonly Problem[]>> {
  const place = await placeOf(call);
  if (!place.ok) return err([place.error]);
  const { refusal } = place.value;
  if (refusal !== null) sayRefusal(refusal);
  const team = call.given.text("team");
  return await openAt(place.value, call.config.environment(), {
    passOver: (faults) => {
      call.output.problems(faults);
      call.output.say("warning: this change of the team file is not taken; the revision in force stays.");
    },
    proposed: (proposal) => call.output.say(proposalNotice(call, proposal)),
    ...(team === undefined ? {} : { team }),
    ...(agent === null ? {} : { agent }),
    ...options,
  });
}
