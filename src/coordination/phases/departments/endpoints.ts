/**
 * Endpoints as departments agree on them: compared by their method and path, hashed without regard to their order, and what
 * one list changes of another in words.
 * Source: docs/protocol/phases.md, section 6.
 */
import { canonical } from "../../../base/canonical.ts";
import { sha256 } from "../../../base/digest.ts";
import { isJsonObject, type Json } from "../../../base/json.ts";

/** One endpoint, its request and response as canonical JSON. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly request: string;
  readonly response: string;
}

/** The endpoints of a message, sorted by path and method; the last word on one that stands twice counts. */
export function endpointsOf(written: readonly Json[]): readonly Endpoint[] {
  const endpoints = new Map<string, Endpoint>();
  for (const each of written) {
    if (!isJsonObject(each)) continue;
    const method = textOf(each.method).toUpperCase();
    const path = textOf(each.path);
    endpoints.set(`${path} ${method}`, {
      method,
      path,
      request: canonical(each.request ?? {}),
      response: canonical(each.response ?? {}),
    });
  }
  return [...endpoints].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => endpoint);
}

/** SHA-256 over the canonical JSON of the sorted endpoints. */
export function hashOfEndpoints(endpoints: readonly Endpoint[]): string {
  return sha256(canonical(endpoints.map(({ method, path, request, response }) => [method, path, request, response])));
}

/** What `after` changes of `before`, a line each: `+ POST /a`, `- GET /b`, `~ POST /c response {…} -> {…}`. */
export function endpointDifferences(before: readonly Endpoint[], after: readonly Endpoint[]): readonly string[] {
  const known = new Map(before.map((each) => [nameOf(each), each]));
  const kept = new Set(after.map(nameOf));
  const changed = after.flatMap((each) => {
    const other = known.get(nameOf(each));
    if (other === undefined) return [`+ ${nameOf(each)} ${each.request} -> ${each.response}`];
    return (["request", "response"] as const).flatMap((part) =>
      other[part] === each[part] ? [] : [`~ ${nameOf(each)} ${part} ${other[part]} -> ${each[part]}`],
    );
  });
  return [...changed, ...before.filter((each) => !kept.has(nameOf(each))).map((each) => `- ${nameOf(each)}`)];
}

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
