/**
 * What the package of engines exports for each scheme of a server: the core knows this contract, and the package is loaded
 * when a journal in a server is opened.
 */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Journal, JournalOptions, Projection } from "./journal.ts";

export type Opener = <State>(
  /** What follows the scheme of a journal in a file; the whole URL of one in a server. */
  where: string,
  projection: Projection<State>,
  options: JournalOptions,
) => Promise<Result<Journal<State>, Problem>>;

/** The engine of a journal in a server. */
export interface ServerEngine {
  readonly open: Opener;
}

/** An engine whose servers prove who asks. Rule: docs/protocol/record.md, section 18. */
export interface BrokerEngine extends ServerEngine {
  /**
   * Calls `answer` for each ask and sends what it gives as JSON, until `signal` aborts. `changed` learns why none can come,
   * and (null) that they come now.
   */
  hearAsks(
    url: string,
    answer: (ask: Ask) => Promise<unknown>,
    changed: (problem: Problem | null) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * The users of journals as lines for the configuration of their servers; `askers` are agents of the first one. Refuses
   * with `wrong-usage` another journal, and one that is named twice.
   */
  permissionLines(addresses: readonly string[], askers: readonly Asker[]): Result<readonly string[], Problem>;
}

/** An agent that may ask, and the types of messages that its role may send. */
export interface Asker {
  readonly team: string;
  readonly agent: string;
  readonly types: readonly string[];
}

/** What an ask's subject says. */
export interface AskSubject {
  readonly team: string;
  readonly agent: string;
  readonly type: string;
}

/** What an agent asks: whom its subject proves, and the message with the id by which a repeat is recognised. */
export interface Ask extends AskSubject {
  /** Null: it has none. */
  readonly id: string | null;
  readonly message: Uint8Array;
}
