/**
 * Which lines a change takes out of a file and which it brings, wherever they are: the same for a copy of the change.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { ChangedPath } from "./raw-diff.ts";

/** Largest content whose lines are compared; a larger one is the same only where its id is. */
const contentBytesMax = 4 * 1024 * 1024;

/** A digest of the lines; null: a side is too large or not there. Refuses what reading objects refuses. */
export async function lineChanges(
  objects: ObjectReader,
  { content, mode }: ChangedPath,
): Promise<Result<string | null, Problem>> {
  const counts = new Map<string, number>();
  for (const [id, kind, step] of [
    [content.before, mode.before, -1],
    [content.after, mode.after, 1],
  ] as const) {
    if (/^0*$/.test(kind)) continue;
    const found = await objects.read(id, contentBytesMax);
    if (!found.ok && found.error.code !== "too-large") return found;
    if (!found.ok || typeof found.value === "string") return ok(null);
    for (const line of found.value.content.toString("latin1").split("\n"))
      counts.set(line, (counts.get(line) ?? 0) + step);
  }
  const lines = [...counts].filter(([, count]) => count !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return ok(lines.length === 0 ? null : sha256(canonical(lines.map(([line, count]) => [line, count]))));
}

/** Whether two changes of a file take away and add the same lines, wherever they are. */
export async function isSameChange(
  { objects }: { readonly objects: ObjectReader },
  one: ChangedPath,
  other: ChangedPath,
): Promise<Result<boolean, Problem>> {
  if (one.change !== other.change || one.mode.after !== other.mode.after) return ok(false);
  if (one.content.after === other.content.after && one.content.before === other.content.before) return ok(true);
  const [mine, theirs] = [await lineChanges(objects, one), await lineChanges(objects, other)];
  if (!mine.ok) return mine;
  if (!theirs.ok) return err(theirs.error);
  return ok(mine.value !== null && mine.value === theirs.value);
}
