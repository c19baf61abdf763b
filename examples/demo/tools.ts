/**
 * Baton as an agent program has it: the tools of `baton mcp`, a child that speaks JSON-RPC on standard input and output,
 * and the hook that is called before a file is edited.
 */
import { isJsonObject, type Json, type JsonObject, parseBounded } from "../../src/base/json.ts";
import { type Place, runProgram, startChild } from "./processes.ts";

/** Who acts, where the hub is, and how `baton` is started. `environment` has the agent's token. */
export interface Access extends Place {
  readonly agent: string;
  readonly team: string;
  readonly hub: string;
  readonly baton: readonly string[];
}

export interface Tools {
  /** What the tool answers, a refusal too. Throws where the server has ended or the hub gives no answer. */
  call(tool: string, given: JsonObject): Promise<JsonObject>;
  /** Asks before an edit, as the hook of a program does; the reason against it, or null: it may be written. */
  askToEdit(path: string): Promise<string | null>;
  close(): Promise<void>;
}

const limits = { bytesMax: 4 * 1024 * 1024, depthMax: 64, nodesMax: 100_000 };

/** Starts `baton mcp` for the agent and greets it. Throws where it does not answer. */
export async function openTools(access: Access): Promise<Tools> {
  const { agent, baton } = access;
  const words = ["--as", agent, "--hub", access.hub, "--team", access.team];
  const waiting = new Map<number, PromiseWithResolvers<JsonObject>>();
  // In this process's group, so that both end together.
  const onLine = (line: string) => {
    const message = objectIn(line);
    if (typeof message?.id === "number") waiting.get(message.id)?.resolve(message);
  };
  const server = startChild([...baton, "mcp", ...words], access, onLine, { joins: true });
  const gone = server.ended.then(() => {
    throw new Error(`the server of ${agent} has ended. ${server.errors()}`);
  });
  gone.catch(() => undefined);
  const ask = async (method: string, params: JsonObject): Promise<Json> => {
    const id = waiting.size + 1;
    const answer = Promise.withResolvers<JsonObject>();
    waiting.set(id, answer);
    server.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const { result = null, error } = await Promise.race([answer.promise, gone]);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const clientInfo = { name: "baton-demo", version: "1" };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  server.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  return {
    call: async (tool, given) => {
      const result = await ask("tools/call", { name: tool, arguments: given });
      const answer = isJsonObject(result) ? result.structuredContent : undefined;
      if (!isJsonObject(answer) || answer.outcome === "failed") throw new Error(`${tool}: ${JSON.stringify(result)}`);
      return answer;
    },
    askToEdit: async (path) => {
      const hook = [...baton, "hook", "PreToolUse", "--program", "claude-code", ...words];
      const event = JSON.stringify({ tool_name: "Write", tool_input: { file_path: `${access.directory}/${path}` } });
      // A busy machine may need longer than a person would wait.
      const environment = { ...access.environment, BATON_HOOK_SECONDS: "25" };
      const { code, stderr } = await runProgram(hook, { ...access, environment }, { input: event });
      if (code === 0) return null;
      if (code === 2) return stderr;
      throw new Error(`the hook of ${agent} ended with ${code}: ${stderr}`);
    },
    // Long enough for a server to end by itself.
    close: () => server.end(5_000),
  };
}

/** The object that a line of JSON holds; null for anything else. */
export function objectIn(line: string): JsonObject | null {
  const parsed = parseBounded(line, limits);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}
