/**
 * The URL of a journal on NATS JetStream: which servers, who connects, and which journal of these servers. The parts that
 * a person may see hold no credentials.
 * Source: docs/protocol/record.md, section 16.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type KnownOptions, wrongOption } from "../address-options.ts";

/** Where a journal on JetStream is. */
export interface NatsAddress {
  /** `HOST:PORT` of each server that is named; the others of a cluster are learned from these. */
  readonly servers: readonly string[];
  readonly user: string | null;
  readonly password: string | null;
  /** Paths of files on this machine: credentials of a user, and the authority that signed the servers' certificates. */
  readonly credentials: string | null;
  readonly authority: string | null;
  readonly usesTls: boolean;
  /** The name of the journal, which its streams and subjects bear. */
  readonly name: string;
  /** How many copies the streams need at least; null: three in a cluster, one on a single server. */
  readonly replicas: number | null;
  /** Monitoring addresses of the servers, where settings are read that the protocol does not tell. */
  readonly monitors: readonly string[];
  /** For people: without credentials. */
  readonly place: string;
}

const nameDefault = "baton";
const nameForm = /^[a-z][a-z0-9_-]{0,31}$/;
const portDefault = 4222;
const hint =
  "write nats://HOST[:PORT][,HOST…][/NAME]; after a question mark: replicas=3, monitor=http://HOST:8222, creds=FILE, tls=on, ca=FILE";

const known: KnownOptions = {
  replicas: null,
  monitor: null,
  creds: "file",
  tls: ["on"],
  ca: "file",
};

/** Reads `nats://[USER:PASSWORD@]HOST[:PORT][,HOST…][/NAME][?…]`. Refuses with `wrong-usage`. */
export function readNatsAddress(text: string): Result<NatsAddress, Problem> {
  // Several hosts are no URL of the web, so the list is cut out before the rest is read as one.
  const [, login, hosts = "", rest = ""] = /^nats:\/\/(?:([^/?#]*)@)?([^/?#@]+)(.*)$/s.exec(text) ?? [];
  const url = URL.parse(`nats://host${rest === "" || rest.startsWith("/") ? rest : `/${rest}`}`);
  const servers = hosts.split(",").map((host) => withPort(host));
  if (url === null || hosts === "" || servers.some((server) => server === null))
    return err(wrong("This is not the URL of a journal on NATS."));
  const unread = wrongOption(url.searchParams, known);
  if (unread !== null) return err(unread);
  const name = url.pathname.slice(1) || nameDefault;
  if (!nameForm.test(name)) return err(wrong("This is not the name of a journal on NATS.", name));
  const option = (key: string) => url.searchParams.get(key);
  const replicas = option("replicas");
  if (replicas !== null && !["1", "3", "5"].includes(replicas))
    return err(wrong("A stream has 1, 3 or 5 replicas.", replicas));
  const monitors = url.searchParams.getAll("monitor").flatMap((each) => each.split(","));
  if (monitors.some((each) => !/^https?:\/\/[^/?#@]+\/?$/.test(each)))
    return err(
      wrong(
        "This is not the monitoring address of a server.",
        monitors.map((each) => each.slice(each.lastIndexOf("@") + 1)).join(),
      ),
    );
  const [user = null, password = null] = (login ?? "")
    .split(/:(.*)/s, 2)
    .map(decoded)
    .filter((part) => part !== "");
  return ok({
    servers: servers.filter((server) => server !== null),
    user,
    password,
    credentials: option("creds"),
    authority: option("ca"),
    usesTls: option("tls") === "on" || option("ca") !== null,
    name,
    replicas: replicas === null ? null : Number(replicas),
    monitors: monitors.map((each) => each.replace(/\/$/, "")),
    place: `nats://${servers.join()}/${name}`,
  });
}

function wrong(message: string, received?: string): Problem {
  return makeProblem("wrong-usage", "journal", message, { received: received?.slice(0, 80), hint });
}

/** The host with its port; null: it is none. */
function withPort(host: string): string | null {
  const url = URL.parse(`http://${host}`);
  if (url === null || url.hostname === "" || url.pathname !== "/") return null;
  const port = /:(\d+)$/.exec(host)?.[1] ?? portDefault;
  return `${url.hostname}:${port}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // A percent sign that escapes nothing is meant as it is.
  }
}
