/**
 * Answers to requests that Baton writes for somebody who wrote none: the owner at a door, or a deadline that passed. They
 * reach the requester in its own dialect under the role that was asked, and `decided_by` says who really decided; where
 * that dialect has no word for it, as prose.
 * Source: docs/protocol/authority.md, section 8; docs/protocol/approvals.md.
 */
import { timestampOf } from "../../base/clock.ts";
import { visible } from "../../base/text.ts";
import type { ApprovalState } from "../../coordination/deciders.ts";
import type { Fact } from "../../message/facts.ts";
import type { Message } from "../../message/message.ts";
import { batonName } from "../../message/principal.ts";
import type { AnswerApproval } from "../../operations/generated/calls.ts";
import type { Context } from "../context.ts";
import type { TeamState } from "../state.ts";
import { teamDialectOf } from "../team/team-dialects.ts";
import { prose, quoted } from "./system-message.ts";

/** An answer to an approval request. */
export type Answer = Omit<AnswerApproval, "request" | "ifSeq">;

/** The answer as a neutral fact. `decidedBy` goes into the wire's payload where Baton speaks for somebody. */
export function answerFact(
  request: ApprovalState,
  given: Answer,
  by: { readonly role: string; readonly decidedBy?: string },
): Fact<"approval-response"> {
  return {
    kind: "approval-response",
    head: {
      phase: request.phase ?? 0,
      task: request.task ?? "-",
      authorRole: by.role,
      timestamp: null,
      confidence: "high",
    },
    body: {
      requestId: request.requestId,
      approved: given.approved,
      reason: given.reason,
      ...(given.conditions === undefined ? {} : { conditions: given.conditions }),
      ...(given.modifications === undefined ? {} : { modifications: given.modifications }),
    },
    ...(by.decidedBy === undefined ? {} : { extra: { payload: { decided_by: by.decidedBy } } }),
  };
}

/** The answer as the requester reads it. `id` is the message's own. */
export function spokenAnswer(
  context: Context,
  state: TeamState,
  request: ApprovalState,
  spoken: { readonly id: string; readonly given: Answer; readonly decidedBy: string },
): Message {
  const { id, given, decidedBy } = spoken;
  const requester = state.team.roster.get(request.requester);
  const dialectOf = teamDialectOf(state.team.definition, context.dialectOf);
  const dialect = requester === undefined ? null : dialectOf(requester.dialect);
  const definition = dialect?.definitionOf("approval-response") ?? null;
  if (dialect === null || definition === null) return inProse(request, given, decidedBy, id);
  const askedRoles = request.addressees.map((agent) => state.team.roster.get(agent)?.role);
  const role =
    askedRoles.find((each) => each !== undefined && definition.senders.includes(each)) ??
    definition.senders[0] ??
    "lead";
  const fact = answerFact(request, given, { role, decidedBy });
  const wire = dialect.write(fact, { id, given: { authorRole: role, timestamp: timestampOf(context.clock.now()) } });
  if (wire === null) return inProse(request, given, decidedBy, id);
  return {
    dialect: dialect.id,
    type: definition.type,
    rung: "typed",
    wireId: id,
    text: JSON.stringify(wire),
    fact,
  };
}

/** What a deadline that passed without an answer says. */
export const expiredAnswer: Answer = {
  approved: false,
  reason: "The deadline passed without an answer, which counts as denied.",
};

function inProse({ requestId }: ApprovalState, given: Answer, decidedBy: string, id: string): Message {
  const verdict = `Request "${visible(requestId)}" was ${given.approved ? "approved" : "denied"}`;
  const who = decidedBy === batonName ? "" : ` by ${decidedBy}`;
  const lines = [
    quoted(`${verdict}${who}`, given.reason),
    ...(given.conditions ?? []).map((condition) => quoted("Condition", condition)),
    ...(given.modifications ?? []).map((modification) => quoted("Modification", modification)),
  ];
  return prose(lines, id);
}
