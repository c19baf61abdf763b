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
