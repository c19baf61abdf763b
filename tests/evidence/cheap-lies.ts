/**
 * Lies that cost nothing: work that is none, older than its task or somebody else's; rewritten commits; and objects that are
 * lost. They start from honest stories, as those of `lies.ts` do.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { CommitOrder } from "./history.ts";
import { file, git } from "./history.ts";
import { alone, changedBy, credited, listAll, recordedAt } from "./lie-parts.ts";
import { type Lie, newPath, newText, otherFolder, ownFolder, type Story } from "./stories.ts";

/** Work that is none, or not the reporter's. */
export const cheapLies: Readonly<Record<string, Lie>> = {
  "an empty commit": {
    code: "nothing-changed",
    shapes: alone,
    plant: (story) => {
      story.after = new Map(story.before);
      story.files = null;
      story.claimed = null;
    },
  },
  "an empty commit for a claim": {
    code: "nothing-changed",
    shapes: alone,
    plant: (story) => {
      story.after = new Map(story.before);
      story.files = [];
    },
  },
  "a claimed file that never was": {
    code: "nothing-changed",
    shapes: alone,
    plant: (story) => {
      story.claimed = [`${ownFolder(story)}/never-was.ts`];
      listAll(story);
    },
  },
  "work in other files than those that are claimed": {
    code: "nothing-changed",
    shapes: alone,
    plant: (story, chance) => {
      const other = otherFolder(chance, story);
      story.after = new Map(story.before).set(newPath(chance, other, story.before), file(newText(chance)));
      story.scope = null;
      listAll(story);
    },
  },
  "a commit that was the branch when the task was recorded": {
    code: "commit-before-task",
    plant: (story) => {
      listAll(story);
      story.known = (_, id) => ({ branches: recordedAt(id) });
    },
  },
  "a commit that lay behind a branch when the task was recorded": {
    code: "commit-before-task",
    shapes: ["earlier"],
    plant: (story) => {
      story.known = (ids) => ({ branches: recordedAt(ids[0] ?? "", ids[2] ?? "") });
    },
  },
  "an old commit beside a new one": {
    code: "commit-before-task",
    isNoted: true,
    shapes: ["earlier"],
    plant: (story) => {
      story.scope = null;
      story.claimed = null;
      story.files = null;
      story.known = (ids) => ({ commits: [ids[1] ?? "", ids[2] ?? ""], branches: recordedAt(ids[1] ?? "") });
    },
  },
  "a commit that was on a branch which is gone": {
    code: "commit-before-task",
    shapes: alone,
    plant: (story) => {
      // The branch had one commit more, which only the record names by now.
      story.more = (_, reported): readonly CommitOrder[] => [{ tree: story.before, parents: [reported] }];
      const usual = story.references;
      story.references = (names) => ({
        ...(usual?.(names) ?? names),
        "refs/tags/old": story.shape === "earlier" ? 3 : 2,
      });
      story.known = (ids) => ({ branches: recordedAt(ids.at(-1) ?? "") });
    },
  },
  "what was there when the task was recorded, taken away and brought back": {
    code: "commit-before-task",
    shapes: alone,
    plant: (story) => {
      listAll(story);
      story.more = (commits, reported): readonly CommitOrder[] => [
        { tree: story.before, parents: [reported] },
        { tree: story.after, parents: [commits.length] },
      ];
      story.references = (usual) => ({ ...usual, "refs/heads/again": story.shape === "earlier" ? 4 : 3 });
      story.known = (ids, id) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(id) });
    },
  },
  "an old branch, merged anew": {
    // It is the main branch, whose change is not the merge's.
    code: "nothing-changed",
    shapes: alone,
    plant: (story) => {
      listAll(story);
      story.more = (commits, reported): readonly CommitOrder[] => [
        { tree: story.before, parents: [0] },
        { tree: story.after, parents: [commits.length, reported] },
      ];
      story.references = (usual) => ({ ...usual, "refs/heads/again": story.shape === "earlier" ? 4 : 3 });
      story.known = (ids, id) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(id, ids[0] ?? "") });
    },
  },
  "another task's commit, with a claim on the same files": {
    code: "commit-credited",
    plant: (story) => {
      story.known = (_, id) => ({ others: [credited(id, story.claimed)] });
    },
  },
  "a commit that a task without a claim is credited with": {
    code: "commit-credited",
    // Of a merge the other task may have brought what comes from the other side.
    shapes: alone,
    plant: (story) => {
      story.known = (_, id) => ({ others: [credited(id, null)] });
    },
  },
  "another task's commit, without a claim": {
    // What others claim of the commit is theirs, so nothing is left.
    code: "nothing-changed",
    plant: (story) => {
      const own = `${ownFolder(story)}/`;
      story.claimed = null;
      story.known = (_, id) => ({ others: [credited(id, [own])] });
    },
  },
  "a third task for a commit of two": {
    code: "commit-credited",
    plant: (story) => {
      const paths = changedBy(story).filter((path) => path.startsWith(ownFolder(story)));
      const claims = [paths.slice(0, 1), paths.slice(1)].filter((claim) => claim.length > 0);
      story.known = (_, id) => ({ others: claims.map((claim) => credited(id, claim)) });
    },
  },
};

/** A story whose objects lie loose, one a file. */
function loose(story: Story): void {
  story.place = "tree";
}

/** Objects that are lost while Baton looks. */
export const lostObjects: Readonly<Record<string, Lie>> = {
  "a tree that is lost": {
    code: "repository-unreadable",
    shapes: ["plain"],
    plant: (story) => {
      loose(story);
      story.tamper = (directory, _, id) => {
        const tree = git(directory, "rev-parse", `${id}^{tree}`).trim();
        const path = join(directory, ".git/objects", tree.slice(0, 2), tree.slice(2));
        rmSync(path);
      };
    },
  },
};
