/**
 * The MCP server over its two transports. On standard input and output, standard output carries JSON-RPC and nothing
 * else, and words for people go to standard error. Over streamable HTTP, in both eras of the protocol, every request is
 * independent, for the team and agent that its credential proved. Nothing here authenticates: the hub does, before it
 * hands a request on with its team.
 */

import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Clock, systemClock } from "../../base/clock.ts";
import { invariant } from "../../base/invariant.ts";
import { batchBytesMax, hookBytesMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shorten, visible } from "../../base/text.ts";
import type { Team } from "../../perform/team.ts";
import { mcpServer } from "./server.ts";
import type { McpOptions, TeamSource } from "./tool.ts";

/**
 * MCP over streamable HTTP, both eras, without sessions: every request is independent, for the team and agent that its
 * credential proved. Nothing here authenticates: the hub does, before it hands a request on with its team.
 */
export interface McpHandler {
  /** Answers one request for the one whom `team` is bound to. The team stays the caller's: it is not disposed of. */
  fetch(request: Request, team: Team): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface McpHandlerOptions extends McpOptions {
  /** Takes failures that do not change the answer, for the hub's log. */
  onProblem?(problem: Error): void;
}

const saidCharactersMax = 300;
/** A longer line would end the session's server; a hook's input is a string in it, with its quotes escaped. */
const lineBytesMax = 4 * hookBytesMax;

export interface StdioOptions extends McpOptions {
  /** Takes a line for people: what the client sent amiss. */
  say(text: string): void;
  /** Called when a client begins to speak. */
  greeted?(): void;
  readonly signal: AbortSignal;
}

/**
 * Serves until the end, and shows meanwhile that its agent is there; resolves when the connection is closed. The program
 * speaks for the agent before the first tool runs, and says so when it ends in order.
 */
export async function serveMcpOnStdio(source: TeamSource, options: StdioOptions): Promise<void> {
  const over = new AbortController();
  const first = attend(source);
  const attended: TeamSource = async (call) => {
    await first;
    return source(call);
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
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: lineBytesMax });
  const greeted = () => {
    options.greeted?.();
    return mcpServer(source, options);
  };
  const handle = serveStdio(greeted, { transport, onerror: (problem) => options.say(`mcp: ${problemText(problem)}`) });
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
function problemText({ name, message }: Error): string {
  if (name.endsWith("ZodError")) return "a line on standard input was JSON but no JSON-RPC message; it was ignored.";
  return shorten(visible(message), saidCharactersMax);
}

/*
 * Sends heartbeats of a program while its agent says nothing. An error is reported by the next tool that is called, and
 * tried again here. Source: docs/protocol/asking.md, sections 17 to 19.
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

/** A handler to be mounted at `/mcp`, behind a guard for Host, Origin and credentials. */
export function mcpHandler(options: McpHandlerOptions): McpHandler {
  // The SDK carries an opaque credential from the request to the server made for it; here it only finds the team again.
  const teams = new WeakMap<AuthInfo, Team>();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const team = authInfo === undefined ? undefined : teams.get(authInfo);
      invariant(team !== undefined, "every request brings its team");
      return mcpServer(async () => ok(team), options);
    },
    {
      maxRequestBodySize: batchBytesMax,
      ...(options.onProblem === undefined ? {} : { onerror: options.onProblem }),
    },
  );
  return {
    fetch: (request, team) => {
      const authInfo: AuthInfo = { token: "", clientId: team.actor.agent, scopes: [] };
      teams.set(authInfo, team);
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}
