/**
 * Whether changed paths are inside what a contract and a claim let an agent touch: both sides of renames, changed
 * modes, the targets of links, submodules, and attributes files, which change how everything next to and below them is
 * read. Source: docs/protocol/verdicts.md.
 */
import { ownTurn } from "../../base/clock.ts";
import { covers, overlaps } from "../../base/paths/glob-overlap.ts";
import { allows, type Glob, readGlob } from "../../base/paths/globs.ts";
import { batonPath, canonicalPath, reachesIntoBaton } from "../../base/paths/paths.ts";
import { checkScope, readGlobs, type Scope } from "../../base/paths/scope.ts";
import { makeProblem, type Problem, type ProblemCode } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import { unreadable } from "../git/git.ts";
import { type Destination, linkBytesMax, linkMode, submoduleMode, type TreeWalk } from "../git/git-objects.ts";

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

/**
 * The problems of `changed`: `invalid-path` (a name that no message can write), `outside-contract`, `outside-claim`,
 * `symlink-escape`, `submodule-change`, `attributes-change`. `walk` walks the tree after the change. Refuses what reading
 * objects refuses.
 */
export async function judgeChanges(
  changed: readonly ChangedPath[],
  limits: Limits,
  walk: TreeWalk,
  words: ChangeWords = commitWords,
): Promise<Result<readonly Problem[], Problem>> {
  const bounds = boundsOf(limits, words);
  const nameless = changed.filter(({ isText }) => !isText).map(namelessProblem);
  // Only the owner changes Baton's own files: no bound has a say in that, whatever its globs match.
  const owned = cutList(changed.flatMap(ownersProblem));
  const others = changed.filter(({ path }) => !reachesIntoBaton(path));
  const beyond: Problem[] = [];
  const attributes: Problem[] = [];
  for (const bound of bounds) {
    beyond.push(...cutList(await pathProblems(others, bound)));
    attributes.push(...(await attributesProblems(others, bound)));
  }
  const submodules: Problem[] = [];
  const links: Problem[] = [];
  for (const change of changed) {
    const submodule = await submoduleProblem(change, walk);
    if (!submodule.ok) return submodule;
    if (submodule.value !== null) submodules.push(submodule.value);
    const link = await linkProblem(change, bounds, walk);
    if (!link.ok) return link;
    if (link.value !== null) links.push(link.value);
  }
  return ok([
    ...cutList(nameless),
    ...owned,
    ...beyond,
    ...cutList(links),
    ...cutList(submodules),
    ...cutList(attributes),
  ]);
}

function boundsOf({ contract, claim }: Limits, words: ChangeWords): readonly Bound[] {
  const bounds: Bound[] = [];
  if (contract !== null) {
    const hint = `${words.leaveOut}, or ask for it with an approval_request of type scope_change.`;
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

/** A submodule may be moved where its path may be touched; not put in a file's place, nor come from nowhere. */
async function submoduleProblem(change: ChangedPath, walk: TreeWalk): Promise<Result<Problem | null, Problem>> {
  const { path, mode } = change;
  if (!isSubmodule(change)) return ok(null);
  const told = (message: string, hint: string): Result<Problem, Problem> =>
    ok(makeProblem("submodule-change", path, message, { received: `${mode.before} to ${mode.after}`, hint }));
  if (change.change === "type-changed")
    return told(
      "The commit puts a submodule where files were, or files where a submodule was.",
      "Split it: remove one in a separate commit, whose diff shows what goes.",
    );
  if (mode.after !== submoduleMode) return ok(null);
  const known = await walk.entry(".gitmodules");
  if (!known.ok) return known;
  return known.value === null
    ? told(
        "The commit points to a submodule that .gitmodules does not describe, so nobody can fetch what it holds.",
        "Add it with git submodule add, or commit the files themselves.",
      )
    : ok(null);
}

/** A new or changed link must lead to what the agent may touch, by whatever way; writing through it would escape. */
async function linkProblem(
  change: ChangedPath,
  bounds: readonly Bound[],
  walk: TreeWalk,
): Promise<Result<Problem | null, Problem>> {
  if (change.mode.after !== linkMode) return ok(null);
  const said = await walk.content({ mode: linkMode, id: change.content.after }, linkBytesMax);
  if (!said.ok)
    return said.error.code === "too-large" ? ok(escaping(change.path, "…", "its target is too long")) : said;
  if (said.value === null) return err(unreadable(change.path, "the target of a link is not there"));
  const target = said.value.content.toString("utf8");
  const end = await walk.follow(change.path, target);
  if (!end.ok) return end;
  const reason = escapeReason(end.value, bounds);
  return ok(reason === null ? null : escaping(change.path, target, reason));
}

function escapeReason(end: Destination, bounds: readonly Bound[]): string | null {
  if (end.at === "outside") return end.reason;
  if (end.path === "") return bounds.length === 0 ? null : "it leads to the root of the repository";
  if (!canonicalPath(end.path).ok) return "it leads to a path that no contract can allow";
  const beyond = bounds.find(({ scope }) =>
    end.isFolder ? !isFolderInside(scope, end.path) : checkScope(scope, [end.path]).length > 0,
  );
  return beyond === undefined ? null : `it leads to ${end.path}, outside ${beyond.what}`;
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
    expected: "a link to a path inside contract and claim",
    received: target.slice(0, 200).toWellFormed(),
    hint: "Link to something inside, or commit a copy.",
  });
}

/** An attributes file needs leave for all that it governs, unless an entry names it. */
async function attributesProblems(changed: readonly ChangedPath[], bound: Bound): Promise<readonly Problem[]> {
  const allowed = readGlobs(bound.scope.allowed, "$.allowed");
  if (!allowed.ok) return [];
  const found: Problem[] = [];
  for (const { path } of changed) {
    if (path !== ".gitattributes" && !path.endsWith("/.gitattributes")) continue;
    const problem = attributesProblem(path, bound, allowed.value);
    if (problem !== null) found.push(problem);
    await ownTurn();
  }
  return found;
}

function attributesProblem(path: string, { scope, what, words }: Bound, allowed: readonly Glob[]): Problem | null {
  if (checkScope(scope, [path]).length > 0) return null; // It is reported already, as any file outside.
  const canonical = canonicalPath(path);
  if (!canonical.ok) return null;
  const naming = allowed.filter((glob) => glob.literal === path);
  if (allows(naming, canonical.value)) return null;
  const folder = path.slice(0, -".gitattributes".length);
  const governed = readGlob(`${folder}**`);
  if (governed.ok && covers(allowed, governed.value)) return null;
  const where = folder === "" ? "the whole repository" : `everything below ${folder}`;
  const message = `This file changes how git reads ${where}, which is more than ${what} covers.`;
  return makeProblem("attributes-change", path, message, {
    received: path,
    hint: `Have ${path} named in the contract's allowed_paths. ${words.leaveOut} otherwise.`,
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
