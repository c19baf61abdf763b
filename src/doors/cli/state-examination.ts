/** What `baton doctor` says of the place: where team and state lie, and what an older Baton or a commit has left. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { reasonOf } from "../../base/plain-file.ts";
import { fileAddress } from "../../journal/engines.ts";
import { oldJournalAt } from "../../journal/journal-files.ts";
import type { Check } from "./examination.ts";
import { type Place, type PlaceCall, trackedOld } from "./place.ts";
import { findUpwards, findWorkspace, journalIn, type Workspace } from "./workspace.ts";

/** The checks of a place that was found; nothing is changed. */
export async function examineState(call: PlaceCall, place: Place): Promise<readonly Check[]> {
  const workspace = call.given.text("journal") === undefined ? findWorkspace(call.config.directory) : null;
  return [
    check("place", "ok", place.root),
    ...(workspace === null ? [] : passedOverChecks(call.config.directory, workspace)),
    stateCheck(place, workspace),
    directoryCheck(place.journal, workspace),
    ...(workspace === null ? [] : await oldChecks(call, place, workspace)),
  ];
}

/** A `.baton/` between here and the team: a commit may have brought it, so it counts only once it is initialised here. */
function passedOverChecks(directory: string, { root }: Workspace): readonly Check[] {
  const nearest = findUpwards(directory, ".baton", existsSync);
  if (nearest === null || nearest === root || !nearest.startsWith(`${root}${sep}`)) return [];
  const finding = `${join(nearest, ".baton")} is not used: it lies below the team in ${root}`;
  return [check("other team", "warn", finding, "run baton init there to use it, or remove it if a commit brought it")];
}

function stateCheck({ journal, refusal }: Place, workspace: Workspace | null): Check {
  if (refusal !== null) return check("state", "fail", `${dirname(journal)}: ${refusal.message}`, refusal.hint);
  const where =
    workspace === null
      ? "named with --journal"
      : workspace.isInGit
        ? "where git puts no file"
        : "there is no repository, so it lies in .baton/";
  return check("state", "ok", `${dirname(journal)} (${where})`);
}

function directoryCheck(journal: string, workspace: Workspace | null): Check {
  const directory = dirname(journal);
  // The first command that records something creates the state folder in git's own.
  const asked = existsSync(directory) || workspace?.isInGit !== true ? directory : dirname(workspace.state);
  if (!existsSync(asked) && workspace?.isInGit !== true)
    return check("directory", "fail", `${directory} does not exist`, "run baton init, or correct --journal");
  try {
    accessSync(existsSync(asked) ? asked : dirname(asked), constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = reasonOf(cause) === "EROFS" ? "is on a read-only file system" : "may not be written";
    const advice =
      "in an agent's sandbox use Baton's MCP tools; elsewhere change the permissions, or choose another place with --journal";
    return check("directory", "fail", `${asked} ${reason}`, advice);
  }
  return check("directory", "ok", "may be read and written");
}

/** What lies at the place where an older Baton kept its journal. */
async function oldChecks(call: PlaceCall, place: Place, workspace: Workspace): Promise<readonly Check[]> {
  const old = journalIn(workspace.directory);
  const kind = oldJournalAt(old);
  if (!workspace.isInGit || kind === "none" || kind === "stub") return [];
  const tracked = await trackedOld(workspace, call);
  if (tracked !== null)
    return [
      check(
        "old journal",
        place.journal === old ? "fail" : "warn",
        `${tracked.path}: ${tracked.message}`,
        tracked.hint,
      ),
    ];
  if (place.journal === old || kind === "marked")
    return [check("old journal", "ok", `${old} moves to ${workspace.state} with the next command`)];
  const finding = `${old} is a second journal, which is not used: an older Baton has written it since the first one moved`;
  const advice = `read it with --journal ${fileAddress(join(".baton", "journal.db"))}, bring it in with journal export and import, and remove it`;
  return [check("old journal", "warn", finding, advice)];
}

function check(name: string, state: Check["state"], finding: string, advice?: string): Check {
  return { check: name, state, finding, advice: advice ?? null };
}
