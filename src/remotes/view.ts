/**
 * The remotes of a team as they are shown, with what they were asked and their word of it.
 * Rules: docs/protocol/doors.md, section 17.
 */

import type { TeamState } from "../perform/state.ts";
import { findTask, type Task } from "../tasks/state/task-state.ts";
import { isRemoteOver, type RemoteAsk } from "./decide.ts";
import type { RemoteView } from "./operations.ts";

/** The remotes of the team in the order of their names, each with what it was asked, the latest first. */
export function remoteViews({ coordination: { remotes } }: TeamState): readonly RemoteView[] {
  const asks = [...remotes.asks.values()].toSorted((one, other) => other.changed - one.changed);
  const names = [...new Set([...remotes.known.keys(), ...asks.map(({ remote }) => remote)])].toSorted();
  return names.map((remote) => {
    const known = remotes.known.get(remote);
    const own = asks.filter((each) => each.remote === remote).slice(0, shownAsksMax);
    return { remote, isKnown: known !== undefined, problem: known?.problem ?? null, asks: own.map(viewOf) };
  });
}

/** The remotes that the team has, each with what is not over. */
export function openAtRemotes(state: TeamState): readonly RemoteView[] {
  return remoteViews(state).flatMap((each) =>
    each.isKnown ? [{ ...each, asks: each.asks.filter(({ state: at }) => !isRemoteOver(at)) }] : [],
  );
}

/** What remotes were asked about a task, the latest change first. */
export function asksAbout(
  { coordination: { remotes, work } }: TeamState,
  { key }: Pick<Task, "key">,
): RemoteView["asks"] {
  return [...remotes.asks.values()]
    .filter(({ task }) => task !== null && findTask(work, task, null)?.key === key)
    .toSorted((one, other) => other.changed - one.changed)
    .slice(0, shownAsksMax)
    .map(viewOf);
}

/** Most asks that are shown of one remote. */
const shownAsksMax = 100;

function viewOf(ask: RemoteAsk): RemoteView["asks"][number] {
  const { remoteContext: _context, ...shown } = ask;
  return { ...shown, unsent: ask.unsent.length };
}
