/**
 * The repository after a shutdown round: what nobody committed, by agent, recorded once a round as part of its certificate.
 * Looked at outside the write lock, as reported work is.
 * Source: docs/protocol/shutdown.md, section 1.
 */

import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { decideInspection, type ShutdownRound } from "../../coordination/deciders.ts";
import { allRounds, roundOf } from "../../coordination/queries.ts";
import type { Uncommitted } from "../../coordination/shutdown/shutdown-rounds.ts";
import { uncommittedWork } from "../../evidence/uncommitted.ts";
import { act, type Command } from "../command.ts";
import { type Actor, batonActor, type Context } from "../context.ts";
import type { RepositoryPlace } from "../evidence/gate.ts";
import { askedBy, mayJudge } from "../evidence/judges.ts";
import { type Hand, sharedOut } from "../evidence/uncommitted-owners.ts";
import type { TeamState } from "../state.ts";
import { roundNotification } from "./shutdown-notification.ts";

/**
 * Records what is uncommitted for every round that is over and was not looked at, where the actor may judge; answers how
 * many. Refuses what the repository refuses; where there is none, a certificate says nothing of files.
 */
export async function inspectRounds(
  context: Context,
  actor: Actor,
  place: RepositoryPlace,
): Promise<Result<number, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const waiting = allRounds(state.coordination)
    .filter(({ standing, uncommitted, agents }) => standing !== "open" && uncommitted === undefined && agents.size > 0)
    .map((round) => ({ requestId: round.requestId, hands: handsOf(state, round) }));
  if (waiting.length === 0 || !mayJudge(actor, state)) return ok(0);
  const trees = await uncommittedWork(place.directory, place);
  if (!trees.ok) return trees;
  for (const { requestId, hands } of waiting) {
    const uncommitted = sharedOut(trees.value, hands);
    const command: Command = {
      name: "inspect-shutdown",
      asked: { round: requestId, ...askedBy(actor), uncommitted: countOf(uncommitted) },
      decide(now, { seq }) {
        const decided = decideInspection(now.coordination, { requestId, uncommitted, seq });
        const round = roundOf(now.coordination, requestId);
        const isNews = decided.ok && decided.value.events.length > 0;
        const delivered = isNews && round !== null ? roundNotification(now, { ...round, uncommitted }) : null;
        return decided.ok && delivered !== null ? ok({ ...decided.value, delivered }) : decided;
      },
    };
    const reply = await act(context, batonActor, command, undefined);
    if (reply.outcome !== "accepted") return ok(0);
  }
  return ok(waiting.length);
}

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
