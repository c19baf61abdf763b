/** Where the hook managers are that scripts/setup-test-tools.sh installs for tests. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { programOnPath } from "../../src/perform/workspace/program-path.ts";

const cache = process.env.XDG_CACHE_HOME || join(process.env.HOME ?? "/", ".cache");

/** The modules of the fixture in `hook-managers/`. */
export const modules = join(cache, "baton-test-tools/hook-managers/node_modules");

/** Why a test with the manager of that name cannot run here; false: it can. */
export function managerMissing(name: string): string | false {
  const isThere =
    name === "pre-commit" ? programOnPath([name], process.env.PATH ?? "") !== null : existsSync(join(modules, name));
  if (isThere || name.includes(" ")) return false;
  return `${name} is not here; scripts/setup-test-tools.sh installs it`;
}
