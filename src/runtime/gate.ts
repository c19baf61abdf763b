/**
 * The gate for git: what an agent is about to commit, or has committed, against the tasks that it holds and their
 * contracts. Who the agent is comes from the door; the owner and people outside the team may change what nobody holds.
 * Source: semantics.md section 3 (Contracts, Tasks and claims).
 */
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Scope } from "../base/scope.ts";
import { contractOf } from "../coordination/contracts.ts";
import type { Task } from "../coordination/work-state.ts";
import { emptyTrees } from "../evidence/changes.ts";
import { type AgentStanding, judgeStanding, type WorkInHand } from "../evidence/gate.ts";
import { openRepository, type Repository, type RepositoryOptions } from "../evidence/repository.ts";
import { commitsOfRange, type SubmittedCommit, stagedChanges } from "../evidence/submission.ts";
import { walkTree } from "../evidence/tree-walk.ts";
import { ownerName } from "../message/principal.ts";
import type { Roster } from "../team/roster.ts";
import type { Context } from "./context.ts";
import type { TeamState } from "./state.ts";

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

/** Who commits here, by `git config baton.agent`; null: it does not say, or there is no repository. */
export async function configuredAgent(place: RepositoryPlace): Promise<string | null> {
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return null;
  await using repository = opened.value;
  const answer = await repository.git.run(["config", "--get", "baton.agent"], { answers: [0, 1] });
  const name = answer.ok ? answer.value.output.toString("utf8").trim() : "";
  return name === "" ? null : name;
}

/** Judges what is staged for `agent`. Refuses `unknown-agent`, and what the repository and the journal refuse. */
export async function judgeStaged(
  context: Context,
  place: RepositoryPlace,
  agent: string,
): Promise<Result<GateAnswer, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const standing = standingOf(folded.value.state, agent, "now");
  if (!standing.ok) return standing;
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const staged = await stagedChanges(repository);
  if (!staged.ok) return staged;
  const { changed, tree } = staged.value;
  const walk = walkTree(repository.objects, tree ?? emptyTrees[repository.objectFormat]);
  const problems = await judgeStanding(changed, standing.value, walk);
  return problems.ok
    ? ok({ commit: null, author: null, agent, files: changed.length, problems: problems.value })
    : problems;
}

/**
 * Judges the commits of a range, the oldest first, each for its author where the author's name or the name in the address
 * is an agent's; others for `fallback`. `as` judges all of them for one agent. Refuses as `judgeStaged`.
 */
export async function judgeRange(
  context: Context,
  place: RepositoryPlace,
  range: string,
  who: { readonly as: string | null; readonly fallback: string | null },
): Promise<Result<readonly GateAnswer[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  // What is read later would change under us while git is asked.
  const { state } = folded.value;
  const standings = new Map<string, AgentStanding>();
  for (const agent of [who.as, who.fallback, ownerName, ...state.team.roster.keys()]) {
    if (agent === null || standings.has(agent)) continue;
    const standing = standingOf(state, agent, "ever");
    if (!standing.ok) return standing;
    standings.set(agent, standing.value);
  }
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const commits = await commitsOfRange(repository, range);
  if (!commits.ok) return commits;
  const answers: GateAnswer[] = [];
  for (const submitted of commits.value) {
    const agent = who.as ?? authorAmong(standings, submitted) ?? who.fallback;
    const standing = standings.get(agent ?? ownerName);
    const judged = standing === undefined ? ok([]) : await judgeCommit(repository, submitted, standing);
    if (!judged.ok) return judged;
    answers.push({ ...described(submitted), agent, problems: judged.value });
  }
  return ok(answers);
}

function judgeCommit(
  repository: Repository,
  submitted: SubmittedCommit,
  standing: AgentStanding,
): Promise<Result<readonly Problem[], Problem>> {
  return judgeStanding(changesIn(submitted), standing, walkTree(repository.objects, submitted.commit.tree));
}

/** What a commit did itself: a merge answers for what it made, the commits that it brought answer for themselves. */
function changesIn({ commit, changes }: SubmittedCommit) {
  return commit.parents.length > 1 ? changes.made : changes.views[0].changed;
}

function described(submitted: SubmittedCommit): Pick<GateAnswer, "commit" | "author" | "files"> {
  const { id, author } = submitted.commit;
  return { commit: id, author: `${author.name} <${author.email}>`, files: changesIn(submitted).length };
}

function authorAmong(standings: ReadonlyMap<string, unknown>, { commit: { author } }: SubmittedCommit): string | null {
  return [author.name, author.email.split("@")[0] ?? ""].find((name) => standings.has(name)) ?? null;
}

/** What an agent may change, by what it holds now, or by what it held or reported ever. */
function standingOf(state: TeamState, agent: string, when: "now" | "ever"): Result<AgentStanding, Problem> {
  const { roster, definition } = state.team;
  const member = roster.get(agent);
  if (member === undefined && agent !== ownerName) return err(unknownAgent(agent, roster));
  const { work, contracts } = state.coordination;
  const hand: WorkInHand[] = [];
  const others: { holder: string; task: string; files: readonly string[] }[] = [];
  const scopeOf = (plan: string | null): Scope | null => {
    const terms = plan === null ? undefined : contractOf(contracts, plan)?.terms;
    return terms === undefined ? null : { allowed: terms.allowedPaths, forbidden: terms.forbiddenPaths };
  };
  for (const task of work.tasks.values()) {
    const own = ownPart(task, agent, when);
    if (own !== null) hand.push({ task: task.task, scope: scopeOf(task.plan), claimed: own.files });
    else if (task.claim !== null && task.claim.holder !== agent)
      others.push({ holder: task.claim.holder, task: task.task, files: task.claim.files });
  }
  const isHandedOut = definition?.teamMode === "task";
  if (isHandedOut && member?.role === "dev")
    for (const { terms, plan } of contracts.plans.values())
      hand.push({ task: `of plan ${terms.planId}`, scope: scopeOf(plan), claimed: null });
  const mustClaim = member?.role === "dev" && !(isHandedOut && hand.length === 0);
  return ok({ agent, mustClaim, tasks: hand, others: when === "now" ? others : [] });
}

/** The part of a task that is the agent's; `files` null: it covers what the task's contract does. */
function ownPart(
  { claim, report }: Task,
  agent: string,
  when: "now" | "ever",
): { files: readonly string[] | null } | null {
  if (claim?.holder === agent) return { files: claim.grows || claim.files.length === 0 ? null : claim.files };
  if (when === "ever" && report?.reporter === agent) return { files: report.claimed };
  return null;
}

function unknownAgent(agent: string, roster: Roster): Problem {
  return problem("unknown-agent", agent, `There is no agent "${agent}" in the team.`, {
    expected: [ownerName, ...roster.keys()].slice(0, 12).join(" | "),
    received: agent,
    hint: "Name the one who commits: BATON_AGENT, git config baton.agent NAME, or --as; a person is owner.",
  });
}
