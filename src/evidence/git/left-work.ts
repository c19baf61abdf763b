/**
 * What a work tree has not committed, as a commit that no branch has: the bytes as they lie there, through an index of its
 * own. The tree, its index and its branch stay as they are, and nothing that the repository names runs.
 * Source: docs/protocol/asking.md, section 16.
 */
import { lstatSync, mkdtempSync, readlinkSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { batonsName, commitOf, durable } from "./new-commit.ts";
import { ask, linesOf, look } from "./questions.ts";
import { openRepository, type Repository, type RepositoryOptions } from "./repository.ts";

/** Where an agent's work is kept. */
export function leftRef(agent: string): string {
  return `refs/baton/left/${agent}`;
}

interface Left {
  /** The root of the work tree, absolute. */
  readonly directory: string;
  /** Its uncommitted files, from its root. */
  readonly files: readonly string[];
  readonly agent: string;
}

/**
 * Keeps the files at `leftRef`, and answers the commit; the one that is there where it holds the same. What the reference
 * held before stays in its log. Refuses what git refuses, such as a full disk: nothing has changed then.
 */
export async function keepLeft(
  { directory, files, agent }: Left,
  options: RepositoryOptions,
): Promise<Result<string, Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  return await look(async () => {
    const folder = mkdtempSync(join(repository.gitDirectory, "baton-left-"));
    try {
      const [parent] = await linesOf(repository, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
      const own = { GIT_INDEX_FILE: join(folder, "index") };
      await ask(repository, parent === undefined ? ["read-tree", "--empty"] : ["read-tree", parent], { own });
      const input = await indexLines(repository, directory, files);
      await ask(repository, [...durable, "update-index", "-z", "--index-info"], { own, input });
      const tree = (await ask(repository, [...durable, "write-tree"], { own })).output.toString("latin1").trim();
      return await refer(repository, { agent, tree, parent });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

async function refer(
  repository: Repository,
  { agent, tree, parent }: { readonly agent: string; readonly tree: string; readonly parent: string | undefined },
): Promise<string> {
  const ref = leftRef(agent);
  const [known, ...of] = await linesOf(repository, ["log", "-1", "--format=%H%n%T%n%P", ref, "--"]);
  if (known !== undefined && of[0] === tree && (of[1] ?? "") === (parent ?? "")) return known;
  const own = batonsName;
  const parents = parent === undefined ? [] : [parent];
  const commit = await commitOf(repository, { tree, parents, message: `Left by ${agent}\n`, own });
  await ask(repository, [...durable, "update-ref", "--create-reflog", "-m", "baton stop", ref, commit], { own });
  return commit;
}

/** The files as lines for an index: those that are gone first, so that a folder may take their place. */
async function indexLines(repository: Repository, root: string, files: readonly string[]): Promise<string> {
  // A repository inside this one has its own history.
  const found = files.flatMap((path) => (path.endsWith("/") ? [] : [{ path, stat: factsAt(join(root, path)) }]));
  const there = found.flatMap(({ path, stat }) => (stat?.isFile() === true ? [{ path, stat }] : []));
  const input = there.map(({ path }) => `${spelled(join(root, path))}\n`).join("");
  const words = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
  const { output } = await ask(repository, [...durable, ...words], { input, msMax: hashMsMax });
  const hashed = output.toString("latin1").split("\n");
  const lines = there.map(({ path, stat }, at) => line(fileMode(stat), hashed[at] ?? "", path));
  for (const { path, stat } of found) {
    if (stat?.isSymbolicLink() !== true) continue;
    const target = readlinkSync(join(root, path));
    const made = await ask(repository, [...durable, "hash-object", "-w", "--stdin"], { input: target });
    lines.push(line("120000", made.output.toString("latin1").trim(), path));
  }
  const none = "0".repeat(repository.objectFormat === "sha256" ? 64 : 40);
  const gone = found.filter(({ stat }) => stat?.isFile() !== true && stat?.isSymbolicLink() !== true);
  return [...gone.map(({ path }) => line("0", none, path)), ...lines].join("");
}

/** The person's disk may be slow, and what is left large. */
const hashMsMax = 10 * 60_000;

function fileMode({ mode }: Stats): string {
  return (mode & 0o111) === 0 ? "100644" : "100755";
}

function factsAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function line(mode: string, id: string, path: string): string {
  return `${mode} ${id}\t${path}\0`;
}

/** A path as git reads it from a list with a path a line. */
function spelled(path: string): string {
  if (!path.includes("\n")) return path;
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
