/**
 * MCP on standard input and output. Standard output carries JSON-RPC and nothing else; words for people go to `say`.
 * Ends when the client closes standard input, when standard output breaks, or when `signal` aborts.
 */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { systemClock } from "../../base/clock.ts";
import { shorten, visible } from "../../base/text.ts";
import { attend, beat } from "./beat.ts";
import { mcpServer } from "./server.ts";
import type { McpOptions, TeamSource } from "./tool.ts";

const saidCharactersMax = 300;

export interface StdioOptions extends McpOptions {
  /** Takes a line for people: what the client sent amiss. */
  say(text: string): void;
  readonly signal: AbortSignal;
}

/**
 * Serves until the end, and shows meanwhile that its agent is there; resolves when the connection is closed. The program
 * speaks for the agent before the first tool runs, and says so when it ends in order.
 */
export async function serveMcpOnStdio(source: TeamSource, options: StdioOptions): Promise<void> {
  const over = new AbortController();
  const first = attend(source);
  const attended: TeamSource = async () => {
    await first;
    return source();
  };
  const beating = beat(source, first, options.clock ?? systemClock, over.signal);
  try {
    await serveUntilClosed(attended, options);
  } finally {
    over.abort();
    await beating;
    const team = await source();
    if (team.ok) await team.value.leave();
  }
}

async function serveUntilClosed(source: TeamSource, options: StdioOptions): Promise<void> {
  const transport = new StdioServerTransport();
  const handle = serveStdio(() => mcpServer(source, options), {
    transport,
    onerror: (fault) => options.say(`mcp: ${faultText(fault)}`),
  });
  await new Promise<void>((resolve) => {
    const connectionClosed = transport.onclose;
    transport.onclose = () => {
      connectionClosed?.();
      resolve();
    };
    const stop = () => void handle.close().then(resolve, resolve);
    if (options.signal.aborted) stop();
    options.signal.addEventListener("abort", stop, { once: true });
  });
}

/** One line; a message that is no JSON-RPC is reported by its kind, because the checker's words fill a screen. */
function faultText({ name, message }: Error): string {
  if (name.endsWith("ZodError")) return "a line on standard input was JSON but no JSON-RPC message; it was ignored.";
  return shorten(visible(message), saidCharactersMax);
}
