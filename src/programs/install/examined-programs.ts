/** What `baton doctor` says of agent programs: in which Baton's plugin is on, and whether what it calls is heeded. */

import { type HookProgram, hookPrograms } from "../../messages/program-hooks.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { programOnPath } from "../../perform/workspace/program-path.ts";
import { isPluginOn, pluginId } from "./plugins.ts";
import { programFacts } from "./program-settings.ts";
import { hooksOff } from "./program-switches.ts";
import { codexHooks, skipped } from "./reviewed-hooks.ts";
import { oldSettings } from "./settings-text.ts";

/** One thing looked at. */
export interface Check {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly finding: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}

/** A check for each program that loads Baton in the project at `root` (null: there is none), or one that none does. */
export async function examinePrograms(config: Config, root: string | null): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const program of root === null ? [] : hookPrograms) {
    const found = await programCheck(config, root ?? "", program);
    if (found !== null) checks.push(found);
  }
  if (checks.length > 0) return checks;
  const finding = "no agent program has Baton's plugin here; baton run needs none";
  return [
    { check: "programs", state: "ok", finding, advice: "let those that you start yourself ask Baton: baton install" },
  ];
}

/** What doctor says of the program in the project at `root`; null: nothing of Baton is in it. */
export async function programCheck(config: Config, root: string, program: HookProgram): Promise<Check | null> {
  const said = (state: Check["state"], finding: string, advice: string | null): Check => {
    return { check: program, state, finding, advice };
  };
  const install = `run: baton install ${program}`;
  const old = oldSettings(config, program, root);
  if (!old.ok) return said("warn", `${old.error.path}: ${old.error.message}`, old.error.hint ?? null);
  const [first] = old.value;
  if (first !== undefined)
    return said(
      "warn",
      `an older Baton's hooks are in ${first.file}`,
      `${install}, which takes them out, or baton uninstall`,
    );
  if (!isPluginOn(config, program, root)) return null;
  if (programOnPath(["baton"], config.environment().PATH ?? "") === null)
    return said("fail", "its plugin calls baton, which is not on your PATH", "put it there, or run: baton uninstall");
  const off = hooksOff(config, program, root);
  if (off !== null) return said("warn", off.finding, off.advice);
  if (program === "codex") {
    const hooks = await codexHooks(config, root, []);
    const own = hooks?.filter(({ plugin }) => plugin === pluginId) ?? null;
    if (own === null)
      return said("warn", "Codex does not say whether its hooks were reviewed", "run codex once, and type /hooks");
    const found = skipped(own);
    if (found !== null) return said("warn", found.finding, found.advice);
  }
  return said("ok", `the plugin is on; ${programFacts[program].open}`, null);
}
