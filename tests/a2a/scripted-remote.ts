/** A remote that answers as a test says, for tests of a hub that asks remotes. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { webServer } from "../http/line.ts";

type Test = Parameters<typeof webServer>[0];
/** Whatever came. */
type Anything = ReturnType<typeof JSON.parse>;

/** Members of a JSON-RPC response, or a connection that breaks. */
export type Scripted = object | "dies";

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
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...told }));
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
