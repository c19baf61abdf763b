/**
 * What becomes of each settings file of an agent program when it is set up for a project, or that is taken back. Nothing is
 * written that the plan does not show.
 */
import { join } from "node:path";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { unifiedDiff } from "../../base/unified-diff.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { journalOf } from "../../perform/workspace/state-folder.ts";
import { workspaceAt } from "../../perform/workspace/workspace.ts";
import { wantedHooks } from "./hook-lines.ts";
import { withBlock, withoutBlock } from "./program-block.ts";
import { withEntries, withoutEntries } from "./program-entries.ts";
import {
  codexUserFiles,
  permissionsIn,
  programFacts,
  type SettingsFile,
  type Setup,
  wantedServer,
  wantedServerLines,
} from "./program-settings.ts";
import { folderOf, readSettings, type SettingsChange } from "./settings-file.ts";

/**
 * What setting up would do in the project at `root`. Refuses `settings-file`, `already-exists` and `wrong-usage`,
 * whatever file it is.
 */
export function planSetup(
  root: string,
  setup: Setup,
  files = programFacts[setup.program].files,
): Result<readonly SettingsChange[], Problem> {
  const hooks = wantedHooks({ ...setup, sessions: sessionsOf(root) });
  if (!hooks.ok) return hooks;
  return planned(root, files, (text, { holds }, file) => {
    if (holds.includes("server block"))
      return withBlock(text, wantedServerLines({ ...setup, isUsers: files === codexUserFiles }), file);
    const server = holds.includes("server") ? wantedServer(setup) : null;
    return withEntries(
      text,
      {
        program: setup.program,
        hooks: holds.includes("hooks") ? hooks.value : null,
        server,
        permissions: holds.includes("permissions") ? permissionsIn(root, workspaceAt(root).state, setup.program) : [],
      },
      file,
    );
  });
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
    if (text === null) return ok(null);
    return holds.includes("server block") ? withoutBlock(text, file) : withoutEntries(text, program, file);
  });
}

function planned(
  root: string,
  files: readonly SettingsFile[],
  change: (text: string | null, facts: SettingsFile, file: string) => Result<string | null, Problem>,
): Result<readonly SettingsChange[], Problem> {
  const changes: SettingsChange[] = [];
  for (const facts of files) {
    const { path } = facts;
    const folder = folderOf(root, facts);
    const file = join(folder, path);
    const before = readSettings(folder, path);
    if (!before.ok) return before;
    const after = change(before.value, facts, file);
    if (!after.ok) return after;
    changes.push({
      root: folder,
      path,
      file,
      holds: facts.holds,
      action: actionOf(before.value, after.value),
      before: before.value,
      after: after.value,
      diff: unifiedDiff(before.value, after.value, { from: `a/${path}`, to: `b/${path}` }),
    });
  }
  return ok(changes);
}

function actionOf(before: string | null, after: string | null): SettingsChange["action"] {
  if (before === after) return "leave";
  if (before === null) return "write";
  return after === null ? "remove" : "change";
}
