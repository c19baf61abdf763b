/** A hook of Claude Code called as the program calls it, and what its answers are checked against. */
import assert from "node:assert/strict";
import type { AgentStatus } from "../../src/team/operations/agents.ts";
import { git } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import { contract, type Finished, jsonLines, team } from "./command.ts";

/** A team in a repository. */
export function place(options: Parameters<typeof team>[0] = {}): string {
  const directory = team(options);
  git(directory, "init", "--quiet");
  return directory;
}

export interface Hooked extends Finished {
  /** What the program gets on standard output; null: nothing. */
  readonly answer: Record<string, unknown> | null;
  /** What the model reads in its context. */
  readonly context: string;
}

/** Calls the hook with `input` as its program says it. */
export async function hook(
  directory: string,
  event: string,
  input: unknown,
  words: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<Hooked> {
  const program = words.includes("--program") ? [] : ["--program", "claude-code"];
  const told = typeof input === "string" ? input : JSON.stringify(input);
  const done = await called(directory, ["hook", event, ...program, ...words], told, variables);
  const [answer = null] = jsonLines(done);
  const specific = answer?.hookSpecificOutput as { additionalContext?: string } | undefined; // as documented
  return { ...done, answer, context: specific?.additionalContext ?? "" };
}

/** What Claude Code says of a teammate of that name. */
export function teammate(name: string): { readonly agent_type: string; readonly agent_id: string } {
  return { agent_type: name, agent_id: `a${name}-0123456789abcdef` };
}

/** The input of the tool by which Claude Code's agents write to each other. */
export function sending(text: unknown, more: object = {}, to = "*"): object {
  return { tool_name: "SendMessage", tool_use_id: "toolu_01", tool_input: { to, message: text }, ...more };
}

export function writing(file: string, tool = "Edit"): object {
  return { tool_name: tool, tool_input: { file_path: file } };
}

export function passes(done: Hooked): void {
  assert.deepEqual([done.code, done.stdout, done.stderr], [0, "", ""]);
}

/** The message is recorded, and its sender reads who gets it, whatever the program says. */
export function isRecorded(done: Hooked): void {
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.context, /recorded it as entry \d+; Baton delivers it to \S+.*, also where your program cannot\./);
}

export function isDenied(done: Hooked, words: RegExp): void {
  assert.equal(done.code, 2, done.stdout);
  assert.equal(done.stdout, "");
  assert.match(done.stderr, words);
}

export async function entries(directory: string): Promise<readonly Record<string, unknown>[]> {
  return jsonLines(await calledWithCode(0, directory, ["log", "--json"]));
}

/** dev-1 holds src/feature.js. */
export async function claimed(directory: string): Promise<void> {
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"], {}));
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/feature.js", "--as", "dev-1"]);
}

/** The agent as `agent list --json` shows it. */
export async function agentIn(directory: string, name: string) {
  const agents = jsonLines(await calledWithCode(0, directory, ["agent", "list", "--json"]));
  return agents.find(({ agent }) => agent === name) as unknown as AgentStatus; // as documented
}
