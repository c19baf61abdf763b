/**
 * One request by Node's HTTP client, with its complete answer. Connections are kept for the next request and keep no
 * process running. A network failure is returned as the error that Node raised; a redirect is an answer like any other.
 */
import * as http from "node:http";

/** A request without its URL. */
export interface HttpQuestion {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

/** A complete answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Requests `url`. `too-large`: the answer has more than `bytesMax`. Never rejects; an abort returns an error. */
export async function httpAnswer(
  url: URL,
  { method, headers, body }: HttpQuestion,
  { bytesMax, signal }: { readonly bytesMax: number; readonly signal: AbortSignal | null },
): Promise<HttpAnswer | "too-large" | Error> {
  const { request } = url.protocol === "https:" ? await import("node:https") : http;
  const { promise, resolve } = Promise.withResolvers<HttpAnswer | "too-large" | Error>();
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const asked = request(url, { method, headers: { ...headers, ...length }, ...(signal === null ? {} : { signal }) });
  asked.on("error", resolve);
  asked.on("response", (answer) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    // A connection that closes before the end of the answer raises an error.
    answer.on("error", resolve);
    answer.on("data", (part: Buffer) => {
      bytes += part.length;
      parts.push(part);
      if (bytes <= bytesMax) return;
      resolve("too-large");
      asked.destroy();
    });
    answer.on("end", () =>
      resolve({
        status: answer.statusCode ?? 0,
        contentType: answer.headers["content-type"] ?? "",
        bytes: Buffer.concat(parts),
      }),
    );
  });
  asked.end(body);
  return await promise;
}
