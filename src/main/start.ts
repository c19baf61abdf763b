/**
 * The program `main.cjs`: loads the command with its code as it was compiled for the last call of this kind. Node's own
 * cache holds what is compiled as a file is loaded; each function is compiled when it is first called, and most of a short
 * call's time went into that. Here the functions that a call used are kept with the file. The build writes only ASCII, so
 * that a file is taken byte for byte, and names each file by its content, so that what is kept fits what is loaded.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { constants, Script } from "node:vm";
import { silenceExperiments } from "./experiments.ts";
import { startOver } from "./settling.ts";

/** The command's file, next to this one; the build puts its name here. */
declare const COMMAND_FILE: string;

/** The calls that agents make again and again; only for these code is kept, so that its size has a bound. */
const quickCalls: ReadonlySet<string> = new Set([
  "inbox",
  "ack",
  "send",
  "status",
  "hook",
  "validate",
  "task list",
  "task claim",
  "task complete",
]);

/** Calls that serve until they are ended. A person or a program waits for their start, so code is kept for that. */
const servingCalls: ReadonlySet<string> = new Set(["up", "mcp"]);

/** As the loader of CommonJS wraps a file. */
const [before, after] = ["(function (exports, require, module, __filename, __dirname) { ", "\n})"];

/** In the package's own folder: the machine-wide temporary one is open to other users. */
const kept = join(__dirname, ".compiled");

/** What this file uses of Node's loader and its types leave out; the same in every version since the first. */
interface Loader {
  readonly _extensions: { [ending: string]: (module: LoadedModule, file: string) => void };
}

interface LoadedModule {
  exports: unknown;
  require(name: string): unknown;
}

/** The code that is yet to be kept, of files of which none is. */
const fresh: [path: string, script: Script][] = [];

silenceExperiments();
start();

function start(): void {
  const [first = "", second = ""] = process.argv.slice(2);
  const call = [first, `${first} ${second}`].find((words) => quickCalls.has(words) || servingCalls.has(words));
  // With options, such as those of a profile, V8 refuses what was compiled without them.
  if (call !== undefined && process.execArgv.length === 0) keepCode(call.replace(" ", "-"));
  else Module.enableCompileCache(kept);
  require(join(__dirname, COMMAND_FILE));
}

/**
 * Loads the files of this folder with the code that was kept for the call. Where there is none it is kept at the end of a
 * short call, and when the start of one that serves is over.
 */
function keepCode(call: string): void {
  const loader = Module as unknown as Loader;
  const place = join(kept, `${process.version}-${process.arch}`);
  const usual = loader._extensions[".js"];
  loader._extensions[".cjs"] = (module, file) => {
    if (!file.startsWith(__dirname + sep)) return usual?.(module, file);
    const path = join(place, `${call}-${basename(file)}`);
    const cachedData = bytesAt(path);
    const script = new Script(wrapped(file), {
      filename: file,
      columnOffset: -before.length,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true) fresh.push([path, script]);
    const load = script.runInThisContext() as (...parts: readonly unknown[]) => void; // the wrapper's own form
    // Without a prototype an object is a table from the start: V8 makes no class of it for each of hundreds of exports.
    module.exports = Object.create(null);
    load.call(module.exports, module.exports, (name: string) => module.require(name), module, file, dirname(file));
  };
  const keep = () => {
    for (const [path, script] of fresh.splice(0)) write(path, script);
  };
  // A serving call that only helped, or could not start, has used little of its files.
  if (servingCalls.has(call)) startOver.subscribe(keep);
  else process.once("exit", keep);
}

/** The file's text between the wrapper's parts, made in one piece: V8 would copy what is joined from three before use. */
function wrapped(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafeSlow(before.length + size + after.length);
    bytes.write(before, "latin1");
    let end = before.length;
    for (;;) {
      const read = readSync(descriptor, bytes, end, before.length + size - end, null);
      if (read === 0) break;
      end += read;
    }
    end += bytes.write(after, end, "latin1");
    return bytes.toString("latin1", 0, end);
  } finally {
    closeSync(descriptor);
  }
}

function bytesAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // Nothing is kept yet, or it may not be read: then the file is compiled.
    return undefined;
  }
}

/** Writes whole or not at all: another call may be reading. */
function write(path: string, script: Script): void {
  const unfinished = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Opened first: collecting the code takes a while, in vain where it cannot be written.
    const descriptor = openSync(unfinished, "w", 0o600);
    try {
      writeFileSync(descriptor, script.createCachedData());
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
  } catch {
    // A package that may not be written to, or a full disk: the next call compiles again.
  }
}
