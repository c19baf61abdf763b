/** A proxy before a server, which loses answers as a network does. */
import { connect, createServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";

export interface Proxy {
  readonly port: number;
  /** Whether connections are cut again and again, after an answer was swallowed. */
  cuts: boolean;
  /** Whether every answer to a commit is swallowed, and nobody gets through afterwards. */
  swallowsCommit: boolean;
  /** What is put in the place of what in the server's answers; of one length. */
  puts: { readonly of: string; readonly is: string } | null;
  broken: number;
}

/** A proxy before the server that swallows answers and then cuts the connection; `isWrite` knows the bytes of a commit. */
export async function cuttingProxy(
  t: TestContext,
  target: number,
  isWrite: (bytes: Buffer) => boolean,
): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const state: Proxy = { port: 0, cuts: false, swallowsCommit: false, puts: null, broken: 0 };
  let isAway = false;
  const server: Server = createServer((client) => {
    if (isAway && state.swallowsCommit) return client.destroy();
    isAway = false;
    const upstream = connect(target, "127.0.0.1");
    const pair = [client, upstream];
    const end = () => {
      for (const each of pair) {
        each.destroy();
        sockets.delete(each);
      }
    };
    for (const each of pair) sockets.add(each.on("error", end).on("close", end));
    let isMute = false;
    let written = 0;
    client.on("data", (bytes) => {
      upstream.write(bytes);
      if (!isWrite(bytes)) return;
      written += 1;
      if (state.swallowsCommit) {
        isMute = true;
        isAway = true;
        setTimeout(end, 50);
      } else if (state.cuts && written % 3 === 0) {
        isMute = true;
        state.broken += 1;
        setTimeout(end, 20);
      }
    });
    upstream.on("data", (bytes) => {
      if (isMute) return;
      const { puts } = state;
      client.write(
        puts === null ? bytes : Buffer.from(bytes.toString("latin1").replaceAll(puts.of, puts.is), "latin1"),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object.assign(state, { port: typeof address === "object" && address !== null ? address.port : 0 });
}
