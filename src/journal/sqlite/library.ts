/** The SQLite that comes with Node: which version a journal needs. */
import { isAtLeast } from "../../base/versions.ts";
import type { EngineCheck } from "../journal.ts";

/** Below this, processes that share a file can corrupt it. */
const floor = [3, 51, 3] as const;

/** Whether the SQLite of this Node is new enough; `version` undefined: it has none. */
export function checkLibrary(version: string | undefined): EngineCheck {
  if (version === undefined)
    return { engine: "sqlite", finding: "this Node has no SQLite", advice: "use an official build of Node" };
  if (isAtLeast(version, floor)) return { engine: "sqlite", finding: version, advice: null };
  return {
    engine: "sqlite",
    finding: `${version} can corrupt a journal that several processes write`,
    advice: `use a Node that brings SQLite ${floor.join(".")} or newer`,
  };
}
