/**
 * Floors: a file imports its own floor's folder and lower floors only; folders of one floor do not import each other, nor
 * do two doors, nor two dialects. Rooms within a folder are parts of it: they may import each other, as long as no file
 * reaches itself (graph.ts). Type imports count: a type is knowledge too.
 */
import { type Guard, isTest, type Source, type Violation } from "./sources.ts";

/** The floor of every folder of src. `message` is half a floor below its neighbours: see docs/decisions.md. */
export const floors: Readonly<Record<string, number>> = {
  base: 0,
  schema: 1,
  message: 2,
  team: 2.5,
  journal: 2.5,
  dialects: 3,
  coordination: 3,
  intake: 4,
  authority: 4,
  evidence: 4,
  operations: 4.5,
  runtime: 5,
  workspace: 5.5,
  doors: 6,
  testing: 6,
  library: 6.5,
  main: 7,
};

/** Files that are in src itself are the package's own front doors. */
const frontFloor = 7;

/** The demo is next to src: it uses the doors, and only the command that plays it knows it. */
const demoFloor = 6.5;

function floorOf(path: string): number | undefined {
  if (path.startsWith("demo/")) return demoFloor;
  const folder = path.split("/")[1] ?? "";
  return folder.endsWith(".ts") ? frontFloor : floors[folder];
}

/** What counts as one folder, with all its rooms: a door is its own, and so is the demo. */
function folderOf(path: string): string {
  const parts = path.split("/");
  if (parts[0] === "demo") return "demo";
  if (parts[1] === "doors") return parts.slice(0, 3).join("/");
  return parts.slice(0, 2).join("/");
}

/** The single dialect that a file belongs to, or null. */
function dialectOf(path: string): string | null {
  return /^src\/dialects\/([a-z]+-[0-9.-]+)\//.exec(path)?.[1] ?? null;
}

const production = (sources: readonly Source[]): readonly Source[] => sources.filter((source) => !isTest(source.path));

/** Holds the direction of imports between folders. */
export const floorsGuard: Guard = (sources) => {
  const violations: Violation[] = [];
  for (const source of production(sources)) {
    const own = floorOf(source.path);
    if (own === undefined) {
      const message = `This folder has no floor. Put the file in a folder of ${Object.keys(floors).join(", ")}, or give the folder a floor in tests/architecture/floors.ts and ARCHITECTURE.md.`;
      violations.push({ path: source.path, line: 1, message });
      continue;
    }
    for (const { target, line } of source.imports) {
      if (!/^(src|demo)\//.test(target) || folderOf(target) === folderOf(source.path)) continue;
      const other = floorOf(target);
      if (other !== undefined && other < own) continue;
      const message = `imports ${target} of floor ${other}, but stands on floor ${own}. Import downwards only: move the shared thing to a lower floor, or pass it in as a value.`;
      violations.push({ path: source.path, line, message });
    }
  }
  return violations;
};

/** Only the registry knows which dialects there are, and no dialect leans on another. */
export const dialectsGuard: Guard = (sources) =>
  production(sources).flatMap((source) =>
    source.imports
      .filter(({ target }) => {
        const named = dialectOf(target);
        return (
          named !== null && named !== dialectOf(source.path) && source.path !== "src/messages/dialects/registry.ts"
        );
      })
      .map(({ target, line }) => ({
        path: source.path,
        line,
        message: `names ${target}. Ask src/messages/dialects/registry.ts for a Dialect instead; only the registry names single dialects.`,
      })),
  );

/** What of the tests the testing door publishes: the world, the agents and the models of its simulator. */
const published = { by: "src/testing/", from: "tests/simulation/" };

/** Production never loads tests or the testing door. */
export const testingGuard: Guard = (sources) =>
  production(sources).flatMap((source) =>
    source.imports
      .filter(({ target }) => {
        if (source.path.startsWith(published.by) && target.startsWith(published.from))
          return target.endsWith(".test.ts");
        if (/\.test\.ts$|^(tests|bench|scripts|examples)\//.test(target)) return true;
        return target.startsWith("src/testing/") && !source.path.startsWith("src/testing/");
      })
      .map(({ target, line }) => ({
        path: source.path,
        line,
        message: `imports ${target}. Production never needs what only tests need: move the shared part to its own room.`,
      })),
  );
