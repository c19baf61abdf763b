/** Begins a check in a folder and is killed once it runs: `check-runner.ts FOLDER SANDBOX`. */
import { watch } from "node:fs";
import { join } from "node:path";
import { noSandbox, runCheck, sandboxHere } from "../../src/evidence/services/check-run.ts";

const [, , folder = "", name] = process.argv;
const environment = { PATH: process.env.PATH ?? "" };
const found = name === noSandbox.name ? noSandbox : await sandboxHere(environment);
if (found === null) throw new Error("no sandbox here");
const tree = join(folder, "tree");
watch(tree, () => process.kill(process.pid, "SIGKILL"));
const place = { folder, tree, reads: [] };
await runCheck(
  { run: "touch begun; sleep 600" },
  { place, sandbox: found, environment, outputs: join(folder, "outputs") },
);
