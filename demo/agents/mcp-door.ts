/** The hub over MCP: `baton mcp` as a child on standard input and output, driven by the MCP SDK's client. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import {
  Client,
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { systemClock } from "../../src/base/clock.ts";
import { isJsonObject, type Json, parseBounded } from "../../src/base/json.ts";
import type { ProblemCode } from "../../src/base/problem.ts";
import { linesOf } from "../../src/mail/text/json-lines.ts";
import type { Environment } from "../story/programs.ts";
import {
  type AgentDoor,
  answerIn,
  availableIn,
  claimAnswerIn,
  lettersIn,
  problemsIn,
  waitSeconds,
} from "./agent-door.ts";
import type { AgentOrder } from "./agent-process.ts";

/** Problems that pass by themselves, or at another hub; the same call may be made again. */
const passing: ReadonlySet<string> = new Set<ProblemCode>([
  "hub-unreachable",
  "journal-unreachable",
  "journal-failed",
  "journal-busy",
]);

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
    const reply = plainJson(result.structuredContent ?? null);
    const [problem] = result.isError === true && isJsonObject(reply) ? problemsIn(reply.problems) : [];
    // Of the hub or its journal, and nothing about what was asked.
    if (problem !== undefined && passing.has(problem.code)) throw new Error(`the hub answered ${problem.code}`);
    return reply;
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
    } catch (problem) {
      return { outcome: "failed", said: problem instanceof Error ? problem.message : String(problem) };
    }
  };
  return {
    kind: "mcp",
    send: ({ message, to, id }) => act("send_message", { message, id, ...(to === undefined ? {} : { to }) }, answerIn),
    acknowledge: (seq) =>
      act("read_inbox", { ack: seq, limit: 1 }, (reply) => {
        // The tool answers with what is left; that it did so is its word for the acknowledgement.
        const isPage = isJsonObject(reply) && typeof reply.acknowledged === "number" && reply.acknowledged >= seq;
        return isPage ? { outcome: "accepted", seq, duplicate: false, receivers: [] } : answerIn(reply);
      }),
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

/*
 * MCP's standard input and output as a transport of the SDK. The SDK's own brings a CommonJS package that cannot be in
 * the command's bundle; this one starts `baton mcp` in the agent's process group, so that both end together.
 */

/** Longest line that a server may send, in bytes. */
const lineBytesMax = 4 * 1024 * 1024;
/** How long a server may take to end after its input ended. */
const endMsMax = 2_000;

/** A server to start; its words for people go to our standard error. */
export interface PipeOptions {
  readonly words: readonly string[];
  readonly directory: string;
  readonly environment: Environment;
}

/** Callbacks that the SDK's client sets before it starts the transport. */
type Listeners = Pick<Transport, "onclose" | "onerror" | "onmessage">;

/** A transport whose server is started with `start` and ended with `close`. */
function mcpPipe(options: PipeOptions): Transport {
  let child: ChildProcessByStdio<Writable, Readable, null> | null = null;
  let ended: Promise<void> = Promise.resolve();
  const transport: Transport = {
    start: () => {
      const [program = "", ...words] = options.words;
      const started = spawn(program, words, {
        cwd: options.directory,
        env: { ...options.environment },
        stdio: ["pipe", "pipe", "inherit"],
        windowsHide: true,
      });
      child = started;
      ended = new Promise((resolve) => {
        started.on("error", () => resolve());
        started.on("exit", () => resolve());
      });
      started.stdin.on("error", (problem) => transport.onerror?.(problem));
      void hear(started.stdout, transport).finally(() => transport.onclose?.());
      return Promise.resolve();
    },
    send: (message) => {
      // Nobody waits for the pipe to empty: the requests of one agent are few, small, and one after another.
      child?.stdin.write(serializeMessage(message));
      return Promise.resolve();
    },
    close: async () => {
      child?.stdin.end();
      const over = new AbortController();
      await Promise.race([ended, systemClock.wait(endMsMax, over.signal)]);
      over.abort();
      child?.kill("SIGKILL");
      await ended;
    },
  };
  return transport;
}

async function hear(stream: Readable, listeners: Listeners): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const line of linesOf(stream, lineBytesMax)) {
      if (line.length > 0) take(decoder.decode(line), listeners);
    }
  } catch (problem) {
    listeners.onerror?.(asError(problem));
  }
}

function take(line: string, listeners: Listeners): void {
  let message: JSONRPCMessage;
  try {
    message = deserializeMessage(line);
  } catch (problem) {
    listeners.onerror?.(asError(problem));
    return;
  }
  listeners.onmessage?.(message);
}

function asError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error(String(problem));
}
