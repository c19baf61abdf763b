/**
 * MCP's standard input and output as a transport of the SDK. The SDK's own brings a CommonJS package that cannot stand in
 * the command's bundle; this one starts `baton mcp` in the agent's process group, so that both end together.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { systemClock } from "../../src/base/clock.ts";
import { linesOf } from "../../src/doors/cli/messages/json-lines.ts";
import type { Environment } from "../programs.ts";

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
export function mcpPipe(options: PipeOptions): Transport {
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
      started.stdin.on("error", (fault) => transport.onerror?.(fault));
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
  } catch (fault) {
    listeners.onerror?.(asError(fault));
  }
}

function take(line: string, listeners: Listeners): void {
  let message: JSONRPCMessage;
  try {
    message = deserializeMessage(line);
  } catch (fault) {
    listeners.onerror?.(asError(fault));
    return;
  }
  listeners.onmessage?.(message);
}

function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error(String(fault));
}
