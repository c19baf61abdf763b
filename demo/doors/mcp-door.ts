/** The hub over MCP: `baton mcp` as a child on standard input and output, driven by the MCP SDK's client. */
import { Client } from "@modelcontextprotocol/client";
import { isJsonObject, type Json, parseBounded } from "../../src/base/json.ts";
import type { AgentOrder } from "../agent-order.ts";
import type { Environment } from "../programs.ts";
import { type AgentDoor, answerIn, availableIn, claimAnswerIn, lettersIn, waitSeconds } from "./agent-door.ts";
import { mcpPipe } from "./mcp-pipe.ts";

/** Longest time of a call beyond what it waits for, in milliseconds. */
const callMsMax = 15_000;

/** Starts `baton mcp` for the agent of the order and says hello to it. */
export async function openMcpDoor(order: AgentOrder, environment: Environment): Promise<AgentDoor> {
  const words = [...order.baton, "mcp", "--as", order.agent, "--hub", order.hub, "--team", order.team];
  const client = new Client({ name: `baton-demo-${order.agent}`, version: "1.0.0" });
  const pipe = mcpPipe({
    words,
    directory: order.repository,
    // The token proves the agent to the hub; arguments would show it to every user of the machine.
    environment: { ...environment, BATON_TOKEN: order.token },
  });
  await client.connect(pipe);
  const call = async (
    name: string,
    given: { readonly [name: string]: Json },
    timeout: number,
    signal?: AbortSignal,
  ) => {
    const result = await client.callTool(
      { name, arguments: { ...given } },
      { timeout, ...(signal === undefined ? {} : { signal }) },
    );
    return plainJson(result.structuredContent ?? null);
  };
  const act = async <Answered>(
    name: string,
    given: { readonly [name: string]: Json },
    read: (reply: Json) => Answered,
  ): Promise<Answered | { readonly outcome: "failed"; readonly said: string }> => {
    try {
      const reply = await call(name, given, callMsMax);
      if (isJsonObject(reply) && reply.outcome === "failed")
        return { outcome: "failed", said: "the hub gave no answer" };
      return read(reply);
    } catch (fault) {
      return { outcome: "failed", said: fault instanceof Error ? fault.message : String(fault) };
    }
  };
  return {
    kind: "mcp",
    send: ({ message, to, id }) => act("send_message", { message, id, ...(to === undefined ? {} : { to }) }, answerIn),
    acknowledge: async (seq) => {
      const reply = await call("read_inbox", { ack: seq, limit: 1 }, callMsMax);
      // The tool answers with what is left; that it did so is its word for the acknowledgement.
      const isPage = isJsonObject(reply) && typeof reply.acknowledged === "number" && reply.acknowledged >= seq;
      return isPage ? { outcome: "accepted", seq, duplicate: false, receivers: [] } : answerIn(reply);
    },
    read: async (signal) => {
      const page = await call("wait", { seconds: waitSeconds }, waitSeconds * 1000 + callMsMax, signal);
      return isJsonObject(page) ? lettersIn({ deliveries: page.messages ?? [] }) : [];
    },
    claim: (task, id) => act("task", { action: "claim", task, id }, claimAnswerIn),
    available: async () => availableIn(await call("task", { action: "available" }, callMsMax)),
    planning: null,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** What the SDK parsed, as JSON within our bounds. */
function plainJson(value: unknown): Json {
  const parsed = parseBounded(JSON.stringify(value), { bytesMax: 4_000_000, depthMax: 64, nodesMax: 100_000 });
  return parsed.ok ? parsed.value : null;
}
