/**
 * A commit as a person looks at it who decides about its work: the files that it changes, and of one file the lines. Only
 * commits that the record names are shown, by their full ids, as the hub's repository has them.
 * Source: docs/protocol/verdicts.md, section 8.
 */
import { argument } from "../../base/argument.ts";
import { timestampOf } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten } from "../../base/text.ts";
import type { Context } from "../../perform/context.ts";
import type { ShowCommit } from "../../perform/operations/generated/calls.ts";
import type { TeamState } from "../../perform/state.ts";
import { recordIndex } from "../../record/view/record-index.ts";
import { commitsOf, idsOf } from "../../tasks/state/report-status.ts";
import {
  type ChangedPath,
  eachChange,
  emptyTreeOf,
  hunksOf,
  lineCounts,
  linkMode,
  submoduleMode,
} from "../git/changes.ts";
import { commitsWith, cutOff, findCommit } from "../git/commits.ts";
import { answerOf, giveUp, look } from "../git/questions.ts";
import { cutOffCommits, openRepository, type Repository } from "../git/repository.ts";
import type { CommitFile, CommitView } from "../operations/commits.ts";

/** Most files that are listed. */
const filesMax = 300;
/** A message may name a commit by so many digits of its id at least. */
const namedDigitsMin = 7;
const subjectCharactersMax = 200;

/**
 * The commit with that full id. Refuses `wrong-format` (no full id), `not-found` (the record does not name it, or it does
 * not change the path), `repository-missing`, and what reading the repository refuses.
 */
export async function commitView(
  context: Context,
  { commit: id, path }: ShowCommit,
): Promise<Result<CommitView, Problem>> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) return err(noFullId(id));
  const named = await isNamed(context, id);
  if (!named.ok) return named;
  if (!named.value) return err(notNamed(id));
  if (context.repository === undefined) return err(noRepository);
  const opened = await openRepository(context.repository.directory, context.repository);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  return await look(() => viewOf(repository, id, path ?? null));
}

async function viewOf(repository: Repository, id: string, path: string | null): Promise<CommitView> {
  const [commit] = await commitsWith(repository, [answerOf(await findCommit(repository, id))]);
  if (commit === undefined || cutOffCommits(repository).has(id)) return giveUp(cutOff(id));
  const [base = null] = commit.parents;
  const before = base ?? emptyTreeOf(repository);
  const shown: ChangedPath[] = [];
  let [target, filesTotal]: [ChangedPath | null, number] = [null, 0];
  await eachChange(
    repository,
    before,
    id,
    (change) => {
      if (++filesTotal <= filesMax) shown.push(change);
      if (change.path === path && change.isText) target = change;
    },
    "told",
  );
  const wanted: ChangedPath | null = target;
  if (path !== null && wanted === null) return giveUp(notChanged(id, path));
  const counts = await lineCounts(repository, before, id, wanted === null ? shown : [...shown, wanted]);
  const counted = path === null ? undefined : counts.get(path);
  const diff =
    path === null || wanted === null
      ? null
      : {
          path,
          binary: counted === null,
          added: counted?.added ?? 0,
          removed: counted?.removed ?? 0,
          ...(await hunksOf(repository, before, id, wanted)),
        };
  return {
    commit: id,
    parents: commit.parents,
    base,
    author: shorten(commit.author.name, subjectCharactersMax),
    subject: shorten(commit.subject, subjectCharactersMax),
    at: timestampOf(commit.committedMs),
    files: shown.map((each) => fileOf(each, counts.get(each.path))),
    filesTotal,
    diff,
  };
}

function fileOf(
  { path, from, change, mode, content }: ChangedPath,
  lines: { readonly added: number; readonly removed: number } | null | undefined,
): CommitFile {
  const kind = mode.after === submoduleMode ? "submodule" : mode.after === linkMode ? "link" : "file";
  const counted = kind === "submodule" ? undefined : lines;
  return {
    path,
    from: from ?? null,
    status: change === "modified" && content.before === content.after ? "mode" : change,
    kind,
    binary: counted === undefined ? null : counted === null,
    added: counted?.added ?? null,
    removed: counted?.removed ?? null,
    mode,
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

const noRepository: Problem = makeProblem(
  "repository-missing",
  "repository",
  "The hub knows no repository to look in.",
  {
    hint: "Start the hub in the repository, or with `baton up --repository DIR`.",
  },
);
