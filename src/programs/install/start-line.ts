/**
 * What `baton run` adds to the line that starts a program: Baton's hooks and its MCP server for this one session, so that
 * nothing of them is in the project. Files that a line names are in Baton's own folder.
 * Source: docs/protocol/doors.md, section 7.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { isJsonList, isJsonObject, type JsonObject } from "../../base/json.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { tomlValue } from "../../base/text-formats/toml.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import { type HookProgram, permitTool, serverName } from "../../messages/program-hooks.ts";
import { sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { batonWords } from "../../perform/workspace/package-root.ts";
import { wantedHooks } from "./hook-lines.ts";
import { pluginId } from "./plugins.ts";
import { codexServer, type Setup, wantedServer } from "./program-settings.ts";
import { settingsIn, settingsProblem, settingsText } from "./settings-text.ts";

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

type Hooks = Readonly<Record<string, readonly JsonObject[]>>;

/**
 * The line's own part, which switches the plugin off. Refuses `settings-file` what cannot be read or written, and
 * `wrong-usage` words that undo it.
 */
export function startLine({ program, journal, words, config }: LineAsked): Result<StartLine, Problem> {
  const setup: Setup = { program, words: batonWords(), sessions: sessionsFolder(journal) };
  const hooks = wantedHooks(setup);
  if (!hooks.ok) return hooks;
  const folder = join(dirname(journal), "programs");
  if (program === "codex") return ok({ words: codexWords(setup, hooks.value), environment: {} });
  return program === "gemini"
    ? geminiLine(setup, hooks.value, folder, config)
    : claudeLine(setup, hooks.value, folder, words);
}

/**
 * The first prompt of a program that waits in a terminal: until it has had one, it takes no task and no mail wakes it. One
 * that `leads` leaves free tasks to its developers.
 */
export function firstPrompt(program: HookProgram, leads: boolean): readonly string[] {
  const first = leads ? "your task; developers take free ones. Read your mail." : "your task, or claim the next.";
  return [...(program === "gemini" ? ["-i"] : []), `Begin: go on with ${first}`];
}

/** Claude Code takes one file of settings from its line, and any number of files with servers. */
function claudeLine(setup: Setup, hooks: Hooks, folder: string, words: readonly string[]): Result<StartLine, Problem> {
  const isBare = words.includes("--bare");
  const refused = isBare ? unprotected(words) : null;
  if (refused !== null) return err(refused);
  const taken = words.find((word) => /^--(settings|restricted|safe-mode)(=|$)/.test(word));
  if (taken !== undefined) {
    const option = taken.split("=", 1)[0] ?? taken;
    const hint = "put your own settings into .claude/settings.local.json";
    return err(usageProblem(option, "With it Claude Code would not read Baton's settings.", hint));
  }
  const files = {
    "claude-settings.json": settingsText({
      hooks,
      // Its sandbox lets a shell write in git's folder. Codex's does not; Gemini CLI has no such list.
      sandbox: { filesystem: { denyWrite: [dirname(folder)] } },
      enabledPlugins: { [pluginId]: false },
    }),
    "claude-mcp.json": settingsText({ mcpServers: { [serverName]: wantedServer(setup) } }),
  };
  const problem = writeAll(folder, files);
  // The option for servers takes all words that follow, so another option ends it.
  const [first = "", second = ""] = Object.keys(files).map((file) => join(folder, file));
  // Without hooks the program asks the server for leave, and its model has to look for mail.
  const others = isBare ? ["--permission-prompt-tool", permitName, "--append-system-prompt", bareWords] : [];
  return problem === null
    ? ok({ words: ["--mcp-config", second, "--settings", first, ...others], environment: {} })
    : err(problem);
}

const permitName = `mcp__${serverName}__${permitTool}`;

const bareWords =
  "You work in a Baton team. Call team_status and read_inbox first, and read_inbox again after each task: no mail comes by itself.";

/** Why nothing protects files in a session without hooks: the program asks only without a terminal, not in some modes. */
function unprotected(words: readonly string[]): Problem | null {
  const free = words.find((word) =>
    /acceptEdits|bypassPermissions|^--(dangerously|allow-dangerously)-skip-permissions/.test(word),
  );
  const isAlone = words.some((word) => word === "-p" || word === "--print");
  if (free === undefined && isAlone) return null;
  const option = free === undefined ? "--bare" : free;
  const hint = "leave it out; or use --bare with -p and the usual permission mode";
  return usageProblem(option, "Next to --bare nothing would protect files: no hook runs, and nobody asks Baton.", hint);
}

/**
 * Codex takes single settings from its line, each a value of TOML. It goes on where a hook gives no answer, so it does not
 * start without the server that answers its hooks.
 */
function codexWords(setup: Setup, hooks: Hooks): readonly string[] {
  const server = Object.entries({ ...codexServer(setup), required: true });
  const settings = [
    ...server.map(([key, value]) => [`mcp_servers.${serverName}.${key}`, value] as const),
    ...Object.entries(hooks).map(([event, groups]) => [`hooks.${event}`, groups] as const),
    [`plugins.${pluginId}.enabled`, false] as const,
  ];
  return settings.flatMap(([key, value]) => ["-c", `${key}=${tomlValue(value)}`]);
}

/** The words by which Codex itself says what it makes of the hooks of the line. */
export function codexLine(): readonly string[] {
  const setup: Setup = { program: "codex", words: batonWords() };
  const hooks = wantedHooks(setup);
  return hooks.ok ? codexWords(setup, hooks.value) : [];
}

/**
 * Gemini CLI takes no settings from its line: of a file that a variable names it reads only one of root's, and skips any
 * other silently. So it gets a home of Baton's, in which everything is the user's own but the settings, which are the
 * user's with Baton's entries.
 */
function geminiLine(
  setup: Setup,
  hooks: Hooks,
  folder: string,
  { home, environment }: LineAsked["config"],
): Result<StartLine, Problem> {
  const { [homeVariable]: named = "" } = environment();
  const own = join(named || (home ?? ""), ".gemini");
  const place = join(folder, "gemini-home", ".gemini");
  const read = readText(join(own, settingsName));
  if (!read.ok) return read;
  const file = join(own, settingsName);
  const before = read.value === null ? ok({}) : settingsIn(read.value, setup.program, file);
  if (!before.ok) return before;
  const settings = withOwn(before.value, hooks, wantedServer(setup));
  if (settings === null) return err(settingsProblem(file, "Something else is where Baton's hooks and server belong."));
  const extensions = join(place, extensionsName);
  const problem =
    writeAll(place, { [settingsName]: settingsText(settings) }) ??
    (existsSync(join(own, extensionsName)) ? linkAll(join(own, extensionsName), extensions, [serverName]) : null) ??
    linkAll(own, place, []);
  if (problem !== null) return err(problem);
  // It writes what its user trusts as a new file, which would be one of this home alone.
  const { [trustVariable]: trusted = join(own, "trustedFolders.json") } = environment();
  return ok({ words: [], environment: { [homeVariable]: dirname(place), [trustVariable]: trusted } });
}

/** Whether Gemini CLI takes the folder for trusted, so that it does not ask, and runs hooks there. */
export function geminiTrusts({ home, environment }: LineAsked["config"], directory: string): boolean {
  const { [homeVariable]: named = "", [trustVariable]: list, GEMINI_CLI_TRUST_WORKSPACE: said } = environment();
  if (said === "true") return true;
  const own = join(named || (home ?? ""), ".gemini");
  const read = (file: string): JsonObject => {
    const text = readText(file);
    const found = text.ok && text.value !== null ? settingsIn(text.value, "gemini", file) : null;
    return found?.ok === true ? found.value : {};
  };
  const { security } = read(join(own, settingsName));
  const { folderTrust } = isJsonObject(security) ? security : {};
  if (isJsonObject(folderTrust) && folderTrust.enabled === false) return true;
  const place = existsSync(directory) ? realpathSync(directory) : directory;
  const rules = Object.entries(read(list ?? join(own, "trustedFolders.json"))).filter(([path, level]) =>
    isAround(level === "TRUST_PARENT" ? dirname(path) : path, place),
  );
  // The rule of the longest path counts.
  const [nearest] = rules.toSorted(([one], [other]) => other.length - one.length);
  return nearest !== undefined && nearest[1] !== "DO_NOT_TRUST";
}

function isAround(folder: string, directory: string): boolean {
  return `${directory}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The user's settings with Baton's hooks behind theirs, and its server; null: they have something else there. */
function withOwn(settings: JsonObject, hooks: Hooks, server: JsonObject): JsonObject | null {
  const { hooks: theirs = {}, mcpServers = {} } = settings;
  if (!isJsonObject(theirs) || !isJsonObject(mcpServers)) return null;
  const lists = Object.entries(hooks).map(([event, own]) => [event, theirs[event] ?? [], own] as const);
  if (lists.some(([, list]) => !isJsonList(list))) return null;
  const both = lists.map(([event, list, own]) => [event, [...(isJsonList(list) ? list : []), ...own]]);
  return {
    ...settings,
    hooks: { ...theirs, ...Object.fromEntries(both) },
    mcpServers: { ...mcpServers, [serverName]: server },
  };
}

const homeVariable = "GEMINI_CLI_HOME";
const trustVariable = "GEMINI_CLI_TRUSTED_FOLDERS_PATH";
const settingsName = "settings.json";
/** Of the extensions all are the user's, but for Baton's own. */
const extensionsName = "extensions";

function readText(path: string): Result<string | null, Problem> {
  try {
    return ok(readFileSync(path, "utf8"));
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return ok(null);
    return err(unusable(path, cause));
  }
}

/** Links to everything in the folder that has no name in the other one yet, but what is left out. */
function linkAll(from: string, into: string, leftOut: readonly string[]): Problem | null {
  try {
    mkdirSync(from, { recursive: true });
    // An older Baton linked the folder of extensions as a whole.
    if (lstatSync(into, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(into);
    mkdirSync(into, { recursive: true });
    for (const name of readdirSync(from).filter((each) => !leftOut.includes(each))) {
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
