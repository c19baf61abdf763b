/** A line between a client and a hub that breaks where a test wants it, and what else a client may find at an address. */
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";

interface Test {
  after(done: () => void | Promise<void>): void;
}

/** The address of a server that listens on a free port from now on. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's own
}

/** A web server that answers as told; its connections end with the test. */
export async function webServer(
  test: Test,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return await listening(server);
}

/** Whether the line to the hub is cut, and on which side of the hub; `held`: nothing comes through, and nobody says so. */
export type Cut = "never" | "before" | "after" | "held";

/**
 * A proxy in front of the hub at the port that `to` says for each request, under its name; cuts the connection where
 * asked: before the hub hears, or before the client does.
 */
export function cutter(test: Test, to: () => number, judge: (request: IncomingMessage) => Cut): Promise<string> {
  return webServer(test, (incoming, outgoing) => {
    const cut = judge(incoming);
    const port = to();
    if (cut === "held") return;
    if (cut === "before") return void incoming.socket.destroy();
    const { method, url, headers } = incoming;
    const asked = ask({ port, method, path: url, headers: { ...headers, host: `127.0.0.1:${port}` }, agent: false });
    asked.on("response", (answer) => {
      if (cut === "after") return void incoming.socket.destroy();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    asked.on("error", () => incoming.socket.destroy());
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  });
}
