/** Lies about work: each takes an honest story, plants one, and says which code must tell it. */
import type { Chance } from "../crash/seed.ts";
import { cheapLies, lostObjects } from "./cheap-lies.ts";
import { file, link } from "./history.ts";
import { alone, credited, listAll, recordedAt } from "./lie-parts.ts";
import { rewrittenLies, rewrittenOldWork } from "./rewritten-lies.ts";
import {
  differences,
  honestStory,
  type Lie,
  newPath,
  newText,
  otherFolder,
  ownFolder,
  pick,
  type Shape,
  type Story,
} from "./stories.ts";

/** A file outside that is before and after. */
function outsideFile(story: Story, chance: Chance): string {
  const own = ownFolder(story);
  const paths = [...story.before.keys()].filter((path) => !path.startsWith(`${own}/`) && !story.others.has(path));
  return pick(chance, paths);
}

/** A file inside that the work leaves alone; made where there is none. */
function insideFile(story: Story, chance: Chance): string {
  const path = newPath(chance, ownFolder(story), new Map([...story.before, ...story.after]));
  const state = file(newText(chance));
  story.before.set(path, state);
  story.after.set(path, state);
  return path;
}

const submodule = { mode: "160000", content: "1234567890".repeat(4) } as const;
const merges: readonly Shape[] = ["merge-feature", "merge-trunk"];

/** A lie that links a file inside to `target`, which gets the folder's depth. */
const linking = (target: (story: Story, chance: Chance) => string): Lie => ({
  code: "symlink-escape",
  plant: (story, chance) => {
    story.after.set(insideFile(story, chance), link(target(story, chance)));
    listAll(story);
  },
});

const up = (story: Story): string => "../".repeat(ownFolder(story).split("/").length);

/** All lies, by what is reported. */
export const lies: Readonly<Record<string, Lie>> = {
  ...cheapLies,
  ...rewrittenLies,
  ...rewrittenOldWork,
  ...lostObjects,
  "a commit that is not there": {
    code: "commit-missing",
    plant: (story, chance) => {
      const digits = Array.from({ length: 40 }, () => chance.below(16).toString(16)).join("");
      story.report = () => digits.slice(0, story.digits);
    },
  },
  "a branch whose name looks like an id": {
    code: "commit-missing",
    shapes: alone,
    plant: (story) => {
      story.references = (usual) => ({ ...usual, "refs/heads/abcdefabcdef": 1 });
      story.report = () => "abcdefabcdef";
    },
  },
  "a commit that no branch holds": {
    code: "commit-unreachable",
    shapes: alone,
    plant: (story) => {
      // A working tree that has the commit checked out would hold it.
      if (story.place === "worktree") story.place = "tree";
      story.references = () => ({ "refs/heads/main": 0, "refs/tags/v1": 1, "refs/stash": 1, "refs/heads-of/x": 1 });
    },
  },
  "a file outside the contract": {
    code: "outside-contract",
    plant: (story, chance) => {
      story.after.set(newPath(chance, otherFolder(chance, story), story.before), file(newText(chance)));
      listAll(story);
    },
  },
  "a file deleted outside": {
    code: "outside-contract",
    plant: (story, chance) => {
      story.after.delete(outsideFile(story, chance));
      listAll(story);
    },
  },
  "a forbidden file under another case": {
    code: "outside-contract",
    plant: (story, chance) => {
      const own = ownFolder(story);
      story.scope = { allowed: [`${own}/`], forbidden: [`${own}/Vault/`] };
      story.after.set(`${own}/vAULT/${pick(chance, ["key", "schlüssel"])}.ts`, file(newText(chance)));
      listAll(story);
    },
  },
  "a rename that leaves the contract": {
    code: "outside-contract",
    plant: (story, chance) => {
      const path = insideFile(story, chance);
      const state = story.after.get(path);
      if (state === undefined) return;
      story.after.delete(path);
      story.after.set(newPath(chance, otherFolder(chance, story), story.before), state);
      listAll(story);
    },
  },
  "a rename from outside, of which only the new side is listed": {
    code: "outside-contract",
    plant: (story, chance) => {
      const path = outsideFile(story, chance);
      const state = story.after.get(path);
      if (state === undefined) return;
      story.after.delete(path);
      story.after.set(newPath(chance, ownFolder(story), story.after), state);
      story.files = differences(story.before, story.after).filter((changed) => changed !== path);
    },
  },
  "a mode outside": {
    code: "outside-contract",
    plant: (story, chance) => {
      const path = outsideFile(story, chance);
      story.after.set(path, { mode: "100755", content: story.after.get(path)?.content ?? "" });
      listAll(story);
    },
  },
  "a file that was not claimed": {
    code: "outside-claim",
    plant: (story, chance) => {
      const other = otherFolder(chance, story);
      story.scope = { allowed: [`${ownFolder(story)}/`, `${other}/`], forbidden: [] };
      story.after.set(newPath(chance, other, story.before), file(newText(chance)));
      listAll(story);
    },
  },
  "a link to an absolute path": linking((_, chance) => pick(chance, ["/etc/passwd", "C:/Windows", "\\\\host\\share"])),
  "a link out of the repository": linking((story) => `${up(story)}../elsewhere`),
  "a link into git's own files": linking(
    (story, chance) => `${up(story)}${pick(chance, [".git/config", ".GIT/hooks"])}`,
  ),
  "a link to a file outside": linking((story, chance) => `${up(story)}${outsideFile(story, chance)}`),
  "a link to a folder outside": linking((story, chance) => `${up(story)}${otherFolder(chance, story)}/`),
  "a file that is not listed": {
    code: "files-unlisted",
    plant: (story, chance) => {
      listAll(story);
      // At a path that was deleted it would be listed already.
      const known = new Map([...story.before, ...story.after]);
      story.after.set(newPath(chance, ownFolder(story), known), file(newText(chance)));
    },
  },
  "a deletion that is not listed": {
    code: "files-unlisted",
    plant: (story, chance) => {
      const path = insideFile(story, chance);
      listAll(story);
      story.after.delete(path);
    },
  },
  "a mode that is not listed": {
    code: "files-unlisted",
    plant: (story, chance) => {
      const path = insideFile(story, chance);
      listAll(story);
      story.after.set(path, { mode: "100755", content: story.after.get(path)?.content ?? "" });
    },
  },
  "a listed file that is as it was": {
    code: "files-not-changed",
    plant: (story, chance) => {
      const path = insideFile(story, chance);
      story.files = [...differences(story.before, story.after), path];
    },
  },
  "a listed file that never was": {
    code: "files-not-changed",
    plant: (story) => {
      story.files = [...differences(story.before, story.after), `${ownFolder(story)}/never-was.ts`, "../x", ".git/x"];
    },
  },
  "a submodule moved outside, which .gitmodules says to ignore": {
    code: "submodule-change",
    plant: (story, chance) => {
      const path = `${otherFolder(chance, story)}/vendor`;
      const modules = file(`[submodule "v"]\n\tpath = ${path}\n\turl = ../v\n\tignore = all\n`);
      for (const tree of [story.before, story.after]) tree.set(".gitmodules", modules).set(path, submodule);
      story.after.set(path, { mode: "160000", content: "0987654321".repeat(4) });
      story.files = differences(story.before, story.after).filter((changed) => changed !== path);
    },
  },
  "a submodule from nowhere": {
    code: "pointer",
    isNoted: true,
    plant: (story) => {
      story.after.set(`${ownFolder(story)}/vendor`, submodule);
      listAll(story);
    },
  },
  "a submodule in the place of a file": {
    code: "pointer",
    isNoted: true,
    plant: (story, chance) => {
      story.after.set(insideFile(story, chance), submodule);
      listAll(story);
    },
  },
  "a task without the work that it depends on": {
    code: "lacks",
    isNoted: true,
    shapes: alone,
    plant: (story, chance) => {
      const path = newPath(chance, otherFolder(chance, story), story.before);
      story.more = () => [{ tree: new Map(story.before).set(path, file(newText(chance))), parents: [0] }];
      story.references = (usual) => ({ ...usual, "refs/heads/needed": story.shape === "earlier" ? 3 : 2 });
      story.known = (ids) => ({ others: [credited(ids.at(-1) ?? "", [path])], needs: ["1-1-T9"] });
    },
  },
  "work on the history of another repository": {
    code: "unrelated-history",
    shapes: alone,
    plant: (story) => {
      story.more = (commits) => [
        { tree: story.before, parents: [], author: "another" },
        { tree: story.after, parents: [commits.length] },
      ];
      story.references = (usual) => ({ ...usual, "refs/heads/foreign": story.shape === "earlier" ? 4 : 3 });
      story.known = (ids) => ({ commits: [ids.at(-1) ?? ""], branches: recordedAt(ids[0] ?? "") });
    },
  },
  "a merge that changes by hand what nobody gave it": {
    code: "outside-contract",
    shapes: merges,
    plant: (story, chance) => {
      const path = outsideFile(story, chance);
      story.amendMerge = (tree) => tree.set(path, file(newText(chance)));
      story.files = null;
    },
  },
  "a merge that throws others' work away": {
    code: "outside-contract",
    shapes: merges,
    plant: (story) => {
      story.amendMerge = (tree) => {
        for (const path of story.others.keys()) {
          const old = story.before.get(path);
          if (old === undefined) tree.delete(path);
          else tree.set(path, old);
        }
      };
      story.files = null;
    },
  },
};

/** Lies that nothing shows; the guide says so under what a verdict does not prove. */
export const believedLies: Readonly<Record<string, Lie>> = {
  "a link through another link": {
    code: "symlink-escape",
    plant: (story, chance) => {
      const own = ownFolder(story);
      const parent = link(up(story).slice(0, -1));
      story.before.set(`${own}/root`, parent);
      story.after.set(`${own}/root`, parent);
      story.after.set(`${own}/innocent`, link(`root/${outsideFile(story, chance)}`));
      listAll(story);
    },
  },
  "attributes for other files": {
    code: "outside-contract",
    plant: (story) => {
      const own = ownFolder(story);
      story.after = new Map(story.before).set(`${own}/.gitattributes`, file("* -diff -text merge=ours\n"));
      story.scope = { allowed: [`${own}/*`], forbidden: [] };
      story.claimed = null;
      listAll(story);
    },
  },
};

/** A story in which the lie is reported, the same for the same chance. */
export function lyingStory(lie: Lie, chance: Chance): Story {
  const story = honestStory(chance, pick(chance, lie.shapes ?? ["plain", "earlier", "merge-feature", "merge-trunk"]));
  // A file mode that is listed but a submodule's id of the other kind cannot be stored.
  if (story.place === "sha256") story.place = "tree";
  lie.plant(story, chance);
  return story;
}
