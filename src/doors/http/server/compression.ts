/** What the hub sends compressed: the page's files, and what is read as JSON, to readers that take it. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as gzipCompress } from "node:zlib";

/** The ways, the best first; quick ones: a person waits for the answer. */
const compressions = {
  br: (body: Uint8Array) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Uint8Array) => gzip(body),
} as const;
export type Encoding = keyof typeof compressions;
const [brotli, gzip] = [promisify(brotliCompress), promisify(gzipCompress)];
/** What is smaller fits into one packet anyway. */
const compressedBytesMin = 1_024;

/** How a body is compressed for a reader that accepts `accepted`; null: not at all. */
export function encodingFor(mediaType: string, bytes: number, accepted: string): Encoding | null {
  if (!/^text\/|svg|json/.test(mediaType) || bytes < compressedBytesMin) return null;
  const names = accepted.toLowerCase().split(",");
  const isTaken = (name: string) =>
    names.some((each) => each.split(";")[0]?.trim() === name && !/;\s*q=0(?:\.0*)?\s*$/.test(each));
  return (["br", "gzip"] as const).find(isTaken) ?? null;
}

/** The body, compressed. */
export function compress(body: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  return compressions[encoding](body);
}

/**
 * The answer, compressed where it is JSON that was read. What makes something is answered as it is: it may hold a secret,
 * and the length of a compressed answer tells of what is in it.
 */
export async function compressedAnswer(answer: Response, request: Request): Promise<Response> {
  const type = answer.headers.get("content-type") ?? "";
  if (request.method !== "GET" || answer.status !== 200 || !type.startsWith("application/json")) return answer;
  const body = new Uint8Array(await answer.arrayBuffer());
  const encoding = encodingFor(type, body.length, request.headers.get("accept-encoding") ?? "");
  const headers = new Headers(answer.headers);
  headers.set("vary", "accept-encoding");
  if (encoding !== null) headers.set("content-encoding", encoding);
  return new Response(encoding === null ? body : new Uint8Array(await compress(body, encoding)), { headers });
}
