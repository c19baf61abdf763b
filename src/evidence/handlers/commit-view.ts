/**
 * A commit as a person looks at it who decides about its work: the files that it changes, and of one file the lines. Only
 * commits that the record names are shown, by their full ids, as the hub's repository has them; each content is held to its
 * id, and no path reaches git. Source: docs/protocol/verdicts.md, section 8.
 */
import { argument } from "../../base/argument.ts";
import { ownTurn, timestampOf } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten } from "../../base/text.ts";
import type { Context } from "../../perform/context.ts";
import type { ShowCommit } from "../../perform/operations/generated/calls.ts";
import type { TeamState } from "../../perform/state.ts";
import { recordIndex } from "../../record/view/record-index.ts";
import { commitsOf } from "../../tasks/state/report-status.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import { changesOf } from "../git/changes.ts";
import { findCommit } from "../git/commits.ts";
import { linkMode, submoduleMode } from "../git/git-objects.ts";
import { diffOf, diffStepsMax, type FileDiff } from "../git/line-diff.ts";
import { openRepository, type Repository } from "../git/repository.ts";
import type { CommitFile, CommitView } from "../operations/commits.ts";
import { idsOf } from "../services/reported-work.ts";

/** Most files that are listed. */
const filesMax = 300;
/** Largest content that is compared, and how much is read to count the lines of all files. */
const contentBytesMax = 4 * 1024 * 1024;
const countedBytesMax = 16 * 1024 * 1024;
/** A message may name a commit by so many digits of its id at least. */
const namedDigitsMin = 7;
const subjectCharactersMax = 200;

/**
 * The commit with that full id. Refuses `wrong-format` (no full id), `not-found` (the record does not name it, or it does
 * not change the path), `repository-missing`, `interrupted` once `signal` aborts, and what reading the repository refuses.
 */
export async function commitView(
  context: Context,
  { commit: id, path }: ShowCommit,
  signal?: AbortSignal,
): Promise<Result<CommitView, Problem>> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) return err(noFullId(id));
  const named = await isNamed(context, id);
  if (!named.ok) return named;
  if (!named.value) return err(notNamed(id));
  if (context.repository === undefined) return err(noRepository);
  const opened = await openRepository(context.repository.directory, context.repository);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  return await viewOf(repository, id, path ?? null, signal);
}

async function viewOf(
  repository: Repository,
  id: string,
  path: string | null,
  signal: AbortSignal | undefined,
): Promise<Result<CommitView, Problem>> {
  const found = await findCommit(repository, id);
  if (!found.ok) return found;
  const commit = found.value;
  const changes = await changesOf(repository, commit);
  if (!changes.ok) return changes;
  const [{ base, changed }] = changes.value.views;
  const pairs = await renamesOf(repository, base, id);
  if (!pairs.ok) return pairs;
  const byPath = new Map(changed.map((each) => [each.path, each]));
  const from = new Map([...pairs.value].map(([old, now]) => [now, byPath.get(old)]));
  const shown = changed.filter(({ path: each }) => !pairs.value.has(each));
  const target = path === null ? null : shown.find((each) => each.path === path && each.isText);
  if (target === undefined) return err(notChanged(id, path ?? ""));
  const files: CommitFile[] = [];
  const budget = { bytes: countedBytesMax, left: diffStepsMax };
  for (const each of shown.slice(0, filesMax)) {
    if (signal?.aborted === true) return err(cancelled);
    const counted = await counts(repository, each, from.get(each.path), budget);
    if (!counted.ok) return counted;
    files.push(fileOf(each, from.get(each.path), counted.value));
  }
  const diff = target === null ? ok(null) : await diffOfPath(repository, target, from.get(target.path));
  if (!diff.ok) return diff;
  return ok({
    commit: commit.id,
    parents: commit.parents,
    base,
    author: shorten(commit.author.name, subjectCharactersMax),
    subject: shorten(commit.subject, subjectCharactersMax),
    at: timestampOf(commit.committedAt * 1_000),
    files,
    filesTotal: shown.length,
    diff: target === null || path === null ? null : { path, ...(diff.value ?? tooLarge) },
  });
}

/** The new path of each file that was renamed: it shares at least half of itself with the old one, as git counts. */
async function renamesOf(
  repository: Repository,
  base: string | null,
  commit: string,
): Promise<Result<ReadonlyMap<string, string>, Problem>> {
  if (base === null) return ok(new Map());
  const words = ["diff-tree", "-r", "-z", "-M50%", "--diff-filter=R", "--name-status", base, commit];
  const listed = await repository.git.run(words);
  if (!listed.ok) return listed;
  const parts = listed.value.output.toString("utf8").split("\0");
  const renames = new Map<string, string>();
  for (let at = 0; at + 2 < parts.length; at += 3) renames.set(parts[at + 1] ?? "", parts[at + 2] ?? "");
  return ok(renames);
}

/** What is shown of contents that are not compared. */
const tooLarge: FileDiff = { binary: false, added: 0, removed: 0, hunks: [], isCut: true };

async function counts(
  repository: Repository,
  change: ChangedPath,
  from: ChangedPath | undefined,
  budget: Budget,
): Promise<Result<FileDiff | null, Problem>> {
  if (budget.bytes <= 0 || budget.left <= 0) return ok(null);
  await ownTurn();
  return await diffOfPath(repository, change, from, budget);
}

/** How many bytes may be read, and how much work comparing may take. */
interface Budget {
  bytes: number;
  left: number;
}

/** The difference of one path; null: a side is too large, or is no content of a file. */
async function diffOfPath(
  { objects }: Repository,
  { content, mode }: ChangedPath,
  from: ChangedPath | undefined,
  budget: Budget = { bytes: 2 * contentBytesMax, left: diffStepsMax },
): Promise<Result<FileDiff | null, Problem>> {
  const sides: (Buffer | null)[] = [];
  const old = from ?? { content, mode };
  for (const [id, kind] of [
    [old.content.before, old.mode.before],
    [content.after, mode.after],
  ] as const) {
    if (kind === submoduleMode) return ok(null);
    if (/^0*$/.test(kind)) {
      sides.push(null);
      continue;
    }
    const found = await objects.read(id, Math.min(contentBytesMax, Math.max(0, budget.bytes)));
    if (!found.ok && found.error.code !== "too-large") return found;
    if (!found.ok || typeof found.value === "string") return ok(null);
    budget.bytes -= found.value.content.length;
    sides.push(found.value.content);
  }
  return ok(diffOf(sides[0] ?? null, sides[1] ?? null, budget));
}

function fileOf(change: ChangedPath, from: ChangedPath | undefined, diff: FileDiff | null): CommitFile {
  const old = from ?? change;
  const isSame = old.content.before === change.content.after;
  const status = from !== undefined ? "renamed" : change.change === "modified" && isSame ? "mode" : change.change;
  const isCounted = diff !== null && !diff.binary;
  return {
    path: change.path,
    from: from?.path ?? null,
    status,
    kind: change.mode.after === submoduleMode ? "submodule" : change.mode.after === linkMode ? "link" : "file",
    binary: diff?.binary ?? null,
    added: isCounted ? diff.added : null,
    removed: isCounted ? diff.removed : null,
    mode: { before: old.mode.before, after: change.mode.after },
  };
}

/** Whether a report or a verdict names the commit. */
async function isNamed(context: Context, id: string): Promise<Result<boolean, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  if (isNamedIn(folded.value.state, id)) return ok(true);
  // Of an earlier report, which another has superseded.
  const index = await recordIndex(context);
  if (!index.ok) return index;
  for (const reports of index.value.reportsOf.values())
    for (const { report } of reports) if (commitsOf(report).some((word) => isMeant(word, id))) return ok(true);
  return ok(false);
}

function isNamedIn({ coordination: { work } }: TeamState, id: string): boolean {
  for (const { verdict, report } of work.tasks.values()) {
    if (verdict !== null && idsOf(verdict).includes(id)) return true;
    if (report !== null && commitsOf(report).some((word) => isMeant(word, id))) return true;
  }
  return false;
}

function isMeant(word: string, id: string): boolean {
  return word.length >= namedDigitsMin && id.startsWith(word.toLowerCase());
}

function noFullId(received: string): Problem {
  return makeProblem("wrong-format", argument("commit"), "This is not the full id of a commit.", {
    expected: "40 or 64 hex digits in lower case",
    received: received.slice(0, 64).toWellFormed(),
    hint: "`commits` of a task's verdict has the full ids.",
  });
}

function notNamed(id: string): Problem {
  return makeProblem("not-found", id, "The record does not name this commit.", {
    hint: "Only commits that a report or a verdict names are shown. Use git for others.",
  });
}

function notChanged(id: string, path: string): Problem {
  return makeProblem("not-found", argument("path"), `The commit ${id} does not change this path.`, {
    received: path.slice(0, 200).toWellFormed(),
    hint: "Ask without a path for the files that it changes.",
  });
}

const cancelled: Problem = makeProblem("interrupted", "commit", "Looking at the commit was cancelled.");

const noRepository: Problem = makeProblem(
  "repository-missing",
  "repository",
  "The hub knows no repository to look in.",
  {
    hint: "Start the hub in the repository, or with `baton up --repository DIR`.",
  },
);
