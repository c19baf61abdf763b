/** The session of a program with which an agent goes on: its last one, as long as the program still keeps it. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { codexFile } from "./codex-rollouts.ts";

/**
 * The words by which the program goes on with the agent's last session; none: there was none, the program keeps it no more,
 * or takes no id (Gemini CLI). `folder`: that of the sessions.
 */
export function goingOnWords(
  call: Pick<Call, "config">,
  { folder, program, agent }: { readonly folder: string; readonly program: HookProgram; readonly agent: string },
): readonly string[] {
  const id = lastOf(folder, program, agent);
  if (id === null) return [];
  if (program === "claude-code") return isKeptByClaude(call, id) ? ["--resume", id] : [];
  return program === "codex" && codexFile(call, id) !== null ? ["resume", id] : [];
}

/** The id of the last session that was bound to the agent. */
function lastOf(folder: string, program: HookProgram, agent: string): string | null {
  try {
    const start = `${program}-`;
    const found = readdirSync(folder).flatMap((name) => {
      const id = name.startsWith(start) ? name.slice(start.length) : "";
      const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
      const file = join(folder, name);
      return isId && readFileSync(file, "utf8") === agent ? [{ id, atMs: statSync(file).mtimeMs }] : [];
    });
    return found.toSorted((a, b) => b.atMs - a.atMs)[0]?.id ?? null;
  } catch {
    // No session has been seen here, or its note has just gone.
    return null;
  }
}

/** Claude Code keeps the sessions of each folder apart. */
function isKeptByClaude({ config }: Pick<Call, "config">, id: string): boolean {
  const { CLAUDE_CONFIG_DIR: named = "" } = config.environment();
  const projects = join(named || join(config.home ?? "", ".claude"), "projects");
  try {
    return readdirSync(projects).some((project) => existsSync(join(projects, project, `${id}.jsonl`)));
  } catch {
    // It keeps none.
    return false;
  }
}
