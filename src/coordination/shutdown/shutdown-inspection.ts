/**
 * What was found uncommitted when a round was over: whose it is, once a round. Files of a shared work tree belong to whoever
 * had them in hand; those that nobody did are the team's.
 * Source: docs/protocol/shutdown.md, section 1.
 */

import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Decided, nothing } from "../decider.ts";
import type { ShutdownInspected } from "./shutdown-events.ts";
import { latestRound, type Shutdowns, type Uncommitted } from "./shutdown-rounds.ts";

/** Says what the repository shows after a round. */
export interface InspectRound {
  readonly command: "inspect-round";
  readonly requestId: string;
  readonly uncommitted: Uncommitted;
  readonly seq: number;
}

/** Kept once, and only of a round that is over: before, agents still work. */
export function inspectRound(
  { requestId, uncommitted, seq }: InspectRound,
  state: Shutdowns,
): Result<Decided<ShutdownInspected>, readonly Problem[]> {
  const round = latestRound(state, requestId);
  if (round === null || round.standing === "open" || round.uncommitted !== undefined) {
    return nothing("out-of-step", `The round "${requestId}" takes no inspection now.`);
  }
  return ok({ events: [{ event: "shutdown-inspected", requestId, uncommitted, seq }], notes: [] });
}
