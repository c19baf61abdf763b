/**
 * One server process of the demo: started under a small shell that also reads our end of its input, so that the server ends
 * when the demo does, also where that is killed. A line on that input kills the server outright, as `kill -9` does.
 */
import { createServer } from "node:net";
import { systemClock } from "../../src/base/clock.ts";
import { type Problem, problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { type Child, type Environment, type SystemUser, startChild } from "../story/programs.ts";

export interface ServerOrder {
  /** For people, e.g. `PostgreSQL`. */
  readonly name: string;
  readonly words: readonly [string, ...string[]];
  readonly directory: string;
  readonly environment: Environment;
  /** The user that runs it; absent: the caller's. */
  readonly user?: SystemUser;
  /** The line with which it says that it takes connections. */
  readonly ready: RegExp;
  readonly signal: AbortSignal;
}

/** A server that takes connections. */
export interface ServerProcess {
  readonly pid: number | null;
  /** `kill -9`; resolves once it has ended. */
  kill(): Promise<void>;
  /** Asks it to end, and kills it where it does not. */
  end(): Promise<void>;
}

/** Every POSIX system has it. */
const shell = "/bin/sh";
/** A shell gives what it starts in the background an empty input, so ours gets another number. */
const script = `exec 3<&0
"$@" 2>&1 </dev/null 3<&- &
server=$!
echo "$server"
( exec >/dev/null 2>&1; read -r word <&3; kill -s KILL "$server" ) &
exec 3<&-
wait "$server"`;

/** How long a server may take to be ready, and to end when it is asked to, in milliseconds. */
const readyMsMax = 30_000;
const graceMs = 3_000;
const linesMax = 20;

/** Starts it and waits until it is ready. Refuses `journal-cannot-open` with its own words where it is not. */
export async function startServer(order: ServerOrder): Promise<Result<ServerProcess, Problem>> {
  const { name, words, directory, environment, user, ready } = order;
  const said: string[] = [];
  let pid: number | null = null;
  const isReady = Promise.withResolvers<boolean>();
  const child: Child = startChild({
    words: [shell, "-c", script, shell, ...words],
    directory,
    environment,
    ...(user === undefined ? {} : { user }),
    onLine: (line) => {
      if (pid === null && /^\d+$/.test(line)) pid = Number(line);
      said.push(line);
      if (said.length > linesMax) said.shift();
      if (ready.test(line)) isReady.resolve(true);
    },
  });
  void child.ended.then(() => isReady.resolve(false));
  const over = new AbortController();
  const limit = systemClock.wait(readyMsMax, AbortSignal.any([over.signal, order.signal])).then(() => false);
  const started = await Promise.race([isReady.promise, limit]);
  over.abort();
  if (!started) {
    await child.end(0);
    return err(notStarted(name, [...said, child.errors()].join(" ")));
  }
  return ok({
    pid,
    kill: async () => {
      child.write("kill");
      await child.ended;
    },
    end: () => child.end(graceMs),
  });
}

const wordsMax = 300;

function notStarted(name: string, said: string): Problem {
  return problem("journal-cannot-open", name, `The demo's ${name} did not start.`, {
    received: said.trim().slice(-wordsMax),
    hint: "Name a journal in a server that runs: --journal URL.",
  });
}

/** Ports of this machine that nobody uses at this moment. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const probes = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    probes.map(async (probe) => {
      await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
      const address = probe.address();
      return typeof address === "object" && address !== null ? address.port : 0;
    }),
  );
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}
