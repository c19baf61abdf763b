/**
 * Answers an approval through a door instead of by a message. An agent's answer is written in its dialect and handled
 * like every message; the owner's is outside the role matrix and is recorded as a command that carries a message for
 * the requester, with `decided_by` saying who really decided. Source: docs/protocol/authority.md, section 8;
 * docs/protocol/asking.md, sections 1 to 4.
 */

import { maySend } from "../../authority/receivers.ts";
import { argument } from "../../base/argument.ts";
import { steadyNow, timestampOf } from "../../base/clock.ts";
import type { MessageId } from "../../base/ids.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { approvalOf } from "../../coordination/coordination-state.ts";
import { decideOwnerAnswer } from "../../coordination/deciders.ts";
import { changedMeanwhile, changesOfRequest } from "../../coordination/needs/changed-meanwhile.ts";
import type { Definition } from "../../dialects/dialect.ts";
import type { Moment } from "../../journal/journal.ts";
import { ownerName } from "../../message/principal.ts";
import type { AnswerApproval, Named } from "../../operations/generated/calls.ts";
import type { Reply } from "../../operations/reply.ts";
import { type Member, unknownAgent } from "../../team/roster.ts";
import type { Actor, Context } from "../context.ts";
import { asJson } from "../record/content.ts";
import { type AskedAct, recordAct } from "../record/recorded-act.ts";
import type { TeamState } from "../state.ts";
import { receive } from "./receive.ts";
import { type Answer, answerFact, spokenAnswer } from "./system-message.ts";

/** Answers the request. Refusals as for an approval_response; the reply's receipt names the entry that decided. */
export async function answer(
  context: Context,
  actor: Actor,
  { request: requestId, ifSeq, ...given }: AnswerApproval,
  options: Named = {},
): Promise<Reply> {
  const asked = { requestId, given, ifSeq };
  if (actor.agent === ownerName) return answerAsOwner(context, actor, asked, options.id);
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return { outcome: "failed", problem: folded.error };
  const { state } = folded.value;
  const member = state.team.roster.get(actor.agent);
  if (member === undefined) return refusedOutright(unknownAgent(actor.agent, state.team.roster.keys()));
  const id = options.id ?? newMessageId();
  const request = approvalOf(state.coordination, requestId);
  if (request === null) return refusedOutright(noSuchRequest(requestId));
  // The answer of an agent is a message, which says nothing of what was looked at: so this is asked before it is sent.
  const changed = changedMeanwhile(changesOfRequest(state.coordination, request), ifSeq, requestId);
  if (changed !== null && request.standing === "open") return refusedOutright(changed);
  const fact = answerFact(request, given, { role: member.role });
  const timestamp = timestampOf(context.clock.now());
  const written = context.dialectOf(member.dialect)?.write(fact, { id, given: { authorRole: member.role, timestamp } });
  if (written === null || written === undefined) {
    return refusedOutright(
      problem(
        "unknown-type",
        member.dialect,
        `The dialect ${member.dialect} of ${actor.agent} has no word for an approval.`,
      ),
    );
  }
  const reply = await receive(context, actor, JSON.stringify(written), { id });
  const sent = context.dialectOf(member.dialect)?.definitionOf("approval-response") ?? null;
  if (reply.outcome !== "refused" || sent === null || maySend(sent, member.role)) return reply;
  const denied = mayNotAnswer(member, sent);
  return { ...reply, problems: reply.problems.map((each) => (each.code === denied.code ? denied : each)) };
}

/** What the message's refusal says of its type, for one who ran an operation. */
function mayNotAnswer({ agent, role }: Member, { senders }: Definition): Problem {
  const message = `${agent} may not answer requests: its role is ${role}.`;
  return problem("sender-not-authorised", agent, message, {
    expected: [ownerName, ...senders].join(" | "),
    received: role,
    hint: `Leave the answer to one of these. The owner answers without \`${argument("actor")}\`.`,
  });
}

function noSuchRequest(requestId: string): Problem {
  return problem("unknown-request", requestId, `There is no approval request with the id "${requestId}".`, {
    received: requestId,
    hint: "`baton approval list` shows the open ones.",
  });
}

function refusedOutright(fault: Problem): Reply {
  return { outcome: "refused", receipt: null, problems: [fault], notes: [] };
}

function answerAsOwner(
  context: Context,
  actor: Actor,
  { requestId, given, ifSeq }: Omit<OwnerAnswer, "id">,
  named: string | undefined,
): Promise<Reply> {
  const asked = { answer: requestId, ...given, ...(ifSeq === undefined ? {} : { ifSeq }) };
  return recordAct(context, actor, {
    name: "approval-answer",
    asked,
    compared: asked,
    named,
    decide: (state, moment, { id }) => decideAsOwner(context, { requestId, given, ifSeq, id }, state, moment),
  });
}

interface OwnerAnswer {
  readonly requestId: string;
  readonly given: Answer;
  /** The entry up to which the caller looked; undefined: it does not say. */
  readonly ifSeq: number | undefined;
  readonly id: MessageId;
}

function decideAsOwner(
  context: Context,
  { requestId, given, ifSeq, id }: OwnerAnswer,
  state: TeamState,
  moment: Moment,
): ReturnType<AskedAct["decide"]> {
  const request = approvalOf(state.coordination, requestId);
  // A door takes the id as it is: a typo must not grant somebody else's request.
  if (request === null) return err([noSuchRequest(requestId)]);
  const decided = decideOwnerAnswer(state.coordination, {
    requestId,
    ...given,
    seq: moment.seq,
    atMs: steadyNow(context.clock),
  });
  // The owner wrote no message, so the error is about the named request.
  if (!decided.ok) return err(decided.error.map((each) => ({ ...each, path: requestId })));
  const changed = changedMeanwhile(changesOfRequest(state.coordination, request), ifSeq, requestId);
  if (changed !== null && decided.value.events.length > 0) return err([changed]);
  // The same answer again changes nothing and is not told twice.
  const isNew = decided.value.events.length > 0;
  const message = isNew ? spokenAnswer(context, state, request, { id, given, decidedBy: ownerName }) : undefined;
  return ok({
    receivers: isNew ? [request.requester] : [],
    content: asJson({
      command: { name: "approval-answer", request: requestId, approved: given.approved, reason: given.reason },
      ...(message === undefined ? {} : { message }),
      events: decided.value.events,
      ...(decided.value.notes.length === 0 ? {} : { notes: decided.value.notes }),
    }),
  });
}
