/**
 * Where tasks are in the picture of their dependencies: a column for what is done, then one for each wave of the hub, and
 * within a column near those that they wait for. Pure.
 */
import type { TaskView } from "../../../coordination/tasks/task-view.ts";

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** `files`: the other one holds files of it. `longest`: on the longest chain of what is not done. */
  readonly kind: "after" | "files" | "longest";
}

export interface Layout {
  readonly columns: readonly { readonly name: string; readonly tasks: readonly TaskView[] }[];
  readonly edges: readonly Edge[];
  /** The tasks of the longest chain, in their order; empty: nothing waits for another. */
  readonly longest: readonly string[];
  /** How many tasks are no part of the picture: done, and nothing open waits for them. */
  readonly leftOut: number;
}

const names = ["Now", "Next", "Then"] as const;
const isDone = ({ state }: TaskView) => state === "verified" || state === "complete";

/** `waves`: the ids of what is not done, as the hub puts them. Of what is done there is what something open waits for. */
export function layoutOf(tasks: readonly TaskView[], waves: readonly (readonly string[])[]): Layout {
  const byId = new Map(tasks.map((task) => [task.task, task]));
  const open = tasks.filter((task) => !isDone(task));
  const needed = new Set(open.flatMap(({ dependsOn }) => dependsOn));
  const done = tasks.filter((task) => isDone(task) && needed.has(task.task));
  const placed = new Set(waves.flat());
  const groups = [
    ...(done.length === 0 ? [] : [{ name: "Done", tasks: done }]),
    ...waves.map((wave, at) => ({
      name: names[at] ?? `Wave ${at + 1}`,
      tasks: wave.flatMap((id) => byId.get(id) ?? []),
    })),
    { name: "In no wave", tasks: open.filter(({ task }) => !placed.has(task)) },
  ].filter((group) => group.tasks.length > 0);
  const places = new Map<string, number>();
  const columns = groups.map(({ name, tasks: some }) => {
    const middle = (task: TaskView, otherwise: number) => {
      const known = task.dependsOn.flatMap((id) => places.get(id) ?? []);
      return known.length === 0 ? otherwise : known.reduce((sum, place) => sum + place, 0) / known.length;
    };
    const ordered = some
      .map((task, at) => ({ task, place: middle(task, at) }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ task }) => task);
    for (const [at, { task }] of ordered.entries()) places.set(task, at);
    return { name, tasks: ordered };
  });
  const longest = longestOf(open);
  return { columns, edges: edgesOf(tasks, places, longest), longest, leftOut: tasks.length - places.size };
}

/** A task's place, its upper left corner. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** Of a task's box: its size, and the free space below it and next to it. In pixels. */
interface Box {
  readonly width: number;
  readonly height: number;
  readonly gap: number;
  readonly between: number;
}

/** The line from a task to one that comes after it, as an SVG path that never passes behind a third task's box. */
export function linePath(one: Point, other: Point, { width, height, gap, between }: Box): string {
  const [startX, startY, endX, endY] = [one.x + width, one.y + height / 2, other.x, other.y + height / 2];
  // Neighbours of one column are joined at their left.
  if (other.x <= one.x) return `M${one.x} ${startY}C${one.x - 24} ${startY} ${endX - 24} ${endY} ${endX - 2} ${endY}`;
  const half = between / 2;
  const end = `${endX - half} ${endY} ${endX - 4} ${endY}`;
  if (endX - startX <= between) return `M${startX} ${startY}C${startX + half} ${startY} ${end}`;
  // Past a column in the space below its row.
  const below = one.y + height + gap / 2;
  return `M${startX} ${startY}C${startX + half} ${startY} ${startX + half} ${below} ${startX + between} ${below}L${endX - between} ${below}C${endX - half} ${below} ${end}`;
}

function edgesOf(
  tasks: readonly TaskView[],
  places: ReadonlyMap<string, number>,
  longest: readonly string[],
): readonly Edge[] {
  const steps = new Set(longest.slice(1).map((task, at) => JSON.stringify([longest[at], task])));
  return tasks.flatMap(({ task, dependsOn, blockedBy }) => {
    const after = dependsOn.map((from): Edge => {
      return { from, to: task, kind: steps.has(JSON.stringify([from, task])) ? "longest" : "after" };
    });
    const files = blockedBy
      .filter((id) => !dependsOn.includes(id))
      .map((from): Edge => ({ from, to: task, kind: "files" }));
    return [...after, ...files].filter(({ from, to }) => places.has(from) && places.has(to));
  });
}

/** The longest chain of tasks that wait for each other. */
function longestOf(open: readonly TaskView[]): readonly string[] {
  const byId = new Map(open.map((task) => [task.task, task]));
  const chains = new Map<string, readonly string[]>();
  const chainOf = (id: string): readonly string[] => {
    const known = chains.get(id);
    if (known !== undefined) return known;
    // In a circle nothing is longer than what is known of it.
    chains.set(id, [id]);
    const before = (byId.get(id)?.dependsOn ?? []).filter((each) => byId.has(each)).map(chainOf);
    const longest = before.reduce<readonly string[]>((one, other) => (other.length > one.length ? other : one), []);
    const chain = [...longest, id];
    chains.set(id, chain);
    return chain;
  };
  const all = open.map(({ task }) => chainOf(task));
  const longest = all.reduce<readonly string[]>((one, other) => (other.length > one.length ? other : one), []);
  return longest.length > 1 ? longest : [];
}
