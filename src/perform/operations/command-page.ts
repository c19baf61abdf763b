/** What a command takes and teaches, as generated from the definition of its operation. No zod: the command loads it. */
import type { Calls, Named } from "./generated/calls.ts";

/** One argument: a word in its place (`word`) or an option. Its value becomes the input's `argument`. */
export interface PageArgument {
  readonly argument: string;
  readonly word?: string;
  readonly option?: string;
  /** What help calls the option's value; absent: it takes none. */
  readonly value?: string;
  readonly kind: "flag" | "text" | "count" | "position" | "seconds";
  readonly summary: string;
  readonly required?: true;
  /** It takes several values; `single`: one alone is given as itself; `literal`: that one word is no list. */
  readonly list?: true;
  readonly single?: true;
  readonly literal?: string;
  /** A word may hold several values with commas between. */
  readonly commas?: true;
  readonly choices?: readonly string[];
  /** The value where the option is left out. */
  readonly fallback?: string;
  /** The argument that it is where it is no task's id. */
  readonly orElse?: string;
}

/** An operation that a command does in place of its own. */
export interface CommandOther {
  readonly as?: string;
  readonly says: string;
  readonly call: string;
  readonly input: { readonly [argument: string]: boolean | string };
}

export interface CommandPage {
  readonly call: string;
  readonly answer: "shown" | "reply" | "stream";
  /** The names of the input, in its order. */
  readonly input: readonly string[];
  readonly description: string;
  readonly arguments: readonly PageArgument[];
  readonly isOwners?: true;
  readonly sets?: { readonly [argument: string]: boolean | string };
  /** What else it shows: by an option, or (without `as`) where no word is given. */
  readonly others?: readonly CommandOther[];
  readonly oneOf?: { readonly names: readonly string[]; readonly message: string; readonly hint: string };
  readonly examples: readonly { readonly line: string; readonly meaning: string }[];
  readonly next: string;
  readonly said?: string;
  readonly unchanged?: string;
  readonly changed?: string;
}

/**
 * The method of `calls` that does an operation, named by its definition. What it takes and answers is generated from
 * that definition and checked by the compiler where a method is written; a caller by name has read the input by it.
 * `signal`: nobody waits for the answer any more.
 */
export function callOf<Answer>(calls: Calls, { call }: { readonly call: string }) {
  return calls[call as keyof Calls] as unknown as (
    input: object,
    options: Named & { readonly signal?: AbortSignal },
  ) => Promise<Answer>;
}
