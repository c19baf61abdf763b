/**
 * The repository after a shutdown round: what nobody committed, by agent, recorded once a round as part of its certificate.
 * Looked at outside the write lock, as reported work is.
 * Source: docs/protocol/asking.md, section 16.
 */
import { join } from "node:path";
import { allowsAny } from "../../base/paths/scope.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { uncommittedWork, type WorkTree } from "../../evidence/decide/uncommitted.ts";
import { agentTreeIn } from "../../evidence/git/agent-tree.ts";
import { keepLeft } from "../../evidence/git/left-work.ts";
import type { RepositoryPlace } from "../../evidence/services/gate.ts";
import { askedBy, mayJudge } from "../../evidence/services/reported-work.ts";
import { type Actor, batonActor, type TeamContext } from "../../perform/context.ts";
import { allRounds, roundOf } from "../../perform/coordination-state.ts";
import { decideInspection, type ShutdownRound } from "../../perform/deciders.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import type { TeamState } from "../../perform/state.ts";
import type { Uncommitted } from "../decide/shutdown-rounds.ts";
import { roundNotification } from "./shutdown-notification.ts";

/**
 * Records what is uncommitted for every round that is over and was not looked at, where the actor may judge; answers how
 * many. Refuses what the repository refuses; where there is none, a certificate says nothing of files.
 */
export async function inspectRounds(
  context: TeamContext,
  actor: Actor,
  place: RepositoryPlace,
): Promise<Result<number, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const waiting = allRounds(state.coordination)
    .filter(({ status, uncommitted, agents }) => status !== "open" && uncommitted === undefined && agents.size > 0)
    .map((round) => ({ requestId: round.requestId, hands: handsOf(state, round) }));
  if (waiting.length === 0 || !mayJudge(actor, state)) return ok(0);
  const trees = await uncommittedWork(place.directory, place);
  if (!trees.ok) return trees;
  const agents = new Set(waiting.flatMap(({ hands }) => hands.map(({ agent }) => agent)));
  const kept = await keptOf(trees.value, agents, place);
  for (const { requestId, hands } of waiting) {
    const uncommitted = sharedOut(trees.value, hands, kept);
    const found = { requestId, uncommitted, ...askedBy(actor) };
    const done = await perform({ context, actor: batonActor }, inspecting, found);
    if (done.outcome !== "accepted") return ok(0);
  }
  return ok(waiting.length);
}

/** What is uncommitted in the agents' own work trees, each kept as a commit; none where that failed, as on a full disk. */
async function keptOf(
  trees: readonly WorkTree[],
  agents: ReadonlySet<string>,
  place: RepositoryPlace,
): Promise<ReadonlyMap<string, string>> {
  const kept = new Map<string, string>();
  for (const { directory, isMain, names, files } of trees) {
    const agent = names.find((name) => agents.has(name));
    if (isMain || agent === undefined || files.length === 0 || kept.has(agent)) continue;
    const commit = await keepLeft({ directory, files, agent }, place);
    if (commit.ok) kept.set(agent, commit.value);
  }
  return kept;
}

interface Inspected {
  readonly requestId: string;
  readonly uncommitted: Uncommitted;
  readonly askedBy?: string;
}

const inspecting: Operation<Inspected, TeamContext> = {
  name: "inspect-shutdown",
  recorded: ({ requestId, uncommitted, askedBy: by }) => ({
    round: requestId,
    askedBy: by,
    uncommitted: countOf(uncommitted),
  }),
  decide(state, { requestId, uncommitted }, { seq }) {
    const decided = decideInspection(state.coordination, { requestId, uncommitted, seq });
    const round = roundOf(state.coordination, requestId);
    const isNews = decided.ok && decided.value.events.length > 0;
    const delivered = isNews && round !== null ? roundNotification(state, { ...round, uncommitted }) : null;
    return decided.ok ? ok({ ...decided.value, delivered }) : decided;
  },
};

/** What each agent of the round had in hand: its tasks now, else what it held when it stopped or reported. */
function handsOf({ coordination: { work } }: TeamState, round: ShutdownRound): readonly Hand[] {
  const tasks = [...work.tasks.values()];
  return [...round.agents.values()].map(({ agent, claims }) => {
    const own = tasks.filter(
      ({ task, claim, report }) =>
        claim?.holder === agent || (claim === null && (claims.includes(task) || report?.reporter === agent)),
    );
    const globs = own.flatMap(({ files, claim, report }) => [
      ...files,
      ...(claim?.holder === agent ? claim.files : []),
      ...(report?.claimed ?? []),
      ...(report?.files ?? []),
    ]);
    return { agent, globs: [...new Set(globs)] };
  });
}

function countOf({ agents, others }: Uncommitted): number {
  return Object.values(agents).reduce((sum, { count }) => sum + count, others.count);
}

/*
 * Whose uncommitted files are: those in an agent's own linked work tree, and those that its claims cover in any other.
 * Rules: docs/protocol/asking.md, section 16.
 */

/** Most files that are recorded of an agent; how many there are is recorded too. */
const filesMax = 200;

/** An agent with the globs of the files that it has, or had, in hand. */
interface Hand {
  readonly agent: string;
  readonly globs: readonly string[];
}

/** The uncommitted files of these work trees, by agent. A file that is nobody's counts among `others`. */
export function sharedOut(
  trees: readonly WorkTree[],
  hands: readonly Hand[],
  kept: ReadonlyMap<string, string> = new Map(),
): Uncommitted {
  const agents = new Map<string, string[]>();
  const others: string[] = [];
  // Who was started in a tree of Baton's works there: in the person's, nothing is its own.
  const root = trees.find(({ isMain }) => isMain)?.directory ?? "";
  const isPlaced = (agent: string) =>
    trees.some(({ directory }) => directory === agentTreeIn(join(root, ".baton"), agent));
  const inHand = hands.filter(({ agent }) => !isPlaced(agent));
  for (const tree of trees) {
    const maker = tree.isMain ? undefined : hands.find(({ agent }) => tree.names.includes(agent));
    for (const path of tree.files) {
      const owner = maker ?? inHand.find(({ globs }) => allowsAny(globs, path));
      // Of a linked work tree the path alone would not say where the file is.
      const shown = tree.isMain ? path : `${tree.names[0] ?? ""}:${path}`;
      if (owner === undefined) others.push(shown);
      else agents.set(owner.agent, [...(agents.get(owner.agent) ?? []), shown]);
    }
  }
  return {
    agents: Object.fromEntries(
      [...agents].map(([agent, files]) => {
        const commit = kept.get(agent);
        return [agent, { ...counted(files), ...(commit === undefined ? {} : { kept: commit }) }];
      }),
    ),
    others: counted(others),
  };
}

function counted(files: readonly string[]): Uncommitted["others"] {
  return { count: files.length, files: files.slice(0, filesMax) };
}
