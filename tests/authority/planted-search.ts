/**
 * One search for gained rights as a process, in which a place of the product's source is changed before it is loaded.
 * Prints the gains as JSON. `gain-plants.ts` starts it.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TeamKindName } from "../../src/team/state/kinds.ts";
import type { SourceProblem } from "./gain-plants.ts";
import type { Try } from "./gains.ts";

interface Asked {
  readonly problem: SourceProblem;
  readonly kind: TeamKindName;
  readonly from: readonly Try[];
  readonly depth: number;
}

// Written by `gain-plants.ts`.
const { problem, kind, from, depth } = JSON.parse(process.argv[2] ?? "") as Asked;
const changed = pathToFileURL(join(import.meta.dirname, "../../src", problem.file)).href;

const parts = readFileSync(fileURLToPath(changed), "utf8").split(problem.right);
if (parts.length !== 2) throw new Error(`${problem.file} has ${parts.length - 1} places to change`);

registerHooks({
  load: (url, context, next) =>
    url === changed
      ? { format: "module-typescript", source: parts.join(problem.wrong), shortCircuit: true }
      : next(url, context),
});

const { searchGains } = await import("./gains.ts");
const { gains } = await searchGains(kind, { from, depth, gainsMax: 1 });
process.stdout.write(JSON.stringify(gains));
