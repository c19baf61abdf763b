/**
 * Loaded first into each process of tests. Node's test runner would follow every promise of the process, to tell which
 * test a stray error belongs to, and that takes a tenth of the suite's time; here it does not. A stray error fails its
 * file all the same, and is printed with the place that it comes from. Tests on the machine's own disk get it back here
 * (`memoryFolder` in test-files.ts). Where `--times` asks for it, the processor time is written when the process ends.
 */
import type { HookCallbacks } from "node:async_hooks";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { needsDisk } from "./test-files.ts";

// Not imported: an import could not be replaced, and the runner takes it when it is first loaded, after this.
const hooks = process.getBuiltinModule("node:async_hooks");
const { createHook } = hooks;
hooks.createHook = (options) => createHook({ ...options, trackPromises: false } as HookCallbacks);

process.on("uncaughtExceptionMonitor", (error) => console.error("A stray error:", error));
process.on("unhandledRejection", (error) => console.error("A stray rejection:", error));

const run = process.env.BATON_TEST_RUN;
const file = process.argv[1];
if (file !== undefined && needsDisk(file)) delete process.env.TMPDIR;
if (isMainThread && run !== undefined && process.env.BATON_TEST_TIMES !== undefined) {
  delete process.env.BATON_TEST_TIMES;
  process.once("exit", () => {
    writeFileSync(join(run, `cost-${process.pid}.json`), JSON.stringify({ file, ...processorSeconds() }));
  });
}

/**
 * What this process has used, and all that it started and waited for: fields 14 to 17 of proc(5), in hundredths of a second.
 */
function processorSeconds(): { readonly own: number; readonly started: number } {
  const path = "/proc/self/stat";
  if (!existsSync(path)) return { own: (process.cpuUsage().user + process.cpuUsage().system) / 1e6, started: 0 };
  const fields = readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  const [user = 0, system = 0, userOfStarted = 0, systemOfStarted = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) / 100, started: (userOfStarted + systemOfStarted) / 100 };
}
