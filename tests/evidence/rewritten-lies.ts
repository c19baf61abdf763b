/** Lies with commits that were rewritten. They start from honest stories, as those of `lies.ts` do. */
import type { CommitOrder } from "./history.ts";
import { file } from "./history.ts";
import { alone, credited, listAll, recordedAt } from "./lie-parts.ts";
import { type Lie, newPath, newText, otherFolder, ownFolder, type Story } from "./stories.ts";

/** Commits that were rewritten, and say something else than before. */
export const rewrittenLies: Readonly<Record<string, Lie>> = {
  "a cherry-pick of another task's commit": {
    code: "same-change",
    shapes: alone,
    plant: (story, chance) => {
      // The same change on a line of history in which another file differs.
      const elsewhere = newPath(chance, otherFolder(chance, story), story.before);
      const strange = file(newText(chance));
      const claimed = story.claimed;
      story.more = (commits): readonly CommitOrder[] => [
        { tree: new Map(story.before).set(elsewhere, strange), parents: [0] },
        { tree: new Map(story.after).set(elsewhere, strange), parents: [commits.length] },
      ];
      story.references = (usual) => ({ ...usual, "refs/heads/picked": story.shape === "earlier" ? 4 : 3 });
      story.files = null;
      story.known = (ids, id) => ({ commits: [ids.at(-1) ?? ""], others: [credited(id, claimed)] });
    },
  },
  "an amended commit that adds what was not reported": {
    code: "files-unlisted",
    shapes: alone,
    plant: (story, chance) => {
      listAll(story);
      const path = newPath(chance, ownFolder(story), new Map([...story.before, ...story.after]));
      story.more = (): readonly CommitOrder[] => [
        { tree: new Map(story.after).set(path, file(newText(chance))), parents: [0] },
      ];
      story.references = (usual) => ({ ...usual, "refs/heads/amended": story.shape === "earlier" ? 3 : 2 });
      story.known = (ids) => ({ commits: [ids.at(-1) ?? ""] });
    },
  },
  "a rebased commit that drops what was reported": {
    code: "files-not-changed",
    shapes: alone,
    plant: (story, chance) => {
      const path = newPath(chance, ownFolder(story), new Map([...story.before, ...story.after]));
      const elsewhere = newPath(chance, otherFolder(chance, story), story.before);
      const rebased = new Map(story.after).set(elsewhere, file("new"));
      story.after.set(path, file(newText(chance)));
      listAll(story);
      story.more = (commits): readonly CommitOrder[] => [
        { tree: new Map(story.before).set(elsewhere, file("new")), parents: [0] },
        { tree: rebased, parents: [commits.length] },
      ];
      story.references = (usual) => ({ ...usual, "refs/heads/rebased": story.shape === "earlier" ? 4 : 3 });
      story.known = (ids) => ({ commits: [ids.at(-1) ?? ""] });
    },
  },
  "a squash that brings what another did": {
    code: "outside-claim",
    shapes: alone,
    plant: (story, chance) => {
      listAll(story);
      story.scope = null;
      const path = newPath(chance, otherFolder(chance, story), story.before);
      story.more = (): readonly CommitOrder[] => [
        { tree: new Map(story.after).set(path, file(newText(chance))), parents: [0] },
      ];
      story.references = (usual) => ({ ...usual, "refs/heads/squashed": story.shape === "earlier" ? 3 : 2 });
      story.known = (ids) => ({ commits: [ids.at(-1) ?? ""] });
    },
  },
  "a list of commits, one of which leaves the claim": {
    code: "outside-claim",
    shapes: ["earlier"],
    plant: (story) => {
      story.scope = null;
      story.files = null;
      story.known = (ids) => ({ commits: [ids[1] ?? "", ids[2] ?? ""] });
    },
  },
  "a list of commits, one of which is not there": {
    code: "commit-missing",
    plant: (story) => {
      story.known = (_, id) => ({ commits: [id, "f".repeat(id.length)] });
    },
  },
};

/** The branches as usual, without those that hold the old commit; the last commit is on a branch of this name. */
function movedTo(story: Story, name: string, count: number): void {
  story.references = () => ({ [name]: (story.shape === "earlier" ? 2 : 1) + count });
}

/** Older work that was rewritten after the task was recorded: the branch pointed to the story's commit then. */
export const rewrittenOldWork: Readonly<Record<string, Lie>> = {
  "older work, amended": {
    code: "commit-before-task",
    shapes: alone,
    plant: (story) => {
      listAll(story);
      story.more = (): readonly CommitOrder[] => [{ tree: story.after, parents: [0] }];
      movedTo(story, "refs/heads/main", 1);
      story.known = (ids, id) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(id) });
    },
  },
  "older work, amended on another branch": {
    code: "same-on-another-branch",
    isNoted: true,
    shapes: ["plain"],
    plant: (story) => {
      listAll(story);
      story.more = (): readonly CommitOrder[] => [{ tree: story.after, parents: [0], author: "another" }];
      story.references = (usual) => ({ ...usual, "refs/heads/again": 2 });
      story.known = (ids, id) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(id) });
    },
  },
  "older work, rebased onto newer": {
    code: "commit-before-task",
    shapes: alone,
    plant: (story, chance) => {
      listAll(story);
      const elsewhere = newPath(chance, otherFolder(chance, story), story.before);
      const newer = file(newText(chance));
      story.more = (commits): readonly CommitOrder[] => [
        { tree: new Map(story.before).set(elsewhere, newer), parents: [0] },
        { tree: new Map(story.after).set(elsewhere, newer), parents: [commits.length] },
      ];
      movedTo(story, "refs/heads/feature", 2);
      story.known = (ids, id) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(id, ids[0] ?? "") });
    },
  },
  "older work, rebased onto a newer form of its file": {
    code: "commit-before-task",
    shapes: ["plain"],
    plant: (story, chance) => {
      const path = newPath(chance, ownFolder(story), new Map([...story.before, ...story.after]));
      const [old, line, top] = [newText(chance), newText(chance), newText(chance)];
      story.before.set(path, file(old));
      story.after = new Map(story.before).set(path, file(`${old}\n${line}`));
      story.files = [path];
      story.more = (): readonly CommitOrder[] => [
        { tree: new Map(story.before).set(path, file(`${top}\n${old}`)), parents: [0] },
        { tree: new Map(story.before).set(path, file(`${top}\n${old}\n${line}`)), parents: [2] },
      ];
      movedTo(story, "refs/heads/feature", 2);
      story.known = (ids, id) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(id, ids[0] ?? "") });
    },
  },
  "the first of several old commits, rebased": {
    code: "work-reverted",
    shapes: ["plain"],
    plant: (story, chance) => {
      // A working tree that has the old commit checked out would hold it.
      if (story.place === "worktree") story.place = "tree";
      const path = newPath(chance, ownFolder(story), new Map([...story.before, ...story.after]));
      const [one, two] = [newText(chance), newText(chance)];
      const elsewhere = newPath(chance, otherFolder(chance, story), story.before);
      story.after = new Map(story.before).set(path, file(one));
      story.files = [path];
      const newer = (content: string) => new Map(story.before).set(elsewhere, file("new")).set(path, file(content));
      story.more = (): readonly CommitOrder[] => [
        { tree: new Map(story.before).set(path, file(two)), parents: [1] },
        { tree: new Map(story.before).set(elsewhere, file("new")), parents: [0] },
        { tree: newer(one), parents: [3] },
        { tree: newer(two), parents: [4] },
      ];
      movedTo(story, "refs/heads/feature", 4);
      story.known = (ids) => ({ commits: [ids.at(-2) ?? ""], branches: recordedAt(ids[2] ?? "", ids[0] ?? "") });
    },
  },
  "several old commits, squashed": {
    code: "commit-before-task",
    shapes: ["earlier"],
    plant: (story) => {
      listAll(story);
      story.more = (): readonly CommitOrder[] => [
        { tree: new Map(story.after).set("LATER", file("later")), parents: [0] },
      ];
      story.scope = null;
      story.claimed = null;
      story.files = null;
      movedTo(story, "refs/heads/main", 1);
      story.known = (ids) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(ids[2] ?? "") });
    },
  },
  "old commits, picked onto a new branch from before them": {
    code: "same-on-another-branch",
    isNoted: true,
    shapes: ["earlier"],
    plant: (story, chance) => {
      listAll(story);
      const path = newPath(chance, otherFolder(chance, story), story.before);
      story.more = (): readonly CommitOrder[] => [
        { tree: new Map(story.before).set(path, file("beside")), parents: [0] },
        { tree: new Map(story.after).set(path, file("beside")), parents: [3] },
      ];
      story.references = (usual) => ({ "refs/heads/main": usual["refs/heads/main"] ?? 0, "refs/heads/picked": 4 });
      story.known = (ids) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(ids[2] ?? "") });
    },
  },
};
