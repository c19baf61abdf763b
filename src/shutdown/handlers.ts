/**
 * Shutdown rounds through a door: started by command, as a lead or as the owner, and shown with everything known of
 * each agent's part. A round may be started by a message too; both are the same round.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */

import { argument } from "../base/argument.ts";
import { steadyNow } from "../base/clock.ts";
import type { MessageId } from "../base/ids.ts";
import type { Json } from "../base/json.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Moment } from "../journal/journal.ts";
import { authorise, type Permit } from "../messages/authority/authorise.ts";
import { ownerName, type Principal } from "../messages/principal.ts";
import { readAddress } from "../messages/role.ts";
import { type AskedAct, recordAct } from "../perform/command.ts";
import { asJson } from "../perform/content.ts";
import type { Actor, Context } from "../perform/context.ts";
import { decideRound } from "../perform/deciders.ts";
import type { Named as NamedAct, StartShutdown } from "../perform/operations/generated/calls.ts";
import type { Reply } from "../perform/operations/reply.ts";
import type { TeamState } from "../perform/state.ts";
import { teamDialectOf } from "../perform/team-dialects.ts";
import { askedAgents, stoppedProblem } from "../team/view/session-endings.ts";
import { shutdownDeadlineMs } from "./decide/shutdown-start.ts";
import { shutdownFact, type Word, wordFor } from "./services/shutdown-notification.ts";

/**
 * Starts a round; the receipt's id names it. Refuses as a shutdown_request does: `sender-not-authorised`,
 * `unknown-receiver`, `receiver-not-authorised`, `id-conflict`, `id-taken`, `agent-stopped`. Where nobody is left to
 * ask, the round is over at once.
 */
export function startShutdown(
  context: Context,
  actor: Actor,
  asked: StartShutdown,
  options: NamedAct = {},
): Promise<Reply> {
  return recordAct(context, actor, {
    name: commandName,
    asked,
    // It holds strings and numbers only, so it is plain JSON.
    compared: { shutdown: asked } as unknown as Json,
    named: options.id,
    decide: (state, moment, by) => decide(context, { asked, ...by }, state, moment),
  });
}

const commandName = "shutdown-start";

interface Named {
  readonly asked: StartShutdown;
  readonly id: MessageId;
  readonly principal: Principal;
}

function decide(context: Context, named: Named, state: TeamState, moment: Moment): ReturnType<AskedAct["decide"]> {
  const { asked, id, principal } = named;
  const requester = principal.agent;
  const stopped = stoppedProblem(state, requester);
  if (stopped !== null) return err([stopped]);
  const said = requestOf(context, state, named);
  if (!said.ok) return said;
  const { word, receivers } = said.value;
  const isNamed = asked.agents !== undefined;
  const decided = decideRound(state.coordination, {
    requestId: id,
    requester,
    body: word.fact.body,
    phase: asked.phase ?? null,
    deadlineMs: asked.deadlineMs ?? null,
    agents: askedAgents(state, receivers, { requester, isNamed }),
    everybody: !isNamed,
    seq: moment.seq,
    atMs: steadyNow(context.clock),
  });
  if (!decided.ok) return err(decided.error.map((each) => ({ ...each, path: argument("id") })));
  const { events, notes } = decided.value;
  return ok({
    receivers,
    content: asJson({
      command: { name: commandName, reason: asked.reason },
      ...(receivers.length === 0 ? {} : { message: word.message }),
      events,
      ...(notes.length === 0 ? {} : { notes }),
    }),
  });
}

interface Said {
  readonly word: Word & { readonly fact: ReturnType<typeof shutdownFact> };
  readonly receivers: readonly string[];
}

/** The request as a message, and whom it may go to by the same matrix as one that is sent. */
function requestOf(
  context: Context,
  state: TeamState,
  { asked, id, principal }: Named,
): Result<Said, readonly Problem[]> {
  const { reason, deadlineMs = shutdownDeadlineMs, teamName = context.team, phase = null, agents = null } = asked;
  const to = agents === null ? ok(null) : addressesOf(agents);
  if (!to.ok) return to;
  // The owner asks in the place of the lead, whose request it is on the wire; Baton says who really decided.
  const isOwner = principal.agent === ownerName;
  const role = isOwner ? "lead" : principal.role;
  const decidedBy = isOwner ? { decidedBy: ownerName } : {};
  const fact = shutdownFact({ reason, teamName, phase, deadlineMs, authorRole: role ?? "lead" });
  const known = teamDialectOf(state.team.definition, context.dialectOf);
  const word = wordFor({ ...context, dialectOf: known }, state, principal.agent, { fact, id, ...decidedBy });
  if (word === null) return err([noWord(principal.agent)]);
  const permit = authorise({
    principal: { ...principal, role },
    roster: state.team.roster,
    definition: state.team.definition,
    policy: "enforce",
    dialectOf: known,
    // That the owner decided is Baton's own word here, not a claim to be judged.
    reading: { dialect: word.dialect.id, type: word.message.type, message: null, fact },
    to: to.value,
    asker: null,
    repeated: null,
  });
  const receivers = receiversOf(permit, agents !== null);
  return receivers.ok ? ok({ word: { ...word, fact }, receivers: receivers.value }) : receivers;
}

/** Having nobody left to ask is no error if everybody was meant. */
function receiversOf(
  permit: Result<Permit, readonly Problem[]>,
  isNamed: boolean,
): Result<readonly string[], readonly Problem[]> {
  if (permit.ok) return ok(permit.value.receivers);
  const isNobodyLeft = !isNamed && permit.error.every(({ code }) => code === "no-receiver");
  return isNobodyLeft ? ok([]) : permit;
}

function addressesOf(agents: readonly string[]) {
  const read = agents.map(readAddress);
  const faults = read.flatMap((each) => (each.ok ? [] : [each.error]));
  return faults.length > 0 ? err(faults) : ok(read.flatMap((each) => (each.ok ? [each.value] : [])));
}

function noWord(agent: string): Problem {
  return problem("unknown-type", agent, "No dialect here has a word for a request to stop.");
}
