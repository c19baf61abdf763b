/**
 * Who may speak to the hub at all, before any route is looked at: requests that name a host by which the hub is reached,
 * and that no foreign page sent. A page elsewhere can make a browser send requests to 127.0.0.1, and a foreign
 * name can be made to resolve to it; both say so in these headers. Wrong credentials are counted here by address, so
 * that guessing is slow.
 * Source: docs/protocol/doors.md, section 5.
 */

import type { Clock } from "../../../base/clock.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";

/** The headers that tell where a request comes from. A header that came twice is joined by `, ` and fits nothing. */
export interface Provenance {
  readonly url: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Counting wrong credentials by address, so that guessing is slow. A caller with a valid credential is never delayed:
 * on a loopback hub all callers share one address.
 */
export interface AuthFailures {
  /** How many seconds until this address sends heartbeats again without a valid credential; 0: now. */
  secondsLeft(address: string): number;
  count(address: string): void;
  readonly total: () => number;
}

/** How a hub is reached at one of its sockets. */
export interface Reach {
  /** The origins that clients know it by, such as `https://baton.example.com`; the first is shown as expected. */
  readonly origins: readonly string[];
  /** Whether the socket itself speaks TLS; a proxy in front of it may do so instead. */
  readonly isEncrypted: boolean;
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];
const harmlessSites = new Set(["same-origin", "none"]);
const schemePorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** How this machine's programs reach a hub on `port`. */
export function loopbackReach(port: number): Reach {
  return { origins: loopbackNames.map((name) => new URL(`http://${name}:${port}`).origin), isEncrypted: false };
}

/** Judges requests to a socket; null accepts one, else `foreign-request`. */
export function guardFor({ origins, isEncrypted }: Reach): (request: Provenance) => Problem | null {
  const hosts = new Map<string, string>();
  for (const origin of origins) {
    const { host, hostname, port, protocol } = new URL(origin);
    hosts.set(host, origin);
    // Clients leave out the port of the scheme, but need not.
    if (port === "") hosts.set(`${hostname}:${schemePorts[protocol] ?? ""}`, origin);
  }
  const scheme = isEncrypted ? "https" : "http";
  return (request) => judge(request, hosts, scheme);
}

function judge(
  { url, host, origin, fetchSite }: Provenance,
  hosts: ReadonlyMap<string, string>,
  scheme: string,
): Problem | null {
  const named = host?.toLowerCase() ?? "";
  const own = hosts.get(named);
  if (own === undefined) return foreign("Host", host, hosts.keys().next().value ?? "");
  // A request line may name another host than the header; the URL is made of it, without the scheme's own port.
  const isNamed = [named, new URL(own).host].some((each) => url.startsWith(`${scheme}://${each}/`));
  if (!isNamed) return foreign("request target", undefined, "a path");
  // Exactly the name that was asked: two loopback names are two origins for a browser, and so they are here.
  if (origin !== undefined && origin !== own) return foreign("Origin", origin, "the hub's own origin, or none");
  if (fetchSite !== undefined && !harmlessSites.has(fetchSite))
    return foreign("Sec-Fetch-Site", fetchSite, "same-origin | none");
  return null;
}

function foreign(header: string, received: string | undefined, expected: string): Problem {
  return makeProblem("foreign-request", header, "This request does not name the hub by an address that it knows.", {
    expected,
    received: received?.slice(0, 100),
    hint: "Use the URL that `baton up` printed. `baton up --public-url URL --allow-host NAME` adds addresses for other machines.",
  });
}

const windowMs = 60_000;
/** More addresses than a loopback hub sees; the oldest are forgotten. */
const addressesMax = 1_000;

/** The counter of one hub: `max` failures within a minute close an address. */
export function newAuthFailures(clock: Clock, max: number): AuthFailures {
  const failures = new Map<string, number[]>();
  let total = 0;
  const recent = (address: string): number[] => {
    const since = clock.monotonic() - windowMs;
    return (failures.get(address) ?? []).filter((at) => at > since);
  };
  return {
    secondsLeft(address) {
      const times = recent(address);
      const first = times[0];
      if (times.length < max || first === undefined) return 0;
      return Math.max(1, Math.ceil((first + windowMs - clock.monotonic()) / 1000));
    },
    count(address) {
      total += 1;
      const times = [...recent(address), clock.monotonic()].slice(-max);
      failures.delete(address);
      failures.set(address, times);
      const [oldest] = failures.keys();
      if (failures.size > addressesMax && oldest !== undefined) failures.delete(oldest);
    },
    total: () => total,
  };
}
