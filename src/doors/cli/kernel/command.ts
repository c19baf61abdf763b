/**
 * The shape of a command: what it takes, what it teaches, and what it does. Parsing, help and the tests of both read
 * the same facts, so a command describes itself once. One command a file, in `commands/`.
 */
import { addressForm, serverForms } from "../../../journal/engines.ts";
import type { ConnectHub } from "../../../perform/hub-connection.ts";
import type { Config } from "../../../perform/workspace/config.ts";
import type { ExitCode } from "../terminal/exit-codes.ts";
import type { Output } from "../terminal/output.ts";
import type { Arguments, OptionFacts, PositionalFacts } from "./arguments.ts";

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
  /** Ctrl-C is how it is ended, so its own exit code is kept. */
  readonly endsByInterrupt?: true;
  /** It looks at this machine only, so `--hub` is refused rather than passed over. */
  readonly isLocal?: true;
  /**
   * It is for a person: an agent's shell may not run it, with any `--as`. A function: with these arguments. Absent: it
   * acts as the caller, or as nobody.
   */
  readonly isOwners?: boolean | ((given: Arguments) => boolean);
  /** It acts for an agent: where it is not known for which one, it is refused. */
  readonly acts?: true;
  /** The global options that apply to it, in addition to those that every command takes; absent: see `globalsOf`. */
  readonly globals?: readonly string[];
  run(call: Call): Promise<ExitCode>;
}

/** One invocation: what was asked, where answers go, and when to stop. */
export interface Call {
  readonly given: Arguments;
  /** The command is for a person, wherever it is given; absent: it is not. */
  readonly isOwners?: boolean;
  readonly output: Output;
  readonly config: Config;
  /** The way to a hub. */
  readonly connectHub: ConnectHub;
  /** Aborts on Ctrl-C and when the reader of standard output went away. */
  readonly signal: AbortSignal;
}

/** Options that every command takes, before or after its name. */
export const globalOptions: readonly OptionFacts[] = [
  { name: "team", kind: "text", value: "NAME", summary: "the team, where the journal holds several" },
  { name: "as", kind: "text", value: "AGENT", summary: "act as this agent (default: owner, the person)" },
  {
    name: "journal",
    kind: "text",
    value: "URL",
    summary: `${addressForm}, ${serverForms} (default: the one of the nearest team)`,
  },
  { name: "hub", kind: "text", value: "URL", summary: "speak to a hub instead of a journal (default: BATON_HUB)" },
  {
    name: "token",
    kind: "text",
    value: "TOKEN",
    summary:
      "the credential for the hub; better in BATON_TOKEN, because other users of the machine can see a command line",
  },
  { name: "json", kind: "flag", summary: "one JSON value a line on standard output, nothing else there" },
  { name: "no-color", kind: "flag", summary: "no colours, even on a terminal" },
  { name: "help", kind: "flag", short: "h", summary: "this help" },
  { name: "version", kind: "flag", short: "V", summary: "print the version" },
];

/**
 * The global options that mean something to a command: about which team, as whom, where, and how it answers. The
 * command's own option replaces the global one of the same name.
 */
export function globalsOf({
  globals,
  isLocal,
  options = [],
}: Pick<Command, "globals" | "isLocal" | "options">): readonly OptionFacts[] {
  const usual = isLocal === true ? ["team", "journal"] : ["team", "as", "journal", "hub", "token"];
  const meant = new Set([...(globals ?? usual), "json"]);
  return globalOptions.filter(({ name }) => meant.has(name) && !options.some((own) => own.name === name));
}
