/**
 * Setting up an agent program for a project, and taking it back: what becomes of each of its settings files, told before
 * anything is written, and then done. Nothing is written that the plan does not show.
 */
import { mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { unifiedDiff } from "../../../base/line-diff.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { HookProgram } from "../../../message/program-hooks.ts";
import { replaceFile } from "../kernel/document-file.ts";
import { withBlock, withoutBlock } from "./program-block.ts";
import { withEntries, withoutEntries } from "./program-entries.ts";
import {
  programFacts,
  type SettingsFile,
  type Setup,
  wantedHooks,
  wantedServer,
  wantedServerLines,
} from "./program-settings.ts";
import { readSettings, settingsFault } from "./settings-file.ts";

/** What becomes of one settings file. */
export interface SettingsChange {
  /** The project's folder, absolute. */
  readonly root: string;
  /** From there, with `/`. */
  readonly path: string;
  /** Absolute. */
  readonly file: string;
  /** `write`: it is new; `leave`: nothing is to be done. */
  readonly action: "write" | "change" | "remove" | "leave";
  /** The whole text, before and after; null: there is no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** A unified diff; empty for `leave`. */
  readonly diff: string;
}

/**
 * What setting up would do in the project at `root`. Refuses `settings-file`, `already-exists` and `wrong-usage`,
 * whatever file it is.
 */
export function planSetup(root: string, setup: Setup): Result<readonly SettingsChange[], Problem> {
  const hooks = wantedHooks(setup);
  if (!hooks.ok) return hooks;
  return planned(root, setup.program, (text, { holds }, file) => {
    if (holds.includes("server block")) return withBlock(text, wantedServerLines(setup), file);
    const server = holds.includes("server") ? wantedServer(setup) : null;
    return withEntries(
      text,
      { program: setup.program, hooks: holds.includes("hooks") ? hooks.value : null, server },
      file,
    );
  });
}

/** What taking it back would do. Refuses `settings-file`. */
export function planRemoval(root: string, program: HookProgram): Result<readonly SettingsChange[], Problem> {
  return planned(root, program, (text, { holds }, file) => {
    if (text === null) return ok(null);
    return holds.includes("server block") ? withoutBlock(text, file) : withoutEntries(text, program, file);
  });
}

function planned(
  root: string,
  program: HookProgram,
  change: (text: string | null, facts: SettingsFile, file: string) => Result<string | null, Problem>,
): Result<readonly SettingsChange[], Problem> {
  const changes: SettingsChange[] = [];
  for (const facts of programFacts[program].files) {
    const { path } = facts;
    const file = join(root, path);
    const before = readSettings(root, path);
    if (!before.ok) return before;
    const after = change(before.value, facts, file);
    if (!after.ok) return after;
    changes.push({
      root,
      path,
      file,
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

/**
 * Does what a plan says. Refuses `settings-file` where a file is not any more as the plan saw it, before anything is
 * written, and where one cannot be written; then the plan can be made again.
 */
export function carryOutSettings(changes: readonly SettingsChange[]): Result<void, Problem> {
  const wanted = changes.filter(({ action }) => action !== "leave");
  for (const { root, path, file, before } of wanted) {
    const now = readSettings(root, path);
    if (!now.ok) return now;
    if (now.value !== before) {
      const hint = "Run the command again.";
      return err(settingsFault(file, "Somebody has changed this file meanwhile, so nothing was written.", { hint }));
    }
  }
  for (const change of wanted) {
    const done = carryOutOne(change);
    if (!done.ok) return done;
  }
  return ok(undefined);
}

function carryOutOne({ root, file, after }: SettingsChange): Result<void, Problem> {
  const folder = dirname(file);
  try {
    if (after === null) {
      rmSync(file);
      if (folder !== root && readdirSync(folder).length === 0) rmdirSync(folder);
      return ok(undefined);
    }
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    return err(notWritten(file, cause instanceof Error ? cause.message : String(cause)));
  }
  const written = replaceFile(file, after);
  return written.ok ? written : err(notWritten(file, written.error.message));
}

function notWritten(file: string, reason: string): Problem {
  return settingsFault(file, `This could not be written: ${reason}`, {
    hint: "See who may write there, then run the command again.",
  });
}
