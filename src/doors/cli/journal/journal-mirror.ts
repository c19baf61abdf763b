/** `baton journal mirror`: a verified copy in a file that is kept up with a journal and is its witness. */

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { counted } from "../../../base/text.ts";
import { fileAddress } from "../../../journal/engines.ts";
import { type MirroredTeam, openMirror } from "../../../journal/mirror.ts";
import { addressOfMove } from "../../../runtime/record/closed-team.ts";
import { writablePlaceOf } from "../../../workspace/place.ts";
import { noteCopy } from "../../../workspace/state-folder.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../terminal/exit-codes.ts";

/** Between two looks at the journal. */
const lookMs = 1_000;

export const mirrorCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal"],
  description:
    "Keeps a copy of the journal in FILE, with the same numbers, times and hashes, until Ctrl-C; a copy that is there is verified\n" +
    "and continued. The copy is a witness: when the journal no longer has an entry of it, or another one in its place, that is\n" +
    "reported, the copy stays as it is, and the command ends. It also ends, with journal-moved, once the teams continue in another\n" +
    "journal. Run it on a machine that does not share the server's disk.",
  positionals: [{ name: "FILE", required: true, summary: "the copy's path" }],
  options: [{ name: "once", kind: "flag", summary: "end when the copy has what the journal has" }],
  examples: [
    { line: "baton journal mirror --once ../baton-mirror.db", meaning: "bring the copy up, from cron for instance" },
    { line: "baton journal mirror --json ../baton-mirror.db", meaning: "keep it up; a line of JSON for each change" },
  ],
  next: `baton journal verify --journal ${fileAddress("FILE")} checks the copy.`,
  run: async (call) => {
    const { output, given, signal } = call;
    const place = await writablePlaceOf(call);
    if (!place.ok) return output.fail(place.error);
    const file = resolve(call.config.directory, given.word("FILE") ?? "");
    if (!existsSync(dirname(file))) {
      const hint = "make it first, or name another place";
      return output.fail(problem("not-found", dirname(file), "There is no such directory for the mirror.", { hint }));
    }
    const opened = await openMirror(place.value.address, file);
    if (!opened.ok) return output.fail(opened.error);
    await using mirror = opened.value;
    const fault = noteCopy(file, "mirror");
    if (fault !== null) return output.fail(fault);
    const isOnce = given.flag("once");
    let isAway = false;
    for (let looks = 0; !signal.aborted; looks += 1) {
      const behind = looks === 0 || isAway ? await mirror.behind() : null;
      if (behind?.ok === true && behind.value > 0)
        output.progress(`${counted(behind.value, "entry", "entries")} behind …`);
      const looked = await mirror.look(signal);
      output.progress(null);
      // A server that is away comes back; until then the mirror has what it has.
      const mayPass = !looked.ok && looked.error.code === "journal-unreachable" && !isOnce;
      if (!looked.ok && !mayPass) return output.fail(looked.error);
      if (!looked.ok && !isAway) output.say(`${looked.error.message} The mirror waits for it.`);
      isAway = !looked.ok;
      const teams = looked.ok ? looked.value : [];
      if (looked.ok && (looks === 0 || teams.some(({ added }) => added > 0)))
        output.result({ mirror: file, teams }, () => teams.map(teamLine).join("\n"));
      const moved = teams.filter((each) => each.moved !== null);
      // While a migration is under way some teams have moved and others have not.
      if (isOnce ? moved.length > 0 : moved.length > 0 && moved.length === teams.length)
        return output.fail(moved.flatMap(movedFault));
      if (isOnce) break;
      await systemClock.wait(lookMs, signal);
    }
    return exitCodes.done;
  },
};

function teamLine({ team, added, head, moved }: MirroredTeam): string {
  const where = moved === null ? "" : `; continues in ${addressOfMove(moved.to)}`;
  return `${team}: was ${counted(added, "entry", "entries")} behind, has ${head.seq} with hash ${head.hash}${where}`;
}

/** The copy has everything, and nothing more comes from this journal. */
function movedFault({ team, moved }: MirroredTeam): readonly Problem[] {
  if (moved === null) return [];
  const hint = moved.isUndone
    ? "Keep this copy: what was recorded here since the migration is nowhere else. Begin a new mirror of that journal."
    : "Mirror that journal from now on, into the same file: `baton journal mirror FILE --journal URL`.";
  const message = `This team continues in the journal ${addressOfMove(moved.to)}; nothing more comes from this one.`;
  return [problem("journal-moved", team, message, { hint })];
}
