/**
 * The gate for git: what an agent is about to commit, or has committed, against the tasks that it holds and their
 * contracts. Who the agent is comes from the door; the owner and people outside the team may change what nobody holds.
 * Source: docs/protocol/tasks.md.
 */

import { join } from "node:path";
import { timestampOf } from "../../base/clock.ts";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Context } from "../../perform/context.ts";
import type { TeamState } from "../../perform/state.ts";
import { scopeOfPlan } from "../../tasks/state/contract-files.ts";
import { isReported } from "../../tasks/state/report-status.ts";
import type { Edit, Task, Work } from "../../tasks/state/task-state.ts";
import { claimsRuleOf, scopeRuleOf } from "../../team/state/definition.ts";
import { unknownAgent } from "../../team/state/roster.ts";
import {
  type EditPermissions,
  judgeByPermissions,
  judgeWriting,
  type OthersHold,
  permissionsThen,
  type WorkInHand,
} from "../decide/gate.ts";
import { judgedFile } from "../decide/git-hook-script.ts";
import { agentNamed } from "../decide/git-hooks.ts";
import { commitsOfRange, stagedChanges } from "../decide/submission.ts";
import { type ChangedPath, emptyTreeOf, indexChanges, ownChanges } from "../git/changes.ts";
import type { Commit } from "../git/commits.ts";
import { look } from "../git/questions.ts";
import { openRepository, type Repository, type RepositoryOptions } from "../git/repository.ts";
import { freeEndedEdits } from "./edits.ts";

/** Asks the team what its agents may change: of the journal here, or of a hub. */
export type AskPermissions = (asked: PermissionsAsked) => Promise<Result<readonly EditPermissions[], Problem>>;

/** Where a repository is looked for, and what git may know of its surroundings. */
export interface RepositoryPlace extends RepositoryOptions {
  /** Any folder in it, absolute. */
  readonly directory: string;
}

/** What the gate says about one commit, made or about to be. */
export interface GateAnswer {
  /** The full id of the commit; null: what is staged. */
  readonly commit: string | null;
  /** The author as git has it; null: what is staged has none yet. */
  readonly author: string | null;
  /** For whom it was judged: an agent, the owner; null: the author is nobody of the team. */
  readonly agent: string | null;
  readonly files: number;
  readonly problems: readonly Problem[];
}

/**
 * Who commits in the work tree there, as it was named when the gate was installed; null: nobody was, or there is no
 * repository. Refuses as `agentNamed`.
 */
export async function configuredAgent(place: RepositoryPlace): Promise<Result<string | null, Problem>> {
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened.error.code === "repository-missing" ? ok(null) : opened;
  await using repository = opened.value;
  return await agentNamed(repository);
}

/** Judges what is staged for `agent`. Refuses `unknown-agent`, and what the repository and the team refuse. */
export async function judgeStaged(
  permissions: AskPermissions,
  place: RepositoryPlace,
  agent: string,
): Promise<Result<GateAnswer, Problem>> {
  const asked = await permissions({ when: "now", agent });
  if (!asked.ok) return asked;
  const [rights] = asked.value;
  if (rights === undefined) return err(unknownCommitter(agent, []));
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  return await look(async () => {
    const { changed, tree } = await stagedChanges(repository);
    const own = await withoutMerged(repository, changed);
    const after = { repository, tree: tree ?? emptyTreeOf(repository) };
    const problems = await judgeByPermissions(own, rights, after);
    if (place.hook?.indexFile !== undefined && problems.length === 0 && tree !== null)
      noteJudged(repository, tree, rights);
    return { commit: null, author: null, agent, files: own.length, problems };
  });
}

/** Those of the staged changes that none of the commits brings that are being merged: these answer for themselves. */
async function withoutMerged(repository: Repository, changed: readonly ChangedPath[]): Promise<readonly ChangedPath[]> {
  const read = readPlainFile(join(repository.gitDirectory, "MERGE_HEAD"), mergedBytesMax);
  const heads = (read.ok ? (read.value?.text ?? "") : "").split("\n").filter((id) => /^[0-9a-f]{40,64}$/.test(id));
  let own = changed;
  for (const id of heads) {
    const differs = new Set((await indexChanges(repository, id)).map(({ path }) => path));
    own = own.filter(({ path }) => differs.has(path));
  }
  return own;
}

const mergedBytesMax = 64 * 1024;

/** Leaves for the hook that follows which tree was judged, the only task that the agent holds, and who it is. */
function noteJudged({ gitDirectory }: Repository, tree: string, { agent, program, tasks }: EditPermissions): void {
  const held = tasks.filter(({ isHeld }) => isHeld === true);
  const [only] = held.length === 1 ? held : [];
  const task = only === undefined || /\p{Cc}/u.test(only.task) ? "" : only.task;
  const by = program === undefined ? "" : `${program} (${agent})`;
  try {
    replacePlainFile(join(gitDirectory, judgedFile), `${tree}\n${task}\n${by}\n`, { mode: 0o644 });
  } catch {
    // Then that hook judges again.
  }
}

/**
 * The problems of writing files at these paths of the repository, now, as `agent`. No repository is asked. Refuses
 * `unknown-agent`, and what the team refuses.
 */
export async function judgeFiles(
  permissions: AskPermissions,
  agent: string,
  paths: readonly string[],
): Promise<Result<readonly Problem[], Problem>> {
  const asked = await permissions({ when: "now", agent });
  if (!asked.ok) return asked;
  const [rights] = asked.value;
  return rights === undefined ? err(unknownCommitter(agent, [])) : ok(await judgeWriting(paths, rights));
}

/**
 * Judges the commits of a range, the oldest first, each for its author where the author's name or the name in the address
 * is an agent's, else for who held the task that its message names; others for `fallback`. `as` judges all of them for one
 * agent. A file that another agent held then is a problem, unless a person asks and nobody knows who made the commit: it may
 * be the holder's own. Refuses as `judgeStaged`.
 */
export async function judgeRange(
  permissions: AskPermissions,
  place: RepositoryPlace,
  range: string,
  who: { readonly as: string | null; readonly fallback: string | null },
): Promise<Result<readonly GateAnswer[], Problem>> {
  const asked = await permissions({ when: "ever" });
  if (!asked.ok) return asked;
  const byAgent = new Map(asked.value.map((rights) => [rights.agent, rights]));
  const stranger = [who.as, who.fallback].find((agent) => agent !== null && !byAgent.has(agent)) ?? null;
  if (stranger !== null) return err(unknownCommitter(stranger, [...byAgent.keys()]));
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  return await look(async () => {
    const answers: GateAnswer[] = [];
    for (const commit of await commitsOfRange(repository, range)) {
      const maker = who.as ?? authorAmong(byAgent, commit) ?? holderThen(asked.value, commit);
      const agent = maker ?? who.fallback;
      const rights = byAgent.get(agent ?? ownerName);
      const isKnown = maker !== null || (agent ?? ownerName) !== ownerName;
      const then = rights === undefined || !isKnown ? rights : permissionsThen(asked.value, rights, commit);
      const { id, author } = commit;
      const changed = await ownChanges(repository, commit);
      const problems = then === undefined ? [] : await judgeByPermissions(changed, then, { repository, tree: id });
      answers.push({
        commit: id,
        author: `${author.name} <${author.email}>`,
        agent,
        files: changed.length,
        problems,
      });
    }
    return answers;
  });
}

/** Who held a task that the commit names when it was made; null: nobody, or it names none. */
function holderThen(all: readonly EditPermissions[], { tasks, ...times }: Commit): string | null {
  const held = all.flatMap((rights) => permissionsThen([], rights, times).holds ?? []);
  return held.find(({ task, isEdit }) => isEdit !== true && task !== "" && tasks.includes(task))?.holder ?? null;
}

function authorAmong(agents: ReadonlyMap<string, unknown>, { author }: Commit): string | null {
  return [author.name, author.email.split("@")[0] ?? ""].find((name) => agents.has(name)) ?? null;
}

/*
 * What each agent may change, by what it holds now, or by what it held or reported ever: the facts by which the gate for
 * git judges, wherever the files are. Source: docs/protocol/tasks.md.
 */
export interface PermissionsAsked {
  /** `now`: what is held; `ever`: also what was reported and is no longer blocked. */
  readonly when: "now" | "ever";
  /** Only this agent's; absent: the owner's and every agent's. */
  readonly agent?: string;
}

/** The edit permissions that are asked for. Refuses `unknown-agent`. */
export async function permissions(
  context: Context,
  { when, agent }: PermissionsAsked,
): Promise<Result<readonly EditPermissions[], Problem>> {
  const freed = await freeEndedEdits(context, { by: agent ?? null, globs: null });
  if (!freed.ok) return freed;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const known = [ownerName, ...state.team.roster.keys()];
  if (agent !== undefined && !known.includes(agent)) return err(unknownCommitter(agent, known));
  return ok((agent === undefined ? known : [agent]).map((each) => permissionsOf(state, each, when)));
}

/** What an agent may change by the state: see `PermissionsAsked`. */
export function permissionsOf(state: TeamState, agent: string, when: PermissionsAsked["when"]): EditPermissions {
  const { roster, definition } = state.team;
  const member = roster.get(agent);
  const { work, contracts } = state.coordination;
  const isAdvisory = scopeRuleOf(definition) === "advisory";
  const hand: WorkInHand[] = [];
  const others: OthersHold[] = [];
  for (const task of work.tasks.values()) {
    const own = ownPart(task, agent, when, isAdvisory);
    if (own !== null) {
      const isHeld = task.claim?.holder === agent ? ({ isHeld: true } as const) : {};
      hand.push({ task: task.task, scope: scopeOfPlan(contracts, task.plan), claimed: own.files, ...isHeld });
    }
    if (own === null && when === "now" && task.claim !== null && task.claim.holder !== agent) {
      const { holder, files, atMs } = task.claim;
      others.push({ holder, task: task.task, files, since: timestampOf(atMs) });
    }
  }
  hand.push(...fixesAsked(state, agent));
  if (when === "now") others.push(...editsOfOthers(state, agent));
  const isHandedOut = definition?.teamMode === "task";
  const isDev = member?.role === "dev";
  if (isHandedOut && isDev)
    for (const { terms, plan } of contracts.plans.values())
      hand.push({ task: `of plan ${terms.planId}`, scope: scopeOfPlan(contracts, plan), claimed: null });
  const mayEditFirst = claimsRuleOf(definition) === "edits";
  if (mayEditFirst && isDev && hand.length === 0) hand.push(...openPlans(state));
  // What a report of it is disputed for is not done first.
  const isBound = !isAdvisory && hand.some(({ isHeld, claimed }) => isHeld === true && claimed !== null);
  const mustClaim = isBound || (isDev && !((isHandedOut || mayEditFirst) && hand.length === 0));
  const program = definition?.agents.find((each) => each.agent === agent)?.program;
  const known = program === undefined ? { agent } : { agent, program };
  return { ...known, mustClaim, tasks: hand, others, ...(when === "now" ? {} : { holds: holdsOf(state, agent) }) };
}

/**
 * The contracts of the open plans, for an agent that holds no task: it works on one of them. None where a plan or a task
 * without a contract is open, because then nobody knows what it may touch. What an agent asked the team for does not count:
 * else it could lift the contracts by asking.
 */
function openPlans({ coordination: { work, contracts } }: TeamState): readonly WorkInHand[] {
  const isFree = [...work.tasks.values()].some((task) => {
    if (task.ask !== undefined) return false;
    const isOpen = task.plan === null ? !isReported(task) : work.plans.get(task.plan)?.open.has(task.key) === true;
    return isOpen && scopeOfPlan(contracts, task.plan) === null;
  });
  if (isFree) return [];
  return [...contracts.plans.values()]
    .filter(({ plan }) => work.plans.get(plan)?.open.size !== 0)
    .map(({ terms, plan }) => ({
      task: `of plan ${terms.planId}`,
      scope: scopeOfPlan(contracts, plan),
      claimed: null,
    }));
}

/** What reviews ask the agent to change in plans of which it reported tasks. */
function fixesAsked({ coordination: { work, contracts, reviews } }: TeamState, agent: string): readonly WorkInHand[] {
  const reported = [...work.tasks.values()].flatMap(({ plan, report }) => (report?.reporter === agent && plan) || []);
  return [...new Set(reported)].flatMap((plan) => {
    const review = reviews.plans.get(plan)?.review;
    if (review?.status === "approved" || !review?.changes?.files) return [];
    return [
      { task: `of the review of plan ${plan}`, scope: scopeOfPlan(contracts, plan), claimed: review.changes.files },
    ];
  });
}

/** What the agent holds, and what it held before. */
function holdsOf({ coordination: { work } }: TeamState, agent: string): readonly OthersHold[] {
  const before = work.past.filter(({ holder }) => holder === agent);
  const claims = [...work.tasks.values()].flatMap(({ task, claim }) =>
    claim?.holder === agent && claim.files.length > 0
      ? [{ holder: agent, task, files: claim.files, since: timestampOf(claim.atMs) }]
      : [],
  );
  const edits = [...work.edits.values()].filter(({ holder }) => holder === agent);
  return [
    ...before.map(({ task, files, atMs, endedMs }) => ({
      holder: agent,
      task: task ?? "",
      files,
      since: timestampOf(atMs),
      ...(endedMs === null ? {} : { until: timestampOf(endedMs) }),
    })),
    ...claims,
    ...edits.map((edit) => editHold(edit, work)),
  ];
}

function editsOfOthers({ coordination: { work } }: TeamState, agent: string): readonly OthersHold[] {
  return [...work.edits.values()].flatMap((edit) => (edit.holder === agent ? [] : [editHold(edit, work)]));
}

function editHold({ holder, file, task, atMs }: Edit, work: Work): OthersHold {
  const named = task === null ? "" : (work.tasks.get(task)?.task ?? task);
  return { holder, task: named, files: [file], isEdit: true, since: timestampOf(atMs) };
}

/** The part of a task that is the agent's; `files` null: it covers what the task's contract does. */
function ownPart(
  { claim, report }: Task,
  agent: string,
  when: PermissionsAsked["when"],
  isAdvisory: boolean,
): { files: readonly string[] | null } | null {
  if (claim?.holder === agent) {
    const isBound = !claim.grows && claim.files.length > 0 && (claim.isNamed || !isAdvisory);
    return { files: isBound ? claim.files : null };
  }
  if (when === "ever" && report?.reporter === agent) return { files: report.isForecast ? null : report.claimed };
  return null;
}

/** The refusal of a name that is nobody's here. */
function unknownCommitter(agent: string, known: readonly string[]): Problem {
  const hint =
    "Name the one who commits: BATON_AGENT, `baton install git-hooks --as NAME`, or --as; a person is owner.";
  return unknownAgent(agent, known, { hint });
}
