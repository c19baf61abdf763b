/** A port for a hub that ends and comes back to it, or that is named before it starts. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below what any system hands out to those who ask for a free port, and above what browsers refuse to speak to. */
const [first, last] = [11_000, 32_000];

/**
 * A port that nobody listens on and that the system gives to nobody else, unlike one that it chose itself: while the hub is
 * away, a server of another test could be given that one.
 */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    const server = createServer().listen(port, "127.0.0.1");
    // It is rejected by an error, as of a port that another has.
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
