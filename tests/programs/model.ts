/**
 * A scripted model behind the address that an agent program calls: it answers each request of the program with what a
 * test's script says, in the form of the program's provider. The three forms are in separate files; this is the server
 * that they share, and what a script sees of a request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { zstdDecompressSync } from "node:zlib";

/** One request of a program to its model. */
export interface ModelTurn {
  /** How many times the model has answered in this conversation before. */
  readonly number: number;
  /** The first words of the conversation: who is spoken to. */
  readonly prompt: string;
  /** What is new since the model's last answer: results of tools and what was injected next to them, as JSON. */
  readonly fresh: string;
  /** The whole request, as JSON. */
  readonly whole: string;
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
  /** When the request came, in milliseconds of this process. */
  readonly atMs: number;
}

/** A tool that the model calls. */
export interface ToolUse {
  readonly tool: string;
  readonly input: object;
}

/** What the model answers: words, which end its turn, or tools to call. */
export type ModelAnswer = string | readonly ToolUse[];

/** What the model of a test answers, in each turn. */
export type Script = (turn: ModelTurn) => ModelAnswer | Promise<ModelAnswer>;

/** A provider's form: how its requests are read and its answers written. */
export interface Provider {
  /** The turn in a request, without its time; null: a side task of the program, answered with words. */
  read(body: Record<string, unknown>): Omit<ModelTurn, "atMs"> | null;
  /** Whether requests to this path are for the model. */
  isModel(path: string): boolean;
  /** Whether requests to this path want events; the others want the data of the only one. */
  isStreamed(path: string): boolean;
  /** The answer as server-sent events: each with its name (null: none) and its data. */
  write(answer: ModelAnswer, turn: number): readonly (readonly [name: string | null, data: object])[];
}

/** A running model. */
export interface Model extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** The turns so far, the oldest first. */
  readonly turns: readonly ModelTurn[];
}

/** Starts a model of `provider` that answers by `script`. */
export async function startModel(provider: Provider, script: Script): Promise<Model> {
  const turns: ModelTurn[] = [];
  const server = createServer((request, response) => {
    void answer(provider, script, turns, request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    turns,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function answer(
  provider: Provider,
  script: Script,
  turns: ModelTurn[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const atMs = performance.now();
  const body = await bodyOf(request);
  if (!provider.isModel(request.url ?? "")) {
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
    return;
  }
  const read = provider.read(body);
  if (read !== null) turns.push({ ...read, atMs });
  const said = read === null ? "side task" : await script({ ...read, atMs });
  const events = provider.write(said, turns.length);
  if (!provider.isStreamed(request.url ?? "")) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(events.at(-1)?.[1]));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of events) {
    response.write(`${name === null ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  }
  response.end();
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding gives buffers
  const bytes = Buffer.concat(chunks);
  const text = request.headers["content-encoding"] === "zstd" ? zstdDecompressSync(bytes) : bytes;
  return text.length === 0 ? {} : (JSON.parse(text.toString()) as Record<string, unknown>); // the program's own
}
