/**
 * Asks for an approval, and answers one, through a door instead of by a message. What an agent asks or answers is written in
 * its dialect and handled like every message; the owner's is outside the role matrix and recorded as a command that carries
 * a message for the requester, with `decided_by` saying who really decided. Source: docs/protocol/authority.md,
 * section 8; docs/protocol/asking.md, sections 1 to 4.
 */

import { type ApprovalState, openRequests } from "../../approvals/state.ts";
import { argument } from "../../base/argument.ts";
import { timestampOf } from "../../base/clock.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { shortList } from "../../base/text.ts";
import { maySend } from "../../messages/authority/receivers.ts";
import type { Definition } from "../../messages/dialects/dialect.ts";
import type { Fact } from "../../messages/facts.ts";
import { deciderName, ownerName } from "../../messages/principal.ts";
import { changedMeanwhile, changesOfRequest } from "../../needs/view/changed-meanwhile.ts";
import type { Actor, Context } from "../../perform/context.ts";
import { approvalOf } from "../../perform/coordination-state.ts";
import { decideOwnerAnswer, withPaths } from "../../perform/deciders.ts";
import type { AnswerApproval, AskTeam, Named } from "../../perform/operations/generated/calls.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { refusedOutright } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { answerFact, readersOfAnswer, spokenAnswer } from "../../perform/system-message.ts";
import { findTask } from "../../tasks/state/task-state.ts";
import { type Member, unknownAgent } from "../../team/state/roster.ts";
import { sendMessage } from "./receive.ts";

/** Answers the request. Refusals as for an approval_response; the reply's receipt names the entry that decided. */
export async function answer(
  context: Context,
  actor: Actor,
  asked: AnswerApproval,
  options: Named = {},
): Promise<Reply> {
  const on = { context, actor };
  if (actor.agent === ownerName) return await perform(on, answerAsOwner, asked, options.id);
  const { request: requestId, ifSeq, ...given } = asked;
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
  if (changed !== null && request.status === "open") return refusedOutright(changed);
  const filled = withPaths(state.coordination, request, given);
  if (!filled.ok) return refusedOutright({ ...filled.error, path: argument("modifications") });
  const fact = answerFact(request, filled.value, { role: member.role });
  const timestamp = timestampOf(context.clock.now());
  const dialect = context.dialectOf(member.dialect);
  const written = dialect?.write(fact, { id, given: { authorRole: member.role, timestamp } }) ?? null;
  if (dialect === null || written === null) return refusedOutright(noWord(member, "answer"));
  const reply = await perform(on, sendMessage, { text: JSON.stringify(written) }, id);
  const sent = dialect.definitionOf("approval-response");
  if (reply.outcome !== "refused" || sent === null || maySend(sent, member.role)) return reply;
  const denied = mayNotAnswer(member, sent);
  return { ...reply, problems: reply.problems.map((each) => (each.code === denied.code ? denied : each)) };
}

/**
 * Asks for leave to change paths that the contract of a task keeps out: an approval_request in the agent's dialect. Refuses
 * as for that message.
 */
export async function askLeave(
  context: Context,
  actor: Actor,
  { text, task, paths = [] }: AskTeam,
  options: Named = {},
): Promise<Reply> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return { outcome: "failed", problem: folded.error };
  const { coordination, team } = folded.value.state;
  const member = team.roster.get(actor.agent);
  if (member === undefined) return refusedOutright(unknownAgent(actor.agent, team.roster.keys()));
  const { work } = coordination;
  const [held] = work.held.get(actor.agent)?.keys() ?? [];
  const known = task === undefined ? work.tasks.get(held ?? "") : findTask(work, task, null);
  const id = options.id ?? newMessageId();
  const timestamp = timestampOf(context.clock.now());
  const phase = Number(/^\d+/.exec(known?.plan ?? "")?.[0] ?? 0);
  const head = {
    phase,
    task: known?.task ?? task ?? "-",
    authorRole: member.role,
    timestamp,
    confidence: "high",
  } as const;
  const subject = `Change ${shortList(paths)}`;
  const body = { subject, requestType: "scope_change", evidence: text, paths } as const;
  const dialect = context.dialectOf(member.dialect);
  const fact: Fact<"approval-request"> = { kind: "approval-request", head, body };
  const written = dialect?.write(fact, { id, given: { authorRole: member.role, timestamp } }) ?? null;
  if (written === null) return refusedOutright(noWord(member, "request"));
  return await perform({ context, actor }, sendMessage, { text: JSON.stringify(written) }, id);
}

function noWord({ agent, dialect }: Member, what: string): Problem {
  return makeProblem(
    "unknown-type",
    dialect,
    `The dialect ${dialect} of ${agent} has no word for an approval ${what}.`,
    {
      hint: "Ask your lead in words; the person widens a contract with it.",
    },
  );
}

/** What the message's refusal says of its type, for one who ran an operation. */
function mayNotAnswer({ agent, role }: Member, { senders }: Definition): Problem {
  const message = `${agent} may not answer requests: its role is ${role}.`;
  return makeProblem("sender-not-authorised", agent, message, {
    expected: [ownerName, ...senders].join(" | "),
    received: role,
    hint: `Leave the answer to one of these. The owner answers without \`${argument("actor")}\`.`,
  });
}

function noSuchRequest(requestId: string): Problem {
  return makeProblem("unknown-request", requestId, `There is no approval request with the id "${requestId}".`, {
    received: requestId,
    hint: "`baton needs --requests` shows them.",
  });
}

/** The owner's answer, which is outside the role matrix: an operation that carries a message for the requester. */
const answerAsOwner: Operation<AnswerApproval> = {
  name: "approval-answer",
  recorded: ({ request, approved, reason }) => ({ request, approved, reason }),
  compared: ({ request, ...given }) => ({ answer: request, ...given }),
  decide(state, { request: named, ifSeq, ...given }, { by, id, seq, atMs }, { context }) {
    const decidedBy = deciderName(by);
    const request = approvalOf(state.coordination, named) ?? begunBy(state, named);
    // A typo must not grant somebody else's request.
    if (request === null) return err([noSuchRequest(named)]);
    const { requestId } = request;
    const decided = decideOwnerAnswer(state.coordination, { requestId, ...given, decidedBy, seq, atMs });
    // The owner wrote no message, so the error is about the named request.
    if (!decided.ok) return err(decided.error.map((each) => ({ ...each, path: requestId })));
    const isNew = decided.value.events.length > 0;
    const changed = changedMeanwhile(changesOfRequest(state.coordination, request), ifSeq, requestId);
    if (changed !== null && isNew) return err([changed]);
    // The same answer again changes nothing and is not told twice.
    if (!isNew) return decided;
    const filled = withPaths(state.coordination, request, given);
    const spoken = filled.ok ? filled.value : given;
    const message = spokenAnswer(context, state, request, { id, given: spoken, decidedBy });
    const receivers = [request.requester, ...readersOfAnswer(state, decided.value.events, ownerName)];
    const told = { request: requestId };
    return ok({ ...decided.value, told, delivered: { message, receivers: [...new Set(receivers)] } });
  },
};

/** The one open request whose id begins so, of four characters or more, as git takes a commit. */
function begunBy({ coordination: { approvals } }: TeamState, start: string): ApprovalState | null {
  const [only, ...others] = openRequests(approvals).filter(({ requestId }) => requestId.startsWith(start));
  return only === undefined || others.length > 0 || start.length < 4 ? null : only;
}
