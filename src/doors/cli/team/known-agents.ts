/** Says of an agent that an option names, and that the team does not have, that there is none. */
import { nearest, visible } from "../../../base/text.ts";
import { batonName, ownerName } from "../../../message/principal.ts";
import type { Team } from "../../../runtime/team/team.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";

/** Looks at these options alone. Nothing is refused: who looks on may use any name. */
export async function sayUnknown(call: Call, team: Team, options: readonly string[]): Promise<ExitCode> {
  const named = options.flatMap((option) => call.given.text(option) ?? []);
  if (named.length === 0) return exitCodes.done;
  const status = await team.status();
  if (!status.ok) return call.output.fail(status.error);
  const known = [...status.value.agents.map(({ agent }) => agent), ownerName, batonName];
  for (const name of named.filter((each) => !known.includes(each))) {
    const meant = nearest(name, known);
    const hint = meant === null ? "baton agent list shows who is there." : `Did you mean ${visible(meant)}?`;
    call.output.say(`There is no agent "${visible(name)}" in the team. ${hint}`);
  }
  return exitCodes.done;
}
