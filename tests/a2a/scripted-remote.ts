/** A remote that answers as a test says, for tests of a hub that asks remotes. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { webServer } from "../http/line.ts";

type Test = Parameters<typeof webServer>[0];
/** Whatever came. */
type Anything = ReturnType<typeof JSON.parse>;

/** An open stream of a scripted remote. */
export interface ScriptedStream {
  readonly response: ServerResponse;
  /** The id of the request, which events of JSON-RPC repeat. */
  readonly id: unknown;
  event(result: object): void;
}

/** Members of a JSON-RPC response, a stream, or a connection that breaks. */
export type Scripted = object | "dies" | ((stream: ScriptedStream) => void);

/** A remote over JSON-RPC, and what it was sent. `card` is added to its card. */
export async function remote(
  t: Test,
  answer: (method: string, params: Anything) => Scripted | Promise<Scripted>,
  card: object = {},
) {
  const sent: { readonly method: string; readonly params: Anything; readonly authorization: string | undefined }[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization } = request.headers;
    // Every request names the version, and the card of 1.0.3 is one of 1.0.
    assert.equal(request.headers["a2a-version"], "1.0");
    response.setHeader("content-type", "application/json");
    if (request.method === "GET") {
      sent.push({ method: "card", params: null, authorization });
      const here = `http://${request.headers.host}`;
      const supportedInterfaces = [{ url: `${here}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0.3" }];
      return void response.end(JSON.stringify({ name: "shop", supportedInterfaces, ...card }));
    }
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    sent.push({ method, params, authorization });
    const told = await answer(method, params);
    if (told === "dies") return void request.socket.destroy();
    if (typeof told !== "function") return void response.end(JSON.stringify({ jsonrpc: "2.0", id, ...told }));
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" }).flushHeaders();
    told({
      response,
      id,
      event: (result) => void response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`),
    });
  };
  const url = await webServer(t, (request, response) => void serve(request, response));
  return { url, sent };
}

/** A task of A2A in a state. */
export const stateOf = (state: string, more: object = {}) => ({
  id: "t-1",
  contextId: "c-1",
  status: { state: `TASK_STATE_${state}`, timestamp: "2026-01-01T00:00:00Z" },
  ...more,
});

/** Writes without an end, as fast as its reader takes it. */
export function endless(response: ServerResponse, piece = "x".repeat(64 * 1024)): void {
  const more = () => {
    if (!response.destroyed) response.write(piece, () => setImmediate(more));
  };
  more();
}
