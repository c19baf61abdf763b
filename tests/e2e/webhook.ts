/** A receiver of webhooks on this machine, and their signature by a second implementation. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { after } from "node:test";
import { systemClock } from "../../src/base/clock.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly atMs: number;
}

/**
 * A receiver that answers with `status`, and sends whoever follows it elsewhere. `idle` waits until it has answered
 * everybody who is connected, also a sender that is gone.
 */
export async function receiver() {
  const got: Received[] = [];
  const answer = { status: 200 };
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      got.push({ path: request.url ?? "", headers: request.headers, body, atMs: systemClock.monotonic() });
      response.writeHead(answer.status, { location: "/elsewhere" }).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  const connected = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  const idle = async () => {
    while ((await connected()) > 0) await systemClock.wait(20);
  };
  // A server on a port has an address.
  return { got, answer, idle, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** HMAC-SHA256 as its definition has it (RFC 2104), of Standard Webhooks' id, time and body. */
export function signatureOf({ headers, body }: Received, secret: string): string {
  const key = Buffer.concat([Buffer.from(secret.replace("whsec_", ""), "base64")], 64);
  const padded = (byte: number) => Buffer.from(key.map((each) => each ^ byte));
  const hash = (...parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
  const signed = Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`);
  return `v1,${hash(padded(0x5c), hash(padded(0x36), signed)).toString("base64")}`;
}
