/**
 * A company with a verifier: a hub without a clone, agents that push to a shared remote, and a verifier next to a clone of
 * it on another machine. Every machine is a separate folder with its own clone.
 */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git } from "../evidence/history.ts";
import { called } from "./called.ts";
import { type Finished, folder, jsonLines, team } from "./command.ts";
import { type HubProcess, startHub, tokenOf, towards } from "./hub-process.ts";

export interface Company {
  /** The folder of the hub, which is in no repository. */
  readonly home: string;
  readonly hub: HubProcess;
  readonly origin: string;
  /** A clone of the remote on a separate machine. */
  clone(name: string, of?: string): string;
  as(who: string, words: readonly string[], directory?: string): ReturnType<typeof called>;
  verify(name: string, clone: string, more?: readonly string[]): ReturnType<typeof called>;
  token(who: string): Promise<string>;
}

/**
 * A bare remote with one commit, a hub elsewhere, and nobody who has looked yet. `journal`: a server that has it; `more`:
 * further lines of the team file.
 */
export async function company(journal?: string, more = ""): Promise<Company> {
  const home = team({ isDeclared: true });
  appendFileSync(join(home, ".baton/team.yaml"), more);
  const options = journal === undefined ? [] : ["--journal", journal];
  const machines = folder();
  const origin = join(machines, "origin.git");
  git(machines, "init", "--quiet", "--bare", "--initial-branch=main", origin);
  const clone = (name: string, of = origin): string => {
    const directory = join(machines, name);
    git(machines, "clone", "--quiet", of, directory);
    return directory;
  };
  const first = clone("first");
  commit(first, { "README.md": "team" });
  git(first, "push", "--quiet", "origin", "HEAD:main");
  const tokens = new Map<string, string>();
  const token = async (who: string): Promise<string> => {
    const known = tokens.get(who) ?? (await tokenOf(home, who, options));
    tokens.set(who, known);
    return known;
  };
  await token("owner");
  await token("dev-1");
  await token("verifier:ci-1");
  const hub = await startHub(home, 0, options);
  const as: Company["as"] = async (who, words, directory = home) =>
    await called(directory, words, "", towards(hub, await token(who)));
  const verify: Company["verify"] = (name, directory, more = []) =>
    as(`verifier:${name}`, ["verifier", "--once", "--json", ...more], directory);
  return { home, hub, origin, clone, as, verify, token };
}

/** Writes the files and commits them; answers the commit's id. */
export function commit(directory: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  git(directory, "add", "-A");
  git(directory, "commit", "--quiet", "-m", "work");
  return git(directory, "rev-parse", "HEAD").trim();
}

/** A task, claimed and reported by dev-1 with this commit. */
export async function report({ as }: Company, task: string, file: string, id: string): Promise<void> {
  for (const [who, words] of [
    ["owner", ["task", "add", task, "--files", file]],
    ["dev-1", ["task", "claim", task]],
    ["dev-1", ["task", "complete", task, "--commit", id, "--files", file]],
  ] as const) {
    const done = await as(who, words);
    assert.equal(done.code, 0, `${words.join(" ")}\n${done.said}`);
  }
}

/** What a verifier says of each task: its state, and whether that was recorded now. */
export const states = (found: Finished) =>
  jsonLines(found).map(({ task, state, recorded }) => [task, state, recorded !== null]);

/** The task as the owner sees it. */
export async function taskOf({ as }: Company, task: string) {
  const [shown] = jsonLines(await as("owner", ["task", "list", task, "--json"]));
  assert.ok(shown !== undefined);
  return shown as {
    state: string;
    verdict: string;
    unseen?: { judge: string };
    place?: { at: string; branch: string | null };
  };
}
