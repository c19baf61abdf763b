/** `baton journal migrate --undo`: a migration is taken back, and the other journal records nothing more. */
import { counted, visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { shellLine } from "../../doors/cli/kernel/next-command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { addressOfMove } from "../../perform/closed-team.ts";
import { openTeamJournal } from "../../perform/open.ts";
import type { Place } from "../../perform/workspace/place.ts";
import { type ReturnedTeams, returnToJournal, type StayingEntries } from "../handlers/journal-return.ts";

/** Takes the migration of the journal at the place back; `other` is where it went, with credentials. */
export async function undoMigration(
  call: Call,
  { address, shown }: Pick<Place, "address" | "shown">,
  other: string | undefined,
): Promise<ExitCode> {
  const { output, given } = call;
  const done = await returnToJournal(openTeamJournal, address, {
    ...(other === undefined ? {} : { other }),
    isLost: given.flag("target-lost"),
  });
  if (!done.ok) return output.fail(done.error);
  const { teams, closed, open, onlyThere, staying } = done.value;
  const notClosed = open.map(({ path, code, message }) => ({ journal: path, code, message }));
  output.result({ journal: shown, teams, closed, notClosed, onlyThere, staying }, () =>
    linesOf(done.value, shown).join("\n"),
  );
  return exitCodes.done;
}

function linesOf({ teams, closed, open, onlyThere, staying }: ReturnedTeams, shown: string): readonly string[] {
  const isDone = teams.length > 0 || closed.length > 0;
  return [
    ...(isDone
      ? []
      : [
          `No team had left this journal, ${visible(shown)}, so nothing was taken back.`,
          "If the migration came from another journal, name that one: `baton journal migrate --undo --journal URL`.",
        ]),
    ...(teams.length > 0 ? [`Continues here: ${teams.join(", ")}.`] : []),
    ...(closed.length > 0
      ? [`Nothing more of these teams is recorded in ${closed.map(visible).join(", ")}, which says where they are.`]
      : []),
    ...staying.map(stayingText),
    ...(onlyThere.length > 0 ? [`Begun there since the migration, and continues there: ${onlyThere.join(", ")}.`] : []),
    ...open.map(
      ({ path, code, message }) =>
        `Could not be closed: ${visible(path)} (${code}: ${visible(message)}). If it comes back, close it before anybody uses it: ` +
        "`baton journal migrate --undo --to URL`.",
    ),
    ...(teams.length > 0
      ? ["Start the hubs again with this journal; `baton journal place` says which one the project uses."]
      : []),
  ];
}

/** What was acknowledged there and is not here: nothing brings it over, so it is read and sent again. */
function stayingText({ team, journal, entries, first, last }: StayingEntries): string {
  const range = first === last ? `entry ${first}` : `in entries ${first} to ${last}`;
  const look = shellLine(["log", "--team", team, "--after", String(first - 1), "--journal", addressOfMove(journal)]);
  return (
    `${counted(entries, "acknowledged entry", "acknowledged entries")} of ${team} (${range}) ${entries === 1 ? "is" : "are"} only in ${visible(journal)} and ${entries === 1 ? "does" : "do"} not come back: ` +
    `senders send again what still matters. ${look === null ? "" : `Read them: \`baton ${look}\`.`}`
  );
}
