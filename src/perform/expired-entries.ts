/**
 * The entries that record expired deadlines: what each brings about, and who is notified. `timers.ts` loads this file when a
 * deadline has passed. Source: docs/protocol/record.md, section 10.
 */
import { invariant } from "../base/invariant.ts";
import { agentSessionOf } from "../health/view/breaker-scope.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Decline, Moment } from "../journal/journal.ts";
import { noticeOf } from "../mail/services/deadline-notices.ts";
import { batonName } from "../messages/principal.ts";
import { breakerLimitsOf } from "../team/state/definition.ts";
import { teamEventsOf } from "../team/view/session-endings.ts";
import { timerEntry } from "./content.ts";
import type { Context } from "./context.ts";
import { approvalAt } from "./coordination-state.ts";
import type { CoordinationEvent } from "./deciders.ts";
import { type Due, decideDue, isDue } from "./expired-deadlines.ts";
import type { TeamState } from "./state.ts";
import { expiredAnswer, spokenAnswer } from "./system-message.ts";

/** One entry for what is due: another process may have written it meanwhile, and then there is nothing left to say. */
export function passDeadlines(
  context: Context,
  state: TeamState,
  { due, moment: { seq, heartbeat: signOf } }: { readonly due: Due; readonly moment: Moment },
): EntryDraft | Decline {
  const { events } = decideDue(state.coordination, {
    ...due,
    breakerLimits: breakerLimitsOf(state.team.definition),
    sessionOf: (agent) => agentSessionOf(state, agent),
    seq,
    signOf,
  });
  if (events.length === 0) {
    // Who asks goes on until nothing is due: were the two of different minds, it would go on for ever.
    invariant(!isDue(state.coordination, due), "what is due brings something");
    return { decline: [] };
  }
  // An entry carries one message, and the requester is notified: a request expires by itself, the rest in the next
  // entry.
  const expired = events.find((event) => event.event === "approval-expired");
  if (expired !== undefined) return expiryDraft(context, state, expired, seq);
  const team = teamEventsOf(state, events);
  const told = noticeOf(context, state, events);
  const message = told === null ? {} : { message: told.message };
  return timerEntry({ ...message, events, ...(team.length === 0 ? {} : { team }) }, told?.receivers);
}

/** The end of a request whose deadline passed, reported to the requester. */
function expiryDraft(
  context: Context,
  state: TeamState,
  expired: Extract<CoordinationEvent, { readonly event: "approval-expired" }>,
  seq: number,
): EntryDraft {
  const request = approvalAt(state.coordination, expired.key);
  const spoken = { id: `expired/${seq}`, given: expiredAnswer, decidedBy: batonName };
  const message = spokenAnswer(context, state, request, spoken);
  return timerEntry({ message, events: [expired] }, [request.requester]);
}
