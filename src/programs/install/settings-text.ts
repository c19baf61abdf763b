/** The settings of a program as it reads them, and what an older `baton install` has written into those of a project. */
import { existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { settingsBytesMax, settingsDepthMax } from "../../base/limits.ts";
import { reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type HookProgram, hookTool, programTitles, serverName } from "../../messages/program-hooks.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { findUpwards, mainWorktree } from "../../perform/workspace/workspace.ts";

/** An error of a settings file. */
export function settingsProblem(
  file: string,
  message: string,
  hint = "Correct the file by hand, then run the command again.",
): Problem {
  return makeProblem("settings-file", file, message, { hint });
}

/** The nearest folder upwards that has a repository or a `.baton/`; null: none has. */
export function nearestProject(from: string): string | null {
  return findUpwards(from, "", (path) => [".git", ".baton"].some((name) => existsSync(join(path, name))));
}

/** Settings as a file that Baton writes has them. */
export function settingsText(settings: JsonObject): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

const limits = { bytesMax: settingsBytesMax, depthMax: settingsDepthMax, nodesMax: settingsBytesMax };

/** What the settings file says, as the program reads it. Refuses `settings-file` what the program cannot read. */
export function settingsIn(text: string, program: HookProgram, file: string): Result<JsonObject, Problem> {
  const bare = text.replace(/^\ufeff/, "");
  const parsed = parseBounded(program === "gemini" ? withoutComments(bare) : bare, limits);
  if (parsed.ok && isJsonObject(parsed.value)) return ok(parsed.value);
  const why = parsed.ok ? "This is no object." : parsed.error.message;
  return err(settingsProblem(file, `${programTitles[program]} loads nothing of this file: ${why}`));
}

/** JSON without the comments and last commas that Gemini CLI reads. */
function withoutComments(text: string): string {
  const bare = text.replaceAll(
    /("(?:[^"\\]|\\[\s\S])*"?)|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g,
    (_, string?: string) => string ?? " ",
  );
  return bare.replaceAll(
    /("(?:[^"\\]|\\[\s\S])*"?)|,(\s*)([}\]])?/g,
    (whole: string, _string: string | undefined, blank: string | undefined, close: string | undefined) =>
      close === undefined ? whole : `${blank ?? ""}${close}`,
  );
}

/* What an older Baton wrote into a project's settings, and into those of Codex's user. */

const oldPlaces: Readonly<Record<HookProgram, readonly string[]>> = {
  "claude-code": [".claude/settings.json", ".mcp.json"],
  codex: [".codex/hooks.json", ".codex/config.toml"],
  gemini: [".gemini/settings.json"],
};

/** A file with what an older Baton wrote, and its text without that; null: nothing else is in it. */
export interface OldSettings {
  readonly file: string;
  readonly after: string | null;
}

/** The files in which hooks or servers of an older Baton are, for the project at `root`. Refuses `settings-file`. */
export function oldSettings(
  { codexHome }: Pick<Config, "codexHome">,
  program: HookProgram,
  root: string,
): Result<readonly OldSettings[], Problem> {
  const roots = program === "codex" ? [root, mainWorktree(root) ?? root] : [root];
  const users = program === "codex" && codexHome !== null ? ["hooks.json", "config.toml"] : [];
  const files = [
    ...roots.flatMap((each) => oldPlaces[program].map((path) => join(each, path))),
    ...users.map((path) => join(codexHome ?? "", path)),
  ];
  const found: OldSettings[] = [];
  for (const file of new Set(files)) {
    const facts = lstatSync(file, { throwIfNoEntry: false });
    // What Baton wrote is a plain file.
    if (facts?.isFile() !== true || facts.size > settingsBytesMax) continue;
    const text = readFileSync(file, "utf8");
    if (!text.includes(serverName)) continue;
    const after = file.endsWith(".toml") ? ok(withoutBlock(text)) : withoutOwn(text, program, file);
    if (!after.ok) return after;
    if (after.value !== text) found.push({ file, after: after.value });
  }
  return ok(found);
}

/** Takes it out. Refuses `settings-file` what cannot be written. */
export function takeOut({ file, after }: OldSettings): Problem | null {
  try {
    if (after === null) rmSync(file);
    else replacePlainFile(file, after);
    return null;
  } catch (cause) {
    return settingsProblem(
      file,
      `This could not be written: ${reasonOf(cause)}`,
      "See who may write there, then run it again.",
    );
  }
}

/** TOML without the lines from one mark to the other. */
function withoutBlock(text: string): string | null {
  const lines = text.split("\n");
  const [begin, end] = ["# baton begin", "# baton end"].map((mark) => lines.findIndex((line) => line.startsWith(mark)));
  if (begin === undefined || end === undefined || begin < 0 || end < begin) return text;
  const left = lines.toSpliced(begin, end - begin + 1).join("\n");
  return left.trim() === "" ? null : left;
}

function withoutOwn(text: string, program: HookProgram, file: string): Result<string | null, Problem> {
  const read = settingsIn(text, program, file);
  // What the program itself does not read has no hooks in force.
  if (!read.ok) return ok(text);
  const { hooks } = read.value;
  let left: Json | undefined = at(read.value, ["mcpServers", serverName], (value) =>
    isOwn(value) ? undefined : value,
  );
  for (const event of isJsonObject(hooks) ? Object.keys(hooks) : [])
    left = at(left, ["hooks", event], (groups) => (isJsonList(groups) ? groups.flatMap(groupLeft) : groups));
  if (JSON.stringify(left) === JSON.stringify(read.value)) return ok(text);
  for (const [path, rule] of rules) left = at(left, path, (list) => (isJsonList(list) ? list.filter(rule) : list));
  // Written anew, a file has no comments any more.
  if (withoutComments(text) !== text)
    return err(
      settingsProblem(file, "This has comments, so nothing was changed.", "Take out Baton's hooks and server by hand."),
    );
  return ok(isJsonObject(left) ? settingsText(left) : null);
}

/** What stays of each list of rules that Baton added one to. */
const rules: readonly (readonly [path: readonly string[], stays: (rule: Json) => boolean])[] = [
  [["permissions", "allow"], (rule) => rule !== `mcp__${serverName}`],
  [["permissions", "deny"], (rule) => rule !== `mcp__${serverName}__${hookTool}`],
  [
    ["sandbox", "filesystem", "denyWrite"],
    (rule) => typeof rule !== "string" || !/(\/\.git\/baton|^\.\/\.baton)$/.test(rule),
  ],
];

/** A group of hooks without Baton's. */
function groupLeft(group: Json): readonly Json[] {
  if (!isJsonObject(group) || !isJsonList(group.hooks)) return [group];
  const hooks = group.hooks.filter((each) => !isOwn(each));
  if (hooks.length === group.hooks.length) return [group];
  return hooks.length === 0 ? [] : [{ ...group, hooks }];
}

/** Whether a hook or a server is one that Baton wrote. */
function isOwn(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  if (value.type === "mcp_tool") return value.server === serverName && value.tool === hookTool;
  const words = JSON.stringify([value.command ?? "", value.args ?? []]);
  return /[\\/]bin[\\/]baton\.js/.test(words) && /\b(hook|mcp)\b/.test(words);
}

/** The value with another one at the path; what holds nothing any more goes. */
function at(
  value: Json | undefined,
  [name, ...rest]: readonly string[],
  change: (at: Json) => Json | undefined,
): Json | undefined {
  if (name === undefined) return value === undefined ? undefined : change(value);
  if (!isJsonObject(value) || value[name] === undefined) return value;
  const inner = at(value[name], rest, change);
  const { [name]: _gone, ...others } = value;
  const isEmpty =
    inner === undefined || (typeof inner === "object" && inner !== null && Object.keys(inner).length === 0);
  if (!isEmpty || JSON.stringify(inner) === JSON.stringify(value[name])) return { ...value, [name]: inner as Json };
  return Object.keys(others).length === 0 ? undefined : others;
}
