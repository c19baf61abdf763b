/**
 * What the scripts of VBW and YOLO are asked with and what they answer, where Baton answers in their place. A script is
 * a function of its words and its surroundings, so that a test calls it without a process.
 * Rule: docs/protocol/record.md, section 29.
 */
import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isJsonObject, type JsonObject, parseBounded } from "../../../base/json.ts";
import { readPlainFile } from "../../../base/plain-file.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import type { OriginName } from "../../../intake/planning/found.ts";
import { settingsIn } from "../../../intake/planning/planning-settings.ts";
import type { WorkingTeam } from "../../../runtime/team/team.ts";
import { planningFolders } from "../../../team/definition.ts";
import { type WrittenFolder, writtenFolder } from "../../../workspace/planning/folder-writing.ts";

/** What a script says, and its exit code. */
export interface ScriptAnswer {
  readonly code: 0 | 1 | 2;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Where a script runs. */
export interface ScriptPlace {
  /** The working directory. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Standard input to its end; null: too long. */
  input(): Promise<string | null>;
  readonly nowMs: number;
  /** The team, where there is one. */
  openTeam(): Promise<Result<WorkingTeam, readonly Problem[]>>;
  /** The agent in whose name something may be recorded; null: nothing shows who acts here, so nothing is. */
  readonly agent: string | null;
  /** The agents of which one calls, where several share this shell: answers are theirs, and nothing is recorded. */
  readonly callers: readonly string[];
  wait(ms: number): Promise<void>;
  /** Judges a message by a dialect of the drop-in; null: by the planning folder. */
  judge(text: string, dialect: string | null): Promise<{ readonly valid: boolean; readonly errors: readonly string[] }>;
  /** The script that was called in whose place Baton answers; null: it is not known. */
  readonly script: string | null;
}

/** One call. */
export interface ScriptCall extends ScriptPlace {
  readonly words: readonly string[];
  readonly planning: Planning | null;
}

/** A planning folder with its settings. */
export interface Planning {
  /** Absolute: the folder that holds it, and itself. */
  readonly project: string;
  readonly folder: string;
  /** Relative to `project`. */
  readonly root: string;
  readonly config: JsonObject;
  readonly origin: OriginName;
  readonly files: WrittenFolder;
}

/** A script by its name without `.sh`. */
export type Script = (call: ScriptCall) => ScriptAnswer | Promise<ScriptAnswer>;

/** The planning folder of a directory, or of one above it; null: there is none. */
export function planningOf(directory: string, named: string | undefined): Planning | null {
  for (let at = directory; ; at = dirname(at)) {
    const roots = named === undefined || isAbsolute(named) ? [...planningFolders] : [named, ...planningFolders];
    const root = roots.find((each) => existsSync(join(at, each)));
    if (root !== undefined) return planningAt(at, root);
    if (dirname(at) === at) return null;
  }
}

function planningAt(project: string, root: string): Planning | null {
  const files = writtenFolder(project, root);
  const text = files.read("config.json");
  // A link in the way is no planning folder.
  if (files.findings.length > 0) return null;
  const config = objectIn(text) ?? {};
  const name = root.includes("yolo") ? ".yolo-planning" : ".vbw-planning";
  const { origin } = settingsIn(text === null ? null : config, { name, hasPlanRows: false });
  return { project, folder: join(project, root), root, config, origin, files };
}

/** The object that a string holds; null: there is none. */
export function objectIn(text: string | null): JsonObject | null {
  const limits = { bytesMax: 2 * 1024 * 1024, depthMax: 32, nodesMax: 100_000 };
  const parsed = text === null ? null : parseBounded(text, limits);
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : null;
}

/** The text of a plain file that a word names; null: it is none, or too large. */
export function textAt(call: Pick<ScriptCall, "directory">, path: string): string | null {
  const file = readPlainFile(resolve(call.directory, path), 2 * 1024 * 1024);
  return file.ok ? (file.value?.text ?? null) : null;
}

/** A path below the planning folder, with `/`; null: it lies elsewhere. */
export function belowPlanning(call: ScriptCall, path: string): string | null {
  if (call.planning === null) return null;
  const below = relative(call.planning.folder, resolve(call.directory, path));
  return below === "" || below.startsWith("..") || isAbsolute(below) ? null : below.split(sep).join("/");
}

/** The value of `--name VALUE` or `--name=VALUE`; null: it is not given. */
export function optionIn(words: readonly string[], name: string): string | null {
  const at = words.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const word = words[at];
  if (word === undefined) return null;
  return word.includes("=") ? word.slice(word.indexOf("=") + 1) : (words[at + 1] ?? null);
}

/** Words that are no options. */
export function plainWords(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith("--"));
}

/**
 * Whether the tool has a feature switched on: always in VBW's later revisions unless its settings say no, by a flag in those
 * before, and there off where nothing is said.
 */
export function isOn({ config, origin }: Planning, later: string, flags: readonly string[]): boolean {
  if (origin === "vbw-later") return config[later] !== false;
  return flags.some((flag) => config[flag] === true);
}

/** A moment as the scripts write it: to the second, in UTC. */
export function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Prints JSON as `jq -c` does. */
export function compact(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The name of a file without its folder. */
export const nameOf = basename;
