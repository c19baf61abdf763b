/** Commits that Baton makes without a work tree. Nothing that the repository names runs. */
import { ask } from "./questions.ts";
import type { Repository } from "./repository.ts";

/** What is written is on the disk, with all that it points to. */
export const durable: readonly string[] = ["-c", "core.fsync=committed,loose-object"];

/** Whose a commit is that no person makes. */
export const batonsName = {
  GIT_AUTHOR_NAME: "Baton",
  GIT_AUTHOR_EMAIL: "baton@localhost",
  GIT_COMMITTER_NAME: "Baton",
  GIT_COMMITTER_EMAIL: "baton@localhost",
};

/** A commit that no branch has yet. `own`: what says whose it is, where git is not to say. */
export async function commitOf(repository: Repository, { tree, parents, message, own }: NewCommit): Promise<string> {
  const utf8 = ["-c", "i18n.commitEncoding=UTF-8"];
  const words = ["commit-tree", "--no-gpg-sign", ...parents.flatMap((each) => ["-p", each]), "-F", "-", tree];
  const made = await ask(repository, [...durable, ...utf8, ...words], { input: message, own });
  return made.output.toString("latin1").trim();
}

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly own: Readonly<Record<string, string>>;
}
