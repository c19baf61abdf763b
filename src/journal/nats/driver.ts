/**
 * The part of the driver `@nats-io/transport-node` that this engine uses, and how it is loaded: when a journal on NATS is
 * opened, and not before. It installs apart, so it may be absent.
 */

import { reasonOf } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** The part of the driver that this engine uses. */
export interface Driver {
  connect(options: Readonly<Record<string, unknown>>): Promise<Connection>;
  headers(): Headers;
  credsAuthenticator(credentials: Uint8Array): unknown;
  nuid: { next(): string };
}

interface Headers {
  set(key: string, value: string): void;
}

export interface Subscription {
  unsubscribe(): void;
}

/** A message as the driver gives it. */
export interface Message {
  readonly subject: string;
  readonly reply?: string;
  readonly data: Uint8Array;
  readonly headers?: { readonly code: number; get(key: string): string };
}

interface Emitter {
  removeAllListeners(...events: string[]): Emitter;
  on(event: "error", listener: () => void): Emitter;
}

export interface Connection {
  readonly info?: ServerInfo;
  request(
    subject: string,
    data: Uint8Array | string,
    options: { readonly timeout: number; readonly headers?: Headers },
  ): Promise<Message>;
  publish(subject: string, data?: Uint8Array | string, options?: { readonly reply?: string }): void;
  subscribe(
    subject: string,
    options: { readonly callback: (error: Error | null, message: Message) => void; readonly queue?: string },
  ): Subscription;
  status(): AsyncIterable<{ readonly type: string }>;
  isClosed(): boolean;
  /** Not of the driver's published interface, so it may be absent. */
  readonly protocol?: { readonly transport?: { readonly socket?: Emitter } };
  close(): Promise<void>;
}

/** What a server says of itself. */
export interface ServerInfo {
  readonly server_name: string;
  readonly version: string;
  readonly max_payload: number;
  readonly cluster?: string;
  readonly jetstream?: boolean;
}

/** Loads the driver. Refuses with `journal-cannot-open` where it is not installed. */
export async function loadDriver(place: string): Promise<Result<Driver, Problem>> {
  // A name that is not written in the call is left alone by bundlers and by the compiler: the package may be absent.
  const name: string = "@nats-io/transport-node";
  try {
    const loaded: { readonly default: Driver } = await import(name);
    return ok(loaded.default);
  } catch (error) {
    return err(
      makeProblem("journal-cannot-open", place, "The driver for NATS is not installed.", {
        received: reasonOf(error),
        hint: "Install it next to Baton: npm install @nats-io/transport-node (add --global where Baton is global).",
      }),
    );
  }
}
