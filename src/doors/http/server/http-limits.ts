/**
 * What the hub bears from its callers: sizes, times and numbers; and the bodies of requests, read within them.
 * Source: docs/protocol/doors.md, section 5.
 */

import { type Json, type JsonLimits, parseBounded } from "../../../base/json.ts";
import { batchBytesMax, jsonDepthMax, jsonNodesMax } from "../../../base/limits.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";

export interface HubLimits {
  /** How long a client may take to send its headers, and its whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /**
   * How long a connection is kept without requests. Clients keep theirs for later, and one that sends a request at the
   * moment the hub ends the connection cannot know whether it arrived; so longer than clients usually wait.
   */
  readonly idleMs: number;
  readonly connectionsMax: number;
  readonly streamsPerPrincipalMax: number;
  /** How often one principal may wait for mail at a time, by HTTP and MCP together. */
  readonly waitsPerPrincipalMax: number;
  /** What waits for one slow reader of a stream before the stream is closed. */
  readonly streamBufferBytesMax: number;
  /** How long a reader that catches up may take nothing before its stream is closed. */
  readonly streamIdleMs: number;
  /** How long a closed stream's reader gets to take what is left, and how often a quiet stream shows life. */
  readonly streamFarewellMs: number;
  readonly heartbeatMs: number;
  /** Wrong credentials of one address within a minute, after which only valid ones are accepted. */
  readonly authFailuresPerMinuteMax: number;
  /** Longest wait of `GET .../inbox?wait=`, in seconds. */
  readonly waitSecondsMax: number;
  /** How long the one-time code and the session that it buys are good. */
  readonly codeMs: number;
  readonly sessionMs: number;
  /** How long after it began a session makes or widens access. */
  readonly freshMs: number;
}

/** The limits of `baton up`. */
export const hubLimits: HubLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 60_000,
  connectionsMax: 1_000,
  streamsPerPrincipalMax: 8,
  waitsPerPrincipalMax: 16,
  streamBufferBytesMax: 1024 * 1024,
  streamIdleMs: 30_000,
  streamFarewellMs: 5_000,
  heartbeatMs: 15_000,
  authFailuresPerMinuteMax: 10,
  waitSecondsMax: 300,
  codeMs: 15 * 60_000,
  sessionMs: 12 * 3_600_000,
  freshMs: 10 * 60_000,
};

/*
 * Bodies of requests: JSON only, bounded while they arrive, parsed as everything from outside is. No body is kept
 * beyond its limit, whatever its length was said to be.
 */

/** A message may lie a level down in its envelope, next to a few fields of the envelope's own. */
export const requestJsonLimits: JsonLimits = {
  bytesMax: batchBytesMax,
  depthMax: jsonDepthMax + 2,
  nodesMax: jsonNodesMax + 1_000,
};

/** The bytes of a JSON body. Refuses `wrong-media-type`, and `too-large` as soon as the limit is passed. */
export async function readJsonBytes(request: Request, bytesMax = batchBytesMax): Promise<Result<Uint8Array, Problem>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json(\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/i.test(type)) {
    return err(
      makeProblem("wrong-media-type", "Content-Type", "The body must be JSON.", {
        expected: "application/json",
        received: type.slice(0, 100),
        hint: "Send the header Content-Type: application/json.",
      }),
    );
  }
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    return err(
      makeProblem("wrong-media-type", "Content-Encoding", "The body must not be compressed.", {
        expected: "identity",
        received: encoding.slice(0, 100),
        hint: "Send the body as it is.",
      }),
    );
  }
  const length = request.headers.get("content-length");
  if (length !== null) {
    if (Number(length) > bytesMax) return err(tooLarge(length, bytesMax));
    // The server reads no more than the length that was said, so this is bounded, and much quicker than a stream.
    return whole(request.arrayBuffer());
  }
  return whole(readStream(request.body, bytesMax));
}

/** A client that leaves in the middle of its body is no error of the hub. */
async function whole(
  reading: Promise<ArrayBuffer | Result<Uint8Array, Problem>>,
): Promise<Result<Uint8Array, Problem>> {
  try {
    const read = await reading;
    return read instanceof ArrayBuffer ? ok(new Uint8Array(read)) : read;
  } catch {
    return err(makeProblem("not-json", "$", "The body broke off before its end.", { hint: "Send it again." }));
  }
}

/** The value of a JSON body; an empty body is an empty object. */
export async function readJson(request: Request): Promise<Result<Json, Problem>> {
  const { headers } = request;
  const isEmpty = (headers.get("content-length") ?? "0") === "0" && headers.get("transfer-encoding") === null;
  if (isEmpty && headers.get("content-type") === null) return ok({});
  const bytes = await readJsonBytes(request);
  if (!bytes.ok) return bytes;
  return bytes.value.byteLength === 0 ? ok({}) : parseBounded(bytes.value, requestJsonLimits);
}

async function readStream(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Result<Uint8Array, Problem>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (body !== null) {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return err(tooLarge(`more than ${bytesMax}`, bytesMax));
      chunks.push(chunk);
    }
  }
  return ok(Buffer.concat(chunks));
}

function tooLarge(bytes: string, bytesMax: number): Problem {
  return makeProblem("too-large", "$", "The request is over the limit.", {
    expected: `at most ${bytesMax} bytes`,
    received: `${bytes} bytes`,
    hint: "Send fewer messages at once; put long content into a file of the repository and name its path.",
  });
}
