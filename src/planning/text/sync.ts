/** `baton sync`: one look at the planning folder of another tool, where no hub keeps it in step. */

import { dirname, join, relative } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { makeProblem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { runningHubs } from "../../doors/cli/place/running-hubs.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { readTips } from "../../evidence/git/tips.ts";
import { anchorPath } from "../../journal/anchor-file.ts";
import { ownerName, unknownAuthor } from "../../messages/principal.ts";
import { openTeam } from "../../perform/open.ts";
import { type Place, writablePlaceOf } from "../../perform/workspace/place.ts";
import { liesInRepository } from "../../perform/workspace/workspace.ts";
import { isOneOfSeveral } from "../folders/folder-note.ts";
import { type Synced, syncFolder } from "../folders/folder-sync.ts";

/** So long a look waits for another one to end, in milliseconds. */
const turnMsMax = 10_000;

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["team"],
  description:
    "Brings the planning folder of VBW or YOLO that the team file names, and the record, in step once: what other tools wrote\n" +
    "there is taken in as the report of an unknown author, and what the team did is written in the form that those tools\n" +
    "read. A running hub does this by itself within seconds, and then this command only says so.",
  examples: [
    { line: "baton sync", meaning: "after work without a hub, before another tool reads the folder" },
    { line: "baton sync --json", meaning: "which files were written, and what came in" },
  ],
  next: "baton status shows the team; baton up keeps the folder in step.",
  run: sync,
};

async function sync(call: Call): Promise<ExitCode> {
  const { output, signal } = call;
  const there = await writablePlaceOf(call);
  if (!there.ok) return output.fail(there.error);
  const { journal, root: project } = there.value;
  const [hub] = await runningHubs(journal);
  const open = opener(call, there.value);
  const owner = await open(ownerName);
  if (!owner.ok) return output.fail(owner.error);
  await using team = owner.value;
  const status = await team.status();
  if (!status.ok) return output.fail(status.error);
  const folder = status.value.definition?.planning;
  if (folder === undefined)
    return output.fail(
      makeProblem("not-found", project, "The team file names no planning folder.", {
        expected: "planning: .vbw-planning",
        hint: "baton adopt takes over a project of another tool",
      }),
    );
  // In a linked worktree the folder is the main one's, so its place is said.
  const isHere = !relative(project, call.config.directory).startsWith("..");
  const shown = isHere ? folder : join(project, folder);
  const at = { state: dirname(journal), project };
  // A hub of another worktree keeps that one's folder.
  if (hub !== undefined && !isOneOfSeveral(at)) {
    output.result(
      { folder, hub: hub.url, written: [], imported: null, findings: [] },
      () => `The hub at ${hub.url} keeps ${visible(shown)} in step.`,
    );
    return exitCodes.done;
  }
  const isStrict = status.value.definition?.scope === "strict";
  const place = { ...at, folder, isStrict, signal };
  const look = async () => await syncFolder({ owner: team, openAuthor: () => open(unknownAuthor) }, place);
  let synced = await look();
  const until = systemClock.monotonic() + turnMsMax;
  while (synced.ok && synced.value.isOthersTurn === true && systemClock.monotonic() < until && !signal.aborted) {
    await systemClock.wait(50, signal);
    synced = await look();
  }
  if (!synced.ok) return output.fail(synced.error);
  if (signal.aborted) return exitCodes.interrupted;
  const { isOthersTurn, ...done } = synced.value;
  if (isOthersTurn === true)
    return output.fail(
      makeProblem("journal-busy", folder, "Another process is bringing the folder in step.", {
        hint: "ask again; if that stays so, look for a hub or a `baton sync` that hangs",
      }),
    );
  output.result({ folder, hub: null, ...done }, () => told(shown, done));
  return exitCodes.done;
}

function told(folder: string, { written, imported, findings }: Synced): string {
  const came = imported === null ? 0 : imported.plans + imported.reports + imported.escalations + imported.history;
  const refused = imported?.refused ?? [];
  return [
    `${visible(folder)}: ${written.length} files written, ${came} records taken in.`,
    ...[...findings, ...refused].map(
      ({ file, line, why }) => `  ${visible(file)}${line === null ? "" : `:${line}`} ${visible(why)}`,
    ),
  ].join("\n");
}

/** Opens the team of the place as an agent. Reports are not checked one by one: git is asked once, at the end. */
export function opener(call: Call, { journal, address, teamFile, root }: Place) {
  const hasRepository = liesInRepository(root);
  const repository = { directory: root, environment: call.config.environment() };
  let tips: ReturnType<typeof readTips> | null = null;
  const readBranches = () => (tips ??= readTips(root, repository));
  return (agent: string) =>
    openTeam({
      journal: address,
      headsFile: anchorPath(journal),
      teamFile,
      create: true,
      hasRepository,
      ...(hasRepository ? { repository } : {}),
      readBranches,
      agent,
    });
}
