/**
 * What the errors of a NATS server and of its driver mean for a journal.
 * Source: docs/protocol/record.md, section 16.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Failure } from "../remote/backend.ts";
import { certificateProblem } from "../server-certificate.ts";

interface ApiError {
  readonly code: number;
  readonly err_code?: number;
  readonly description?: string;
}

/** The answer of the programming interface, or the failure that it names. */
export function readAnswer<Value>({ data }: { readonly data: Uint8Array }, place: string): Result<Value, Failure> {
  const read = JSON.parse(Buffer.from(data).toString("utf8")) as Value & { readonly error?: ApiError };
  return read.error === undefined ? ok(read) : err(apiFailure(read.error, place));
}

/** There is no such message. */
const notFound = 10_037;

/** The value, or null where the failure says that there is none. */
export function orNull<Value>(answer: Result<Value, Failure>): Result<Value | null, Failure> {
  return !answer.ok && answer.error.code === notFound ? ok(null) : answer;
}

type Meaning = (place: string, received: string) => Failure;

function apiFailure({ code, err_code: number = 0, description = "" }: ApiError, place: string): Failure {
  const received = `${description.slice(0, 200)} (${number || code})`;
  const meaning = meanings.get(number) ?? (code === 503 ? unreachable : code === 404 ? missing : refusal);
  return { ...meaning(place, received), code: number };
}

/** The server, or the stream's leader, does not answer. */
export const unreachable: Meaning = (place, received) => ({
  kind: "unreachable",
  problem: makeProblem("journal-unreachable", place, "The server of the journal does not answer.", {
    received,
    hint: "Nothing of this was recorded. Look whether the server runs, its cluster has a leader and it can be reached from here, then run this again, or send again with the same id.",
  }),
});

const busy: Meaning = (place, received) => ({
  kind: "busy",
  problem: makeProblem("journal-busy", place, "Other processes wrote to the team for the whole waiting time.", {
    received,
    hint: "Try again with the same id.",
  }),
});

const full: Meaning = (place, received) => ({
  kind: "refused",
  problem: makeProblem("journal-full", place, "The server has no room: nothing of this was recorded.", {
    received,
    hint: "Free space on the server's disk, or raise its limits for JetStream, then send again with the same id.",
  }),
});

const readOnly: Meaning = (place, received) => ({ kind: "refused", problem: readOnlyProblem(place, received) });

/** The journal can be read but not written. */
export function readOnlyProblem(place: string, received?: string): Problem {
  return makeProblem("journal-read-only", place, "The journal can be read but not written.", {
    received,
    hint: "Connect as a user who may publish to the journal's subjects.",
  });
}

/** A journal is made at `place` by a user who may only use one. */
const notOperator: Meaning = (place, received) => ({
  kind: "refused",
  problem: makeProblem("journal-read-only", place, "This user may not make the streams of the journal.", {
    received,
    hint:
      `Run the same once as a user who may make streams, such as baton-${place.split("/").at(-1) ?? ""}-operator of ` +
      "examples/deploy/nats.conf.",
  }),
});

/** What the server says of a user who may not make or change a stream. */
const aboutStreams = /"\$JS\.API\.STREAM\.(?:CREATE|UPDATE)\./;

const missing: Meaning = (place, received) => ({ kind: "refused", problem: missingProblem(place, received) });

/** The server has no such journal. */
export function missingProblem(place: string, received?: string): Problem {
  return makeProblem("journal-missing", place, "There is no journal of this name on the server.", {
    received,
    hint: "Run `baton journal place` with this URL, which makes it, or name the journal at the end of the URL: nats://HOST/NAME.",
  });
}

const refusal: Meaning = (place, received) => ({
  kind: "refused",
  problem: makeProblem("journal-cannot-open", place, "The server refuses what the journal needs.", {
    received,
    hint: "Look at the server's log, and whether JetStream is switched on for this account.",
  }),
});

const strangerRefused: Meaning = (place, received) => ({
  kind: "refused",
  problem: makeProblem("journal-cannot-open", place, "The server does not let this user in.", {
    received,
    hint: "Check user and password, or the file of credentials. They may be in NATS_USER and NATS_PASSWORD, or in ?creds=FILE.",
  }),
});

/** By the server's numbers of errors. */
const meanings: ReadonlyMap<number, Meaning> = new Map([
  [10_071, busy], // another message is the last of the subject
  [10_164, busy], // the same, of one that another publisher has just sent
  [10_023, full],
  [10_047, full],
  [10_077, full],
  [10_028, full],
  [10_059, missing],
  [10_005, unreachable], // a cluster that has just started does not know all of its servers
  [10_008, unreachable],
  [10_009, unreachable],
]);

/** Names of the driver's errors that the network or the server causes. */
const networkErrors = new Set([
  "TimeoutError",
  "NoResponders",
  "ConnectionError",
  "ClosedConnectionError",
  "DrainingConnectionError",
  "RequestError",
  "ProtocolError",
]);
const networkCodes = /^(?:E[A-Z]+|ERR_TLS_|ERR_SSL_)/;

/** The failure behind an error of the driver. An error that neither the server nor the network causes is thrown again. */
export function failureOf(error: unknown, place: string): Failure {
  if (!(error instanceof Error)) throw error;
  if (error.cause instanceof Error && error.name === "RequestError") return failureOf(error.cause, place);
  const untrusted = certificateProblem(error, place, "tls=on&ca=FILE");
  if (untrusted !== null) return { kind: "refused", problem: untrusted };
  const received = error.message.slice(0, 200);
  const { name } = error;
  if (name === "PermissionViolationError")
    return aboutStreams.test(received) ? notOperator(place, received) : readOnly(place, received);
  if (name === "AuthorizationError" || name === "UserAuthenticationExpiredError")
    return strangerRefused(place, received);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // Nobody takes the message: the stream has no leader, so it was not stored.
  if (name === "NoResponders") return { ...unreachable(place, received), isUnsent: true };
  if (networkErrors.has(name) || networkCodes.test(code)) return unreachable(place, received);
  throw error;
}
