/**
 * A project for one test: a repository with a team, the agent programs set up by `baton install` as a person does it,
 * and a separate home folder, so that nothing of this machine's settings counts.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { contract } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";

/** The command as people install it. */
export const launcher = join(import.meta.dirname, "../../bin/baton.js");

export interface Project extends Disposable {
  readonly root: string;
  readonly home: string;
  /** Runs `baton` in it, which must succeed; `input` is its standard input. */
  baton(words: readonly string[], input?: string): string;
  /** Writes a file below its root. */
  write(path: string, text: string): void;
}

const teamFile = `version: 1
team: web
dialects: [vbw/2]
agents:
  lead-1: {role: lead}
  dev-1: {role: dev}
  dev-2: {role: dev}
  qa-1: {role: qa}
`;

/** A team of a lead and two developers, in which agents of such names join. */
export const teamWithRule = `version: 1
team: web
dialects: [vbw/2]
agents:
  lead-1: {role: lead}
  dev-1: {role: dev}
  dev-2: {role: dev}
names:
  - {pattern: "helper-*", role: dev, max: 4}
`;

/** A project in which these programs are installed. */
export function makeProject(...programs: readonly HookProgram[]): Project {
  // Codex's sandbox does not start what lies in the temporary folder or in memory, and Codex has its helpers in its home.
  const folder = realpathSync(mkdtempSync("/var/tmp/baton-programs-"));
  const [root, home] = [join(folder, "project"), join(folder, "home")];
  for (const each of [root, home]) mkdirSync(each);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const baton = (words: readonly string[], input = ""): string => {
    const env = bareEnvironment(home);
    const done = spawnSync(process.execPath, [launcher, ...words], { cwd: root, input, encoding: "utf8", env });
    assert.equal(done.status, 0, `baton ${words.join(" ")}\n${done.stdout}\n${done.stderr}`);
    return done.stdout;
  };
  git(root, "init", "--quiet");
  write(".baton/team.yaml", teamFile);
  write("src/feature.js", "export const feature = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "--quiet", "-m", "start");
  for (const program of programs) baton(["install", program]);
  return {
    root,
    home,
    baton,
    write,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** A plan whose task dev-2 holds with `src/feature.js`. */
export function heldByOther({ baton }: Project): void {
  baton(["send", "--as", "lead-1"], contract(["src/"], {}));
  baton(["task", "claim", "1-1-T1", "--files", "src/feature.js", "--as", "dev-2"]);
}

/** The variables that every program gets: none of this machine's settings. */
export function bareEnvironment(home: string): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color" };
}

/** Who sent what waits in the agent's inbox, the oldest first. */
export function senderOf({ baton }: Project, agent: string): readonly unknown[] {
  const lines = baton(["inbox", "--as", agent, "--json"]).trim().split("\n");
  const messages = lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line) as { sender: unknown }])); // as documented
  return messages.map(({ sender }) => sender);
}

/** What the file says; null: it is not there. */
export function readFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Deleted, which is a change too.
    return null;
  }
}
