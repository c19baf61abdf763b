/** What `baton doctor` says of agent programs: which are set up in a project, and whether what they call is there. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shellLine } from "../../doors/cli/kernel/next-command.ts";
import { type HookProgram, hookEvents, hookPrograms } from "../../messages/program-hooks.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { isOwnCall, showsToken } from "./hook-lines.ts";
import { blockPairs } from "./program-block.ts";
import { type OwnEntry, ownEntries, settingsIn } from "./program-entries.ts";
import { codexUserFiles, ownServerWords, programFacts, type SettingsFile } from "./program-settings.ts";
import { switchedOff } from "./program-switches.ts";
import { skippedByCodex } from "./reviewed-hooks.ts";
import { folderOf, nearestProject, readSettings } from "./settings-file.ts";

/** One thing looked at. */
export interface Check {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly finding: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}

/** What of ours is in a program's settings. */
interface Installed {
  /** The events of the hooks. */
  readonly events: readonly string[];
  /** Those of them that the program asks for other tools than it should. */
  readonly outdated: readonly string[];
  readonly hasServer: boolean;
  /** The words that start Baton, from every line. */
  readonly words: readonly string[];
  /** The server's command and arguments; null: it is not in this file. */
  readonly server: JsonObject | null;
  /** The file, and the hooks in it. */
  readonly file: string;
  readonly hooks: readonly OwnEntry[];
}

/** A check for each program that is set up in the project at `root` (null: there is none), or one that says that none is. */
export function examinePrograms(config: Config, root: string | null, team: string | null = null): readonly Check[] {
  const checks = root === null ? [] : hookPrograms.flatMap((program) => programCheck(config, root, program) ?? []);
  if (checks.length > 0) return checks;
  const elsewhere =
    team === null || team === root ? [] : hookPrograms.filter((each) => programCheck(config, team, each));
  if (root !== null && team !== null && elsewhere.length > 0) {
    const titles = elsewhere.map((each) => programFacts[each].title).join(", ");
    const finding = `${titles}: set up in ${team}, and not in this worktree, so no hook asks Baton here`;
    return [
      {
        check: "programs",
        state: "warn",
        finding,
        advice: `run baton install ${elsewhere.join("|")} here, or commit the settings`,
      },
    ];
  }
  const advice = `let one ask Baton: baton install ${hookPrograms.join("|")}`;
  return [{ check: "programs", state: "ok", finding: "no agent program is set up here", advice }];
}

/** What doctor says of the program in the project around `directory`; null: its settings there hold nothing of Baton. */
export function programFinding(config: Config, program: HookProgram): Check | null {
  const root = nearestProject(config.directory);
  return root === null ? null : programCheck(config, root, program);
}

/** The hub that `baton install --hub` wrote for the program's server in the project around; null: none. */
export function installedHub(config: Config, program: HookProgram): string | null {
  const root = nearestProject(config.directory);
  const places = root === null ? [] : placesOf(config, root, program);
  const found = places.map((files) =>
    files.flatMap((file) => {
      const installed = installedIn(file.root, program, file.facts);
      return installed.ok ? [installed.value] : [];
    }),
  );
  const here = found.find((each) => each.some(({ hooks }) => hooks.length > 0)) ?? [];
  const server = here.find((each) => each.server !== null)?.server ?? null;
  const args = server !== null && isJsonList(server.args) ? server.args : [];
  const url = args.includes("--hub") ? args[args.indexOf("--hub") + 1] : null;
  return typeof url === "string" ? url : null;
}

interface PlacedFile {
  readonly root: string;
  readonly facts: SettingsFile;
}

/** Where the program reads settings that may be Baton's: of the project, and Codex's own. */
function placesOf({ codexHome }: Config, root: string, program: HookProgram): readonly (readonly PlacedFile[])[] {
  const project = programFacts[program].files.map((facts) => ({ root: folderOf(root, facts), facts }));
  const isOwn = codexHome !== null && existsSync(codexHome) && join(root, ".codex") !== codexHome;
  if (program !== "codex" || !isOwn) return [project];
  return [project, codexUserFiles.map((facts) => ({ root: codexHome, facts }))];
}

function programCheck(config: Config, root: string, program: HookProgram): Check | null {
  const [project = [], users = []] = placesOf(config, root, program);
  const here = checkOf(config, program, project);
  // Settings of the user that cannot be read say nothing of a project.
  const isInUsers = users.some(({ root: home, facts }) => {
    const installed = installedIn(home, program, facts);
    return installed.ok && (installed.value.hasServer || installed.value.hooks.length > 0);
  });
  const everywhere = isInUsers ? checkOf(config, program, users) : null;
  if (here === null || everywhere === null) return here ?? everywhere;
  const finding = "its hooks are installed in this project and in Codex's own settings, so each is asked twice";
  return {
    check: program,
    state: "warn",
    finding,
    advice: "run: baton uninstall codex, or baton uninstall codex --user",
  };
}

function checkOf(config: Config, program: HookProgram, files: readonly PlacedFile[]): Check | null {
  const found: Installed[] = [];
  for (const { root, facts } of files) {
    const installed = installedIn(root, program, facts);
    // What cannot be read may be valid for the program: it is reported, but is no failure of Baton.
    if (!installed.ok) {
      const { path, message, hint } = installed.error;
      return { check: program, state: "warn", finding: `${path}: ${message}`, advice: hint ?? null };
    }
    found.push(installed.value);
  }
  const events = found.flatMap((each) => each.events);
  const hasServer = found.some((each) => each.hasServer);
  if (events.length === 0 && !hasServer) return null;
  const install = installLine(program, found);
  const again = `run: ${install}`;
  const missing = found.flatMap(({ words }) => words).find((path) => !existsSync(path));
  if (missing !== undefined)
    return {
      check: program,
      state: "fail",
      finding: `its settings call ${missing}, which is not there`,
      advice: again,
    };
  if (found.some(({ hooks }) => hooks.some(({ value }) => handlersOf(value).some(showsToken))))
    return {
      check: program,
      state: "warn",
      finding: `${programFacts[program].title} fills BATON_TOKEN into its hook lines, so it is on the screen and in the arguments of processes`,
      advice: `run: ${install}; where others use the machine, replace the tokens too: baton token list, baton token revoke ID, baton token create AGENT`,
    };
  const off = switchedOff(config, program, files[0]?.root ?? "");
  if (off !== null) return { check: program, state: "warn", ...off };
  const unasked = hookEvents[program].map(({ name }) => name).filter((name) => !events.includes(name));
  const lacking = [...unasked, ...(hasServer ? [] : ["the MCP server"])];
  if (program === "codex" && unasked.length === 0 && !hasServer) {
    const finding =
      "its hooks are here, where linked worktrees read them, and no MCP server: here Codex edits without asking";
    return { check: program, state: "warn", finding, advice: "if Codex works in this one too: baton install codex" };
  }
  if (lacking.length > 0)
    return { check: program, state: "warn", finding: `its settings lack ${lacking.join(", ")}`, advice: again };
  const outdated = found.flatMap((each) => each.outdated);
  if (outdated.length > 0)
    return {
      check: program,
      state: "warn",
      finding: `its hooks ${outdated.join(", ")} ask about other calls than those of this version of Baton`,
      advice: again,
    };
  const { open } = programFacts[program];
  const finding = `hooks and the MCP server are installed; ${open}`;
  return (
    (program === "codex" ? reviewCheck(config, found) : null) ?? { check: program, state: "ok", finding, advice: null }
  );
}

/** The line that installs the program again, with the agent and the hub that its server names. */
function installLine(program: HookProgram, found: readonly Installed[]): string {
  const args = found.flatMap(({ server }) => (isJsonList(server?.args) ? server.args : []));
  const options = args.slice(args.indexOf("mcp") + 3).filter((word) => typeof word === "string");
  const plain = `baton install ${program}`;
  return args.includes("mcp") ? (shellLine(["baton", "install", program, ...options]) ?? plain) : plain;
}

/** Hooks that Codex skips because nobody has reviewed them; null: none. */
function reviewCheck(config: Config, found: readonly Installed[]): Check | null {
  const skipped = found.map(({ file, hooks }) => skippedByCodex(config, file, hooks));
  const isKnown = skipped.every((each) => each !== null);
  const events = [...new Set(skipped.flatMap((each) => each ?? []))];
  if (isKnown && events.length === 0) return null;
  const advice = "start codex in this project, type /hooks, and review Baton's hooks";
  const finding = isKnown
    ? `its hooks ${events.join(", ")} are off: Codex skips them until you have reviewed them`
    : "it is not known whether its hooks were reviewed, because the settings of Codex's user cannot be read";
  return { check: "codex", state: "warn", finding, advice };
}

function installedIn(root: string, program: HookProgram, { path, holds }: SettingsFile): Result<Installed, Problem> {
  const read = readSettings(root, path);
  if (!read.ok) return read;
  const file = join(root, path);
  const none: Installed = { events: [], outdated: [], hasServer: false, server: null, words: [], file, hooks: [] };
  if (read.value === null) return ok(none);
  if (!holds.includes("server block")) {
    const settings = settingsIn(read.value, program, file);
    if (!settings.ok) return settings;
    const own = ownEntries(settings.value, program);
    const [server = null] = own.flatMap(({ kind, value }) => (kind === "server" && isJsonObject(value) ? [value] : []));
    return ok({
      ...none,
      events: own.flatMap(({ event }) => event ?? []),
      outdated: own.flatMap((entry) => (isOutdated(program, entry) ? (entry.event ?? []) : [])),
      hasServer: server !== null,
      server,
      words: own.flatMap((entry) => entry.words),
      hooks: own.filter(({ kind }) => kind === "hook"),
    });
  }
  const pairs = blockPairs(read.value);
  if (pairs === null) return ok(none);
  const args = saidBy(pairs, "args");
  const command = saidBy(pairs, "command");
  const server = { command, args: isJsonList(args) ? args : [] };
  const words = ownServerWords(server);
  return ok({ ...none, hasServer: words !== null, server: words === null ? null : server, words: words ?? [] });
}

/** Whether a hook of ours asks for other tools than it would if it was written now. One among others' is left alone. */
function isOutdated(program: HookProgram, { event, value }: OwnEntry): boolean {
  const wanted = hookEvents[program].filter(({ name }) => name === event);
  if (wanted.length === 0 || !isJsonObject(value) || !isJsonList(value.hooks)) return false;
  const handlers = handlersOf(value);
  const by = handlers.some(isOwnCall) ? "call" : "command";
  return !wanted.some((each) => each.matcher === (value.matcher ?? null) && each.by === by);
}

/** The handlers in a group of hooks; a handler alone is its only one. */
function handlersOf(value: Json): readonly JsonObject[] {
  if (!isJsonObject(value)) return [];
  return isJsonList(value.hooks) ? value.hooks.filter(isJsonObject) : [value];
}

/** What Baton writes into TOML is JSON, too. */
function saidBy(pairs: ReadonlyMap<string, string>, key: string): Json {
  const parsed = parseBounded(pairs.get(key) ?? "null");
  return parsed.ok ? parsed.value : null;
}
