/** How a door that serves every operation alike calls the one that was asked for. Rule: docs/protocol/operations.md. */
import type { Calls, Named } from "./generated/calls.ts";

/**
 * The method of `calls` that does an operation, named by its definition. What it takes and answers is generated from
 * that definition and checked by the compiler where a method is written; a caller by name has read the input by it.
 */
export function callOf<Answer>(calls: Calls, { call }: { readonly call: string }) {
  return calls[call as keyof Calls] as unknown as (input: object, named: Named) => Promise<Answer>;
}
