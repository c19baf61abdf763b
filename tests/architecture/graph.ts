/**
 * The graph of imports: no circles of files, and no file that nothing reaches.
 */
import { type Guard, isGenerated, isTest, type Source, type Violation } from "./sources.ts";

/** Where the outside enters: the package's doors, the command's two bundles and the page. */
export const entryPoints = [
  "src/index.ts",
  "src/messages/dialects/index.ts",
  "src/journal/sqlite/index.ts",
  "src/doors/http/index.ts",
  "src/doors/mcp/index.ts",
  "src/testing/index.ts",
  "src/main/start.ts",
  "src/main/baton.ts",
  "src/mail/text/validate-message.ts",
  "src/main/long-work-thread.ts",
  "src/doors/page/main.ts",
] as const;

/** No file reaches itself, by imports of any kind: to understand one file of a circle, you have to read all of it. */
export const cyclesGuard: Guard = (sources) => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const done = new Set<string>();
  const violations: Violation[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      const cycle = [...trail.slice(at), path].join(" -> ");
      const message = `imports itself: ${cycle}. Move what both need into a third file below, or pass it in as a value.`;
      violations.push({ path, line: 1, message });
      return;
    }
    if (done.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (byPath.has(target)) walk(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const source of sources) walk(source.path, []);
  return violations;
};

/** Every production file is reached from a door or from the generator, by an import of any kind. */
export const orphansGuard: Guard = (sources) => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<string>();
  const waiting: string[] = [...entryPoints, ...sources.map((source) => source.path).filter(isRoot)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { target } of byPath.get(path)?.imports ?? []) waiting.push(target);
  }
  return sources
    .filter((source) => !isTest(source.path) && !isGenerated(source.path) && !reached.has(source.path))
    .map(orphan);
};

function isRoot(path: string): boolean {
  return path.startsWith("scripts/");
}

function orphan(source: Source): Violation {
  const message = "Nobody imports this file but tests, if anyone. Import it where it is needed, or delete it.";
  return { path: source.path, line: 1, message };
}

/** The files that a door loads at run time, and the packages among them; `apart` are left out where they load lazily. */
export function loadedBy(sources: readonly Source[], door: string, apart: readonly string[] = []): ReadonlySet<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const loaded = new Set<string>();
  const waiting = [door];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    for (const { target, typeOnly, lazy } of byPath.get(path)?.imports ?? []) {
      if (!typeOnly && !(lazy && apart.includes(target))) waiting.push(target);
    }
  }
  return loaded;
}
