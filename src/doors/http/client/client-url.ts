/** The address of a hub: which URLs are taken, and the requests' URLs made from one. */
import { argument } from "../../../base/argument.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";

/** The values of a query; undefined ones are left out, lists are repeated. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Where requests go. */
export interface HubUrl {
  /** For people and problems: scheme, host, port and path, nothing secret. */
  readonly shown: string;
  /** Whether what is sent can be read on the way: no TLS, and not this machine. */
  readonly isOpenOnTheWay: boolean;
  /** The URL of a path of the hub; `segments` are encoded. */
  at(segments: readonly string[], query?: Query): URL;
}

/**
 * Reads the URL of a hub. Refuses with `wrong-usage` what is none: another scheme, or a user, a query or a fragment,
 * none of which belongs there; what stands in them is never shown, because it may be a secret.
 */
export function readHubUrl(written: string): Result<HubUrl, Problem> {
  const base = URL.canParse(written) ? new URL(written) : null;
  if (base === null || (base.protocol !== "http:" && base.protocol !== "https:")) {
    return err(
      problem("wrong-usage", argument("hub"), "This is not the URL of a hub.", {
        expected: "http://HOST:PORT or https://HOST:PORT",
        // A text that is no URL may be anything, a token that went to the wrong option among it.
        received: /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? (base?.protocol ?? "another text") : "another text",
        hint: "write http://127.0.0.1:4777, as `baton up` printed it",
      }),
    );
  }
  if (base.username !== "" || base.password !== "" || base.search !== "" || base.hash !== "") {
    return err(
      problem("wrong-usage", argument("hub"), "The URL of a hub has no user, no query and no fragment.", {
        expected: base.origin,
        hint: "Give the token by BATON_TOKEN; the part after # is for the browser only.",
      }),
    );
  }
  const prefix = withoutSlashes(base.pathname);
  return ok({
    shown: `${base.origin}${prefix}`,
    isOpenOnTheWay: base.protocol === "http:" && !isLoopback(base.hostname),
    at: (segments, query = {}) => {
      const url = new URL(base.origin);
      url.pathname = `${prefix}/${segments.map(encodeURIComponent).join("/")}`;
      for (const [name, value] of Object.entries(query)) {
        if (value === undefined) continue;
        for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each));
      }
      return url;
    },
  });
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** A path without the slashes at its end. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}
