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

/** A line between a client and a server: slow, silent, cut, or led to another server. */
export interface Line {
  readonly port: number;
  /** How long each piece takes, in each direction. */
  delayMs: number;
  /** While it is silent nothing passes in either direction; nobody is told, and afterwards all of it arrives. */
  silent(isSilent: boolean): void;
  /** Leads new connections to this port; the old ones are cut. */
  leadTo(port: number): void;
  close(): void;
}

/** Opens a line to the port `target` of this machine. */
export async function openLine(target: number): Promise<Line> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let [to, isSilent] = [target, false];
  const held: (() => void)[] = [];
  const pass = (act: () => void) => {
    if (isSilent) held.push(act);
    else if (line.delayMs === 0) act();
    else setTimeout(() => (isSilent ? held.push(act) : act()), line.delayMs);
  };
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  const server = createServer((client) => {
    const upstream = connect({ port: to, host: "127.0.0.1" });
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, other] of [pair, [upstream, client]] as const) {
      from.on("data", (bytes) => pass(() => void other.write(bytes)));
      from.on("error", () => undefined);
      from.on("close", () => {
        pairs.delete(pair);
        pass(() => void other.destroy());
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const line = {
    port: typeof address === "object" && address !== null ? address.port : 0,
    delayMs: 0,
    silent(now: boolean) {
      isSilent = now;
      if (!now) for (const act of held.splice(0)) act();
    },
    leadTo(port: number) {
      to = port;
      cut();
    },
    close() {
      isSilent = false;
      cut();
      server.close();
    },
  };
  return line;
}

/** A line that is cut at one message of PostgreSQL's protocol, counted in both directions since it was armed. */
export interface Counted {
  readonly port: number;
  /** Counts from now on and cuts in place of the message with this number; null: counts nothing. */
  arm(cutAt: number | null): void;
  /** How many were counted. */
  count(): number;
  close(): void;
}

/** Opens such a line to the server at the port `target`. */
export async function openCounted(target: number): Promise<Counted> {
  const sockets = new Set<Socket>();
  let [cutAt, count]: [number | null, number] = [null, 0];
  const server = createServer((client) => {
    const upstream = connect({ port: target, host: "127.0.0.1" });
    const end = () => {
      for (const socket of [client, upstream]) socket.destroy();
    };
    for (const [from, other, hasStart] of [
      [client, upstream, true],
      [upstream, client, false],
    ] as const) {
      sockets.add(from.setNoDelay(true));
      let rest = Buffer.alloc(0);
      let isFirst = hasStart;
      from.on("data", (bytes) => {
        rest = Buffer.concat([rest, bytes]);
        for (;;) {
          // The first message of a client has no letter before its length.
          const skip = isFirst ? 0 : 1;
          if (rest.length < skip + 4) return;
          const size = skip + rest.readUInt32BE(skip);
          if (rest.length < size) return;
          if (cutAt !== null) count += 1;
          if (cutAt !== null && count === cutAt) return end();
          other.write(rest.subarray(0, size));
          rest = rest.subarray(size);
          isFirst = false;
        }
      });
      from.on("error", end).on("close", end);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    arm(at) {
      [cutAt, count] = [at, 0];
    },
    count: () => count,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
