/**
 * Runs the line of a hook as a program does. A line that asks a hub is tried by a question that changes nothing: what the
 * agent may read. The hub is the team's own, so no edit is asked about, which could begin a claim.
 */
import { isJsonList, isJsonObject, parseBounded } from "../../base/json.ts";
import { visible } from "../../base/text.ts";
import { type HookProgram, hookEvent, triedSession, writingTools } from "../../messages/program-hooks.ts";
import type { Config } from "../../perform/workspace/config.ts";
import type { OwnEntry } from "./program-entries.ts";

/** Longer than a hook takes on a busy machine, in milliseconds. */
export const answerMsMax = 20_000;

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a line ended, and what it wrote. */
export interface LineEnd {
  /** Null: it could not start, or took too long. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the line and gives it its input. */
export async function runLine(line: string, input: object, surroundings: Surroundings): Promise<LineEnd> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn("sh", ["-c", line], { ...surroundings, timeout: answerMsMax, stdio: "pipe" });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  // A line that cannot start reads nothing.
  child.stdin.on("error", () => undefined).end(JSON.stringify(input));
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  return { code, ...said };
}

/** What the hub answered. */
export interface HubProof {
  readonly state: "ok" | "fail";
  readonly finding: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}

/** Asks the hub by the line that decides about edits, and says in words what it answered. */
export async function proveHubHook(
  { directory, environment, token }: Pick<Config, "directory" | "environment" | "token">,
  program: HookProgram,
  hooks: readonly OwnEntry[],
): Promise<HubProof> {
  const [asked] = hooks.flatMap((entry) => decidingLine(program, entry));
  if (asked === undefined) return untried("they ask a hub through the session's MCP server");
  if (token === null) return untried("they ask a hub, and BATON_TOKEN is not set in this shell");
  const input = {
    hook_event_name: asked.event,
    session_id: triedSession,
    cwd: directory,
    tool_name: "read_file",
    tool_input: {},
  };
  return hubProof(await runLine(asked.line, input, { cwd: directory, env: environment() }));
}

function untried(why: string): HubProof {
  return { state: "ok", finding: `not tried: ${why}`, advice: null };
}

/** The line of the hook that is asked before a tool that writes; empty: the entry is another, or no line. */
function decidingLine(program: HookProgram, { event, value }: OwnEntry): readonly { event: string; line: string }[] {
  if (event === null || !isJsonObject(value) || hookEvent(program, event)?.asks !== "before-tool") return [];
  const matched = typeof value.matcher === "string" ? value.matcher.split("|") : [];
  if (!writingTools[program].some((name) => matched.includes(name))) return [];
  const handlers = isJsonList(value.hooks) ? value.hooks : [value];
  return handlers.flatMap((handler) =>
    isJsonObject(handler) && typeof handler.command === "string" ? [{ event, line: handler.command }] : [],
  );
}

const start = "baton up starts the hub; BATON_HUB and the installed line name it";
const newToken = "baton token create AGENT makes a token; hand it over in BATON_TOKEN";

/** What curl's codes mean for a person; the line ends with them also where it asked without curl. */
const failures: Readonly<Record<string, readonly [finding: string, advice: string]>> = {
  "7": ["the hub is not reachable: nothing listens at its address", start],
  "22": ["the hub answers, and refuses: BATON_TOKEN proves nobody, or the hub has a failure", newToken],
  "28": [
    "the hub is too slow: it gave no answer within three seconds",
    "look at the hub's log, and at baton doctor there",
  ],
};

function hubProof({ code, stdout, stderr }: LineEnd): HubProof {
  const read = parseBounded(stdout);
  // What the command answers without the hub's answer is empty.
  if (code === 0 && read.ok && isJsonObject(read.value))
    return { state: "ok", finding: "the hub is reachable and takes the token of this shell", advice: null };
  const number = /\(curl (\d+),/.exec(stderr)?.[1] ?? "";
  const said = visible(stderr.trim()) || `the line ended with ${code ?? "no code"}`;
  const [finding, advice] = failures[number] ?? [`the hub gave no answer: ${said}`, start];
  return { state: "fail", finding, advice };
}
