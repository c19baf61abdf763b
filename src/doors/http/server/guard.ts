/**
 * Who may speak to the hub at all, before any route is looked at: requests that name a loopback host with the hub's own
 * port, and that no foreign page sent. A page elsewhere can make a browser send requests to 127.0.0.1, and a foreign
 * name can be made to resolve to it; both say so in these headers. Wrong credentials are counted here by address, so
 * that guessing is slow.
 * Source: docs/protocol/doors.md, section 5.
 */

import type { Clock } from "../../../base/clock.ts";
import { type Problem, problem } from "../../../base/problem.ts";

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

/** Judges requests to a hub on `port`; null accepts one, else `foreign-request`. */
export function guardFor(port: () => number): (request: Provenance) => Problem | null {
  let known: Names | null = null;
  return (request) => {
    if (known?.port !== port()) known = namesFor(port());
    return judge(request, known);
  };
}

/** The origins under which a hub on `port` may be used. */
export function ownOrigins(port: number): ReadonlySet<string> {
  return namesFor(port).origins;
}

interface Names {
  readonly port: number;
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];
const harmlessSites = new Set(["same-origin", "none"]);

function namesFor(port: number): Names {
  // Clients leave out the port of the scheme.
  const hosts = loopbackNames.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  return { port, hosts: new Set(hosts), origins: new Set(hosts.map((host) => `http://${host}`)) };
}

function judge({ url, host, origin, fetchSite }: Provenance, { port, hosts, origins }: Names): Problem | null {
  if (host === undefined || !hosts.has(host.toLowerCase())) return foreign("Host", host, `127.0.0.1:${port}`);
  // A request line may name another host than the header; the URL is made of it.
  if (!url.startsWith(`http://${host.toLowerCase()}/`)) return foreign("request target", undefined, "a path");
  // Exactly the name that was asked: two loopback names are two origins for a browser, and so they are here.
  if (origin !== undefined && !(origins.has(origin) && origin === `http://${host.toLowerCase()}`))
    return foreign("Origin", origin, "the hub's own origin, or none");
  if (fetchSite !== undefined && !harmlessSites.has(fetchSite))
    return foreign("Sec-Fetch-Site", fetchSite, "same-origin | none");
  return null;
}

function foreign(header: string, received: string | undefined, expected: string): Problem {
  return problem("foreign-request", header, "This request comes from elsewhere: the hub answers this machine only.", {
    expected,
    received: received?.slice(0, 100),
    hint: "Use the URL that `baton up` printed, from a program on this machine.",
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
