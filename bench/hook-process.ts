/**
 * A hook as Gemini CLI asks it, as a whole process against Node doing nothing: the line of `baton run`, which asks the
 * session's own server by curl, the command, which answers where there is no server, and a hub that curl asks.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wantedHooks } from "../src/programs/install/hook-lines.ts";
import { ended } from "./hub-calls.ts";
import type { Measure } from "./measure.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");

const shared = { yardstick: "node -e 0", rounds: 60 } as const;

/** After a tool, without mail. */
export const hookMeasures: readonly Measure[] = [
  {
    ...shared,
    name: "A hook of Gemini CLI in a session: after a tool, without mail",
    subject: "the line that asks the session's own MCP server by curl",
    target: { of: "time", atMost: 1.6 },
    open: async (folder, opened) => {
      const directory = project(folder);
      const env = { ...process.env, BATON_AGENT: "dev-1" };
      const server = spawn(process.execPath, [launcher, "mcp", "--program", "gemini"], { cwd: directory, env });
      opened.defer(async () => {
        const end = once(server, "close");
        server.stdin.end();
        await end;
      });
      // What it answers first comes after its socket.
      server.stdin.write(
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n',
      );
      await once(server.stdout, "data");
      const line = lineOf(directory);
      return {
        yardstick: () => node(["-e", "0"]),
        subject: () => ask(directory, line),
      };
    },
  },
  {
    ...shared,
    name: "A hook as a command: after a tool, without mail",
    subject: "the same line without a server, where nothing has happened since the last one: `baton hook AfterTool`",
    target: { of: "time", atMost: 1.6 },
    open: async (folder) => {
      const directory = project(folder);
      const line = lineOf(directory);
      return { yardstick: () => node(["-e", "0"]), subject: () => ask(directory, line) };
    },
  },
  {
    ...shared,
    name: "A hook by a hub: after a tool, without mail",
    subject: "the line by which curl asks a hub",
    target: { of: "time", atMost: 0.5 },
    open: async (folder, opened) => {
      const directory = project(folder);
      const hub = spawn(process.execPath, [launcher, "up", "--port", "0", "--json"], { cwd: directory });
      opened.defer(() => ended(hub));
      const [first] = (await once(hub.stdout, "data")) as [Buffer]; // its first line
      const { origin } = new URL((JSON.parse(String(first)) as { url: string }).url);
      const made = JSON.parse(baton(directory, ["token", "create", "dev-1", "--json"])) as { token: string };
      const line = `curl -q -sf --noproxy '*' -H "Authorization: Bearer $BATON_TOKEN" -H 'Content-Type: application/json' --data-binary @- ${origin}/hooks/gemini/AfterTool`;
      return {
        yardstick: () => node(["-e", "0"]),
        subject: () => ask(directory, line, { BATON_TOKEN: made.token }),
      };
    },
  },
];

/** A team with one agent, whose journal has an entry. */
function project(folder: string): string {
  mkdirSync(join(folder, ".baton"), { recursive: true });
  writeFileSync(
    join(folder, ".baton/team.yaml"),
    "version: 1\nteam: web\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n  dev-1: {role: dev}\n",
  );
  spawnSync("git", ["init", "--quiet", folder]);
  baton(folder, ["agent", "list"]);
  baton(folder, ["task", "add", "1-1-T1"]);
  return folder;
}

/** The line of the hook after a tool. */
function lineOf(directory: string): string {
  const sessions = join(directory, ".git/baton/sessions");
  const hooks = wantedHooks({ program: "gemini", words: [process.execPath, launcher], sessions });
  if (!hooks.ok) throw new Error(hooks.error.message);
  const [group] = hooks.value.AfterTool ?? [];
  const {
    hooks: [handler],
  } = group as unknown as { readonly hooks: readonly [{ readonly command: string }] };
  return handler.command;
}

function ask(directory: string, line: string, variables: Readonly<Record<string, string>> = {}): number {
  const asked = { hook_event_name: "AfterTool", session_id: "s1", cwd: directory, tool_name: "read_file" };
  const env = { ...process.env, BATON_AGENT: "dev-1", ...variables };
  return timedRun("bash", ["-c", line], { cwd: directory, env, input: JSON.stringify(asked) });
}

function node(words: readonly string[]): number {
  return timedRun(process.execPath, words, {});
}

function timedRun(
  program: string,
  words: readonly string[],
  options: Parameters<typeof spawnSync>[2] & object,
): number {
  const start = performance.now();
  const done = spawnSync(program, words, { ...options, encoding: "utf8" });
  const took = performance.now() - start;
  if (done.status !== 0) throw new Error(`${program} ended with ${done.status}: ${done.stderr}`);
  return took;
}

function baton(directory: string, words: readonly string[]): string {
  const done = spawnSync(process.execPath, [launcher, ...words], { cwd: directory, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`baton ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}
