/**
 * Puts Baton in the place of scripts, and takes it away again: the original stays next to its substitute, and a note next to
 * the journal names both. A script that its tool has replaced since is the tool's, and is left alone.
 * Rule: docs/protocol/record.md, section 29.
 */
import { chmodSync, existsSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { sha256 } from "../../../base/canonical.ts";
import { isJsonObject, parseBounded } from "../../../base/json.ts";
import { createPlainFile, readPlainFile, reasonOf, replacePlainFile } from "../../../base/plain-file.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { scripts } from "./scripts.ts";

const noteName = "scripts.json";
const kept = ".before-baton";
const scriptBytesMax = 1024 * 1024;

/** The note: which folder, and the SHA-256 of each substitute by the script's file name. */
interface ShimNote {
  readonly folder: string;
  readonly files: { readonly [name: string]: string };
}

/** Scripts of which Baton answers some calls, by their first word; the original answers the others. */
const answered: ReadonlyMap<string, string> = new Map([
  ["hard-gate", "contract_compliance|artifact_persistence|verification_threshold"],
]);

/** A substitute. `program`: the words that start Baton, each quoted for a shell. */
function shimText(name: string, program: string): string {
  const own = answered.get(name);
  const handsOn = own === undefined ? "" : `case "$1" in ${own}) ;; *) exec bash "$0${kept}" "$@" ;; esac\n`;
  return `#!/bin/sh\n# Baton answers in place of this script; the original is next to it as ${name}.sh${kept}.\n${handsOn}BATON_SCRIPT="$0" exec ${program} shim ${name} -- "$@"\n`;
}

/** A word for a shell, whatever is in it. */
export function quotedForShell(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Replaces the scripts of `folder` that Baton answers; answers their names. Refuses `not-found` where the folder has
 * none of them.
 */
export function placeShims(folder: string, state: string, program: string): Result<readonly string[], Problem> {
  const place = resolve(folder);
  const before = readShims(state);
  if (before !== null && before.folder !== place)
    return err(
      problem("already-exists", before.folder, "Scripts of another folder are replaced already.", {
        hint: "baton adopt --undo takes them back; or put that folder back by hand",
      }),
    );
  const files: { [name: string]: string } = { ...before?.files };
  const placed: string[] = [];
  try {
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return err(noScripts(place));
    for (const name of scripts.keys()) {
      const file = join(place, `${name}.sh`);
      const there = readPlainFile(file, scriptBytesMax);
      if (!there.ok || there.value === null) continue;
      const text = shimText(name, program);
      if (there.value.text === text) continue;
      // A substitute of before is replaced; what is kept next to it is the original.
      if (sha256(there.value.text) !== files[`${name}.sh`]) {
        rmSync(`${file}${kept}`, { force: true });
        renameSync(file, `${file}${kept}`);
      } else rmSync(file);
      createPlainFile(file, text, { mode: 0o755 });
      chmodSync(file, 0o755);
      files[`${name}.sh`] = sha256(text);
      placed.push(`${name}.sh`);
      replacePlainFile(join(state, noteName), `${JSON.stringify({ folder: place, files }, null, 2)}\n`);
    }
  } catch (cause) {
    return err(problem("wrong-usage", place, `The scripts cannot be replaced (${reasonOf(cause)}).`));
  }
  return placed.length === 0 && Object.keys(files).length === 0 ? err(noScripts(place)) : ok(placed);
}

function noScripts(place: string): Problem {
  return problem("not-found", place, "There is no script here that Baton answers.", {
    expected: [...scripts.keys()].map((name) => `${name}.sh`).join(" | "),
    hint: "name the scripts folder of the plugin",
  });
}

/** Brings the originals back; answers the names of those that are back. Nothing where none was replaced. */
export function takeShimsBack(state: string): Result<readonly string[], Problem> {
  const note = readShims(state);
  if (note === null) return ok([]);
  const back: string[] = [];
  try {
    for (const [name, digest] of Object.entries(note.files)) {
      const file = join(note.folder, name);
      const there = readPlainFile(file, scriptBytesMax);
      const isOurs = there.ok && there.value !== null && sha256(there.value.text) === digest;
      if (!isOurs) rmSync(`${file}${kept}`, { force: true });
      else if (existsSync(`${file}${kept}`)) {
        renameSync(`${file}${kept}`, file);
        back.push(name);
      }
    }
    rmSync(join(state, noteName), { force: true });
    return ok(back);
  } catch (cause) {
    return err(problem("wrong-usage", note.folder, `The scripts cannot be brought back (${reasonOf(cause)}).`));
  }
}

/** The note; null: no script was replaced. Names that are none of the scripts are passed over. */
function readShims(state: string): ShimNote | null {
  const file = readPlainFile(join(state, noteName), 64 * 1024);
  const parsed = file.ok && file.value !== null ? parseBounded(file.value.text) : null;
  if (parsed === null || !parsed.ok || !isJsonObject(parsed.value)) return null;
  const { folder, files } = parsed.value;
  if (typeof folder !== "string" || !isJsonObject(files ?? null)) return null;
  const known = Object.entries(files as object).flatMap(([name, digest]) =>
    typeof digest === "string" && scripts.has(name.replace(/\.sh$/, "")) ? [[name, digest] as const] : [],
  );
  return { folder, files: Object.fromEntries(known) };
}
