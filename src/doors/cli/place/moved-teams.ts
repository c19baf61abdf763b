/** Teams that continue in another journal than the one that a command looks at, and how that is said. */
import { visible } from "../../../base/text.ts";
import type { MoveNotice } from "../../../journal/move-notice.ts";
import { addressOfMove } from "../../../perform/closed-team.ts";
import { openTeamJournal } from "../../../perform/open.ts";
import { placeOf } from "../../../perform/workspace/place.ts";
import type { Call } from "../kernel/command.ts";
import { hubOf } from "./hub-address.ts";

/** A team with where it continues. */
export interface MovedFromHere extends MoveNotice {
  readonly team: string;
}

/** `This team has moved: it continues in the journal …`, one line. */
export function movedText({ to, isUndone }: MoveNotice): string {
  const why = isUndone ? " (the migration into this journal was taken back)" : "";
  return `This team has moved: it continues in the journal ${visible(addressOfMove(to))}${why}. Nothing more is recorded here.`;
}

/** The teams of the call's journal that continue elsewhere. Through a hub none is found: its /readyz says it. */
export async function movedTeams(call: Call): Promise<readonly MovedFromHere[]> {
  const place = hubOf(call) === null ? await placeOf(call) : null;
  if (place?.ok !== true) return [];
  const opened = await openTeamJournal(place.value.address, { create: false, readOnly: true });
  if (!opened.ok) return [];
  await using journal = opened.value;
  const teams = await journal.teams();
  const moved: MovedFromHere[] = [];
  for (const team of teams.ok ? teams.value : []) {
    const folded = await journal.state(team);
    const notice = folded.ok ? folded.value.state.moved : null;
    if (notice) moved.push({ team, to: notice.to, isUndone: notice.isUndone === true });
  }
  return moved;
}
