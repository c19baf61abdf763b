/** A folder with one made repository in it, opened. */
import { join } from "node:path";
import { openRepository, type Repository, type RepositoryOptions } from "../../src/evidence/git/repository.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { type FileState, file, type HistoryOrder, makeHistory, type Tree, testEnvironment } from "./history.ts";

export interface Made extends AsyncDisposable {
  readonly directory: string;
  /** Next to the repository. */
  readonly folder: string;
  readonly ids: readonly string[];
  readonly repository: Repository;
}

/** Makes the repository, opens it, and removes it when the scope ends. */
export async function madeRepository(order: HistoryOrder, options: Partial<RepositoryOptions> = {}): Promise<Made> {
  const folder = temporaryFolder("memory");
  const directory = join(folder.path, "repository");
  const ids = makeHistory(directory, order);
  const repository = await opened(directory, options);
  return {
    directory,
    folder: folder.path,
    ids,
    repository,
    [Symbol.asyncDispose]: async () => {
      await repository[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** The repository at `directory`; throws where there is none. */
export async function opened(directory: string, options: Partial<RepositoryOptions> = {}): Promise<Repository> {
  const found = await openRepository(directory, { environment: testEnvironment, ...options });
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

/** A tree of plain files, written `path: content`; other states as they are. */
export function tree(files: Readonly<Record<string, string | FileState>>): Tree {
  return new Map(Object.entries(files).map(([path, state]) => [path, typeof state === "string" ? file(state) : state]));
}
