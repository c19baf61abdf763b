/**
 * Nobody judges what it did itself. A name keeps its past: what was done under it stays its own, whatever its role is
 * now. What an agent did that registered the name is its own too, and so on up the chain, so that nobody registers its own
 * judge, nor has it registered by another.
 * Source: docs/protocol/authority.md, section 13.
 */
import { makeProblem, type Problem } from "../base/problem.ts";
import { ownerName } from "../messages/principal.ts";

/**
 * Somebody who judges. `registrars`: the agents that ever registered its name, those that registered them, and so on;
 * absent: none did.
 */
export interface Judge {
  readonly agent: string;
  readonly registrars?: readonly string[];
}

/** Of those who did something, the first whose doings this judge may not judge; null: it may judge them all. */
export function ownHand({ agent, registrars = [] }: Judge, doers: Iterable<string>): string | null {
  // The person is no agent, and is above all of them.
  if (agent === ownerName) return null;
  for (const doer of doers) if (doer === agent || registrars.includes(doer)) return doer;
  return null;
}

/** The refusal to judge one's own matter. `matter`: what is judged, as the end of a sentence. */
export function ownMatter(judge: Judge, doer: string, path: string, matter: string): Problem {
  const { agent } = judge;
  const why =
    doer === agent
      ? `${matter} is its own`
      : `${matter} is the matter of ${doer}, which registered the name ${agent}, itself or through another agent`;
  return makeProblem("own-request", path, `${agent} cannot decide this: ${why}.`, {
    expected: "a decision by another",
    received: agent,
    hint: "Leave it to another agent with that right, or to the person who owns the team. What was done under a name stays with the name, whatever its role is now.",
  });
}
