/**
 * MCP over HTTP on a separate real server: the handler as a hub mounts it, behind the SDK's own guard for Host and
 * Origin. Who asks is said by a header here, because what is tried is the handler; the hub's credentials have their own
 * tests.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { getRequestListener } from "@hono/node-server";
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { mcpHandler } from "../../src/doors/mcp/index.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";

export interface HttpPlace {
  readonly url: string;
  /** What makes a request come from this agent. */
  as(agent: string): { readonly url: string; readonly headers: Record<string, string> };
}

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

/**
 * Serves the team of `directory`; without a header the request is dev-1's. Unguarded only to show that a guard is
 * missed.
 */
export async function serve(directory: string, guarded = true): Promise<HttpPlace> {
  const teams = new Map<string, Promise<Team>>();
  const teamOf = (agent: string): Promise<Team> => {
    const team = teams.get(agent) ?? open(directory, agent);
    teams.set(agent, team);
    return team;
  };
  const handler = mcpHandler({ version: "0.0.0" });
  const listener = getRequestListener(
    async (request) =>
      (guarded ? guard(request) : undefined) ??
      (await handler.fetch(request, await teamOf(request.headers.get("x-agent") ?? "dev-1"))),
  );
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(async () => {
    await handler.close();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    for (const team of teams.values()) await (await team)[Symbol.asyncDispose]();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, as: (agent) => ({ url, headers: { "x-agent": agent } }) };
}

function guard(request: Request): Response | undefined {
  return (
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  );
}

async function open(directory: string, agent: string): Promise<Team> {
  const opened = await openTeam({ journal: `sqlite:${directory}/.baton/journal.db`, agent });
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}
