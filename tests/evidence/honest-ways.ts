/** Ways in which honest work is reported that look odd: late, rewritten, together with others, in several commits. */
import type { KnownBranches } from "../../src/evidence/decide/age.ts";
import type { Chance } from "../crash/seed.ts";
import { type CommitOrder, type FileState, file } from "./history.ts";
import { differences, newPath, newText, otherFolder, type Story } from "./stories.ts";

/** Turns the story of a plain or an earlier commit into one of this way. */
export type HonestWay = (story: Story, chance: Chance) => void;

/** How many commits the story has before others are put behind them. */
const countOf = (story: Story): number => (story.shape === "earlier" ? 3 : 2);

function since(recorded: readonly string[], isFinishedBefore = false): KnownBranches {
  return { recorded: { ids: recorded, isCut: false }, isFinishedBefore };
}

/** Commits behind the usual ones; the last of them, on its own branch, is reported. */
function reportLast(story: Story, more: readonly CommitOrder[], others?: Story["known"]): void {
  story.more = () => more;
  story.references = (usual) => ({ ...usual, "refs/heads/again": countOf(story) + more.length - 1 });
  story.known = (ids, id) => {
    const last = ids.at(-1) ?? "";
    return {
      commits: [last],
      branches: since([ids[0] ?? ""]),
      ...others?.(ids, last === "" ? id : last),
    };
  };
}

/** A file of another agent's task in another folder, and the claim of that task. */
function neighbour(story: Story, chance: Chance): { readonly path: string; readonly state: FileState } {
  return { path: newPath(chance, otherFolder(chance, story), story.before), state: file(newText(chance)) };
}

export const honestWays: Readonly<Record<string, HonestWay>> = {
  "claimed after the commit": (story) => {
    story.known = (ids) => ({ branches: since([ids[0] ?? ""]) });
  },
  "finished before the task was recorded": (story) => {
    story.known = (_, id) => ({ branches: since([id], true) });
  },
  "rebased and reported again": (story, chance) => {
    const { path, state } = neighbour(story, chance);
    const onto: CommitOrder = { tree: new Map(story.before).set(path, state), parents: [0] };
    reportLast(story, [onto, { tree: new Map(story.after).set(path, state), parents: [countOf(story)] }]);
  },
  "amended and reported again": (story) => {
    reportLast(story, [{ tree: story.after, parents: [0] }]);
  },
  "squashed with another task, which names the commit too": (story, chance) => {
    const { path, state } = neighbour(story, chance);
    const theirs: CommitOrder = { tree: new Map(story.before).set(path, state), parents: [0] };
    const squashed: CommitOrder = { tree: new Map(story.after).set(path, state), parents: [0] };
    reportLast(story, [theirs, squashed], (_, id) => ({
      others: [{ task: "1-1-T9", commits: [id], claimed: [path], isCredited: true }],
    }));
  },
  "of two agents in one commit, which both name": (story, chance) => {
    const { path, state } = neighbour(story, chance);
    reportLast(story, [{ tree: new Map(story.after).set(path, state), parents: [0] }], (_, id) => ({
      others: [{ task: "1-1-T9", commits: [id.slice(0, 12)], claimed: [path], isCredited: false }],
    }));
  },
  "amended, on top of what another task recorded meanwhile": (story, chance) => {
    const { path, state } = neighbour(story, chance);
    const theirs: CommitOrder = { tree: new Map(story.before).set(path, state), parents: [0] };
    const first: CommitOrder = { tree: new Map(story.after).set(path, file("first try")), parents: [countOf(story)] };
    const amended: CommitOrder = { tree: new Map(story.after).set(path, state), parents: [countOf(story)] };
    reportLast(story, [theirs, first, amended], (ids) => {
      const before = ids.at(-3) ?? "";
      return { branches: since([before]) };
    });
  },
  "amended once more, after its first form was recorded": (story, chance) => {
    const [path = ""] = differences(story.before, story.after);
    const early = new Map(story.after).set(path, file(newText(chance)));
    const first: CommitOrder = { tree: early, parents: [0] };
    reportLast(story, [first, { tree: story.after, parents: [0] }], (ids) => {
      const before = [ids[0] ?? "", ids.at(-2) ?? ""];
      return { branches: since(before) };
    });
  },
  "a backport, while the branch with the change is still there": (story, chance) => {
    const { path, state } = neighbour(story, chance);
    const release: CommitOrder = { tree: new Map(story.before).set(path, state), parents: [0] };
    const picked: CommitOrder = { tree: new Map(story.after).set(path, state), parents: [countOf(story)] };
    reportLast(story, [release, picked], (ids) => {
      const before = [ids.at(-2) ?? "", ids[1] ?? ""];
      return { branches: since(before) };
    });
  },
  "a return to what was there before, while an old branch is rewritten": (story, chance) => {
    // The files were as the work leaves them, then changed; an old branch from before was rewritten since.
    const { path, state } = neighbour(story, chance);
    const first = countOf(story);
    const changed = new Map(story.after);
    for (const each of differences(story.before, story.after)) {
      const old = story.before.get(each);
      if (old === undefined) changed.delete(each);
      else changed.set(each, old);
    }
    const more: readonly CommitOrder[] = [
      { tree: story.after, parents: [] },
      { tree: new Map(story.after).set(path, state), parents: [first] },
      { tree: changed, parents: [first] },
      { tree: story.after, parents: [first + 2] },
    ];
    reportLast(story, more, (ids) => {
      const before = [ids.at(-2) ?? "", ids.at(-3) ?? ""];
      return { branches: since(before) };
    });
  },
  "in several commits": (story) => {
    const half = new Map(story.before);
    for (const [index, path] of differences(story.before, story.after).entries()) {
      const changed = story.after.get(path);
      if (index % 2 === 1) continue;
      if (changed === undefined) half.delete(path);
      else half.set(path, changed);
    }
    const first = countOf(story);
    story.more = () => [
      { tree: half, parents: [0] },
      { tree: story.after, parents: [first] },
    ];
    story.references = (usual) => ({ ...usual, "refs/heads/steps": first + 1 });
    story.known = (ids) => ({ commits: ids.slice(-2), branches: since([ids[0] ?? ""]) });
  },
  "in the files of a task that was credited before": (story) => {
    reportLast(story, [{ tree: story.after, parents: [0] }], (ids) => ({
      others: [
        {
          task: "1-1-T9",
          commits: [ids[0] ?? ""],
          claimed: story.claimed,
          isCredited: true,
        },
      ],
    }));
  },
};
