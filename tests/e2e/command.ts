/**
 * The command as people run it: bundled as the build bundles it, one process a call, in a separate folder. Every call
 * has a time limit, so a command that hangs fails by name.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { sharedFolder } from "../apart/shared-folder.ts";

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

// The bundler is loaded only by the one who bundles.
const bundles = await sharedFolder("e2e", async (into) => {
  const { bundleCommand } = await import("../../scripts/bundle.ts");
  await bundleCommand(into);
});

/** The bundled command, and the hook's own bundle. */
export const mainBundle = join(bundles, "main.cjs");
export const hookBundle = join(bundles, "validate-message.cjs");

/** The Node that runs them: this one, or the oldest that is supported, where a run of these tests is about that. */
export const commandNode = process.env.BATON_TEST_NODE ?? process.execPath;

/** How long a command may run, in milliseconds, however busy the machine is: one that hangs then fails by name. */
export const commandMsMax = 120_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A new folder that is removed after the tests. */
export function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "baton-e2e-")));
  folders.push(made);
  return made;
}

/** Where Node keeps what it compiled of the bundles, as the launcher lets it do for people. */
const compileCache = join(bundles, "compiled");

/** The variables of this process, without those that would change what the command prints. */
export function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const {
    NO_COLOR: _colour,
    VBW_PLANNING_DIR: _planning,
    BATON_HUB: _hub,
    BATON_TOKEN: _token,
    BATON_AGENT: _agent,
    CLAUDE_CODE_SESSION_ID: _session,
    CLAUDECODE: _program,
    GIT_DIR: _gitDirectory,
    GIT_INDEX_FILE: _gitIndex,
    NODE_OPTIONS: _options,
    ...rest
  } = process.env;
  // A hook has little time by itself, and a busy machine may need more.
  const own = {
    NODE_COMPILE_CACHE: compileCache,
    XDG_STATE_HOME: join(tmpdir(), "baton-state"),
    XDG_CONFIG_HOME: join(tmpdir(), "baton-config"),
  };
  return { ...rest, ...own, BATON_HOOK_SECONDS: "60", ...more };
}

/** Runs `baton` with these words in `directory` and waits for its end. */
export function baton(
  directory: string,
  words: readonly string[],
  input: string | Uint8Array = "",
  variables: Readonly<Record<string, string>> = {},
): Finished {
  return finished([mainBundle, ...words], directory, input, variables);
}

/** Runs the hook's bundle. */
export function hook(
  directory: string,
  words: readonly string[],
  input: string | Uint8Array = "",
  variables: Readonly<Record<string, string>> = {},
): Finished {
  return finished([hookBundle, ...words], directory, input, variables);
}

function finished(
  line: readonly string[],
  directory: string,
  input: string | Uint8Array,
  variables: Readonly<Record<string, string>> = {},
): Finished {
  const run = spawnSync(commandNode, [...line], {
    cwd: directory,
    input,
    encoding: "utf8",
    env: environment(variables),
    timeout: commandMsMax,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

/** Starts `baton` without waiting. */
export function start(
  directory: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  const env = environment(variables);
  return spawn(commandNode, [mainBundle, ...words], { cwd: directory, env, timeout: commandMsMax });
}

/** As `baton`, and the exit code must be the given one. */
export function expectCode(
  code: number,
  directory: string,
  words: readonly string[],
  input: string | Uint8Array = "",
): Finished {
  const done = baton(directory, words, input);
  assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.stdout}\n${done.stderr}`);
  return done;
}

/** The JSON values of standard output, one a line; fails on anything else there. */
export function jsonLines(done: Finished): readonly Record<string, unknown>[] {
  if (done.stdout === "") return [];
  assert.ok(done.stdout.endsWith("\n"), "every line is ended");
  return done.stdout
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>); // What it is, the caller asserts.
}

/** The codes of `{"problems":[…]}` on the last line of standard output. */
export function problemCodes(done: Finished): readonly string[] {
  const problems = jsonLines(done).at(-1)?.problems as readonly { code: string }[] | undefined; // as documented
  return (problems ?? []).map(({ code }) => code);
}

/** A folder with a team of one agent a role: lead-1, dev-1, qa-1, architect-1, scout-1. */
export function team(
  options: { readonly dialects?: string; readonly policy?: string; readonly isDeclared?: boolean } = {},
): string {
  const directory = folder();
  mkdirSync(join(directory, ".baton"));
  writeFileSync(
    join(directory, ".baton/team.yaml"),
    `version: 1
team: web
dialects: [${options.dialects ?? "vbw/2"}]
policy: ${options.policy ?? "enforce"}
${options.isDeclared === true ? "claims: declared\nscope: strict\n" : ""}agents:
  lead-1: {role: lead}
  dev-1: {role: dev}
  qa-1: {role: qa}
  architect-1: {role: architect}
  scout-1: {role: scout}
`,
  );
  return directory;
}

/** A typed message as JSON text; `more` overrides the envelope. */
export function message(type: string, role: string, payload: object, more: object = {}): string {
  const head = {
    id: `${type}-1`,
    type,
    phase: 1,
    task: "1-1-T1",
    author_role: role,
    timestamp: "2026-02-12T10:00:00Z",
  };
  return JSON.stringify({ ...head, schema_version: "2.0", confidence: "high", payload, ...more });
}

/** A contract of plan 1-1 that allows `paths`. */
export function contract(paths: readonly string[] = ["src/feature.js"], more: object = {}): string {
  const payload = { plan_id: "1-1", phase_id: "phase-1", objective: "Implement feature X", tasks: ["1-1-T1"] };
  return message(
    "plan_contract",
    "lead",
    { ...payload, allowed_paths: paths, must_haves: ["Feature passes tests"] },
    more,
  );
}

/** A report of progress on task 1-1-T1. */
export function update(files: readonly string[] = ["src/feature.js"], more: object = {}): string {
  const payload = { plan_id: "1-1", task_id: "1-1-T1", status: "complete", commit: "abc1234", files_modified: files };
  return message("execution_update", "dev", payload, more);
}

/** A request for approval of a wider scope. */
export function request(more: object = {}): string {
  const payload = { subject: "Auth module too", request_type: "scope_change", evidence: "Task needs src/auth.js" };
  return message("approval_request", "dev", payload, more);
}

/** A handoff document from the lead to the developer, about a file; `more` are further lines of it. */
export function handoff(file: string, more = ""): string {
  return `# The lead's word
handoff:
  metadata:
    id: handoff-1 # ours
    source_agent: lead-1
    target_agent: dev-1
    timestamp: "2026-02-12T10:00:00Z"
    workflow_id: sign-in
  context: {}
  instructions:
    primary: "Sign users in"
  dependencies:
    required_files:
      - ${file}
${more}`;
}
