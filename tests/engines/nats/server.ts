/**
 * NATS servers of the tests' own: one for all cases of a process, a journal for each case. `scripts/setup-test-tools.sh`
 * unpacks the versions that Debian has: the newest is the one journals run on, the others are too old and must be refused.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { isAtLeast } from "../../../src/base/text.ts";
import { quietPort } from "../../http/quiet-port.ts";
import { letGo } from "../let-go.ts";

const password = "only-for-tests";

/** A running server. */
export interface TestServer {
  /** The URL of a journal that nothing else uses, with credentials. */
  newUrl(): string;
  readonly port: number;
  readonly monitor: string;
  /** Stops it without any ceremony, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on its data, with other lines in its configuration where they are given. */
  start(lines?: Partial<Lines>): Promise<void>;
  /** Lets it read a configuration with these lines while it runs. */
  reload(lines: Partial<Lines>): void;
  /** Sends the process a signal that does not end it. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Its process. */
  pid(): number | null;
  /** Lets the process of the tests end, and the server with it. */
  release(): void;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** Lines of the configuration that tests change. */
export interface Lines {
  readonly sync: string;
  readonly payload: string;
  /** Room for all streams. */
  readonly store: string;
  readonly users: string;
  readonly name: string;
  /** Accounts with their users, in place of the one user of the tests. */
  readonly accounts: string;
  /** The block of a cluster. */
  readonly cluster: string;
}

interface Program {
  readonly path: string;
  readonly version: string;
}

/** The programs on this machine, oldest first. */
function programs(): readonly Program[] {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "baton-test-tools/nats-server");
  const found = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, "nats-server")) : [];
  return ["nats-server", ...found]
    .flatMap((path) => {
      const said = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout ?? "";
      const [, version] = /v?(\d+\.\d+\.\d+)/.exec(said) ?? [];
      return version === undefined ? [] : [{ path, version }];
    })
    .toSorted((one, other) => (isAtLeast(one.version, other.version.split(".").map(Number)) ? 1 : -1));
}

const known = programs();
const newest = known.findLast(({ version }) => isAtLeast(version, [2, 12, 7]));
/** The path of the newest program, which journals run on; null: there is none. */
export const newestProgram: string | null = newest?.path ?? null;
/** Versions below the floor. */
export const oldPrograms: readonly Program[] = known.filter(({ version }) => !isAtLeast(version, [2, 12, 7]));

/** Why tests of this folder do not run here; false: they do. */
export const skip = newest === undefined ? "nats-server 2.12.7 or newer is not installed" : false;

let starting: Promise<TestServer> | null = null;

/**
 * The server of this process's tests, which ends with the process. Not with a hook of the test runner: the test that asks
 * first may get that hook, and would end the server under the hands of the next one.
 */
export function testServer(): Promise<TestServer> {
  starting ??= startServer(newFolder()).then((server) => {
    server.release();
    return server;
  });
  return starting;
}

/** A folder for a server's data. */
export function newFolder(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-nats-"));
}

let journals = 0;

/** Starts a server with its data in `folder`, which is removed with it. */
export async function startServer(
  folder: string,
  program: string | undefined = newest?.path,
  lines: Partial<Lines> = {},
): Promise<TestServer> {
  if (program === undefined) throw new Error("nats-server is not installed");
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "nats.conf");
  // Each start takes the same ports.
  const [port, monitorPort] = [await quietPort(), await quietPort()];
  let running: ChildProcess | null = null;
  let isReleased = false;
  const configure = (more: Partial<Lines>) => {
    const {
      sync = "sync_interval: always",
      payload = "16MB",
      store = "4GB",
      users = "",
      name = "one",
      cluster = "",
      accounts,
    } = { ...lines, ...more };
    const written = [
      `listen: "127.0.0.1:${port}"`,
      `http: "127.0.0.1:${monitorPort}"`,
      `server_name: ${name}`,
      cluster,
      `max_payload: ${payload}`,
      `jetstream { store_dir: "${folder}/data", max_mem: 1GB, max_file: ${store}, ${sync} }`,
      accounts ?? `authorization { users: [ { user: baton, password: "${password}" }, ${users} ] }`,
    ];
    writeFileSync(config, written.join("\n"));
  };
  const start = async (more: Partial<Lines> = {}) => {
    if (running !== null) return;
    configure(more);
    const child = spawn(program, ["-c", config], { stdio: ["ignore", "ignore", "pipe"] });
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
    child.kill("SIGKILL");
    await ended;
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const atExit = () => {
    running?.kill("SIGKILL");
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
  const monitor = `http://127.0.0.1:${monitorPort}`;
  const newUrl = () => {
    journals += 1;
    return `nats://baton:${password}@127.0.0.1:${port}/test_${journals}?monitor=${monitor}`;
  };
  const reload = (more: Partial<Lines>) => {
    configure(more);
    running?.kill("SIGHUP");
  };
  const signal = (name: "SIGSTOP" | "SIGCONT") => void running?.kill(name);
  return { newUrl, port, monitor, kill, start, reload, signal, pid: () => running?.pid ?? null, release, stop };
}

/** Servers of one cluster, each of which may be killed and started again. */
export interface TestCluster {
  readonly servers: readonly (TestServer & { readonly name: string })[];
  newUrl(): string;
  stop(): Promise<void>;
}

/** What tests change of a cluster. */
interface ClusterParts {
  /** How many servers; absent: three. */
  readonly size?: number;
  /** The path of the program; absent: the newest one. */
  readonly program?: string | undefined;
  /** Lines of the servers' configurations that are not the usual ones. */
  readonly lines?: Partial<Lines>;
  /** Opens a line to the port of a server, by which another one reaches it; absent: they connect directly. */
  readonly line?: (from: number, to: number, port: number) => Promise<number>;
  /** Where a server keeps its data. */
  readonly folder?: (index: number) => string | null;
}

/** Starts a cluster. */
export async function startCluster({
  size = 3,
  line,
  folder,
  program = newest?.path,
  lines,
}: ClusterParts = {}): Promise<TestCluster> {
  const numbers = Array.from({ length: size }, (_, index) => index);
  const ports = await Promise.all(numbers.map(quietPort));
  const servers = await Promise.all(
    ports.map(async (port, index) => {
      const others = numbers.filter((each) => each !== index);
      const reached = others.map(async (other) => await (line?.(index, other, ports[other] ?? 0) ?? ports[other]));
      const routes = (await Promise.all(reached)).map((each) => `"nats://127.0.0.1:${each}"`).join(", ");
      // Where lines are in between nobody may find the direct way.
      const hidden = line === undefined ? "" : `advertise: "127.0.0.1:1"`;
      const cluster = `cluster { name: three, listen: "127.0.0.1:${port}", ${hidden}\n routes: [${routes}] }`;
      const name = `node-${index + 1}`;
      return { ...(await startServer(folder?.(index) ?? newFolder(), program, { ...lines, name, cluster })), name };
    }),
  );
  return {
    servers,
    newUrl() {
      journals += 1;
      const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join();
      const monitors = servers.map(({ monitor }) => monitor).join();
      return `nats://baton:${password}@${hosts}/test_${journals}?monitor=${monitors}`;
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** Waits for the line with which the server says that it takes connections. */
async function isReady(child: ChildProcess): Promise<void> {
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-8_000);
      if (said.includes("Server is ready")) resolve();
    });
    child.once("exit", () => reject(new Error(`nats-server ended: ${said}`)));
  });
}

/** Resolves once `isSo` answers true; a test that waits in vain fails by its own time limit. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.wait(20);
}
