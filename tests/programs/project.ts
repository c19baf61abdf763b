/**
 * A project for one test: a repository with a team, Baton's plugin in the agent programs as a person puts it there by
 * `baton install`, and a separate home folder, so that nothing of this machine's settings counts.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { programFacts } from "../../src/programs/install/program-settings.ts";
import { contract } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";
import { programWords } from "./installed.ts";

const clone = join(import.meta.dirname, "../..");

/** The command as people install it. */
export const launcher = join(clone, "bin/baton.js");

export interface Project extends Disposable {
  readonly root: string;
  readonly home: string;
  /** What its `baton` runs. */
  readonly launcher: string;
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

/** A project in which these programs have the plugin. */
export function makeProject(...programs: readonly HookProgram[]): Project {
  // Codex's sandbox does not start what lies in the temporary folder or in memory, and Codex has its helpers in its home.
  const folder = realpathSync(mkdtempSync("/var/tmp/baton-programs-"));
  const [root, home] = [join(folder, "project"), join(folder, "home")];
  for (const each of [root, home]) mkdirSync(each);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const baton = calling(root, home, launcher);
  putOnPath(home, "baton", `exec '${process.execPath}' '${launcher}' "$@"`);
  git(root, "init", "--quiet");
  write(".baton/team.yaml", teamFile);
  write("src/feature.js", "export const feature = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "--quiet", "-m", "start");
  for (const program of programs) {
    findable(home, program);
    mkdirSync(join(home, ".codex"), { recursive: true });
    baton(["install", program]);
  }
  return {
    root,
    home,
    launcher,
    baton,
    write,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The project as a newcomer has it: no team, and `baton` is the package that npm packs and installs, not this clone. */
export function newcomers(project: Project): Project {
  const { root, home } = project;
  rmSync(join(root, ".baton"), { recursive: true });
  rmSync(join(home, "bin/baton"));
  const npm = (...words: readonly string[]): string => {
    const done = spawnSync("npm", words, { cwd: home, encoding: "utf8", env: bareEnvironment(home) });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout.trim();
  };
  const packed = npm("pack", clone, "--ignore-scripts", "--silent");
  npm("install", "--global", "--prefix", home, "--offline", "--no-audit", "--no-fund", join(home, packed));
  const own = join(home, "lib/node_modules/batonhq/bin/baton.js");
  return { ...project, launcher: own, baton: calling(root, home, own) };
}

function calling(root: string, home: string, command: string): Project["baton"] {
  return (words, input = "") => {
    const env = { ...bareEnvironment(home), ...offline };
    const done = spawnSync(process.execPath, [command, ...words], { cwd: root, input, encoding: "utf8", env });
    assert.equal(done.status, 0, `baton ${words.join(" ")}\n${done.stdout}\n${done.stderr}`);
    return done.stdout;
  };
}

/** A plan whose task dev-2 holds with `src/feature.js`. */
export function heldByOther({ baton }: Project): void {
  baton(["send", "--as", "lead-1"], contract(["src/"], {}));
  baton(["task", "claim", "1-1-T1", "--files", "src/feature.js", "--as", "dev-2"]);
}

/** A command in the home folder, which is first on the PATH; the shell gives its place to it, as a link would. */
function putOnPath(home: string, name: string, line: string): void {
  mkdirSync(join(home, "bin"), { recursive: true });
  writeFileSync(join(home, "bin", name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

/** Puts the program on the PATH, under the name that people call it by. */
export function findable(home: string, program: HookProgram): void {
  const link = join(home, "bin", programFacts[program].command);
  mkdirSync(join(home, "bin"), { recursive: true });
  if (!existsSync(link)) symlinkSync(programWords(program).at(-1) ?? "", link);
}

/** The program is reached by a script of its user's, which starts it and waits for it. */
export function wrapped({ home }: Project, program: HookProgram): void {
  const name = programFacts[program].command;
  rmSync(join(home, "bin", name), { force: true });
  putOnPath(
    home,
    name,
    `${programWords(program)
      .map((word) => `'${word}'`)
      .join(" ")} "$@"\nexit $?`,
  );
}

/** Its cache has an older version of the plugin, too, as it keeps one after an update. */
export function withOlderPlugin(project: Project, program: "claude-code" | "codex"): void {
  const own = join(dirname(hooksFile(project, program)), "..");
  cpSync(own, join(own, "../0.0.1"), { recursive: true });
}

/** The command that the plugin calls is gone, as after an npm uninstall. */
export function loseBaton({ home }: Project): void {
  rmSync(join(home, "bin/baton"));
}

/** The command answers no hook before a tool until the answer is called. */
export function haltCommand({ home }: Project): () => void {
  const halted = join(home, "halted");
  writeFileSync(halted, "");
  const waits = `case "$*" in *BeforeTool*) while [ -e '${halted}' ]; do sleep 0.1; done;; esac`;
  putOnPath(home, "baton", `${waits}\nexec '${process.execPath}' '${launcher}' "$@"`);
  return () => rmSync(halted, { force: true });
}

/** The hooks of the plugin, as the program has them. */
export function hooksFile({ home }: Project, program: HookProgram): string {
  const places: Readonly<Record<HookProgram, string>> = {
    "claude-code": ".claude/plugins/cache/baton/baton/*/hooks/hooks.json",
    codex: ".codex/plugins/cache/baton/baton/*/codex/hooks.json",
    gemini: ".gemini/extensions/baton/hooks/hooks.json",
  };
  const [file] = globSync(places[program], { cwd: home });
  assert.ok(file !== undefined, program);
  return join(home, file);
}

/** Nothing that programs ask the network on their own. */
const offline = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1", IS_SANDBOX: "1" };

/** The variables that every program gets: none of this machine's settings. */
export function bareEnvironment(home: string): Readonly<Record<string, string>> {
  return { PATH: `${home}/bin:${process.env.PATH ?? ""}`, HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color" };
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
