/**
 * One check, run to its end: shell that an agent proposed and the owner allowed. It can write in its tree and its temporary
 * folder alone, reaches no network unless the owner says so, and gets none of our variables. Its processes end with it, and
 * with this one. What it prints is kept and digested, not obeyed. Rules: docs/protocol/verdicts.md, section 11.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import { checkSecondsDefault } from "../../base/limits.ts";
import type { CheckCommand } from "../../team/state/definition.ts";
import type { CheckOutcome } from "../decide/contract-checks.ts";
import type { Environment } from "../git/git.ts";

/** Where a check runs. */
export interface CheckPlace {
  /** All that it can write into. It goes when the checks are over. */
  readonly folder: string;
  /** The files of the commit, below the folder. */
  readonly tree: string;
  /** What it reads elsewhere: the repository, and the folders that its tree links to. */
  readonly reads: readonly string[];
}

export interface CheckOptions {
  readonly place: CheckPlace;
  readonly sandbox: Sandbox;
  readonly environment: Environment;
  /** Where what it prints is kept, by its digest. */
  readonly outputs: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** A program that keeps a check inside, with its name. */
export interface Sandbox {
  readonly name: string;
  /** The words in front of the command. */
  words(place: CheckPlace, network: boolean): readonly string[];
}

/** The owner's word that checks need none. */
export const noSandbox: Sandbox = { name: "none", words: () => [] };

/** `/tmp` and `/run` hold sockets by which others could be asked to do what a check may not: they are its own. */
const bubblewrap: Sandbox = {
  name: "bwrap",
  words: ({ folder, reads }, network) => [
    ..."bwrap --die-with-parent --unshare-user --unshare-all --cap-drop ALL".split(" "),
    ...(network ? ["--share-net"] : []),
    ..."--ro-bind / / --dev /dev --proc /proc --tmpfs /run".split(" "),
    // Names are looked up by it, and some systems have their programs there.
    ...["/run/systemd/resolve", "/run/current-system"].flatMap(readable),
    "--bind",
    join(folder, "tmp"),
    "/tmp",
    ...reads.flatMap(readable),
    "--bind",
    folder,
    folder,
    ..."--remount-ro /dev --remount-ro /run".split(" "),
  ],
};

function readable(path: string): readonly string[] {
  return ["--ro-bind-try", path, path];
}

const seatbelt: Sandbox = {
  name: "sandbox-exec",
  words: ({ folder }, network) => {
    const writes = [`(subpath ${JSON.stringify(folder)})`, '(literal "/dev/null")', '(literal "/dev/zero")'];
    const rules = ["(allow default)", "(deny file-write*)", `(allow file-write* ${writes.join(" ")})`];
    return ["sandbox-exec", "-p", ["(version 1)", ...rules, ...(network ? [] : ["(deny network*)"])].join("")];
  },
};

const found = new Map<string, Promise<Sandbox | null>>();

/** The sandbox on this search path, tried once by a process: what must fail in it has to fail. Null: there is none. */
export function sandboxHere(environment: Environment): Promise<Sandbox | null> {
  const { PATH = "" } = environment;
  const known = found.get(PATH) ?? tried(process.platform === "darwin" ? seatbelt : bubblewrap, environment);
  found.set(PATH, known);
  return known;
}

async function tried(sandbox: Sandbox, environment: Environment): Promise<Sandbox | null> {
  const place = newFolder();
  const outside = mkdtempSync(join(realpathSync(tmpdir()), folderPrefix));
  mkdirSync(join(place, "tree"));
  try {
    const run = `echo > "$TMPDIR/written" && ! echo > '${join(outside, "written")}'`;
    const outcome = await runCheck(
      { run },
      { place: { folder: place, tree: join(place, "tree"), reads: [outside] }, sandbox, environment, outputs: place },
    );
    const holds = existsSync(join(place, "tmp/written")) && readdirSync(outside).length === 0;
    return outcome?.exitCode === 0 && holds ? sandbox : null;
  } finally {
    for (const each of [place, outside]) rmSync(each, { recursive: true, force: true });
  }
}

/** Names the process that made it, so that the next one can tell what was left behind. */
export const folderPrefix = `baton-check-${process.pid}-`;

/** The temporary folder and the home of a check, which are empty as it begins. */
export const folderParts = ["tmp", "home"];

/** A new folder with these. */
export function newFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), folderPrefix));
  for (const name of folderParts) mkdirSync(join(folder, name));
  return folder;
}

/** Ends the group once nobody holds the other end of its third descriptor any more: this process has ended. */
const script = '(read -r _ <&3; kill -KILL -$$) >/dev/null 2>&1 & exec 3<&-; ulimit -t 600; exec /bin/sh -c "$0"';
const outputEndBytesMax = 4096;
const outputBytesMax = 8 * 1024 * 1024;
const outputsMax = 100;

/** Runs one check to its end. Null: it cannot be started. */
export async function runCheck(
  { run, network, seconds = checkSecondsDefault }: CheckCommand,
  { place, sandbox, environment, outputs, clock = systemClock, signal }: CheckOptions,
): Promise<CheckOutcome | null> {
  const digest = createHash("sha256");
  const kept: Buffer[] = [];
  let bytes = 0;
  let end = Buffer.alloc(0);
  let isTimedOut = false;
  const startedAt = clock.monotonic();
  const [program, ...words] = [...sandbox.words(place, network === true), "/bin/sh", "-c", script, run];
  const child = spawn(program, words, {
    cwd: place.tree,
    env: checkEnvironment(environment, place.folder),
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const take = (chunk: Buffer): void => {
    digest.update(chunk);
    if (bytes < outputBytesMax) kept.push(chunk.subarray(0, outputBytesMax - bytes));
    bytes += chunk.length;
    end = Buffer.concat([end, chunk]).subarray(-outputEndBytesMax);
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  let hasEnded = false;
  let isStarted = true;
  child.on("error", () => {
    isStarted = false;
    resolve(null);
  });
  child.on("close", (code) => resolve(code));
  // What it left running holds its output open; that ends with the check.
  child.on("exit", () => {
    hasEnded = true;
    killGroup(child.pid);
  });
  const stop = (): void => {
    if (!hasEnded) killGroup(child.pid);
    // What left the group cannot be found; but its hold on the output does not prolong the check.
    for (const stream of child.stdio) stream?.destroy();
  };
  const over = new AbortController();
  void clock.wait(seconds * 1_000, over.signal).then(() => {
    if (over.signal.aborted) return;
    isTimedOut = !hasEnded;
    stop();
  });
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  const exitCode = await promise;
  over.abort();
  signal?.removeEventListener("abort", stop);
  if (!isStarted) return null;
  const outputDigest = digest.digest("hex");
  keepOutput(outputs, outputDigest, kept);
  return {
    check: run,
    exitCode: isTimedOut ? null : exitCode,
    isTimedOut,
    durationMs: Math.round(clock.monotonic() - startedAt),
    outputDigest,
    outputBytes: bytes,
    sandbox: sandbox.name,
    outputEnd: end.toString("utf8"),
  };
}

/** Tokens, credentials of other services and what programs are configured by are not a check's. */
function checkEnvironment({ PATH = "", LANG = "C.UTF-8" }: Environment, folder: string): Record<string, string> {
  const path = PATH.split(delimiter).filter((each) => isAbsolute(each));
  return { PATH: path.join(delimiter), HOME: join(folder, "home"), TMPDIR: join(folder, "tmp"), LANG, CI: "1" };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left in the group.
  }
}

/** Keeps what a check printed under its digest, of many the newest. */
function keepOutput(folder: string, digest: string, output: readonly Buffer[]): void {
  // A link would lead to somebody's files.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) return;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${digest}.log`);
  rmSync(path, { force: true });
  writeFileSync(path, Buffer.concat(output), { flag: "wx" });
  const files = readdirSync(folder).filter((name) => name.endsWith(".log"));
  if (files.length <= outputsMax) return;
  const ages = files.map((name) => [statSync(join(folder, name)).mtimeMs, name] as const);
  const old = ages.toSorted(([a], [b]) => b - a).slice(outputsMax);
  for (const [, name] of old) rmSync(join(folder, name), { force: true });
}
