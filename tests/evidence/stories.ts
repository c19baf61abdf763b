/**
 * Honest work in a generated repository: a tree, a contract and a claim, changes that are inside, and a history around
 * them in many shapes. The lies of `lies.ts` start from these.
 */
import type { Scope } from "../../src/base/paths/scope.ts";
import type { ProblemCode } from "../../src/base/problem.ts";
import type { ReportedWork } from "../../src/evidence/decide/verdict.ts";
import type { Chance } from "../crash/seed.ts";
import { type CommitOrder, type FileState, file, link, type Tree } from "./history.ts";

export interface Lie {
  readonly code: ProblemCode | "same-on-another-branch" | "pointer" | "lacks";
  /** It is verified and only noted: honest work looks the same. */
  readonly isNoted?: true;
  /** Shapes that it makes sense in; absent: all but root. */
  readonly shapes?: readonly Shape[];
  /** Plants it; false: this story has no place for it. */
  plant(story: Story, chance: Chance): void;
}

/** Where the commit is in its history. */
export const shapes = ["plain", "earlier", "root", "merge-feature", "merge-trunk", "octopus"] as const;
export type Shape = (typeof shapes)[number];

/** From where the repository is looked at, and how it is kept. */
export const places = ["tree", "worktree", "bare", "sha256", "packed", "remote", "folder"] as const;
export type Place = (typeof places)[number];

/** What another task reported; credited: and is verified. */
export interface StoryOther {
  readonly task: string;
  readonly commits: readonly string[];
  readonly claimed: readonly string[] | null;
  readonly isCredited: boolean;
}

/** What is known of a report in addition. */
export type Known = Partial<Omit<ReportedWork, "others">> & { readonly others?: readonly StoryOther[] };

export interface Story {
  shape: Shape;
  place: Place;
  /** The tree before the work, and after it. */
  before: Map<string, FileState>;
  after: Map<string, FileState>;
  /** What others changed meanwhile, in shapes with a merge: path to its new state. */
  others: Map<string, FileState>;
  scope: Scope | null;
  claimed: readonly string[] | null;
  /** `files_modified`; null: not given. */
  files: readonly string[] | null;
  /** How many digits of the id are reported. */
  digits: number;
  /** Changes the tree of a merge by hand. */
  amendMerge?: (tree: Map<string, FileState>) => void;
  /** References instead of the usual ones. */
  references?: (usual: Readonly<Record<string, number>>) => Record<string, number>;
  /** The id that is reported, from that of the commit. */
  report?: (id: string) => string;
  /** What is known in addition to the report, from the ids of all commits and the one that is reported. */
  known?: (ids: readonly string[], id: string) => Known;
  /** Additional commits, behind the usual ones. */
  more?: (commits: readonly CommitOrder[], reported: number) => readonly CommitOrder[];
  /** What is done to the repository before the report is judged. */
  tamper?: (directory: string, ids: readonly string[], id: string) => void;
}

const folders = ["src/app", "src/lib", "src/ünï", "docs", "tests/e2e", "код"] as const;
const names = ["main", "parse", "größe", "日本", "read me", "a-b", "x", "naïve"] as const;
const endings = [".ts", ".md", ".json"] as const;

export function pick<Entry>(chance: Chance, list: readonly Entry[]): Entry {
  const entry = list[chance.below(list.length)];
  if (entry === undefined) throw new Error("nothing to pick from");
  return entry;
}

/** A string that no other file has, so that renames are certain. */
export function newText(chance: Chance): string {
  return Array.from({ length: 12 }, () => chance.below(2 ** 32).toString(36)).join("\n");
}

/** A path in the folder that `tree` has not. */
export function newPath(chance: Chance, folder: string, tree: Tree): string {
  for (let number = 0; ; number++) {
    const path = `${folder}/${pick(chance, names)}${number === 0 ? "" : number}${pick(chance, endings)}`;
    if (!tree.has(path)) return path;
  }
}

/** The folder that the work may touch: all paths of the contract and the claim lie below it. */
export function ownFolder(story: Story): string {
  return story.claimed?.[0]?.replace(/\/(\*\*)?$/, "") ?? "src/app";
}

/** A folder next to the repository. */
export function otherFolder(chance: Chance, story: Story): string {
  return pick(
    chance,
    folders.filter((folder) => folder !== ownFolder(story)),
  );
}

/** The paths that differ between two trees. */
export function differences(before: Tree, after: Tree): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => {
    const [old, now] = [before.get(path), after.get(path)];
    return old?.mode !== now?.mode || old?.content !== now?.content;
  });
}

/** Honest work, the same for the same chance. */
export function honestStory(chance: Chance, shape: Shape = pick(chance, shapes)): Story {
  const before = new Map<string, FileState>();
  for (const folder of folders)
    for (let count = 0; count < 4; count++) before.set(newPath(chance, folder, before), file(newText(chance)));
  const own = pick(chance, folders);
  const after = new Map(before);
  const sources = new Set<string>();
  for (let count = 1 + chance.below(6); count > 0; count--) change(chance, own, after, before, sources);
  if (differences(before, after).length === 0) after.set(newPath(chance, own, after), file(newText(chance)));
  const others = new Map<string, FileState>();
  const elsewhere = folders.filter((folder) => folder !== own);
  for (let count = 1 + chance.below(3); count > 0; count--)
    others.set(newPath(chance, pick(chance, elsewhere), before), file(newText(chance)));
  for (const path of [...before.keys()].filter((path) => !path.startsWith(`${own}/`)).slice(0, 2))
    others.set(path, file(newText(chance)));
  const story: Story = {
    shape,
    place: pick(chance, places),
    before: shape === "root" ? new Map() : before,
    after,
    others,
    scope: pick(chance, [
      { allowed: [`${own}/`], forbidden: [] },
      { allowed: [`${own}/**`, "nothing/here.ts"], forbidden: ["SECRETS/"] },
      { allowed: [own, "docs/*.rst"], forbidden: [`${own}/never/**`] },
    ]),
    claimed: pick(chance, [[`${own}/`], [`${own}/**`]]),
    files: null,
    digits: pick(chance, [7, 12, 40]),
  };
  if (shape === "root") {
    story.after = new Map([...after].filter(([path]) => path.startsWith(`${own}/`)));
    sources.clear();
  }
  list(chance, story, sources);
  return story;
}

/** Lists the changed files, sometimes without the old sides of renames, sometimes not at all. */
function list(chance: Chance, story: Story, sources: ReadonlySet<string>): void {
  const changed = differences(story.before, story.after);
  const named = chance.below(2) === 0 ? changed : changed.filter((path) => !sources.has(path) || story.after.has(path));
  const spelled = chance.below(4) === 0 ? named.map((path) => path.normalize("NFD")) : named;
  story.files = chance.below(4) === 0 ? null : spelled;
}

/** One change inside the folder. `sources` collects the old sides of pure renames. */
function change(chance: Chance, own: string, after: Map<string, FileState>, before: Tree, sources: Set<string>): void {
  const untouched = [...after].filter(
    ([path, state]) => path.startsWith(`${own}/`) && before.get(path) === state && state.mode === "100644",
  );
  const [path, state] = untouched[chance.below(Math.max(1, untouched.length))] ?? [null, null];
  if (path === null || state === null) return;
  const acts: readonly (() => void)[] = [
    () => after.set(path, file(newText(chance))),
    () => after.set(newPath(chance, own, after), file(newText(chance))),
    () => after.set(newPath(chance, `${own}/deep/er`, after), file(newText(chance))),
    () => after.delete(path),
    () => after.set(path, { ...state, mode: "100755" }),
    () => after.set(`${own}/link-${after.size}`, link(path.slice(own.length + 1))),
    () => after.set(`${own}/up-${after.size}`, link(`../${own.split("/").at(-1)}/${path.slice(own.length + 1)}`)),
    () => after.set(`${own}/dangling-${after.size}`, link("not-there-yet.ts")),
    () => after.set(`${own}/.gitattributes`, file(newText(chance))),
    () => {
      after.delete(path);
      after.set(newPath(chance, `${own}/moved`, after), state);
      sources.add(path);
    },
  ];
  pick(chance, acts)();
}

interface StoryHistory {
  readonly commits: readonly CommitOrder[];
  readonly reported: number;
  readonly references: Record<string, number>;
}

/** The story's commits, the one that is reported, and its usual references. */
export function historyOf(story: Story): StoryHistory {
  const usual = shapedHistory(story);
  const more = story.more?.(usual.commits, usual.reported) ?? [];
  return { ...usual, commits: [...usual.commits, ...more] };
}

function shapedHistory(story: Story): StoryHistory {
  const { before, after, others } = story;
  const with_ = (tree: Tree): Map<string, FileState> => new Map([...tree, ...others]);
  const later = (tree: Tree): Map<string, FileState> => new Map([...tree, ["LATER", file("later")]]);
  const merged = with_(after);
  story.amendMerge?.(merged);
  const base: CommitOrder = { tree: before, parents: [] };
  const work: CommitOrder = { tree: after, parents: [0] };
  const trunk: CommitOrder = { tree: with_(before), parents: [0] };
  switch (story.shape) {
    case "plain":
      return { commits: [base, work], reported: 1, references: { "refs/heads/main": 1 } };
    case "earlier":
      return {
        commits: [base, work, { tree: later(after), parents: [1] }],
        reported: 1,
        references: { "refs/heads/main": 2, "refs/heads/old": 0 },
      };
    case "root":
      return { commits: [{ tree: after, parents: [] }], reported: 0, references: { "refs/heads/main": 0 } };
    case "merge-feature":
      return {
        commits: [base, work, trunk, { tree: merged, parents: [2, 1] }],
        reported: 3,
        references: { "refs/heads/main": 3, "refs/heads/feature": 1 },
      };
    case "merge-trunk":
      return {
        commits: [base, work, trunk, { tree: merged, parents: [1, 2] }],
        reported: 3,
        references: { "refs/heads/main": 2, "refs/heads/feature": 3 },
      };
    case "octopus": {
      // Two branches that each hold half of the work, merged at once into what others did.
      const half = differences(before, after).filter((_, index) => index % 2 === 0);
      const first = new Map(before);
      const second = new Map(after);
      for (const path of half) {
        put(first, path, after.get(path));
        put(second, path, before.get(path));
      }
      return {
        commits: [
          base,
          { tree: first, parents: [0] },
          { tree: second, parents: [0] },
          trunk,
          { tree: merged, parents: [3, 1, 2] },
        ],
        reported: 4,
        references: { "refs/heads/main": 4 },
      };
    }
  }
}

function put(tree: Map<string, FileState>, path: string, state: FileState | undefined): void {
  if (state === undefined) tree.delete(path);
  else tree.set(path, state);
}
