/** The checks of `baton doctor`: each looks at one thing and says what it found and what to do. None changes anything. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { invariant } from "../../../base/invariant.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../../base/json.ts";
import { reasonOf } from "../../../base/plain-file.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import { counted } from "../../../base/text.ts";
import { isAtLeast } from "../../../base/versions.ts";
import { checkEngines, fileAddress, oldJournalAt } from "../../../journal/engines.ts";
import type { EngineCheck } from "../../../journal/journal.ts";
import { type HookProgram, hookEvents, hookPrograms } from "../../../message/program-hooks.ts";
import { openTeamJournal } from "../../../runtime/open.ts";
import { teamOfFile } from "../../../runtime/team/team-dialects.ts";
import type { Config } from "../../../workspace/config.ts";
import { packageFacts } from "../../../workspace/package-root.ts";
import { lookForPlace, type Place, type PlaceCall, trackedOld } from "../../../workspace/place.ts";
import { findUpwards, findWorkspace, journalIn, type Workspace } from "../../../workspace/workspace.ts";
import type { Call } from "../kernel/command.ts";
import { type BundledNodeState, bundledNodeState } from "./bundled-node.ts";
import { type InstalledHooks, skippedByCodex } from "./hook-proof.ts";
import { blockPairs } from "./program-block.ts";
import { type OwnEntry, ownEntries, unreadBy } from "./program-entries.ts";
import { isOwnCall, ownServerWords, programFacts, type SettingsFile } from "./program-settings.ts";
import { nearestProject, readSettings } from "./settings-file.ts";

/** One thing looked at. */
export interface Check {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly finding: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}

/** Least Node. */
const nodeFloor = [24, 15, 0] as const;

/** Every check, in the order a person would look. */
export async function examine(call: Call): Promise<readonly Check[]> {
  const machine = [
    nodeCheck(process.versions.node),
    bundledNodeCheck(await bundledNodeState(packageFacts().root, `${process.platform}-${process.arch}`)),
    ...checkEngines().map(engineCheck),
  ];
  const place = lookForPlace(call);
  const workspace = findWorkspace(call.config.directory);
  const programs = examinePrograms(call.config, nearestProject(call.config.directory), workspace?.root ?? null);
  if (!place.ok) return [...machine, failed("place", place.error), ...programs];
  return [
    ...machine,
    ...(await examineState(call, place.value)),
    await teamFileCheck(place.value),
    ...(await journalChecks(place.value)),
    ...programs,
  ];
}

/** Whether Node is new enough. */
export function nodeCheck(version: string): Check {
  if (isAtLeast(version, nodeFloor)) return good("node", version);
  return bad(
    "node",
    `${version} is too old`,
    `install Node ${nodeFloor.join(".")} or newer, or run npm ci where baton lies: it brings one`,
  );
}

/** Whether the Node that came with the package is the one that this version was tested with. */
export function bundledNodeCheck(bundled: BundledNodeState): Check {
  if (bundled.state === "none") return good("bundled node", "none is installed; your own Node runs Baton");
  if (bundled.state === "pinned") return good("bundled node", `as pinned, SHA-256 ${bundled.sha256}`);
  return bad(
    "bundled node",
    `${bundled.path} is not the program that this version was tested with: its SHA-256 is ${bundled.sha256}`,
    `do not run it: remove its package, run npm ci, and look again; or install Node ${nodeFloor.join(".")} yourself`,
  );
}

function engineCheck({ engine, finding, advice }: EngineCheck): Check {
  return advice === null ? good(engine, finding) : bad(engine, finding, advice);
}

async function teamFileCheck({ teamFile }: Place): Promise<Check> {
  if (teamFile === null)
    return {
      check: "team file",
      state: "warn",
      finding: "there is none",
      advice: "baton init writes one",
    };
  const read = await teamOfFile(teamFile);
  if (!read.ok)
    return bad(
      "team file",
      read.error.map(({ path, message }) => `${path}: ${message}`).join("; "),
      "correct the file",
    );
  invariant(read.value !== null, "a file that is there says a team");
  const { name, agents, policy, dialects, messages = [] } = read.value;
  const own = messages.length === 0 ? "" : `, own messages ${messages.map(({ type }) => type).join(", ")}`;
  return good(
    "team file",
    `team ${name}, ${counted(agents.length, "agent")} named in it, ${dialects.join(", ")}, ${policy}${own}`,
  );
}

async function journalChecks({ journal: path }: Place): Promise<readonly Check[]> {
  if (!existsSync(path))
    return [
      {
        check: "journal",
        state: "ok",
        finding: "not written yet",
        advice: "the first command that records something makes it",
      },
    ];
  const opened = await openTeamJournal(path, { create: false, readOnly: true });
  if (!opened.ok) return [failed("journal", opened.error)];
  await using journal = opened.value;
  const standing = journal.condition();
  if (standing.condition === "failed" || standing.condition === "unreachable")
    return [failed("journal", standing.problem)];
  if (standing.condition === "regressed") {
    const finding = `team ${standing.team} is at entry ${standing.head.seq}, but ${standing.anchor.seq} were acknowledged`;
    return [
      bad("journal", finding, "restore a backup, or go on without them: baton journal accept-loss --reason TEXT"),
    ];
  }
  const report = await journal.verify();
  const [first] = report.problems;
  if (first !== undefined) return [failed("journal", first)];
  return [good("journal", `sound, ${report.teams.reduce((sum, { entries }) => sum + entries, 0)} entries`)];
}

function good(check: string, finding: string): Check {
  return { check, state: "ok", finding, advice: null };
}

function bad(check: string, finding: string, advice: string): Check {
  return { check, state: "fail", finding, advice };
}

function failed(check: string, { code, path, message, hint }: Problem): Check {
  return bad(check, `${path}: ${message} (${code})`, hint ?? "see baton journal verify");
}

/* What `baton doctor` says of agent programs: which are set up in a project, and whether what they call is there. */

/** What of ours is in a program's settings. */
interface Standing {
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
  /** Why the program loads nothing of the file; null: it loads it. */
  readonly unread: Problem | null;
}

/** A check for each program that is set up in the project at `root` (null: there is none), or one that says that none is. */
function examinePrograms(config: Config, root: string | null, team: string | null = null): readonly Check[] {
  const checks = root === null ? [] : hookPrograms.flatMap((program) => programCheck(config, root, program) ?? []);
  if (checks.length > 0) return checks;
  const elsewhere =
    team === null || team === root ? [] : hookPrograms.filter((each) => programCheck(config, team, each));
  if (root !== null && team !== null && elsewhere.length > 0) {
    const titles = elsewhere.map((each) => programFacts[each].title).join(", ");
    const finding = `${titles}: set up in ${team}, and not in this worktree, so no hook asks Baton here`;
    return [
      check("programs", "warn", finding, `run baton install ${elsewhere.join("|")} here, or commit the settings`),
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

/** The hooks and the server of the program in the project's settings. */
export function installedHooks(root: string, program: HookProgram): InstalledHooks {
  const found = programFacts[program].files.flatMap((facts) => {
    const standing = standingIn(root, program, facts);
    return standing.ok ? [standing.value] : [];
  });
  const server = found.find((each) => each.server !== null)?.server ?? null;
  return { program, hooks: found.flatMap((each) => each.hooks), server };
}

function programCheck(config: Config, root: string, program: HookProgram): Check | null {
  const found: Standing[] = [];
  for (const facts of programFacts[program].files) {
    const standing = standingIn(root, program, facts);
    // What cannot be read may be valid for the program: it is reported, but is no failure of Baton.
    if (!standing.ok) {
      const { path, message, hint } = standing.error;
      return { check: program, state: "warn", finding: `${path}: ${message}`, advice: hint ?? null };
    }
    found.push(standing.value);
  }
  const events = found.flatMap((each) => each.events);
  const hasServer = found.some((each) => each.hasServer);
  if (events.length === 0 && !hasServer) return null;
  const [unread] = found.flatMap((each) => each.unread ?? []);
  if (unread !== undefined) {
    const { path, message, hint } = unread;
    return { check: program, state: "fail", finding: `${path}: ${message}`, advice: hint ?? null };
  }
  const again = `run: baton install ${program} (it replaces Baton's own entries, nothing else)`;
  const missing = found.flatMap(({ words }) => words).find((path) => !existsSync(path));
  if (missing !== undefined)
    return {
      check: program,
      state: "fail",
      finding: `its settings call ${missing}, which is not there`,
      advice: again,
    };
  const unasked = hookEvents[program].map(({ name }) => name).filter((name) => !events.includes(name));
  const lacking = [...unasked, ...(hasServer ? [] : ["the MCP server"])];
  if (lacking.length > 0)
    return { check: program, state: "warn", finding: `its settings lack ${lacking.join(", ")}`, advice: again };
  const outdated = found.flatMap((each) => each.outdated);
  if (outdated.length > 0)
    return {
      check: program,
      state: "warn",
      finding: `its hooks ${outdated.join(", ")} name other tools than this version of Baton must see`,
      advice: again,
    };
  const { open } = programFacts[program];
  const finding = `hooks and the MCP server are installed; ${open}`;
  return (program === "codex" ? reviewCheck(config, found) : null) ?? good(program, finding);
}

/** Hooks that Codex skips because nobody has reviewed them; null: none. */
function reviewCheck(config: Config, found: readonly Standing[]): Check | null {
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

function standingIn(root: string, program: HookProgram, { path, holds }: SettingsFile): Result<Standing, Problem> {
  const read = readSettings(root, path);
  if (!read.ok) return read;
  const file = join(root, path);
  const none: Standing = {
    events: [],
    outdated: [],
    hasServer: false,
    server: null,
    words: [],
    file,
    hooks: [],
    unread: null,
  };
  if (read.value === null) return ok(none);
  if (!holds.includes("server block")) {
    const own = ownEntries(read.value, program, file);
    if (!own.ok) return own;
    const events = own.value.flatMap(({ event }) => event ?? []);
    const [server = null] = own.value.flatMap(({ kind, value }) =>
      kind === "server" && isJsonObject(value) ? [value] : [],
    );
    const hasServer = server !== null;
    const outdated = own.value.flatMap((entry) => (isOutdated(program, entry) ? (entry.event ?? []) : []));
    const hooks = own.value.filter(({ kind }) => kind === "hook");
    const words = own.value.flatMap((entry) => entry.words);
    return ok({
      ...none,
      events,
      outdated,
      hasServer,
      server,
      words,
      hooks,
      unread: unreadBy(program, read.value, file),
    });
  }
  const pairs = blockPairs(read.value, file);
  if (!pairs.ok) return pairs;
  if (pairs.value === null) return ok(none);
  const args = saidBy(pairs.value, "args");
  const command = saidBy(pairs.value, "command");
  const server = { command, args: isJsonList(args) ? args : [] };
  const words = ownServerWords(server);
  return ok({ ...none, hasServer: words !== null, server: words === null ? null : server, words: words ?? [] });
}

/** Whether a hook of ours asks for other tools than it would if it was written now. One among others' is left alone. */
function isOutdated(program: HookProgram, { event, value }: OwnEntry): boolean {
  const wanted = hookEvents[program].filter(({ name }) => name === event);
  if (wanted.length === 0 || !isJsonObject(value) || !isJsonList(value.hooks)) return false;
  const [handler = null] = value.hooks;
  const by = isJsonObject(handler) && isOwnCall(handler) ? "call" : "command";
  return !wanted.some((each) => each.matcher === (value.matcher ?? null) && each.by === by);
}

/** What Baton writes into TOML is JSON, too. */
function saidBy(pairs: ReadonlyMap<string, string>, key: string): Json {
  const parsed = parseBounded(pairs.get(key) ?? "null");
  return parsed.ok ? parsed.value : null;
}

/* What `baton doctor` says of the place: where team and state lie, and what an older Baton or a commit has left. */

/** The checks of a place that was found; nothing is changed. */
async function examineState(call: PlaceCall, place: Place): Promise<readonly Check[]> {
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
        ? "inside .git, where no commit can put a file"
        : "there is no repository, so it is in .baton/";
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

/** What is at the place where an older Baton kept its journal. */
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
