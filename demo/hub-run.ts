/** How the demo starts a hub, and when it answers. */
import { systemClock } from "../src/base/clock.ts";
import { isJsonObject, parseBounded } from "../src/base/json.ts";
import { makeProblem, type Problem } from "../src/base/problem.ts";
import { err, ok, type Result } from "../src/base/result.ts";
import { hubWord } from "./story/own-words.ts";
import { type Child, type Environment, startChild } from "./story/programs.ts";

/** A hub of the demo: `baton up` in the scratch repository, on a port that the machine chooses. */
export interface HubRun {
  readonly child: Child;
  /** Base of the hub's interface, e.g. `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The page for a person, with its one-time code in the fragment. */
  readonly page: string;
}

export interface HubRunOptions {
  readonly baton: readonly string[];
  readonly directory: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** How long a hub may take to answer, in milliseconds. */
const startMsMax = 30_000;

/** Starts a hub and waits until it answers. Refuses `hub-unreachable` with the hub's own words. */
export async function startHub(options: HubRunOptions): Promise<Result<HubRun, Problem>> {
  const [program = "", ...words] = options.baton;
  const said = Promise.withResolvers<string | null>();
  const child = startChild({
    words: [program, ...words, hubWord, "--port", "0", "--json"],
    directory: options.directory,
    environment: options.environment,
    onLine: (line) => said.resolve(pageIn(line)),
  });
  void child.ended.then(() => said.resolve(null));
  const over = new AbortController();
  const limit = systemClock.wait(startMsMax, AbortSignal.any([over.signal, options.signal])).then(() => null);
  const page = await Promise.race([said.promise, limit]);
  over.abort();
  if (page !== null) return ok({ child, page, url: page.split("/#")[0] ?? page });
  await child.end(0);
  const excuse = child.errors().trim().split("\n").slice(0, 3).join(" ");
  return err(makeProblem("hub-unreachable", "up", `The hub of the demo did not start. ${excuse}`.trim()));
}

function pageIn(line: string): string | null {
  const parsed = parseBounded(line);
  return parsed.ok && isJsonObject(parsed.value) && typeof parsed.value.url === "string" ? parsed.value.url : null;
}
