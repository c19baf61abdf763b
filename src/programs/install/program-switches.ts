/** Whether a program's settings switch all hooks off. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json } from "../../base/json.ts";
import { settingsBytesMax } from "../../base/limits.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { programFacts } from "./program-settings.ts";
import { settingsIn } from "./settings-text.ts";

/** What is off, and what to do. */
interface Switched {
  readonly finding: string;
  readonly advice: string;
}

/** The switch of all hooks; `offBy`: the value that switches them off. */
interface HookSwitch {
  readonly key: readonly string[];
  readonly offBy: boolean;
  /** Of the project, what counts before the rest first; the user's file of the same path in the home folder is last. */
  readonly project: readonly string[];
  readonly user: string;
}

const hookSwitches: Readonly<Partial<Record<HookProgram, HookSwitch>>> = {
  "claude-code": {
    key: ["disableAllHooks"],
    offBy: true,
    project: [".claude/settings.local.json", ".claude/settings.json"],
    user: ".claude/settings.json",
  },
  gemini: {
    key: ["hooksConfig", "enabled"],
    offBy: false,
    project: [".gemini/settings.json"],
    user: ".gemini/settings.json",
  },
};

/** That the program's settings switch all hooks off; null: they do not. */
export function hooksOff({ home }: Pick<Config, "home">, program: HookProgram, root: string): Switched | null {
  const found = hookSwitches[program];
  if (found === undefined) return null;
  const { key, offBy, project, user } = found;
  const files = [...project.map((path) => join(root, path)), ...(home === null ? [] : [join(home, user)])];
  for (const file of files) {
    const value = key.reduce<Json>((at, name) => (isJsonObject(at) ? (at[name] ?? null) : null), said(file, program));
    if (typeof value !== "boolean") continue;
    // The file that is nearer to the work decides.
    if (value !== offBy) return null;
    const finding = `hooks are switched off in ${file}: nothing protects files`;
    return { finding, advice: `in ${file}, remove ${key.join(".")}, then start ${programFacts[program].title} again` };
  }
  return null;
}

/** What the file says, also behind a link, as the program reads it; null: there is none, or the program reads none. */
function said(file: string, program: HookProgram): Json {
  try {
    if (statSync(file).size > settingsBytesMax) return null;
    const settings = settingsIn(readFileSync(file, "utf8"), program, file);
    return settings.ok ? settings.value : null;
  } catch {
    // It is not there, or may not be read: then it switches nothing off that could be known here.
    return null;
  }
}
