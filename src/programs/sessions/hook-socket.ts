/**
 * The hooks of a program that asks by commands, answered by the session's own MCP server. The line of the hook asks a socket
 * by curl, so no Node starts. The socket is in the folder of the sessions, which no agent's tool may write to, and its
 * name ends in the number of the program's process, which is the parent of the server and of the line's shell. Where there
 * is no socket or no answer, the line runs the command, which decides itself.
 * Source: docs/protocol/doors.md, section 7.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { dirname } from "node:path";
import { type JsonObject, jsonLine } from "../../base/json.ts";
import { hookBytesMax } from "../../base/limits.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hookSocketStart, sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { lookForPlace } from "../../perform/workspace/place.ts";

/** The answer to an event, as JSON on standard output; null: the command is to answer. */
export type LineAnswer = (event: string, input: Uint8Array) => Promise<JsonObject | null>;

/**
 * Answers the lines of the program that started this server, until it is disposed of. Null: this machine has no place for
 * a socket, for example because its path would be too long.
 */
export async function hookSocket(call: Call, answer: LineAnswer): Promise<AsyncDisposable | null> {
  const place = lookForPlace(call);
  if (!place.ok || place.value.refusal !== null) return null;
  const start = hookSocketStart(sessionsFolder(place.value.journal));
  const path = `${start}${process.ppid}`;
  const server = answering(answer);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    clearOld(start);
    // A server removes the name under which it listens when it ends; by then the name may be that of another one.
    const unfinished = `${start}new-${process.pid}`;
    await listening(server, unfinished);
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, path);
  } catch {
    // Not a path for a socket, or a folder that may not be written to: then the lines run the command.
    server.close();
    return null;
  }
  const own = lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  return {
    [Symbol.asyncDispose]: async () => {
      if (lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino === own) rmSync(path, { force: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answering(answer: LineAnswer): Server {
  return createServer((request, response) => {
    void answerRequest(answer, request, response);
  });
}

async function answerRequest(answer: LineAnswer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const [, event = ""] = /^\/hooks\/([A-Za-z]{1,64})$/.exec(request.url ?? "") ?? [];
    const input = request.method === "POST" ? await bodyOf(request) : null;
    const said = input === null ? null : await answer(event, input);
    if (said === null) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(jsonLine(said));
  } catch {
    // A bug of ours, or a line that went away: the command answers, and shows the bug.
    response.destroy();
  }
}

/** Null: it is larger than the input of a hook may be. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes <= hookBytesMax) parts.push(part);
  }
  return bytes > hookBytesMax ? null : Buffer.concat(parts);
}

function listening(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
}

/** Sockets of programs that have ended, whose servers were killed. */
function clearOld(start: string): void {
  if (!existsSync("/proc/self")) return;
  const folder = dirname(start);
  const name = start.slice(folder.length + 1);
  for (const each of readdirSync(folder)) {
    const program = each.startsWith(name) ? each.slice(name.length) : "";
    if (/^\d+$/.test(program) && !existsSync(`/proc/${program}`)) rmSync(`${folder}/${each}`, { force: true });
  }
}
