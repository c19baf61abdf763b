/** MCP: what a tool call costs over standard input and output, and what the list of tools costs its reader. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Measure, Pair } from "./measure.ts";
import { contractText, updateText } from "./messages.ts";
import { openBenchTeam, sendAccepted } from "./team.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");
const charactersPerToken = 4;

const overStdio = {
  yardstick: "two milliseconds",
  target: { of: "time", atMost: 1 },
  rounds: 500,
} as const;

/** A call that only reads. */
export const readCall: Measure = {
  ...overStdio,
  name: "MCP call over stdio: team_status",
  subject: "one call after another",
  open: (folder) => openPair(folder, (client) => call(client, "team_status", {})),
};

/** A call that is durable before it is answered. */
export const sendCall: Measure = {
  ...overStdio,
  name: "MCP call over stdio: send_message",
  subject: "one update after another, each durable",
  open: (folder) => openPair(folder, (client) => call(client, "send_message", { message: updateText() })),
};

/** What a hook of an agent program adds between the model's answer and its next request, where no mail waits. */
export const hookCall: Measure = {
  ...overStdio,
  name: "A hook of Claude Code as an MCP call: after a tool, without mail",
  subject: "one call after another",
  yardstick: "ten milliseconds",
  open: async (folder) => {
    const event = { hook_event_name: "PostToolBatch", session_id: "bench", agent_id: "", agent_type: "" };
    const pair = await openPair(folder, (client) => call(client, "hook", event), ["--program", "claude-code"]);
    return { ...pair, yardstick: () => 10 };
  },
};

/** The size of tools/list as an agent's program gets it. */
export const toolSchemas: Measure = {
  name: "MCP: the schemas of all tools",
  subject: "tools/list",
  yardstick: "the budget",
  target: { of: "time", atMost: 1 },
  unit: "tokens",
  rounds: 1,
  open: async (folder) => {
    const { client, close } = await connect(folder);
    const { tools } = await client.listTools();
    const tokens = Math.ceil(JSON.stringify(tools).length / charactersPerToken);
    return { yardstick: () => 3_000, subject: () => tokens, close };
  },
};

async function openPair(
  folder: string,
  act: (client: Client) => Promise<void>,
  words: readonly string[] = [],
): Promise<Pair> {
  const { client, close } = await connect(folder, words);
  const subject = async (): Promise<number> => {
    const start = performance.now();
    await act(client);
    return performance.now() - start;
  };
  // The server compiles what it runs often; a call of a session that has begun is what is measured.
  for (let warm = 0; warm < 50; warm++) await subject();
  return { yardstick: () => 2, subject, close };
}

/** A client of `baton mcp` on a team with a contract. */
async function connect(folder: string, words: readonly string[] = []) {
  const lead = await openBenchTeam(folder, "lead-1");
  await sendAccepted(lead, contractText());
  await lead[Symbol.asyncDispose]();
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const args = [launcher, "mcp", "--as", "dev-1", "--journal", `sqlite:${join(folder, "journal.db")}`, ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return { client, close: () => client.close() };
}

async function call(client: Client, name: string, given: Record<string, unknown>): Promise<void> {
  const answer = await client.callTool({ name, arguments: given });
  if (answer.isError === true) throw new Error(`the bench's call is not answered: ${JSON.stringify(answer.content)}`);
}
