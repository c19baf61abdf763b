/**
 * The agent programs as they are installed for these tests: the executables of the versions that agent-programs.txt
 * names. Without them the tests are skipped.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HookProgram } from "../../src/messages/program-hooks.ts";

const home = join(import.meta.dirname, "../..");
const folder = process.env.BATON_AGENT_PROGRAMS ?? join(home, ".tmp/agent-programs");
const platform = `${process.platform}-${process.arch}`;

const packages: Readonly<Record<HookProgram, string>> = {
  "claude-code": "@anthropic-ai/claude-code",
  codex: "@openai/codex",
  gemini: "@google/gemini-cli",
};

/** The words that start each program, without a wrapper around it. */
export function programWords(program: HookProgram): readonly string[] {
  const modules = join(folder, "node_modules");
  if (program === "gemini") return [process.execPath, join(modules, packages.gemini, "bundle/gemini.js")];
  if (program === "claude-code") return [join(modules, `${packages[program]}-${platform}`, "claude")];
  const triple = process.arch === "arm64" ? "aarch64" : "x86_64";
  return [join(modules, `${packages.codex}-${platform}/vendor/${triple}-unknown-linux-musl/bin/codex`)];
}

/** The options of a test that needs these programs: skipped where one is missing or has another version. */
export function needs(...programs: readonly HookProgram[]): { readonly skip: string | false } {
  const missing = programs.filter((program) => installedVersion(program) !== wantedVersion(program));
  if (missing.length === 0) return { skip: false };
  const names = missing.map((program) => `${packages[program]} ${wantedVersion(program)}`).join(", ");
  return { skip: `scripts/setup-agent-programs.sh has not installed ${names}` };
}

/** The version that agent-programs.txt names. */
export function wantedVersion(program: HookProgram): string {
  const lines = readFileSync(join(home, "scripts/agent-programs.txt"), "utf8").split("\n");
  return lines.find((line) => line.startsWith(`${packages[program]} `))?.split(" ")[1] ?? "";
}

function installedVersion(program: HookProgram): string | null {
  const path = join(folder, "node_modules", packages[program], "package.json");
  const isThere = existsSync(path) && existsSync(programWords(program).at(-1) ?? "");
  return isThere ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : null; // as npm writes it
}
