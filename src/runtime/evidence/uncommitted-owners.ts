/**
 * Whose uncommitted files are: those in an agent's own linked work tree, and those that its claims cover in any other.
 * Rules: docs/protocol/shutdown.md, section 1.
 */
import { allowsAny } from "../../base/paths/scope.ts";
import type { Uncommitted } from "../../coordination/shutdown/shutdown-rounds.ts";
import type { WorkTree } from "../../evidence/uncommitted.ts";

/** Most files that are recorded of an agent; how many there are is recorded too. */
const filesMax = 200;

/** An agent with the globs of the files that it has, or had, in hand. */
export interface Hand {
  readonly agent: string;
  readonly globs: readonly string[];
}

/** The uncommitted files of these work trees, by agent. A file that is nobody's counts among `others`. */
export function sharedOut(trees: readonly WorkTree[], hands: readonly Hand[]): Uncommitted {
  const agents = new Map<string, string[]>();
  const others: string[] = [];
  for (const tree of trees) {
    const maker = tree.isMain ? undefined : hands.find(({ agent }) => tree.names.includes(agent));
    for (const path of tree.files) {
      const owner = maker ?? hands.find(({ globs }) => allowsAny(globs, path));
      // Of a linked work tree the path alone would not say where the file is.
      const shown = tree.isMain ? path : `${tree.names[0] ?? ""}:${path}`;
      if (owner === undefined) others.push(shown);
      else agents.set(owner.agent, [...(agents.get(owner.agent) ?? []), shown]);
    }
  }
  return {
    agents: Object.fromEntries([...agents].map(([agent, files]) => [agent, counted(files)])),
    others: counted(others),
  };
}

function counted(files: readonly string[]): Uncommitted["others"] {
  return { count: files.length, files: files.slice(0, filesMax) };
}
