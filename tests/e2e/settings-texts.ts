/** Projects in which agent programs are set up, and their settings files. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folder } from "./command.ts";

/** The command as people install it. */
export const launcher = join(import.meta.dirname, "../..", "bin/baton.js");

/** A project: a folder that a repository begins in. */
export function project(): string {
  const directory = folder();
  mkdirSync(join(directory, ".git"));
  return directory;
}

/** Writes a file of a project, with its folders. */
export function put(directory: string, path: string, text: string): string {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** What the tests look at of settings that they know to be such. */
interface Settings {
  readonly hooks: { readonly [event: string]: readonly Group[] };
  readonly permissions?: unknown;
  readonly sandbox?: unknown;
  mcpServers?: { baton: unknown };
}

interface Handler {
  readonly type: string;
  readonly command?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly input?: Readonly<Record<string, string>>;
  readonly onFailure?: string;
  readonly timeout?: number;
  readonly asyncRewake?: boolean;
}

interface Group {
  readonly matcher?: string;
  readonly hooks: Handler[];
}

/** The groups of one event. */
export function groupsOf(settings: Settings, event: string): readonly Group[] {
  return settings.hooks[event] ?? assert.fail(`no hooks for ${event}`);
}

/** Settings that Baton wrote. */
export const read = (directory: string, path: string): Settings =>
  JSON.parse(readFileSync(join(directory, path), "utf8")) as Settings;
