/**
 * The hub's second socket, for other machines: which address, by which names clients call it, and who encrypts. Without
 * it a hub is reached from this machine only.
 * Source: docs/protocol/doors.md, section 5.
 */
import { realpathSync, statSync } from "node:fs";
import { argument } from "../base/argument.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type FileReason, readPlainFile, reasonOf } from "../base/plain-file.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Arguments, OptionFacts } from "../doors/cli/kernel/arguments.ts";
import { type HubApp, type HubLimits, type HubLog, listen, type TlsTexts } from "../doors/http/index.ts";

/** Where other machines reach a hub. */
export interface PublicAddress {
  readonly host: string;
  /** 0 takes a free one, which only tests can use: `url` names another. */
  readonly port: number;
  /** What the hub tells others to use: an origin. */
  readonly url: string;
  /** Further origins that it answers to. */
  readonly others: readonly string[];
  /** Null: plain HTTP, for a proxy in front of it. */
  readonly tls: TlsFiles | null;
}

interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What a person writes, as written. */
export interface PublicWish {
  /** `HOST:PORT`. */
  readonly listen?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly allowHosts?: readonly string[];
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

export const publicOptions: readonly OptionFacts[] = [
  {
    name: "listen",
    kind: "text",
    value: "HOST:PORT",
    summary: "also answer other machines there, by TLS or behind a proxy that speaks it",
  },
  {
    name: "public-url",
    argument: "publicUrl",
    kind: "text",
    value: "URL",
    summary: "how other machines name the hub, such as https://baton.example.com",
  },
  {
    name: "allow-host",
    argument: "allowHosts",
    kind: "text",
    value: "HOST",
    repeatable: true,
    summary: "a further name that the hub answers to (may be repeated)",
  },
  {
    name: "tls-cert",
    argument: "tlsCert",
    kind: "text",
    value: "FILE",
    summary: "certificate chain for --listen, PEM",
  },
  { name: "tls-key", argument: "tlsKey", kind: "text", value: "FILE", summary: "its private key, PEM" },
];

/** What the options say. */
export function publicWish(given: Arguments): PublicWish {
  return {
    listen: given.text("listen"),
    publicUrl: given.text("public-url"),
    allowHosts: given.texts("allow-host"),
    tlsCert: given.text("tls-cert"),
    tlsKey: given.text("tls-key"),
  };
}

/** How often the certificate's file is looked at, in milliseconds. */
export const certificateLookMs = 60_000;
/** More than any chain of certificates takes. */
const pemBytesMax = 1024 * 1024;

/**
 * The address that is wished for; null: none. Refuses with `wrong-usage` what does not fit together: nothing listens for
 * others without TLS, by the hub or by a proxy whose URL is given.
 *
 * @example
 * readPublicAddress({ listen: "0.0.0.0:4778", publicUrl: "https://baton.example.com" });
 */
export function readPublicAddress(wish: PublicWish): Result<PublicAddress | null, Problem> {
  const { listen: place, publicUrl, allowHosts = [], tlsCert, tlsKey } = wish;
  if (place === undefined) {
    const alone = [
      ["publicUrl", publicUrl],
      ["allowHosts", allowHosts[0]],
      ["tlsCert", tlsCert],
      ["tlsKey", tlsKey],
    ].find(([, value]) => value !== undefined)?.[0];
    if (alone === undefined) return ok(null);
    return err(
      makeProblem("wrong-usage", argument(alone), "This is about a hub for other machines.", {
        hint: "Add --listen HOST:PORT, for instance --listen 0.0.0.0:4778.",
      }),
    );
  }
  const address = readListen(place);
  if (address === null) return err(wrongListen(place));
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const missing = argument(tlsCert === undefined ? "tlsCert" : "tlsKey");
    return err(
      makeProblem("wrong-usage", missing, "A certificate needs its key, and a key its certificate.", {
        hint: `Add \`${missing}\`.`,
      }),
    );
  }
  const tls = tlsCert === undefined || tlsKey === undefined ? null : { cert: tlsCert, key: tlsKey };
  const { host, port } = address;
  const isAnywhere = host === "0.0.0.0" || host === "::";
  if (publicUrl === undefined && (tls === null || isAnywhere)) return err(tls === null ? unencrypted : unnamed(place));
  const url = originOf(publicUrl ?? `https://${shownHost(host)}:${port}`);
  if (url === null || (tls !== null && !url.startsWith("https:"))) return err(wrongUrl(publicUrl ?? "", tls !== null));
  const others: string[] = [];
  for (const name of allowHosts) {
    const origin = /^[A-Za-z0-9.:[\]-]{1,300}$/.test(name) ? originOf(`${new URL(url).protocol}//${name}`) : null;
    if (origin === null) return err(wrongHost(name));
    others.push(origin);
  }
  return ok({ host, port, url, others, tls });
}

/** Listens there, and takes a renewed certificate into use by itself. The caller closes it. */
export async function listenForOthers(
  app: Pick<HubApp, "reachedAt">,
  { host, port, url, others, tls }: PublicAddress,
  {
    limits,
    log,
    clock = systemClock,
  }: { readonly limits: HubLimits; readonly log: HubLog; readonly clock?: Pick<Clock, "wait"> },
): Promise<Result<{ readonly port: number; close(graceMs: number): Promise<void> }, Problem>> {
  const texts = tls === null ? null : readTls(tls);
  if (texts !== null && !texts.ok) return texts;
  const reached = app.reachedAt({ origins: [url, ...others], isEncrypted: tls !== null });
  const options = { host, port, limits, forOthers: true };
  const listening = await listen(reached, texts === null ? options : { ...options, tls: texts.value });
  if (!listening.ok) return listening;
  const stopping = new AbortController();
  const renewing = tls === null ? null : keepRenewed(tls, listening.value, { log, clock }, stopping.signal);
  return ok({
    port: listening.value.port,
    async close(graceMs) {
      stopping.abort();
      await renewing;
      await listening.value.close(graceMs);
    },
  });
}

/** Gives new connections the certificate that the file holds now, each minute that it changed. */
async function keepRenewed(
  tls: TlsFiles,
  listening: { renew(texts: TlsTexts): Problem | null },
  { log, clock }: { readonly log: HubLog; readonly clock: Pick<Clock, "wait"> },
  signal: AbortSignal,
): Promise<void> {
  let known = changedAt(tls);
  for (;;) {
    await clock.wait(certificateLookMs, signal);
    if (signal.aborted) return;
    const now = changedAt(tls);
    if (now === known) continue;
    known = now;
    const texts = readTls(tls);
    const problem = texts.ok ? listening.renew(texts.value) : texts.error;
    if (problem === null) log.info({}, "the renewed certificate is in use");
    else log.warn({ why: problem.message }, "the certificate changed and cannot be used; the one before stays in use");
  }
}

/** When the files were last written; a file that is not there, or out of reach, has no time. */
function changedAt({ cert, key }: TlsFiles): string {
  return [cert, key].map(writtenAt).join();
}

function writtenAt(path: string): string {
  try {
    return String(statSync(path).mtimeMs);
  } catch (cause) {
    return reasonOf(cause);
  }
}

function readTls({ cert, key }: TlsFiles): Result<TlsTexts, Problem> {
  const texts: string[] = [];
  for (const [option, path] of [
    ["tlsCert", cert],
    ["tlsKey", key],
  ] as const) {
    const read = readPem(path);
    if (!read.ok)
      return err(
        makeProblem("wrong-usage", argument(option), `The file cannot be read: ${read.error}.`, {
          expected: "a PEM file that this program may read",
          received: path,
        }),
      );
    texts.push(read.value);
  }
  const [certText = "", keyText = ""] = texts;
  return ok({ cert: certText, key: keyText });
}

/** Programs that renew certificates use links; a pipe would hang the hub, and a device would fill its memory. */
function readPem(path: string): Result<string, FileReason> {
  try {
    const read = readPlainFile(realpathSync(path), pemBytesMax);
    return read.ok ? (read.value === null ? err("ENOENT") : ok(read.value.text)) : read;
  } catch (cause) {
    return err(reasonOf(cause));
  }
}

/** `HOST:PORT` in its parts; an IPv6 address is in brackets. */
function readListen(written: string): { readonly host: string; readonly port: number } | null {
  const colon = written.lastIndexOf(":");
  const [host, port] = [written.slice(0, colon), written.slice(colon + 1)];
  if (colon < 1 || !/^\d{1,5}$/.test(port) || Number(port) > 65_535) return null;
  if (!/^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:]{2,45}\])$/.test(host)) return null;
  return { host: host.startsWith("[") ? host.slice(1, -1) : host, port: Number(port) };
}

function shownHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** The origin of a URL that has nothing else; null: it is no such URL. */
function originOf(written: string): string | null {
  const url = URL.canParse(written) ? new URL(written) : null;
  const isPlain = url !== null && url.href === `${url.origin}/` && /^https?:\/\/[^*]+$/.test(url.origin);
  return isPlain ? url.origin : null;
}

const unencrypted = makeProblem(
  "wrong-usage",
  argument("listen"),
  "Other machines would send tokens that anybody on the way can read.",
  {
    expected: "TLS by the hub, or by a proxy in front of it",
    hint: "Add --tls-cert FILE --tls-key FILE, or the URL of the proxy: --public-url https://baton.example.com.",
  },
);

function unnamed(place: string): Problem {
  return makeProblem(
    "wrong-usage",
    argument("listen"),
    `${place} is every address of this machine, so clients need a name.`,
    {
      hint: "Add --public-url https://NAME:PORT, with a name that is in the certificate.",
    },
  );
}

function wrongListen(place: string): Problem {
  return makeProblem("wrong-usage", argument("listen"), "This is not an address to listen on.", {
    expected: "HOST:PORT, such as 0.0.0.0:4778 or [::]:4778",
    received: place.slice(0, 100),
  });
}

function wrongUrl(url: string, hasTls: boolean): Problem {
  return makeProblem("wrong-usage", argument("publicUrl"), "This cannot be the hub's URL.", {
    expected: hasTls
      ? "https://HOST or https://HOST:PORT, for the hub speaks TLS"
      : "https://HOST or https://HOST:PORT",
    received: URL.canParse(url) ? new URL(url).origin : "another text",
    hint: "It has no path, no user and no query; a proxy serves the hub at the root of a host name.",
  });
}

function wrongHost(name: string): Problem {
  return makeProblem("wrong-usage", argument("allowHosts"), "This is not a host name.", {
    expected: "HOST or HOST:PORT",
    received: name.slice(0, 100),
  });
}
