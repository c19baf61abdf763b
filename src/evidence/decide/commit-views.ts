/**
 * Reported commits as seen from their parents, and what they change together. A merge can be seen from each of its parents,
 * so several merges can be seen in many ways. Rules: docs/protocol/verdicts.md.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import type { ChangeView, CommitChanges } from "../git/changes.ts";
import type { Commit } from "../git/git-objects.ts";

/** A reported commit with what it changed. */
export interface Found {
  readonly commit: Commit;
  readonly changes: CommitChanges;
}

/** A commit as seen from one of its parents. */
export interface Seen {
  readonly commit: Commit;
  readonly view: ChangeView;
  readonly made: readonly ChangedPath[];
}

/** Most ways of looking at a report of several merges; beyond that each is only seen from its first parent. */
const viewsMax = 64;

/** The ways of looking at the commits; `unseen`: there are more, so what these show against the work decides nothing. */
interface Views {
  readonly views: readonly (readonly Seen[])[];
  readonly unseen: Problem | null;
}

/** The ways of looking at these commits. */
export function viewsOf(found: readonly Found[]): Views {
  const seenFrom = ({ commit, changes: { views, made } }: Found) => views.map((view): Seen => ({ commit, view, made }));
  const count = found.reduce((product, { changes }) => product * changes.views.length, 1);
  if (count > viewsMax) return { views: [found.flatMap((each) => seenFrom(each).slice(0, 1))], unseen: tooManyViews };
  const views = found.reduce<readonly (readonly Seen[])[]>(
    (ways, each) => ways.flatMap((way) => seenFrom(each).map((seen) => [...way, seen])),
    [[]],
  );
  return { views, unseen: null };
}

const tooManyViews = makeProblem(
  "too-large",
  "$.body.commits",
  `Together the merges of the report can be seen in more than ${viewsMax} ways, which is more than is looked at.`,
  { hint: "Report fewer merges, or the last one alone." },
);

/** What a commit changes as seen from a parent, with what a merge made itself. */
export function together({ view, made }: Seen): readonly ChangedPath[] {
  const own = new Set(view.changed.map(({ path }) => path));
  return [...view.changed, ...made.filter(({ path }) => !own.has(path))];
}

/** The changes of several commits as one: each path from where it was before the first to where the last left it. */
export function joined(changes: readonly (readonly ChangedPath[])[]): readonly ChangedPath[] {
  const [only, ...more] = changes;
  if (more.length === 0) return only ?? [];
  const paths = new Map<string, ChangedPath>();
  for (const change of changes.flat()) {
    const first = paths.get(change.path);
    paths.set(change.path, first === undefined ? change : following(first, change));
  }
  return [...paths.values()];
}

function following(first: ChangedPath, last: ChangedPath): ChangedPath {
  const isThere = (mode: string): boolean => !/^0*$/.test(mode);
  const [before, after] = [isThere(first.mode.before), isThere(last.mode.after)];
  const change = before === after ? "modified" : after ? "added" : "deleted";
  return {
    ...last,
    change,
    mode: { before: first.mode.before, after: last.mode.after },
    content: { before: first.content.before, after: last.content.after },
  };
}
