/** What becomes of verified work: what people and their tools do to it later, and where it is then. */
import type { Chance } from "../crash/seed.ts";
import { type CommitOrder, type FileState, file, type Tree } from "./history.ts";
import { newPath, newText, ownFolder, type Story } from "./stories.ts";

export interface Fate {
  readonly is: "landed" | "gone" | "part-gone";
  /** It was on a branch, which is deleted; absent: on the main branch. */
  readonly isBranch?: true;
  /** The commits behind the base (0) and the work (1); the main branch is at the last. */
  commits(story: Story, chance: Chance): readonly CommitOrder[];
}

const beside = (tree: Tree): Tree => new Map([...tree, ["LATER", file("later")]]);
const merged = (tree: Tree, { others }: Story): Tree => new Map([...tree, ...others]);

/** Every text that the work wrote, written otherwise. */
function rewritten({ before, after }: Story, write: (text: string) => string): Tree {
  const isWritten = ([path, state]: readonly [string, FileState]) =>
    state.mode.startsWith("100") && before.get(path)?.content !== state.content;
  return new Map(
    [...after].map((each) => [each[0], isWritten(each) ? { ...each[1], content: write(each[1].content) } : each[1]]),
  );
}

/** It lands as another commit than was reported, beside what others did. */
const landing = (tree: (story: Story) => Tree): Fate => ({
  is: "landed",
  isBranch: true,
  commits: (story) => [
    { tree: beside(story.before), parents: [0] },
    { tree: beside(tree(story)), parents: [2] },
  ],
});

export const fates: Readonly<Record<string, Fate>> = {
  "built upon": { is: "landed", commits: ({ after }) => [{ tree: beside(after), parents: [1] }] },
  "squashed, rebased or picked": landing(({ after }) => after),
  "mended by a review, then squashed": landing((story) => rewritten(story, (text) => `${text}\nmended`)),
  amended: {
    is: "landed",
    isBranch: true,
    commits: ({ after }) => [{ tree: after, parents: [0], author: "another" }],
  },
  formatted: {
    is: "landed",
    commits: (story) => [{ tree: rewritten(story, (text) => text.replace(/^.*$/gm, "\t$&;")), parents: [1] }],
  },
  "merged with what others did": {
    is: "landed",
    commits: (story) => [
      { tree: merged(story.before, story), parents: [0] },
      { tree: merged(story.after, story), parents: [1, 2] },
    ],
  },
  "dropped by a merge": {
    is: "gone",
    commits: (story) => [
      { tree: merged(story.before, story), parents: [0] },
      { tree: merged(story.before, story), parents: [1, 2] },
    ],
  },
  "taken back": { is: "gone", commits: ({ before }) => [{ tree: before, parents: [1] }] },
  "taken back in one file of several": {
    is: "part-gone",
    commits: (story, chance) => {
      const tree = new Map(story.after);
      story.after.set(newPath(chance, ownFolder(story), new Map([...story.before, ...tree])), file(newText(chance)));
      return [{ tree, parents: [1] }];
    },
  },
  "closed with its branch": {
    is: "gone",
    isBranch: true,
    commits: ({ before }) => [{ tree: beside(before), parents: [0] }],
  },
};
