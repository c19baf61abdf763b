/**
 * What `baton run` adds to the line that starts a program: Baton's hooks and its MCP server for this one session, so that
 * nothing of them is in the project. Files that a line names are in Baton's own folder.
 * Source: docs/protocol/doors.md, section 7.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "../../base/json.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { tomlValue } from "../../base/text-formats/toml.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { batonWords } from "../../perform/workspace/package-root.ts";
import { type HookGroup, wantedHooks } from "./hook-lines.ts";
import { type OwnEntry, settingsIn, withEntries } from "./program-entries.ts";
import {
  permissionsIn,
  type Setup,
  serverPath,
  serverTable,
  wantedServer,
  wantedServerFacts,
} from "./program-settings.ts";
import { skippedByCodex } from "./reviewed-hooks.ts";
import { settingsProblem } from "./settings-file.ts";
import { settingsText } from "./settings-plan.ts";

/** Words before those of the caller, and variables. */
export interface StartLine {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What a line is made for. */
export interface LineAsked {
  readonly program: HookProgram;
  /** The journal's file: next to it lies what the line names. */
  readonly journal: string;
  /** The caller's own words for the program. */
  readonly words: readonly string[];
  readonly config: Pick<Config, "home" | "environment">;
}

/** The line's own part. Refuses `settings-file` what cannot be read or written, and `wrong-usage` words that undo it. */
export function startLine({ program, journal, words, config }: LineAsked): Result<StartLine, Problem> {
  const setup: Setup = { program, words: batonWords(), agent: null, sessions: sessionsFolder(journal) };
  const hooks = wantedHooks(setup);
  if (!hooks.ok) return hooks;
  const folder = join(dirname(journal), "programs");
  if (program === "codex") return ok({ words: codexWords(setup, hooks.value), environment: {} });
  return program === "gemini"
    ? geminiLine(setup, hooks.value, folder, config)
    : claudeLine(setup, hooks.value, folder, words);
}

/** Claude Code takes one file of settings from its line, and any number of files with servers. */
function claudeLine(
  setup: Setup,
  hooks: readonly HookGroup[],
  folder: string,
  words: readonly string[],
): Result<StartLine, Problem> {
  const taken = words.find((word) => /^--(settings|bare|restricted|safe-mode)(=|$)/.test(word));
  if (taken !== undefined) {
    const option = taken.split("=", 1)[0] ?? taken;
    const hint = "put your own settings into .claude/settings.local.json";
    return err(usageProblem(option, "With it Claude Code would not read Baton's settings.", hint));
  }
  const state = dirname(folder);
  const wanted = {
    program: setup.program,
    hooks,
    server: null,
    permissions: permissionsIn(folder, state, setup.program),
  };
  const [servers, name] = serverPath;
  const files = {
    "claude-settings.json": settingsText(withEntries({}, wanted) ?? {}),
    "claude-mcp.json": settingsText({ [servers]: { [name]: wantedServer(setup) } }),
  };
  const problem = writeAll(folder, files);
  // The option for servers takes all words that follow, so another option ends it.
  const [first, second] = Object.keys(files).map((file) => join(folder, file));
  return problem === null
    ? ok({ words: ["--mcp-config", second ?? "", "--settings", first ?? ""], environment: {} })
    : err(problem);
}

/** Codex takes single settings from its line, each a value of TOML. */
function codexWords(setup: Setup, hooks: readonly HookGroup[]): readonly string[] {
  const server = Object.entries(wantedServerFacts(setup)).map(([key, value]) => [
    [...serverTable, key].join("."),
    value,
  ]);
  const events = Map.groupBy(hooks, ({ event }) => event);
  const groups = [...events].map(([event, all]) => [`hooks.${event}`, all.map(({ group }) => group)]);
  return [...server, ...groups].flatMap(([key, value]) => ["-c", `${key as string}=${tomlValue(value as Json)}`]);
}

/** What Codex calls the place of the settings of its line: the same in every project. */
const codexLine = "/<session-flags>/config.toml";

/** The events that Codex skips, because its user has not reviewed the hooks of the line; null: it is not known. */
export function skippedOnLine(config: Config): readonly string[] | null {
  const hooks = wantedHooks({ program: "codex", words: batonWords(), agent: null });
  if (!hooks.ok) return null;
  const counts = new Map<string, number>();
  const entries = hooks.value.map(({ event, group }): OwnEntry => {
    const index = counts.get(event) ?? 0;
    counts.set(event, index + 1);
    return { path: ["hooks", event, index], event, kind: "hook", value: group, words: [] };
  });
  return skippedByCodex(config, codexLine, entries);
}

/**
 * Gemini CLI takes no settings from its line: of a file that a variable names it reads only one of root's, and skips any
 * other silently. So it gets a home of Baton's, in which everything is the user's own but the settings, which are the
 * user's with Baton's entries.
 */
function geminiLine(
  setup: Setup,
  hooks: readonly HookGroup[],
  folder: string,
  { home, environment }: LineAsked["config"],
): Result<StartLine, Problem> {
  const { [homeVariable]: named = "" } = environment();
  const own = join(named || (home ?? ""), ".gemini");
  const place = join(folder, "gemini-home", ".gemini");
  const read = readText(join(own, settingsName));
  if (!read.ok) return read;
  const wanted = { program: setup.program, hooks, server: wantedServer(setup), permissions: [] };
  const file = join(own, settingsName);
  const before = read.value === null ? ok({}) : settingsIn(read.value, setup.program, file);
  if (!before.ok) return before;
  const settings = withEntries(before.value, wanted);
  if (settings === null) return err(settingsProblem(file, "Something else is where Baton's hooks and server belong."));
  const problem = writeAll(place, { [settingsName]: settingsText(settings) }) ?? linkAll(own, place);
  return problem === null ? ok({ words: [], environment: { [homeVariable]: dirname(place) } }) : err(problem);
}

const homeVariable = "GEMINI_CLI_HOME";
const settingsName = "settings.json";

function readText(path: string): Result<string | null, Problem> {
  try {
    return ok(readFileSync(path, "utf8"));
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return ok(null);
    return err(unusable(path, cause));
  }
}

/** Links to everything in the folder that has no name in the other one yet. */
function linkAll(from: string, into: string): Problem | null {
  try {
    mkdirSync(from, { recursive: true });
    for (const name of readdirSync(from)) {
      const link = join(into, name);
      if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(join(from, name), link);
    }
    return null;
  } catch (cause) {
    return unusable(into, cause);
  }
}

/** Writes the files that are not yet as they must be. */
function writeAll(folder: string, files: Readonly<Record<string, string>>): Problem | null {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      const there = readPlainFile(path, Buffer.byteLength(text));
      if (!there.ok || there.value?.text !== text) replacePlainFile(path, text);
    }
    return null;
  } catch (cause) {
    return unusable(folder, cause);
  }
}

function unusable(path: string, cause: unknown): Problem {
  return makeProblem("settings-file", path, `The program's settings for Baton cannot be made: ${reasonOf(cause)}`, {
    hint: "See who may read and write there, then run the command again.",
  });
}
