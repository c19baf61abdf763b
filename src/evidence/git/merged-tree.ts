/** What merging two commits gives, asked of git without a work tree. Rules: docs/protocol/verdicts.md, section 12. */
import { err, ok, type Result } from "../../base/result.ts";
import { saidBy } from "../../base/text.ts";
import { durable } from "./new-commit.ts";
import { ask, linesOf } from "./questions.ts";
import type { Repository } from "./repository.ts";

/** Why git makes no merge. */
export interface Unmerged {
  /** Files that conflict; empty: it is for another reason. */
  readonly files: readonly string[];
  /** The tree with both sides marked; null: there is none. */
  readonly tree: string | null;
  readonly words: string;
}

/** The tree of a merge without a work tree. */
export async function mergedTree(
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<Result<string, Unmerged>> {
  const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const plain = ["-c", "merge.renormalize=false", "-c", "merge.default=text"];
  const answers = [0, 1, 128, 129];
  const { code, output, words } = await ask(repository, [...durable, ...plain, ...merge], { answers });
  const [id = "", ...paths] = output.toString("utf8").split("\0");
  if (code === 0) return ok(id);
  const files = code === 1 ? paths.filter((path) => path !== "") : [];
  const old = "Git is too old to merge without a work tree: it needs 2.38.";
  const said = `Git does not merge it: ${saidBy(words, wordsMax)}`;
  return err({ files, tree: files.length === 0 ? null : id, words: code === 129 ? old : said });
}

/** The id of the tree of a commit, or of a tree itself. */
export async function treeOf(repository: Repository, revision: string): Promise<string> {
  return (await linesOf(repository, ["rev-parse", `${revision}^{tree}`]))[0] ?? revision;
}

const wordsMax = 400;
