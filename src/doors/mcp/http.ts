/**
 * MCP over streamable HTTP, both eras, without sessions: every request is independent, for the team and agent that its
 * credential proved. Nothing here authenticates: the hub does, before it hands a request on with its team.
 */
import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import { invariant } from "../../base/invariant.ts";
import { batchBytesMax } from "../../base/limits.ts";
import { ok } from "../../base/result.ts";
import type { Team } from "../../runtime/team/team.ts";
import { mcpServer } from "./server.ts";
import type { McpOptions } from "./tool.ts";

export interface McpHandler {
  /** Answers one request for the one whom `team` is bound to. The team stays the caller's: it is not disposed of. */
  fetch(request: Request, team: Team): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface McpHandlerOptions extends McpOptions {
  /** Takes failures that do not change the answer, for the hub's log. */
  onFault?(fault: Error): void;
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
      ...(options.onFault === undefined ? {} : { onerror: options.onFault }),
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
