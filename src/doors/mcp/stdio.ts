/**
 * MCP on standard input and output. Standard output carries JSON-RPC and nothing else; words for people go to `say`.
 * Ends when the client closes standard input, when standard output breaks, or when `signal` aborts.
 */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Clock, systemClock } from "../../base/clock.ts";
import { shorten, visible } from "../../base/text.ts";
import { type McpOptions, mcpServer, type TeamSource } from "./server.ts";

const saidCharactersMax = 300;
/** How often the program shows that its agent is there. */
const heartbeatMs = 30_000;

export interface StdioOptions extends McpOptions {
  /** Takes a line for people: what the client sent amiss. */
  say(text: string): void;
  readonly signal: AbortSignal;
}

/** Serves until the end, and shows a sign of life meanwhile; resolves when the connection is closed. */
export async function serveMcpOnStdio(source: TeamSource, options: StdioOptions): Promise<void> {
  const over = new AbortController();
  const beating = beat(source, options.clock ?? systemClock, over.signal);
  try {
    await serveUntilClosed(source, options);
  } finally {
    over.abort();
    await beating;
  }
}

/** An agent that thinks for long says nothing; its program does. A fault here is told by the next tool that is called. */
async function beat(source: TeamSource, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const team = await source();
    if (team.ok) await team.value.signOfLife();
    await clock.wait(heartbeatMs, signal);
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
