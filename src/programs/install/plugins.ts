/**
 * Baton's plugin in each agent program: the program's own commands that put it in and take it out, and whether it is on in a
 * project. The plugin is in the package, and names the command `baton`. Source: docs/protocol/doors.md, section 7.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isJsonList, isJsonObject, type JsonObject } from "../../base/json.ts";
import { settingsBytesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type HookProgram, serverName } from "../../messages/program-hooks.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { packageFacts } from "../../perform/workspace/package-root.ts";
import { isExecutable, programOnPath } from "../../perform/workspace/program-path.ts";
import { programFacts } from "./program-settings.ts";
import { settingsIn } from "./settings-text.ts";

/** What programs call the plugin: its name and that of the marketplace, which is the package. */
export const pluginId = `${serverName}@${serverName}`;

/** The words after the program's name that put the plugin in, in their order. */
export function addingWords(program: HookProgram): readonly (readonly string[])[] {
  const folder = join(packageFacts().root, "plugins");
  switch (program) {
    case "claude-code":
      return [
        ["plugin", "marketplace", "add", folder],
        ["plugin", "install", pluginId, "--scope", "project"],
      ];
    case "codex":
      return [
        ["plugin", "marketplace", "add", folder],
        ["plugin", "add", pluginId],
      ];
    case "gemini":
      return [
        ["extensions", "install", join(folder, "gemini"), "--consent"],
        ["extensions", "disable", serverName, "--scope", "user"],
        ["extensions", "enable", serverName, "--scope", "workspace"],
      ];
  }
}

/** The words that take it out. */
export function removingWords(program: HookProgram): readonly (readonly string[])[] {
  switch (program) {
    case "claude-code":
      return [["plugin", "uninstall", pluginId, "--scope", "project"]];
    case "codex":
      return [
        ["plugin", "remove", pluginId],
        ["plugin", "marketplace", "remove", serverName],
      ];
    case "gemini":
      return [["extensions", "uninstall", serverName]];
  }
}

/**
 * The words that take out what no project needs any more: Claude Code lists the package until somebody takes it off. Where
 * another project has the plugin it still needs that list.
 */
export function clearingWords({ home }: Pick<Config, "home">, program: HookProgram): readonly (readonly string[])[] {
  if (program !== "claude-code" || home === null) return [];
  const plugins = join(home, ".claude/plugins");
  const installed = settingsOf(join(plugins, "installed_plugins.json"), program).plugins;
  const isNeeded = isJsonObject(installed) && installed[pluginId] !== undefined;
  const isListed = settingsOf(join(plugins, "known_marketplaces.json"), program)[serverName] !== undefined;
  return isListed && !isNeeded ? [["plugin", "marketplace", "remove", serverName]] : [];
}

/** Longer than any of these commands takes on a busy machine. */
const commandMsMax = 120_000;

/** Runs one of the program's commands in the project. Refuses `settings-file` what the program refuses, with its words. */
export function runProgram(
  config: Config,
  program: HookProgram,
  { words, root }: { readonly words: readonly string[]; readonly root: string },
): Problem | null {
  const found = findProgram(program, config.environment());
  if (!found.ok) return found.error;
  const [file = "", ...first] = found.value;
  // Gemini CLI asks whether it may read the package's folder: who installs from it has said so.
  const options = {
    cwd: root,
    env: config.environment(),
    encoding: "utf8",
    input: "y\n",
    timeout: commandMsMax,
  } as const;
  const { status, stdout, stderr, error } = spawnSync(file, [...first, ...words], options);
  if (status === 0) return null;
  const said = status === null ? (error?.message ?? "it was ended") : `${stderr}\n${stdout}`.trim().slice(-1_000);
  const line = [programFacts[program].command, ...words].join(" ");
  return makeProblem("settings-file", line, `${programFacts[program].title} did not do this: ${said}`, {
    hint: "Run the line yourself to see more; baton run needs no plugin.",
  });
}

/** Whether the program loads the plugin in the project at `root`, as far as its settings say. */
export function isPluginOn(
  { home, codexHome }: Pick<Config, "home" | "codexHome">,
  program: HookProgram,
  root: string,
): boolean {
  switch (program) {
    case "claude-code": {
      const files = [".claude/settings.local.json", ".claude/settings.json"].map((path) => join(root, path));
      const user = home === null ? [] : [join(home, ".claude/settings.json")];
      const said = [...files, ...user].map((file) => settingsOf(file, program).enabledPlugins);
      // The file that is nearer to the work decides.
      const words = said.flatMap((each) =>
        isJsonObject(each) && typeof each[pluginId] === "boolean" ? [each[pluginId]] : [],
      );
      return words[0] === true;
    }
    case "codex": {
      const text = codexHome === null ? "" : textOf(join(codexHome, "config.toml"));
      const [, table = ""] = text.split(`[plugins."${pluginId}"]`);
      return (table.split("\n[")[0] ?? "").split("\n").some((line) => line.replaceAll(" ", "") === "enabled=true");
    }
    case "gemini": {
      const folder = join(home ?? "", ".gemini/extensions");
      if (home === null || textOf(join(folder, serverName, "gemini-extension.json")) === "") return false;
      const own = settingsOf(join(folder, "extension-enablement.json"), program)[serverName];
      const overrides = isJsonObject(own) && isJsonList(own.overrides) ? own.overrides : [];
      // The last one that fits decides; without one it is on.
      const fits = (rule: string) => `${root}/`.startsWith(rule.replace(/^!/, "").replace(/\*$/, ""));
      const last = overrides.findLast((rule) => typeof rule === "string" && fits(rule));
      return typeof last !== "string" || !last.startsWith("!");
    }
  }
}

function settingsOf(file: string, program: HookProgram): JsonObject {
  const read = settingsIn(textOf(file) || "{}", program, file);
  return read.ok ? read.value : {};
}

/** What the file says, also behind a link; nothing where it is not there or may not be read: no program reads it then. */
function textOf(file: string): string {
  try {
    return statSync(file).size > settingsBytesMax ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The words that start the program: the file itself, or Node and a script that needs it. */
export function findProgram(
  program: HookProgram,
  { PATH = "" }: Readonly<Record<string, string>>,
): Result<readonly string[], Problem> {
  const { command: name, title, packageName } = programFacts[program];
  const file = programOnPath([name], PATH);
  if (file === null) {
    const hint = `install it, for example with npm install -g ${packageName}, or put the folder of ${name} on PATH`;
    return err(makeProblem("not-found", name, `${title} is not on the PATH: there is no program ${name}.`, { hint }));
  }
  const start = firstLine(file);
  // With the Node that runs Baton, which is new enough wherever the script is called from.
  if (/^#!.*\bnode\b/.test(start)) return ok([process.execPath, realpathSync(file)]);
  if (start.startsWith("#!")) {
    const [interpreter = "", ...words] = start.slice(2).trim().split(/\s+/, 2);
    if (isExecutable(interpreter)) return ok([interpreter, ...words, file]);
  } else if (/^(?:\x7fELF|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe)/.test(start)) return ok([file]);
  return err(
    makeProblem("not-found", file, `${title} cannot be started: ${file} is no program of this machine.`, {
      hint: `install it again, with the scripts of its package: npm install -g ${packageName}`,
    }),
  );
}

/** Its first line, as far as a line that names an interpreter goes. */
function firstLine(file: string): string {
  const bytes = Buffer.alloc(256);
  const opened = openSync(file, "r");
  try {
    const [line = ""] = bytes.toString("latin1", 0, readSync(opened, bytes)).split("\n", 1);
    return line;
  } finally {
    closeSync(opened);
  }
}
