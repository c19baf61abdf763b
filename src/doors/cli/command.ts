/**
 * The shape of a command: what it takes, what it teaches, and what it does. Parsing, help and the tests of both read
 * the same facts, so a command describes itself once. One command a file, in `commands/`.
 */
import type { Arguments } from "./arguments.ts";
import type { Config } from "./config.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Output } from "./output.ts";

/**
 * One option. Kinds: `flag` takes no value; `count` is a whole number from 1, `position` one from 0; `seconds` a decimal
 * number from 0.
 */
export interface OptionFacts {
  /** Long name without dashes. */
  readonly name: string;
  readonly kind: "flag" | "text" | "count" | "position" | "seconds";
  readonly summary: string;
  /** One letter, without the dash. */
  readonly short?: string;
  /** What the value is called in help, e.g. `AGENT`. */
  readonly value?: string;
  readonly repeatable?: true;
  readonly required?: true;
  /** The only values it takes. */
  readonly choices?: readonly string[];
}

/** One positional argument, in its place. Only the last may be repeatable. */
export interface PositionalFacts {
  /** As help shows it, e.g. `FILE`. */
  readonly name: string;
  readonly summary: string;
  readonly required?: true;
  readonly repeatable?: true;
}

export interface Example {
  /** What one types after the prompt. */
  readonly line: string;
  readonly meaning: string;
}

export interface Command {
  /** A few sentences beyond the summary: what it does, what it prints, what it refuses. */
  readonly description: string;
  readonly positionals?: readonly PositionalFacts[];
  readonly options?: readonly OptionFacts[];
  readonly examples: readonly Example[];
  /** What one usually does after it. */
  readonly next: string;
  run(call: Call): Promise<ExitCode>;
}

/** One invocation: what was asked, where answers go, and when to stop. */
export interface Call {
  readonly given: Arguments;
  readonly output: Output;
  readonly config: Config;
  /** Aborts on Ctrl-C and when the reader of standard output went away. */
  readonly signal: AbortSignal;
}

/** Options that every command takes, before or after its name. */
export const globalOptions: readonly OptionFacts[] = [
  { name: "team", kind: "text", value: "NAME", summary: "the team, where the journal holds several" },
  { name: "as", kind: "text", value: "AGENT", summary: "act as this agent (default: owner, the person)" },
  { name: "journal", kind: "text", value: "URL", summary: "sqlite:PATH (default: journal.db in the nearest .baton/)" },
  { name: "json", kind: "flag", summary: "one JSON value a line on standard output, nothing else there" },
  { name: "no-color", kind: "flag", summary: "no colours, even on a terminal" },
  { name: "help", kind: "flag", short: "h", summary: "this help" },
  { name: "version", kind: "flag", short: "V", summary: "print the version" },
];
