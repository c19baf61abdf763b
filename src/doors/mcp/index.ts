/** The public door `./mcp`: a Baton team as an MCP server, on standard input and output or over HTTP. */

export { type OpenOptions, openTeam as openJournalTeam } from "../../runtime/open.ts";
export type { LocalTeam as JournalTeam } from "../../runtime/team/team.ts";
export { type McpHandler, type McpHandlerOptions, mcpHandler } from "./http.ts";
export { mcpServer } from "./server.ts";
export { type StdioOptions, serveMcpOnStdio } from "./stdio.ts";
export type { McpOptions, TeamSource } from "./tool.ts";
