/**
 * Whether changed paths are inside what a contract and a claim let an agent touch: both sides of renames, changed modes,
 * submodules, and the targets of links. Source: docs/protocol/verdicts.md.
 */
import { ownTurn } from "../../base/clock.ts";
import { covers, overlaps } from "../../base/paths/glob-overlap.ts";
import { readGlob } from "../../base/paths/globs.ts";
import { batonPath, canonicalPath, reachesIntoBaton } from "../../base/paths/paths.ts";
import { checkScope, readGlobs, type Scope } from "../../base/paths/scope.ts";
import { makeProblem, type Problem, type ProblemCode } from "../../base/problem.ts";
import { type ChangedPath, linkMode, submoduleMode } from "../git/changes.ts";
import { unreadable } from "../git/git.ts";
import { bytesOf, factsOf, giveUp } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";

/** What may be touched; null: not limited by it. */
export interface Limits {
  readonly contract: Scope | null;
  /** Paths and globs of the claim. */
  readonly claim: readonly string[] | null;
}

/** How a change outside the scope is reported: in a commit, or in a file that is about to be written. */
export interface ChangeWords {
  /** What to do instead, as the beginning of a sentence. */
  readonly leaveOut: string;
  /** The same for a path that somebody else holds. */
  leaveTo(path: string): string;
  /** What the change did to the file, as the end of a sentence; empty where there is nothing to tell. */
  did(how: string): string;
}

/** The words for changes of a commit. */
export const commitWords: ChangeWords = {
  leaveOut: "Take the change out of the commit",
  leaveTo: (path) => `Take it out of the commit (git restore --staged ${path})`,
  did: (how) => `, and the commit has it ${how}`,
};

/** A limit by its name, and the code of a path beyond it. */
interface Bound {
  readonly scope: Scope;
  readonly code: ProblemCode;
  readonly what: string;
  readonly hint: string;
  readonly words: ChangeWords;
}

/** The tree after the changes, in which links are looked at: of a commit, or by its own id. */
export interface TreeAfter {
  readonly repository: Repository;
  readonly tree: string;
}

/**
 * The problems of `changed`: `invalid-path` (a name that no message can write), `outside-contract`, `outside-claim`,
 * `submodule-change`, `symlink-escape`. `after` null: plain files are about to be written, and lead nowhere. Gives up where
 * git gives no answer.
 */
export async function judgeChanges(
  changed: readonly ChangedPath[],
  limits: Limits,
  after: TreeAfter | null,
  words: ChangeWords = commitWords,
): Promise<readonly Problem[]> {
  const bounds = boundsOf(limits, words);
  const nameless = changed.filter(({ isText }) => !isText).map(namelessProblem);
  // Only the owner changes Baton's own files: no bound has a say in that, whatever its globs match.
  const owned = cutList(changed.flatMap(ownersProblem));
  const others = changed.filter(({ path }) => !reachesIntoBaton(path));
  const beyond: Problem[] = [];
  for (const bound of bounds) beyond.push(...cutList(await pathProblems(others, bound)));
  // What a claim does not name is free to be pointed to; the edit through it is judged at its own path.
  const contract = bounds.slice(0, limits.contract === null ? 0 : 1);
  const links: Problem[] = [];
  for (const change of after === null ? [] : changed.filter(({ mode }) => mode.after === linkMode)) {
    const link = after === null ? null : await linkProblem(change, contract, after);
    if (link !== null) links.push(link);
  }
  return [...cutList(nameless), ...owned, ...beyond, ...cutList(links)];
}

function boundsOf({ contract, claim }: Limits, words: ChangeWords): readonly Bound[] {
  const bounds: Bound[] = [];
  if (contract !== null) {
    const hint = `${words.leaveOut}, or ask for it by an approval_request of type scope_change with its paths.`;
    bounds.push({ scope: contract, code: "outside-contract", what: "the contract", hint, words });
  }
  if (claim !== null) {
    const hint = `Claim the file before you change it. ${words.leaveOut} otherwise.`;
    bounds.push({ scope: { allowed: claim, forbidden: [] }, code: "outside-claim", what: "the claim", hint, words });
  }
  return bounds;
}

const batonFilesHint =
  "The owner commits .baton/ separately (git add .baton). Take it out of this commit (git reset --soft HEAD~1, then git restore --staged .baton), commit the work again, and report that commit.";

function ownersProblem({ path, isText }: ChangedPath): readonly Problem[] {
  return isText && reachesIntoBaton(path) ? [{ ...batonPath(path), path, hint: batonFilesHint }] : [];
}

/** So many paths are compared with a bound together; others have their turn in between. */
const pathsTogether = 200;

async function pathProblems(changed: readonly ChangedPath[], bound: Bound): Promise<readonly Problem[]> {
  // A name that is no UTF-8 was reported already, and could match by accident.
  const named = changed.filter(({ isText }) => isText);
  const found: Problem[] = [];
  for (let at = 0; at < named.length; at += pathsTogether) {
    found.push(...pathProblemsOf(named.slice(at, at + pathsTogether), bound));
    if (named.length > pathsTogether) await ownTurn();
  }
  return found;
}

function pathProblemsOf(named: readonly ChangedPath[], bound: Bound): readonly Problem[] {
  const problems = checkScope(
    bound.scope,
    named.map(({ path }) => path),
  );
  return problems.map((problem) => {
    const change = named[Number(/^\$\.files\[(\d+)\]$/.exec(problem.path)?.[1] ?? -1)];
    if (change === undefined || problem.code !== "outside-contract")
      return { ...problem, path: change?.path ?? problem.path };
    return beyondProblem(change, bound, problem);
  });
}

function beyondProblem(change: ChangedPath, { code, what, hint, scope, words }: Bound, problem: Problem): Problem {
  const { path } = change;
  if (isSubmodule(change))
    return makeProblem("submodule-change", path, `The commit moves a submodule outside ${what}.`, {
      expected: `changes inside ${shownEntries(scope.allowed)}`,
      received: path,
      hint,
    });
  const how = onlyMode(change) ? `changes its mode from ${change.mode.before} to ${change.mode.after}` : change.change;
  const reason = problem.message.includes("forbidden") ? `is forbidden by ${what}` : `is outside ${what}`;
  return makeProblem(code, path, `The file ${reason}${words.did(how)}.`, {
    expected: `changes inside ${shownEntries(scope.allowed)}`,
    received: path,
    hint,
  });
}

const onlyMode = ({ change, content, mode }: ChangedPath): boolean =>
  change === "modified" && content.before === content.after && mode.before !== mode.after;

const isSubmodule = ({ mode }: ChangedPath): boolean => mode.before === submoduleMode || mode.after === submoduleMode;

function shownEntries(entries: readonly string[]): string {
  const shown = entries.slice(0, 5).join(", ");
  return entries.length > 5 ? `${shown} ...` : shown || "nothing";
}

function namelessProblem({ path }: ChangedPath): Problem {
  return makeProblem(
    "invalid-path",
    path,
    "The name of this file is not UTF-8, so no contract or message can name it.",
    {
      received: path,
      hint: "Rename the file.",
    },
  );
}

/** Longest target of a link, in bytes: what Linux allows. */
const linkBytesMax = 4096;

/**
 * A new or changed link must lead to what the agent may touch; writing through it would escape. One link is followed: what
 * is changed through another one shows at its own path.
 */
async function linkProblem(
  { path, content }: ChangedPath,
  bounds: readonly Bound[],
  { repository, tree }: TreeAfter,
): Promise<Problem | null> {
  const said = await bytesOf(repository, content.after, linkBytesMax);
  if (said === null) {
    const isHere = (await factsOf(repository, content.after)) !== null;
    return isHere
      ? escaping(path, "…", "its target is too long")
      : giveUp(unreadable(path, "the target of a link is not there"));
  }
  const target = said.toString("utf8");
  const end = endOf(path, target);
  if ("reason" in end) return escaping(path, target, end.reason);
  const isFolder = (await factsOf(repository, `${tree}:${end.path}`))?.kind === "tree";
  const reason = escapeReason(end.path, isFolder, bounds);
  return reason === null ? null : escaping(path, target, reason);
}

/** The path to which a link leads (empty: the root of the repository), or how it leaves the repository. */
function endOf(path: string, target: string): { readonly path: string } | { readonly reason: string } {
  if (/^(?:[\\/]|[A-Za-z]:)/.test(target)) return { reason: "it is absolute" };
  const at = path.split("/").slice(0, -1);
  for (const part of target.split("/").filter((each) => each !== "" && each !== ".")) {
    if (part !== "..") at.push(part);
    else if (at.pop() === undefined) return { reason: "it leaves the repository" };
  }
  return { path: at.join("/") };
}

function escapeReason(path: string, isFolder: boolean, bounds: readonly Bound[]): string | null {
  if (path === "") return bounds.length === 0 ? null : "it leads to the root of the repository";
  if (!canonicalPath(path).ok) return "it leads to a path that no contract can allow";
  const beyond = bounds.find(({ scope }) =>
    isFolder ? !isFolderInside(scope, path) : checkScope(scope, [path]).length > 0,
  );
  return beyond === undefined ? null : `it leads to ${path}, outside ${beyond.what}`;
}

/** Whether all below a folder may be touched. Errs towards no: case does not count where a glob forbids. */
function isFolderInside(scope: Scope, path: string): boolean {
  const below = readGlob(`${path}/**`);
  const allowed = readGlobs(scope.allowed, "$.allowed");
  const folded = readGlob(`${path.toLowerCase()}/**`);
  const forbidden = readGlobs(
    scope.forbidden.map((entry) => entry.toLowerCase()),
    "$.forbidden",
  );
  if (!below.ok || !allowed.ok || !folded.ok || !forbidden.ok) return false;
  return covers(allowed.value, below.value) && !forbidden.value.some((glob) => overlaps(glob, folded.value));
}

function escaping(path: string, target: string, reason: string): Problem {
  return makeProblem("symlink-escape", path, `The commit makes this a link that leads out: ${reason}.`, {
    expected: "a link to a path inside the contract",
    received: target.slice(0, 200).toWellFormed(),
    hint: "Link to something inside, or commit a copy.",
  });
}

/** Most problems of one code in a verdict; the last then says how many more there are. */
const problemsOfCodeMax = 20;

/** `problems` of one code, cut where there are too many. */
export function cutList(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= problemsOfCodeMax) return problems;
  const shown = problems.slice(0, problemsOfCodeMax - 1);
  const [first] = problems;
  if (first === undefined) return shown;
  const more = makeProblem(first.code, "$", `${problems.length - shown.length} more paths have the same error.`);
  return [...shown, more];
}
