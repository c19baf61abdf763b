/** The public door `./mcp`: a Baton team as an MCP server, on standard input and output or over HTTP. */

export { type OpenOptions, openTeam as openJournalTeam } from "../../perform/open.ts";
export type { LocalTeam as JournalTeam } from "../../perform/team.ts";
export { mcpServer } from "./server.ts";
export type { CallOrigin, McpOptions, TeamSource } from "./tool.ts";
export {
  type McpHandler,
  type McpHandlerOptions,
  mcpHandler,
  type StdioOptions,
  serveMcpOnStdio,
} from "./transports.ts";
