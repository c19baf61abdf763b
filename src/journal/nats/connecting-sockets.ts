/**
 * The sockets that a try to connect opens. Where a server accepts one and says nothing, the driver gives up and leaves it
 * open, and the process could not end.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** Null: the try has succeeded, and what the driver opens later is its own. */
interface Try {
  sockets: Set<Socket> | null;
}

const tries = new AsyncLocalStorage<Try>();
// Node says this in the context in which the socket is made, so no socket of others is among them.
subscribe("net.client.socket", (made) => tries.getStore()?.sockets?.add((made as { readonly socket: Socket }).socket));

/** Calls `connect`. Where it fails, the sockets that it opened are closed. */
export async function closingUnused<Made>(connect: () => Promise<Made>): Promise<Made> {
  const sockets = new Set<Socket>();
  const own: Try = { sockets };
  try {
    return await tries.run(own, connect);
  } catch (error) {
    for (const socket of sockets) socket.destroy();
    throw error;
  } finally {
    own.sockets = null;
  }
}
