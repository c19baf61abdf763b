/**
 * Notices between the processes of a journal on PostgreSQL: who commits tells who follows. They only save time, for a
 * notice can be lost.
 */
import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { type Client, type OwnClient, type Pool, statement } from "./driver.ts";
import { failureOf } from "./server.ts";

const betweenLooksMs = 1_000;
/** Between two transactions of notices: where one entry follows another, several are reported at once. */
const betweenNoticesMs = 10;

/** Tells every process that follows a team that it has new entries. */
export interface Notices {
  send(team: TeamName): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Where notices come from. */
interface Listening {
  /** A new connection, not connected yet. */
  readonly connect: () => OwnClient;
  readonly place: string;
  readonly channel: string;
}

/**
 * Sends notices over the one connection of `pool`, all that have gathered meanwhile in one transaction. In the
 * transaction of the entries a notice would make the commits of all teams wait for each other, since the server takes one
 * lock for all of them. The first goes out at once; those that come within a few milliseconds of it are sent together. One
 * that is lost costs a second: who follows looks that often regardless.
 */
export function noticesOf(pool: Pool, place: string, channel: string): Notices {
  const teams = new Set<TeamName>();
  let sending: Promise<void> | null = null;
  const sendAll = async () => {
    while (teams.size > 0) {
      const told = [...teams];
      teams.clear();
      try {
        const client = await pool.connect();
        await client.query(statement("notify", [channel, told])).then(
          () => client.release(),
          (error: unknown) => {
            client.release(true);
            throw error;
          },
        );
      } catch (error) {
        // Only what the server and the network cause; `failureOf` throws all else again.
        failureOf(error, place);
      }
      await systemClock.wait(betweenNoticesMs);
    }
    sending = null;
  };
  return {
    send(team) {
      teams.add(team);
      sending ??= sendAll();
    },
    async close() {
      await sending;
      await pool.end();
    },
  };
}

/**
 * Listens for notices over a separate connection, and connects again where it breaks. What was said meanwhile is lost, so
 * after each connection everyone looks.
 */
export async function listen(
  { connect, place, channel }: Listening,
  ring: (team: string | null) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = connect();
    const broken = new AbortController();
    const end = () => broken.abort();
    client.on("error", end);
    client.on("end", end);
    client.on("notification", ({ payload }) => ring(payload ?? null));
    signal.addEventListener("abort", end, { once: true });
    try {
      await client.connect();
      await client.query({ text: `LISTEN "${channel}"` });
      ring(null);
      await keptUntil(client, broken.signal);
    } catch (error) {
      // Only what the server and the network cause; `failureOf` throws all else again.
      failureOf(error, place);
    }
    signal.removeEventListener("abort", end);
    await client.end().catch(() => undefined); // a connection that is broken has nothing to end
    if (!signal.aborted) await systemClock.wait(betweenLooksMs, signal);
  }
}

/** Resolves when the connection breaks; asked now and then, since a network that vanished says nothing. */
async function keptUntil(client: Client, broken: AbortSignal): Promise<void> {
  while (!broken.aborted) {
    await systemClock.wait(30_000, broken);
    if (!broken.aborted) await client.query({ text: "SELECT 1" });
  }
}
