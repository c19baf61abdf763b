/**
 * What agents read about a task that changed without a message of theirs: a report that is taken back, a task that is
 * reassigned. Rules: docs/protocol/tasks.md.
 */
import { shortList, visible } from "../../base/text.ts";
import type { CoordinationEvent } from "../../coordination/deciders.ts";
import type { Note } from "../../message/message.ts";
import { prose } from "../delivery/system-message.ts";
import { line } from "../evidence/verdict-notification.ts";
import { leadsOf } from "../shutdown/agent-departure.ts";
import type { TeamState } from "../state.ts";

/** A report that is taken back by command concerns the leads too; a message says it to them itself. */
export function withdrawalNotice(state: TeamState, events: readonly CoordinationEvent[]) {
  const taken = events.find((event) => event.event === "task-reported" && event.withdraws !== undefined);
  if (taken?.event !== "task-reported") return {};
  const { reporter, task, withdraws, deviations } = taken;
  const message = prose([
    `${reporter} took back its report of ${visible(task)} (entry ${withdraws ?? 0}): it no longer counts as done.`,
    ...deviations.slice(0, 1).map((each) => line("Said", each)),
    "What to do: the task is free again; have it claimed, repaired and reported again.",
  ]);
  return { delivered: { message, receivers: leadsOf(state, reporter) } };
}

/** A task that was given to another agent: who gave it, with which token it is held now, and what was left uncommitted. */
interface Reassigned {
  readonly task: string;
  readonly by: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | undefined;
  readonly files: readonly string[];
  readonly notes: readonly Note[];
  readonly token: number;
  readonly leaseMs: number;
}

/** Both agents read the same; an agent that gave or took the task itself needs no message. */
export function reassignmentNotice({ task, by, from, to, reason, files, notes, token, leaseMs }: Reassigned) {
  const message = prose([
    `${by} reassigned ${visible(task)} from ${from} to ${to}.`,
    ...(reason === undefined || reason.trim() === "" ? [] : [line("Reason", reason)]),
    line("Files", files.length === 0 ? "none yet" : shortList(files)),
    ...notes.map((each) => line("Note", each.message)),
    `What to do, ${to}: you hold the task now, with token ${token}. The claim expires ${leaseMs / 1000} seconds after your last heartbeat. If you do not want the task, release it.`,
    `What to do, ${from}: your claim has ended and your token no longer counts. Stop work on this task and leave its files to ${to}.`,
  ]);
  return { delivered: { message, receivers: [from, to].filter((agent) => agent !== by) } };
}
