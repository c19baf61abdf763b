/**
 * Every command of `baton`: those of the command line's own door, and those that compose several doors, which live
 * in `main/commands/`.
 */
import { type Catalogue, entry, ownCommands } from "../doors/cli/kernel/catalogue.ts";

/** The whole list; help shows groups in the order of their first command. */
export const catalogue: Catalogue = [
  entry("Start", "start", "begin a team's day, or go on with it", () => import("./commands/start.ts")),
  entry("Start", "up", "the hub: HTTP, MCP and the page, on this machine", () => import("./commands/up.ts")),
  entry("Start", "stop", "end the day: agents stop, and you read what is left", () => import("./commands/stop.ts")),
  ...ownCommands,
  entry(
    "Start",
    "demo",
    "watch three agents at work on a scratch repository, and what Baton does about it",
    () => import("./commands/demo.ts"),
  ),
  entry(
    "People and agents",
    "run",
    "start an agent program as an agent of the team",
    () => import("./commands/run.ts"),
  ),
  entry("People and agents", "remote add", "let the team ask a remote agent over A2A", async () => ({
    command: (await import("./commands/remote.ts")).addCommand,
  })),
  entry("People and agents", "remote remove", "take a remote agent from the team", async () => ({
    command: (await import("./commands/remote.ts")).removeCommand,
  })),
  entry("People and agents", "hook", "answer an agent program at its own events", () => import("./commands/hook.ts")),
  entry("People and agents", "mcp", "the team as an MCP server for one agent", () => import("./commands/mcp.ts")),
];
