/**
 * Which of Baton's hooks Codex runs: it runs a hook only after its user has reviewed it, and says nothing where it skips one
 * that nobody reviewed, or that has changed since. Baton only asks. Source: `codex app-server`, hooks/list.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { askCodex } from "./codex-server.ts";
import { findProgram } from "./plugins.ts";

/** A hook as Codex lists it. */
export interface CodexHook {
  readonly key: string;
  readonly event: string;
  /** The plugin that brings it; null: settings do. */
  readonly plugin: string | null;
  /** Such as `trusted`, `untrusted`, `modified`. */
  readonly review: string;
  readonly isEnabled: boolean;
}

/** The hooks that Codex finds in the project, with further words on its line; null: it is not there, or does not answer. */
export async function codexHooks(
  config: Config,
  directory: string,
  words: readonly string[],
): Promise<readonly CodexHook[] | null> {
  const environment = config.environment();
  const found = findProgram("codex", environment);
  if (!found.ok) return null;
  const asked = { program: [...found.value, ...words], environment, directory };
  const listed = await askCodex(asked, (ask) => ask("hooks/list", { cwds: [directory] }));
  const [place] = listed !== null && isJsonList(listed.data) ? listed.data : [];
  if (!isJsonObject(place) || !isJsonList(place.hooks)) return null;
  return place.hooks.filter(isJsonObject).map(hookOf);
}

function hookOf({ key, eventName, pluginId, trustStatus, enabled }: JsonObject): CodexHook {
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
  const plugin = typeof pluginId === "string" ? pluginId : null;
  return { key: text(key), event: text(eventName), plugin, review: text(trustStatus), isEnabled: enabled !== false };
}

/** Which of Baton's hooks it skips, and what to do; null: it runs them. */
export function skipped(hooks: readonly CodexHook[]): { readonly finding: string; readonly advice: string } | null {
  if (hooks.length === 0)
    return {
      finding: "Codex runs none of Baton's hooks: nothing protects files",
      advice: "see whether its config.toml says hooks = false or plugins = false under [features]",
    };
  const own = hooks.filter(({ review, isEnabled }) => review !== "trusted" || !isEnabled);
  const events = own.map(({ event, review }) => (review === "modified" ? `${event} (changed since)` : event));
  if (events.length === 0) return null;
  return {
    finding: `Codex skips ${[...new Set(events)].join(", ")}: nothing protects files`,
    advice: "start codex, type /hooks, and review Baton's, once for all projects",
  };
}
