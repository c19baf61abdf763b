/** Where the files of a handoff document lie: the root that its paths start from. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { OptionFacts } from "../kernel/arguments.ts";
import type { Call } from "../kernel/command.ts";
import { findUpwards, findWorkspace } from "../place/workspace.ts";

/** The option of the commands that look at files. */
export const rootOption: OptionFacts = {
  name: "root",
  kind: "text",
  value: "DIR",
  summary: "where its paths start (default: the root of the repository around you)",
};

/** The folder that is named, else the working tree around this one, else that with `.baton/`, else this one. Absolute. */
export function rootOf({ given, config }: Call): string {
  const named = given.text("root");
  if (named !== undefined) return resolve(config.directory, named);
  return rootAround(config.directory);
}

/** The working tree around a folder, else the one with `.baton/`, else the folder itself. Absolute. */
export function rootAround(directory: string): string {
  return findUpwards(directory, ".git", existsSync) ?? findWorkspace(directory)?.root ?? directory;
}
