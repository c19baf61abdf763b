/**
 * Tries the hooks of an agent program by the very lines in its settings: each is asked in a scratch team, with an edit that
 * is allowed and, where the hook decides, with one of a file that another agent holds. Nothing of the project is touched.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import { visible } from "../../base/text.ts";
import { fileAddress } from "../../journal/engines.ts";
import { type HookProgram, hookEvent, hookTool, triedSession, writingTools } from "../../messages/program-hooks.ts";
import { openTeam } from "../../perform/open.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { answerMsMax, proveHubHook, runLine, type Surroundings } from "./hook-line-run.ts";
import { isOwnCall } from "./hook-lines.ts";
import type { OwnEntry } from "./program-entries.ts";

/** What is installed. */
export interface InstalledHooks {
  readonly program: HookProgram;
  readonly hooks: readonly OwnEntry[];
  /** Its command and arguments; null: there is none. */
  readonly server: JsonObject | null;
}

const holder = "holder";
const files = { allowed: "free.txt", denied: "held.txt" } as const;
type Wanted = keyof typeof files;

/** What was tried, and what did not go as it must. */
export interface HookProof {
  readonly state: "ok" | "fail";
  readonly finding: string;
  /** What to do, where it is not to install the hooks again. */
  readonly advice?: string | null;
}

/** Tries every hook; of those that ask a hub, whether it answers. */
export async function proveHooks(config: Config, { program, hooks, server }: InstalledHooks): Promise<HookProof> {
  const { environment } = config;
  const words = (isJsonList(server?.args) ? server.args : []).filter((word) => typeof word === "string");
  if (words.includes("--hub")) return await proveHubHook(config, program, hooks);
  const acting = words.includes("--as") ? (words[words.indexOf("--as") + 1] ?? "") : "prover";
  const root = realpathSync(mkdtempSync(join(tmpdir(), "baton-proof-")));
  try {
    const problem = await scratchTeam(root, acting);
    if (problem !== null) return { state: "fail", finding: problem };
    const { BATON_HUB: _hub, BATON_TOKEN: _token, CLAUDE_CODE_SESSION_ID: _session, ...rest } = environment();
    // Without a person nothing waits for mail.
    const env = { ...rest, BATON_AGENT: acting, CLAUDE_CODE_SESSION_ATTENDED: "0" };
    const commands = hooks.flatMap((entry) => questionsOf(program, entry, root));
    const asked: Asked[] = [];
    for (const { question, handler } of commands) {
      if (typeof handler.command === "string")
        asked.push({ question, answer: await askLine(handler.command, question, { cwd: root, env }) });
    }
    const calls = commands.filter(({ handler }) => isOwnCall(handler));
    const command = server?.command;
    if (calls.length > 0 && typeof command !== "string")
      return { state: "ok", finding: "not tried: the server that they call is not set up here" };
    if (calls.length > 0 && typeof command === "string")
      asked.push(...(await askServer({ command, words }, calls, { cwd: root, env })));
    const problems = asked.flatMap(problemOf);
    if (problems.length > 0) return { state: "fail", finding: problems.join("; ") };
    const edits = asked.filter(({ question }) => question.wanted === "denied").length === 1 ? "an edit" : "edits";
    const finding = `${asked.length} calls were answered as they must be; ${edits} of a file that another agent holds denied`;
    return { state: "ok", finding };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A team in which another agent holds one of the files. */
async function scratchTeam(root: string, acting: string): Promise<string | null> {
  mkdirSync(join(root, ".baton"));
  // Files are named from the root of the repository, and there may be one around the temporary folder.
  mkdirSync(join(root, ".git"));
  const path = join(root, ".baton/team.yaml");
  const agents = { [holder]: { role: "dev" }, [acting]: { role: "dev" } };
  const teamFile = { path, text: JSON.stringify({ version: 1, team: "proof", dialects: ["vbw/2"], agents }) };
  writeFileSync(path, teamFile.text);
  const journal = fileAddress(join(root, ".baton/journal.db"));
  const owner = await openTeam({ journal, teamFile, agent: "owner" });
  if (!owner.ok) return `no scratch team could be made: ${owner.error[0]?.message ?? ""}`;
  await using adds = owner.value;
  await adds.addTask({ task: "1-1-T1", files: [files.denied] });
  const held = await openTeam({ journal, teamFile, agent: holder });
  if (!held.ok) return `no scratch team could be made: ${held.error[0]?.message ?? ""}`;
  await using claims = held.value;
  const claim = await claims.claim({ task: "1-1-T1" });
  return claim.outcome === "accepted" ? null : "no file could be claimed in a scratch team";
}

interface Question {
  readonly event: string;
  readonly wanted: Wanted;
  readonly input: JsonObject;
}
interface Asked {
  readonly question: Question;
  /** The JSON of the answer, or why there is none. */
  readonly answer: JsonObject | string;
}
interface Installed {
  readonly question: Question;
  readonly handler: JsonObject;
}

/** What is asked of one entry: an allowed call, and a denied one where it is asked before a tool that writes. */
function questionsOf(program: HookProgram, { event, value }: OwnEntry, root: string): readonly Installed[] {
  if (event === null || !isJsonObject(value)) return [];
  const handlers = isJsonList(value.hooks) ? value.hooks : [value];
  const matched = typeof value.matcher === "string" ? value.matcher.split("|") : [];
  const tool = writingTools[program].find((name) => matched.includes(name)) ?? null;
  const decides = hookEvent(program, event)?.asks === "before-tool" && tool !== null;
  return handlers.flatMap((handler) => {
    if (!isJsonObject(handler)) return [];
    const wants: readonly Wanted[] = decides ? ["allowed", "denied"] : ["allowed"];
    return wants.map((wanted) => ({
      handler,
      question: { event, wanted, input: inputOf(program, event, tool, join(root, files[wanted]), root) },
    }));
  });
}

function inputOf(program: HookProgram, event: string, tool: string | null, file: string, root: string): JsonObject {
  const patch = `*** Begin Patch\n*** Add File: ${file}\n+text\n*** End Patch\n`;
  const toolInput = program === "codex" ? { command: patch } : { file_path: file, content: "text" };
  return {
    hook_event_name: event,
    session_id: triedSession,
    cwd: root,
    ...(tool === null ? {} : { tool_name: tool, tool_use_id: file, tool_input: toolInput }),
  };
}

/** Runs a line as the program does, and gives it its input. */
async function askLine(line: string, { input }: Question, surroundings: Surroundings): Promise<JsonObject | string> {
  const { code, stdout, stderr } = await runLine(line, input, surroundings);
  if (code === 2) return { decision: "deny", reason: stderr };
  if (code !== 0) return `it ended with ${code ?? "no code"}: ${stderr}`;
  return stdout.trim() === "" ? {} : jsonOf(stdout);
}

/** Starts the server as the program does, and calls its hook tool once for each question. */
async function askServer(
  { command, words }: { readonly command: string; readonly words: readonly string[] },
  installed: readonly Installed[],
  surroundings: Surroundings,
): Promise<readonly Asked[]> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(command, words, { ...surroundings, timeout: answerMsMax, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  const client = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "baton doctor", version: "1" },
  };
  const requests = [
    { jsonrpc: "2.0", id: -1, method: "initialize", params: client },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    ...installed.map(({ question, handler }, id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: hookTool, arguments: filled(handler.input ?? {}, question.input) },
    })),
  ];
  child.stdin.on("error", () => undefined).write(requests.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const answers = new Map<unknown, JsonObject | string>();
  for await (const line of createInterface(child.stdout)) {
    const { id, result } = jsonOf(line) as JsonObject;
    const [content] = isJsonObject(result) && isJsonList(result.content) ? result.content : [];
    if (isJsonObject(content)) answers.set(id, jsonOf(typeof content.text === "string" ? content.text : ""));
    if (installed.every((_, number) => answers.has(number))) break;
  }
  child.stdin.end();
  child.kill();
  await ended;
  return installed.map(({ question }, id) => ({ question, answer: answers.get(id) ?? "the server gave no answer" }));
}

/** The fields of a call, as the program fills them in. */
function filled(input: Json, values: JsonObject): JsonObject {
  if (!isJsonObject(input)) return {};
  return Object.fromEntries(Object.keys(input).map((field) => [field, values[field] ?? ""]));
}

function jsonOf(text: string): JsonObject | string {
  const read = parseBounded(text);
  return read.ok && isJsonObject(read.value) ? read.value : `it answered no JSON: ${text.slice(0, 200)}`;
}

function problemOf({ question: { event, wanted }, answer }: Asked): readonly string[] {
  if (typeof answer === "string") return [`${event}: ${visible(answer.trim())}`];
  const specific = isJsonObject(answer.hookSpecificOutput) ? answer.hookSpecificOutput.permissionDecision : undefined;
  const isDenied = [answer.decision, specific].includes("deny");
  if (isDenied === (wanted === "denied")) return [];
  const reason = typeof answer.reason === "string" ? `: ${visible(answer.reason.trim())}` : "";
  return [
    isDenied
      ? `${event} denied what is allowed${reason}`
      : `${event} allowed an edit of a file that another agent holds`,
  ];
}

/*
 * Which of Baton's hooks Codex runs: it runs a hook only after its user has reviewed it, keeps that by the file, the event
 * and the hook's place in it, and says nothing where it skips one. Baton only looks. Source: `codex app-server`,
 * hooks/list.
 */

/** More than anybody's settings. */
const bytesMax = 4 * 1024 * 1024;

/**
 * The events of these hooks in `file` that Codex skips; null: its own settings cannot be read, so it is not known. A hook
 * that was changed after its review is skipped, too, which is not seen here.
 */
export function skippedByCodex(config: Config, file: string, hooks: readonly OwnEntry[]): readonly string[] | null {
  const folder = config.codexHome;
  if (folder === null) return null;
  const read = readPlainFile(join(folder, "config.toml"), bytesMax);
  if (!read.ok) return null;
  const stated = read.value === null ? [] : statesIn(read.value.text);
  const isReviewed = (key: string) =>
    stated.some((each) => each.key === key && each.name === "trusted_hash") &&
    !stated.some((each) => each.key === key && each.name === "enabled" && each.value === "false");
  return hooks.flatMap(({ event, path }) => {
    // The path of a whole group ends with its number, that of one handler among others with both.
    const [, , group = 0, , handler = 0] = path;
    return event === null || isReviewed(`${file}:${spelled(event)}:${group}:${handler}`) ? [] : [event];
  });
}

interface Stated {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

/** What the settings say of single hooks, in the tables that Codex writes. */
function statesIn(text: string): readonly Stated[] {
  let key: string | null = null;
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.startsWith("[")) {
      const [, quoted = null] = /^\[hooks\.state\.("(?:[^"\\]|\\.)*")\]/.exec(line) ?? [];
      const read = parseBounded(quoted ?? "null");
      key = read.ok && typeof read.value === "string" ? read.value : null;
      return [];
    }
    const at = line.indexOf("=");
    return key === null || at < 0 ? [] : [{ key, name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }];
  });
}

/** `PreToolUse` as `pre_tool_use`. */
function spelled(event: string): string {
  return event.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
