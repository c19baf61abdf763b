/**
 * What the driver is given to connect: who connects, by the address or by the environment, and how the connection is kept.
 */
import { readFile } from "node:fs/promises";
import { checkServerIdentity as checkName, type PeerCertificate } from "node:tls";
import { reasonOf } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { NatsAddress } from "./address.ts";
import type { Driver } from "./driver.ts";

const connectMs = 3_000;
const betweenTriesMs = 100;

/** What the driver is given. */
export type Options = Readonly<Record<string, unknown>>;

/** The options for the servers of `address`. Refuses with `journal-cannot-open` a file that cannot be read. */
export async function optionsOf(driver: Driver, address: NatsAddress): Promise<Result<Options, Problem>> {
  const { servers, user, password, credentials, authority, usesTls, place } = address;
  try {
    const login =
      credentials !== null
        ? { authenticator: driver.credsAuthenticator(await readFile(credentials)) }
        : password === null
          ? user === null
            ? loginOf(process.env)
            : { user, pass: process.env.NATS_PASSWORD ?? "" }
          : { user, pass: password };
    return ok({
      servers,
      name: "baton",
      ...login,
      ...(usesTls
        ? { tls: { checkServerIdentity, ...(authority === null ? {} : { ca: await readFile(authority) }) } }
        : {}),
      timeout: connectMs,
      // A connection to a stopped server is noticed by this only.
      pingInterval: 2_000,
      maxPingOut: 2,
      maxReconnectAttempts: -1,
      reconnectTimeWait: betweenTriesMs,
      // In a cluster each server names the others again, so a user whom none lets in would be tried for ever. Who was let in
      // before, and is refused for a while, is tried again by `connectAgain`.
      ignoreAuthErrorAbort: false,
      noAsyncTraces: true,
    });
  } catch (error) {
    return err(
      makeProblem("journal-cannot-open", place, "A file that the address names cannot be read.", {
        received: reasonOf(error),
        hint: "Name a file that this user can read: ?creds=FILE, ?ca=FILE.",
      }),
    );
  }
}

function loginOf({ NATS_USER, NATS_PASSWORD }: NodeJS.ProcessEnv): Options {
  return NATS_USER === undefined ? {} : { user: NATS_USER, pass: NATS_PASSWORD ?? "" };
}

/** What Node gives to the check of a certificate, by `this`. */
interface TlsOptions {
  readonly servername?: string;
  readonly socket?: { readonly remoteAddress?: string | undefined };
}

/**
 * Whether the certificate is of the server that was asked for; undefined: it is. The driver names no server that is known
 * by its IP address, and Node would take "localhost" for its name; so the address of the connection counts.
 */
function checkServerIdentity(this: TlsOptions, name: string, certificate: PeerCertificate): Error | undefined {
  const isNamed = (this.servername ?? "") !== "";
  return checkName(isNamed ? name : (this.socket?.remoteAddress ?? "no address"), certificate);
}
