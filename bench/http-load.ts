/**
 * Load on an HTTP server by connections that are kept alive, written to sockets without a client library, whose own cost
 * would hide the server's.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface LoadOptions {
  readonly path: string;
  readonly connections: number;
  /** Further header lines. */
  readonly headers?: string;
}

/**
 * POSTs these bodies, over all connections at once; every answer must be 201. Servers end idle connections, so
 * each load opens new ones.
 */
export async function postAll(url: string, bodies: readonly string[], options: LoadOptions): Promise<void> {
  const { host, hostname, port } = new URL(url);
  const head = `POST ${options.path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${options.headers ?? ""}`;
  let next = 0;
  const work = async () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, "connect");
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      await exchange(socket, `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: options.connections }, work));
}

function exchange(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = "";
    const done = (problem: Error | null) => {
      socket.off("data", take);
      socket.off("close", gone);
      if (problem === null) resolve();
      else reject(problem);
    };
    const gone = () => done(new Error("the server closed the connection"));
    const take = (chunk: Buffer) => {
      received += chunk.toString("latin1");
      const end = received.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = /content-length: (\d+)/i.exec(received)?.[1];
      if (length === undefined) return done(new Error(`an answer without a length: ${received}`));
      if (received.length < end + 4 + Number(length)) return;
      done(received.startsWith("HTTP/1.1 201") ? null : new Error(received));
    };
    socket.on("data", take);
    socket.once("close", gone);
    socket.write(request);
  });
}
