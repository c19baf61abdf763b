/**
 * Real MCP clients of both generations, driving a server the same way: the first SDK, which knows sessions and
 * `initialize` only, and the second, which speaks either era. Each test says over which wire.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after } from "node:test";
import { Client as SecondClient, StreamableHTTPClientTransport as SecondHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondStdio } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { environment, mainBundle } from "../e2e/command.ts";

/** What a tool answered. */
export interface Answered {
  readonly isError: boolean;
  readonly text: string;
  // Any JSON of ours; each test asserts what it needs of it.
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A connected client, whichever it is. */
export interface Driver {
  readonly pid: number | null;
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, given?: Record<string, unknown>, onProgress?: (done: number) => void): Promise<Answered>;
  prompts(): Promise<readonly { readonly name: string }[]>;
  prompt(name: string): Promise<string>;
  close(): Promise<void>;
}

/** Where the server is: a command in a folder, or a URL with a credential. */
export type Place =
  | {
      readonly directory: string;
      readonly words: readonly string[];
      /** In addition to the environment of this process. */
      readonly variables?: Record<string, string>;
    }
  | { readonly url: string; readonly headers?: Record<string, string> };

export type Connect = (place: Place) => Promise<Driver>;

const open = new Set<Driver>();
after(async () => {
  await Promise.all([...open].map((driver) => driver.close()));
});

const identity = { name: "baton-tests", version: "1.0.0" };

/** Every client that is tried, by what it is. */
export const clients: Readonly<Record<string, Connect>> = {
  "the first SDK's client": connectFirst,
  "the second SDK's client in the era of sessions": (place) => connectSecond(place, "legacy"),
  "the second SDK's client in the stateless era": (place) => connectSecond(place, { pin: "2026-07-28" }),
};

async function connectFirst(place: Place): Promise<Driver> {
  const client = new FirstClient(identity);
  const stdio = "url" in place ? null : new FirstStdio(processOf(place));
  const transport = "url" in place ? new FirstHttp(new URL(place.url), requestOf(place)) : stdio;
  // The SDK's own types of optional callbacks do not agree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return kept({
    pid: stdio?.pid ?? null,
    tools: async () => (await client.listTools()).tools,
    call: async (name, given = {}, onProgress) => {
      const options =
        onProgress === undefined ? {} : { onprogress: ({ progress }: { progress: number }) => onProgress(progress) };
      return answered(await client.callTool({ name, arguments: given }, undefined, options));
    },
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (name) => JSON.stringify((await client.getPrompt({ name })).messages),
    close: () => client.close(),
  });
}

async function connectSecond(place: Place, mode: "legacy" | { readonly pin: string }): Promise<Driver> {
  const client = new SecondClient(identity, { versionNegotiation: { mode } });
  const stdio = "url" in place ? null : new SecondStdio(processOf(place));
  const transport = "url" in place ? new SecondHttp(new URL(place.url), requestOf(place)) : stdio;
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return kept({
    pid: stdio?.pid ?? null,
    tools: async () => (await client.listTools()).tools,
    call: async (name, given = {}, onProgress) => {
      const options =
        onProgress === undefined ? {} : { onprogress: ({ progress }: { progress: number }) => onProgress(progress) };
      return answered(await client.callTool({ name, arguments: given }, options));
    },
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (name) => JSON.stringify((await client.getPrompt({ name })).messages),
    close: () => client.close(),
  });
}

function kept(driver: Driver): Driver {
  open.add(driver);
  return {
    ...driver,
    close: async () => {
      open.delete(driver);
      await driver.close();
    },
  };
}

/** How the server of the place is started. */
export function processOf({ directory, words, variables: more = {} }: Extract<Place, { readonly directory: string }>) {
  const variables = Object.entries(environment(more)).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return {
    command: process.execPath,
    args: [mainBundle, ...words],
    cwd: directory,
    env: Object.fromEntries(variables),
    stderr: "ignore" as const,
  };
}

function requestOf({ headers }: { readonly headers?: Record<string, string> }) {
  return headers === undefined ? {} : { requestInit: { headers } };
}

function answered({ isError, content, structuredContent }: Readonly<Record<string, unknown>>): Answered {
  const text = textOf(content as readonly { text?: string }[]); // as every tool of ours answers
  // Claude Code and Codex show their models the structure alone, and Gemini CLI the text alone.
  if (structuredContent !== undefined) assert.deepEqual(JSON.parse(text), structuredContent);
  return {
    isError: isError === true,
    text,
    data: (structuredContent ?? {}) as Record<string, unknown>, // an object, by the protocol
  };
}

function textOf(parts: readonly object[]): string {
  return parts.map((part) => ("text" in part ? String(part.text) : "")).join("");
}

/** What a tool of a program's session answered. */
export interface Said {
  readonly text: string;
  readonly isError: boolean;
}

/** A session of an agent program: its own server, as its settings start it. */
export interface ProgramSession extends AsyncDisposable {
  tools(): Promise<readonly string[]>;
  call(name: string, given: object, meta?: Readonly<Record<string, unknown>>): Promise<Said>;
  /** Ends its server by a signal, usually SIGKILL, as a crash does; resolves when the process is gone. */
  kill(by?: "SIGKILL" | "SIGTERM"): Promise<void>;
}

/**
 * A session of the program in `directory`, whose surroundings name `agent`. `isApart`: the program is a separate process, a
 * shell, else it is the process of the test. `more`: further words of its server, which is the one of `bundle`.
 */
export async function programSession(
  directory: string,
  program: string,
  agent: string | null,
  variables: Readonly<Record<string, string>> = {},
  isApart = false,
  more: readonly string[] = [],
  bundle = mainBundle,
): Promise<ProgramSession> {
  const client = new FirstClient(identity);
  const env = Object.fromEntries(
    Object.entries(environment({ ...variables, ...(agent === null ? {} : { BATON_AGENT: agent }) })).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    ),
  );
  const words = [process.execPath, bundle, "mcp", "--program", program, ...more];
  const [command = "", ...args] = isApart ? ["sh", "-c", '"$@"; exit', "sh", ...words] : words;
  const stdio = new FirstStdio({ command, args, cwd: directory, env, stderr: "ignore" });
  await client.connect(stdio);
  return {
    kill: async (by = "SIGKILL") => {
      const gone = new Promise<void>((resolve) => {
        client.onclose = resolve;
      });
      const { pid } = stdio;
      const server = isApart ? Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")) : pid;
      if (server !== null && server > 0) process.kill(server, by);
      await gone;
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given, meta) => {
      const more = meta === undefined ? {} : { _meta: { ...meta } };
      const done = await client.callTool({ name, arguments: { ...given }, ...more });
      const [content] = done.content as readonly { readonly text: string }[]; // as every tool of ours answers
      return { text: content?.text ?? "", isError: done.isError === true };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
