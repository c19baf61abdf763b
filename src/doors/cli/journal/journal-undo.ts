/** `baton journal migrate --undo`: a migration is taken back, and the other journal records nothing more. */
import { visible } from "../../../base/text.ts";
import { openAnyJournal } from "../../../runtime/open.ts";
import { type ReturnedTeams, returnToJournal } from "../../../runtime/record/journal-return.ts";
import type { Place } from "../../../workspace/place.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-codes.ts";

/** Takes the migration of the journal at the place back; `other` is where it went, with credentials. */
export async function undoMigration(
  call: Call,
  { address, shown }: Pick<Place, "address" | "shown">,
  other: string | undefined,
): Promise<ExitCode> {
  const { output, given } = call;
  const done = await returnToJournal(openAnyJournal, address, {
    ...(other === undefined ? {} : { other }),
    isLost: given.flag("target-lost"),
  });
  if (!done.ok) return output.fail(done.error);
  const { teams, closed, open, onlyThere } = done.value;
  const notClosed = open.map(({ path, code, message }) => ({ journal: path, code, message }));
  output.result({ journal: shown, teams, closed, notClosed, onlyThere }, () => linesOf(done.value, shown).join("\n"));
  return exitCodes.done;
}

function linesOf({ teams, closed, open, onlyThere }: ReturnedTeams, shown: string): readonly string[] {
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
