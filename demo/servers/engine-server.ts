/** What the demo knows of the server in which its journal is, and how it finds that the journal can be used again. */
import type { Problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { openTeamJournal } from "../../src/runtime/open.ts";
import type { Environment } from "../story/programs.ts";

/** Engines whose journal several hubs share. */
export const engines = ["postgres", "nats"] as const;
export type Engine = (typeof engines)[number];

export interface ServerOptions {
  readonly engine: Engine;
  /** Where it may keep its data: an empty folder that is removed afterwards. */
  readonly folder: string;
  /** The caller's working directory, where packages are also looked for. */
  readonly directory: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** A server that was killed, and how the engine goes on. */
export interface Struck {
  /** The server, e.g. `PostgreSQL` or `node-2, the leader of three`. */
  readonly server: string;
  readonly pid: number | null;
  /** Resolves once it takes entries again, with how that came about in a few words. */
  recover(): Promise<Result<string, readonly Problem[]>>;
}

export interface EngineServer {
  /** The journal's address, with credentials. */
  readonly url: string;
  /** What it is, for people. */
  readonly shown: string;
  /** Kills a server of it; null: it is not the demo's own. */
  readonly strike: (() => Promise<Result<Struck, readonly Problem[]>>) | null;
  /** Ends what was started. */
  end(): Promise<void>;
}

/** Resolves once the journal can be opened, which waits for a server that starts or a cluster that chooses a leader. */
export async function opensAgain(
  url: string,
): Promise<Result<Readonly<Record<string, string | number | boolean>>, readonly Problem[]>> {
  const opened = await openTeamJournal(url, { readOnly: true });
  if (!opened.ok) return err([opened.error]);
  await using journal = opened.value;
  const stats = await journal.stats();
  return stats.ok ? ok(stats.value.engine) : err([stats.error]);
}
