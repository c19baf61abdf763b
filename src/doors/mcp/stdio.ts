/**
 * MCP on standard input and output. Standard output carries JSON-RPC and nothing else; words for people go to `say`.
 * Ends when the client closes standard input, when standard output breaks, or when `signal` aborts.
 */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { shorten, visible } from "../../base/text.ts";
import type { Team } from "../../runtime/team/team.ts";
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

/*
 * Sends heartbeats of a program while its agent says nothing. An error is reported by the next tool that is called, and
 * tried again here. Source: docs/protocol/health.md.
 */

/** Opens the team; if that fails, it is tried again. */
export type AttendedTeam = () => Promise<Result<Pick<Team, "attend">, readonly Problem[]>>;

/** When nobody of the agent's name is at work yet, or the team cannot be opened, how soon it is tried again. */
const retryMs = 30_000;

/** How soon to come again, in milliseconds. `replaced`: another speaks for the agent, so there is nothing more to show. */
export type Attended = number | "failed" | "replaced";

/** Shows once that the agent's program is there. */
export async function attend(source: AttendedTeam): Promise<Attended> {
  const team = await source();
  if (!team.ok) return "failed";
  const attended = await team.value.attend();
  if (attended.ok) return attended.value.everyMs;
  return attended.error.code === "session-replaced" ? "replaced" : "failed";
}

/**
 * An agent that thinks for long says nothing; its program does. An error here is reported by the next tool that is
 * called.
 */
export async function beat(
  source: AttendedTeam,
  first: Promise<Attended>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  // What failed is tried again no later than what went well: a team may take its agents for gone after seconds.
  let everyMs = retryMs;
  for (let last = await first; last !== "replaced" && !signal.aborted; last = await attend(source)) {
    if (last !== "failed") everyMs = last;
    await clock.wait(last === "failed" ? Math.min(everyMs, retryMs) : last, signal);
    if (signal.aborted) return;
  }
}
