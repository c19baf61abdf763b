/**
 * Which of Baton's hooks Codex runs: it runs a hook only after its user has reviewed it, keeps that by the file, the event
 * and the hook's place in it, and says nothing where it skips one. Baton only looks. Source: `codex app-server`,
 * hooks/list.
 */
import { join } from "node:path";
import { parseBounded } from "../../base/json.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import type { Config } from "../../perform/workspace/config.ts";
import type { OwnEntry } from "./program-entries.ts";

/** More than anybody's settings. */
const bytesMax = 4 * 1024 * 1024;

/**
 * The events of these hooks in `file` that Codex skips; null: its own settings cannot be read, so it is not known. A hook
 * that was changed after its review is skipped, too, which is not seen here.
 */
export function skippedByCodex(config: Config, file: string, hooks: readonly OwnEntry[]): readonly string[] | null {
  const folder = config.codexHome;
  if (folder === null) return null;
  const read = readPlainFile(join(folder, "config.toml"), bytesMax);
  if (!read.ok) return null;
  const stated = read.value === null ? [] : statesIn(read.value.text);
  const isReviewed = (key: string) =>
    stated.some((each) => each.key === key && each.name === "trusted_hash") &&
    !stated.some((each) => each.key === key && each.name === "enabled" && each.value === "false");
  return hooks.flatMap(({ event, path }) => {
    // The path of a whole group ends with its number, that of one handler among others with both.
    const [, , group = 0, , handler = 0] = path;
    return event === null || isReviewed(`${file}:${spelled(event)}:${group}:${handler}`) ? [] : [event];
  });
}

interface Stated {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

/** What the settings say of single hooks, in the tables that Codex writes. */
function statesIn(text: string): readonly Stated[] {
  let key: string | null = null;
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.startsWith("[")) {
      const [, quoted = null] = /^\[hooks\.state\.("(?:[^"\\]|\\.)*")\]/.exec(line) ?? [];
      const read = parseBounded(quoted ?? "null");
      key = read.ok && typeof read.value === "string" ? read.value : null;
      return [];
    }
    const at = line.indexOf("=");
    return key === null || at < 0 ? [] : [{ key, name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }];
  });
}

/** `PreToolUse` as `pre_tool_use`. */
function spelled(event: string): string {
  return event.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
