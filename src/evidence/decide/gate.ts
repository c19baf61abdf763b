/**
 * The gate before a commit, and before a file is written: may this agent change these paths? A path is let through when
 * one of the tasks that the agent works on covers it, by its contract and by its claim, and nobody else holds it.
 * Source: docs/protocol/tasks.md.
 */
import { overlaps } from "../../base/paths/glob-overlap.ts";
import { asStored, readGlob } from "../../base/paths/globs.ts";
import { batonPath, canonicalPath, reachesIntoBaton } from "../../base/paths/paths.ts";
import type { Scope } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ownerName } from "../../messages/principal.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { askingFor, claimingMore } from "../../tasks/state/contract-files.ts";
import type { ChangedPath } from "../git/changes.ts";
import { type ChangeWords, commitWords, cutList, judgeChanges, type TreeAfter } from "./scope-judgement.ts";

/** A task that an agent works on. */
export interface WorkInHand {
  readonly task: string;
  /** Of its plan's contract; null: the plan has none. */
  readonly scope: Scope | null;
  /** Paths and globs of the claim; null: it names none yet. */
  readonly claimed: readonly string[] | null;
  /** The agent holds it now; absent: it reported it, or the plan is open to it. */
  readonly isHeld?: true;
}

/** What an agent may do now. */
export interface EditPermissions {
  readonly agent: string;
  /** The program that the team file names for it; absent: none. */
  readonly program?: HookProgram;
  /** Whether it may only change what it has claimed. Who plans, reviews and records may change what nobody holds. */
  readonly mustClaim: boolean;
  readonly tasks: readonly WorkInHand[];
  /** What other agents hold. */
  readonly others: readonly OthersHold[];
  /** What the agent itself holds and held before; absent: it was not asked for. */
  readonly holds?: readonly OthersHold[];
}

/** When a commit was made, in milliseconds, as it says. */
export interface CommitTimes {
  readonly authoredMs: number;
  readonly committedMs: number;
}

/**
 * What the agent might change when a commit of it was made, by `all` agents' holds: others bar what they held then, and what
 * they hold now since before it. What the agent held itself when it wrote the commit is its own, also where it was rebased
 * since.
 */
export function permissionsThen(
  all: readonly EditPermissions[],
  rights: EditPermissions,
  { authoredMs, committedMs }: CommitTimes,
): EditPermissions {
  const { agent, holds: mine = [] } = rights;
  const holds = mine.filter((hold) => isHeldAt(hold, authoredMs) || isHeldAt(hold, committedMs));
  const others = all
    .filter((other) => other.agent !== agent)
    .flatMap((other) => other.holds ?? [])
    .filter((hold) => isHeldAt(hold, committedMs));
  return { ...rights, others, holds };
}

/** Git writes whole seconds. */
const commitTimeMs = 1_000;

function isHeldAt({ since, until }: OthersHold, atMs: number): boolean {
  const begins = since === undefined ? 0 : Date.parse(since);
  return begins < atMs + commitTimeMs && (until === undefined || atMs <= Date.parse(until));
}

/** What another agent holds. */
export interface OthersHold {
  readonly holder: string;
  /** Empty: it edits the files and holds no task. */
  readonly task: string;
  readonly files: readonly string[];
  /** It holds them because it edits them; absent: by a claim. */
  readonly isEdit?: boolean;
  /** Since when, RFC 3339; absent: it is not known. */
  readonly since?: string;
  /** Until when, RFC 3339; absent: it holds them still. */
  readonly until?: string;
}

/** The problems of the agent's changes, each by its path; empty: they may go on. As `judgeChanges`. */
export async function judgeByPermissions(
  changed: readonly ChangedPath[],
  rights: EditPermissions,
  after: TreeAfter | null,
  words: ChangeWords = commitWords,
): Promise<readonly Problem[]> {
  const { agent, tasks, mustClaim } = rights;
  const problems: Problem[] = [];
  for (const change of changed) {
    if (reachesIntoBaton(change.path)) {
      if (agent !== ownerName || !isOwnersFile(change.path)) problems.push(batonFile(change.path, words));
      continue;
    }
    const held = heldByOther(change.path, rights, words);
    if (held !== null) {
      problems.push(held);
      continue;
    }
    if (tasks.length === 0) {
      if (mustClaim) problems.push(unclaimed(agent, change.path));
      continue;
    }
    if (mustClaim) problems.push(...(await judgeByTasks(change, tasks, after, words)));
  }
  return cutList(problems);
}

/** The files of `.baton/` that belong to the repository, and that the owner alone changes. */
function isOwnersFile(path: string): boolean {
  return /(?:^|\/)\.baton\/(?:team\.yaml|receipt\.pub|\.gitignore|messages\/[^/]+)$/.test(path);
}

/** The problem of one of Baton's own files that somebody else than its owner changes. */
export function batonFile(path: string, words: ChangeWords): Problem {
  const hint = `${words.leaveTo(path)}. The owner alone changes .baton/team.yaml and .baton/messages/, and nobody the rest.`;
  return { ...batonPath(path), path, hint };
}

/** The words for files that are about to be written. */
export const writingWords: ChangeWords = {
  leaveOut: "Leave the file as it is",
  leaveTo: () => "Leave it as it is",
  did: () => "",
};

/**
 * The problems of writing plain files at these paths of the repository, before anything is written: of every path whether
 * another holds it, and whether what the agent works on covers it.
 */
export async function judgeWriting(paths: readonly string[], rights: EditPermissions): Promise<readonly Problem[]> {
  const file = { before: plainMode, after: plainMode };
  const content = { before: "", after: "" };
  const changed = paths.map((path) => ({ path, change: "modified", mode: file, content, isText: true }) as const);
  return await judgeByPermissions(changed, rights, null, writingWords);
}

/** The problems of those paths that others hold, whatever else the agent may change. */
export function judgeHeldByOthers(paths: readonly string[], rights: EditPermissions): readonly Problem[] {
  const held = paths.map((path) => heldByOther(path, rights, writingWords));
  return cutList(held.filter((each) => each !== null));
}

const plainMode = "100644";

/** The problems that the task which fits best has with a change. */
async function judgeByTasks(
  change: ChangedPath,
  tasks: readonly WorkInHand[],
  after: TreeAfter | null,
  words: ChangeWords,
): Promise<readonly Problem[]> {
  let best: readonly Problem[] | null = null;
  for (const { task, scope, claimed, isHeld } of tasks) {
    const judged = await judgeChanges([change], { contract: scope, claim: claimed }, after, words);
    if (judged.length === 0) return judged;
    const isAsked = judged.some(({ code }) => code === "outside-contract");
    const told = judged.map((each) => {
      const message = `${each.message} (task ${task})`;
      const isClaim = each.code === "outside-claim";
      if (isAsked && isClaim) return { ...each, message, hint: "Leave to change the file lets the claim cover it." };
      const isAskable = each.code === "outside-contract" && !each.message.includes("forbidden");
      const more = isClaim && isHeld === true ? claimingMore(task, each.path) : null;
      const way = isAskable ? askingFor(task, [each.path]) : more;
      return { ...each, message, ...(way === null ? {} : { hint: `${words.leaveOut}, or ${way}` }) };
    });
    if (best === null || told.length < best.length) best = told;
  }
  return best ?? [];
}

/** The agents that hold one of the paths. */
export function holdersOf(paths: readonly string[], { others }: EditPermissions): readonly string[] {
  return [
    ...new Set(paths.flatMap((path) => others.filter((other) => holds(other, path)).map(({ holder }) => holder))),
  ];
}

function holds({ files }: OthersHold, path: string): boolean {
  const own = readGlob(path);
  if (!own.ok) return false;
  return files.some((entry) => {
    const glob = readGlob(entry);
    return glob.ok && overlaps(asStored(glob.value), asStored(own.value));
  });
}

function heldByOther(path: string, { others, holds: mine = [] }: EditPermissions, words: ChangeWords): Problem | null {
  if (mine.some((own) => holds(own, path))) return null;
  const found = others.find((other) => holds(other, path));
  return found === undefined ? null : heldProblem(path, found, words);
}

/** Who holds the path, for what and since when, and what to do now. */
function heldProblem(path: string, hold: OthersHold, words: ChangeWords): Problem {
  const { holder, task, isEdit = false, since, until } = hold;
  const what = task === "" ? "" : ` for task ${task}`;
  if (until !== undefined)
    return makeProblem(
      "outside-claim",
      path,
      `${holder} held this path${what} until ${until}, when the commit was made.`,
      {
        expected: "paths that nobody else held",
        received: path,
        hint: `${words.leaveTo(path)}, or ask ${holder} for its consent; then the person pushes it.`,
      },
    );
  const when = since === undefined ? "" : ` since ${since}`;
  const end = isEdit
    ? `${holder} commits it${task === "" ? "" : ` or reports ${task}`}`
    : `${holder} has reported or released ${task}`;
  return makeProblem("outside-claim", path, `${holder} ${isEdit ? "edits" : "holds"} this path${what}${when}.`, {
    expected: "paths that nobody else holds",
    received: path,
    hint: `${words.leaveTo(path)}, and go on with other files: \`baton task list --available\` lists tasks. It is free once ${end}. If you cannot go on without it, tell ${holder} or send a blocker_report.`,
  });
}

function unclaimed(agent: string, path: string): Problem {
  const isClaimable = canonicalPath(path).ok;
  return makeProblem("outside-claim", path, `${agent} holds no task, so it may change nothing.`, {
    expected: "a claimed task whose files cover the path",
    received: path,
    hint: isClaimable
      ? `Claim a task first: \`baton task claim TASK --as ${agent} --files ${path}\``
      : "Leave it as it is: nobody can claim this path.",
  });
}
