/** What `baton doctor` says of agent programs: which are set up in a project, and whether what they call is there. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonList, isJsonObject, type Json, parseBounded } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type HookProgram, hookEvent, hookEvents, hookPrograms } from "../../message/program-hooks.ts";
import type { Check } from "./examination.ts";
import { blockPairs } from "./program-block.ts";
import { type OwnEntry, ownEntries } from "./program-entries.ts";
import { ownServerWords, programFacts, type SettingsFile } from "./program-settings.ts";
import { readSettings } from "./settings-file.ts";

/** What of ours stands in a program's settings. */
interface Standing {
  /** The events of the hooks. */
  readonly events: readonly string[];
  /** Those of them that the program asks for other tools than it should. */
  readonly outdated: readonly string[];
  readonly hasServer: boolean;
  /** The words that start Baton, from every line. */
  readonly words: readonly string[];
}

/** A check for each program that is set up in the project at `root` (null: there is none), or one that says that none is. */
export function examinePrograms(root: string | null): readonly Check[] {
  const checks = root === null ? [] : hookPrograms.flatMap((program) => programCheck(root, program) ?? []);
  if (checks.length > 0) return checks;
  const advice = `let one ask Baton: baton install ${hookPrograms.join("|")}`;
  return [{ check: "programs", state: "ok", finding: "no agent program is set up here", advice }];
}

function programCheck(root: string, program: HookProgram): Check | null {
  const found: Standing[] = [];
  for (const facts of programFacts[program].files) {
    const standing = standingIn(root, program, facts);
    // What cannot be read may be sound for the program: that is told, and is no fault of what Baton is here for.
    if (!standing.ok) {
      const { path, message, hint } = standing.error;
      return { check: program, state: "warn", finding: `${path}: ${message}`, advice: hint ?? null };
    }
    found.push(standing.value);
  }
  const events = found.flatMap((each) => each.events);
  const hasServer = found.some((each) => each.hasServer);
  if (events.length === 0 && !hasServer) return null;
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
  return { check: program, state: "ok", finding: "hooks and the MCP server stand", advice: null };
}

function standingIn(root: string, program: HookProgram, { path, holds }: SettingsFile): Result<Standing, Problem> {
  const read = readSettings(root, path);
  if (!read.ok) return read;
  const file = join(root, path);
  if (read.value === null) return ok({ events: [], outdated: [], hasServer: false, words: [] });
  if (!holds.includes("server block")) {
    const own = ownEntries(read.value, program, file);
    if (!own.ok) return own;
    const events = own.value.flatMap(({ event }) => event ?? []);
    const hasServer = own.value.some(({ event }) => event === null);
    const outdated = own.value.flatMap((entry) => (isOutdated(program, entry) ? (entry.event ?? []) : []));
    return ok({ events, outdated, hasServer, words: own.value.flatMap(({ words }) => words) });
  }
  const pairs = blockPairs(read.value, file);
  if (!pairs.ok) return pairs;
  if (pairs.value === null) return ok({ events: [], outdated: [], hasServer: false, words: [] });
  const args = saidBy(pairs.value, "args");
  const command = saidBy(pairs.value, "command");
  const words = ownServerWords({ command, args: isJsonList(args) ? args : [] });
  return ok({ events: [], outdated: [], hasServer: words !== null, words: words ?? [] });
}

/** Whether a hook of ours asks for other tools than it would if it was written now. One among others' is left alone. */
function isOutdated(program: HookProgram, { event, value }: OwnEntry): boolean {
  const wanted = event === null ? null : hookEvent(program, event);
  if (wanted === null || !isJsonObject(value) || !isJsonList(value.hooks)) return false;
  return (value.matcher ?? null) !== wanted.matcher;
}

/** What Baton writes into TOML is JSON, too. */
function saidBy(pairs: ReadonlyMap<string, string>, key: string): Json {
  const parsed = parseBounded(pairs.get(key) ?? "null");
  return parsed.ok ? parsed.value : null;
}
