/**
 * What becomes of each settings file of an agent program when it is set up for a project, or that is taken back. A file is
 * written where there is none, or where all of it is Baton's; into another one a person pastes what the plan shows.
 */
import { join } from "node:path";
import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { journalOf } from "../../perform/workspace/state-folder.ts";
import { workspaceAt } from "../../perform/workspace/workspace.ts";
import { wantedHooks } from "./hook-lines.ts";
import { blockOf, withoutBlock } from "./program-block.ts";
import { hasComments, isAsWanted, settingsIn, withEntries, withoutEntries } from "./program-entries.ts";
import {
  codexUserFiles,
  permissionsIn,
  programFacts,
  type SettingsFile,
  type Setup,
  wantedServer,
  wantedServerLines,
} from "./program-settings.ts";
import { folderOf, readSettings, type SettingsChange, settingsProblem } from "./settings-file.ts";

/** What setting up would do in the project at `root`. Refuses `settings-file` and `wrong-usage`, whatever file it is. */
export function planSetup(
  root: string,
  setup: Setup,
  files = programFacts[setup.program].files,
): Result<readonly SettingsChange[], Problem> {
  const hooks = wantedHooks({ ...setup, sessions: sessionsOf(root) });
  if (!hooks.ok) return hooks;
  return planned(root, files, (text, { holds }, file) => {
    if (holds.includes("server block")) {
      const block = blockOf(wantedServerLines({ ...setup, isUsers: files === codexUserFiles }));
      if (text?.includes(block)) return ok({ after: text });
      return ok({ after: block, isPasted: text !== null && withoutBlock(text) !== null });
    }
    const wanted = {
      program: setup.program,
      hooks: holds.includes("hooks") ? hooks.value : null,
      server: holds.includes("server") ? wantedServer(setup) : null,
      permissions: holds.includes("permissions") ? permissionsIn(root, workspaceAt(root).state, setup.program) : [],
    };
    const alone = settingsText(withEntries({}, wanted) ?? {});
    if (text === null) return ok({ after: alone });
    const settings = settingsIn(text, setup.program, file);
    if (!settings.ok) return settings;
    if (isAsWanted(settings.value, wanted)) return ok({ after: text });
    return ok({ after: alone, isPasted: withoutEntries(settings.value, setup.program) !== null });
  });
}

/** Settings as a file that Baton writes has them. */
export function settingsText(settings: JsonObject): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** Where sessions of the project at `root` have their sockets; absent: in its work tree, where anybody could put one. */
function sessionsOf(root: string): string | undefined {
  const workspace = workspaceAt(root);
  const journal = workspace.isInGit ? journalOf(workspace) : null;
  return journal?.ok === true ? sessionsFolder(journal.value) : undefined;
}

/** What taking it back would do. Refuses `settings-file`. */
export function planRemoval(
  root: string,
  program: HookProgram,
  files = programFacts[program].files,
): Result<readonly SettingsChange[], Problem> {
  // What all worktrees read stays for the others.
  const own = files.filter((facts) => folderOf(root, facts) === root);
  return planned(root, own, (text, { holds }, file) => {
    if (text === null) return ok({ after: null });
    if (holds.includes("server block")) return ok({ after: withoutBlock(text) });
    const settings = settingsIn(text, program, file);
    if (!settings.ok) return settings;
    const left = withoutEntries(settings.value, program);
    if (left === null) return ok({ after: Object.keys(settings.value).length === 0 ? text : null });
    const isSame = JSON.stringify(left) === JSON.stringify(settings.value);
    // Written anew, a file has no comments any more.
    if (!isSame && hasComments(text))
      return err(settingsProblem(file, "This has comments, so nothing was changed.", { hint: byHand }));
    return ok({ after: isSame ? text : settingsText(left) });
  });
}

const byHand = "Take out by hand the server baton and the hooks whose command names bin/baton.js.";

interface Becomes {
  readonly after: string | null;
  /** `after` is what a person puts in. */
  readonly isPasted?: boolean;
}

function planned(
  root: string,
  files: readonly SettingsFile[],
  change: (text: string | null, facts: SettingsFile, file: string) => Result<Becomes, Problem>,
): Result<readonly SettingsChange[], Problem> {
  const changes: SettingsChange[] = [];
  for (const facts of files) {
    const { path } = facts;
    const folder = folderOf(root, facts);
    const file = join(folder, path);
    const before = readSettings(folder, path);
    if (!before.ok) return before;
    const becomes = change(before.value, facts, file);
    if (!becomes.ok) return becomes;
    const { after, isPasted = false } = becomes.value;
    const action = isPasted ? "paste" : actionOf(before.value, after);
    changes.push({ root: folder, path, file, holds: facts.holds, action, before: before.value, after });
  }
  return ok(changes);
}

function actionOf(before: string | null, after: string | null): SettingsChange["action"] {
  if (before === after) return "leave";
  if (before === null) return "write";
  return after === null ? "remove" : "change";
}
