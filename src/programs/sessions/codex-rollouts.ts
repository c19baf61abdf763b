/** Where Codex keeps its threads: each under the day on which the thread began. Format: the session files of Codex CLI. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../../doors/cli/kernel/command.ts";

/** Most folders of days that are looked through for a session, the latest first. */
const daysMax = 60;

/** The file of a Codex session, under the day on which it began; null: there is none. */
export function codexFile({ config }: Pick<Call, "config">, session: string | null): string | null {
  if (session === null || !/^[0-9a-f-]{36}$/.test(session)) return null;
  for (const day of latestDays(config)) {
    const name = namesIn(day).find((each) => each.startsWith("rollout-") && each.endsWith(`-${session}.jsonl`));
    if (name !== undefined) return join(day, name);
  }
  return null;
}

/** The latest first. */
function latestDays({ codexHome }: Call["config"]): readonly string[] {
  if (codexHome === null) return [];
  const below = (folders: readonly string[]) =>
    folders.flatMap((folder) =>
      namesIn(folder)
        .filter((name) => /^\d+$/.test(name))
        .toSorted((a, b) => b.localeCompare(a))
        .map((name) => join(folder, name)),
    );
  return below(below(below([join(codexHome, "sessions")]))).slice(0, daysMax);
}

/** The names in the folder; none where it cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is not there, or not for this user.
    return [];
  }
}
