/**
 * Shutdown rounds through a door: started by command, as a lead or as the owner, and shown with everything known of
 * each agent's part. A round may be started by a message too; both are the same round.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */
import { argument } from "../base/argument.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { authorise, type Permit } from "../messages/authority/authorise.ts";
import { derived } from "../messages/dialects/fields/derived-fields.ts";
import type { Fact } from "../messages/facts.ts";
import type { Note } from "../messages/message.ts";
import { ownerName } from "../messages/principal.ts";
import { readAddress } from "../messages/role.ts";
import type { Context } from "../perform/context.ts";
import { decideRound } from "../perform/deciders.ts";
import type { AnswerShutdown, StartShutdown } from "../perform/operations/generated/calls.ts";
import type { Operation } from "../perform/perform.ts";
import type { At } from "../perform/rules.ts";
import type { TeamState } from "../perform/state.ts";
import { teamDialectOf } from "../perform/team-dialects.ts";
import { askedAgents, teamEventsOf } from "../team/view/session-endings.ts";
import { decideStop } from "./decide/ending-rules.ts";
import { passingOf } from "./decide/shutdown-rounds.ts";
import { shutdownDeadlineMs } from "./decide/shutdowns.ts";
import { shutdownFact, type Word, wordFor } from "./services/shutdown-notification.ts";

/**
 * Starts a round; the receipt's id names it. Refuses as a shutdown_request does: `sender-not-authorised`,
 * `unknown-receiver`, `receiver-not-authorised`, `id-conflict`, `id-taken`, `agent-stopped`. Where nobody is left to
 * ask, the round is over at once.
 */
export const startShutdown: Operation<StartShutdown> = {
  name: "shutdown-start",
  recorded: ({ reason }) => ({ reason }),
  compared: (asked) => ({ shutdown: asked }),
  decide(state, asked, at, { context }) {
    const { by, id, seq, atMs } = at;
    const said = requestOf(context, state, asked, at);
    if (!said.ok) return said;
    const { word, receivers } = said.value;
    const isNamed = asked.agents !== undefined;
    const decided = decideRound(state.coordination, {
      requestId: id,
      requester: by.agent,
      body: word.fact.body,
      phase: asked.phase ?? null,
      deadlineMs: asked.deadlineMs ?? null,
      agents: askedAgents(state, receivers, { requester: by.agent, isNamed }),
      everybody: !isNamed,
      seq,
      atMs,
    });
    if (!decided.ok) return err(decided.error.map((each) => ({ ...each, path: argument("id") })));
    return ok({ ...decided.value, delivered: { message: word.message, receivers } });
  },
};

/**
 * Answers a request to stop, in every dialect: the answer is an operation, and a message for who asked. Refuses
 * `unknown-request` where none waits for the agent, and `ambiguous-request` for a refusal that fits several.
 */
export const answerShutdown: Operation<AnswerShutdown> = {
  name: "shutdown-answer",
  decide(state, { round, refuse = false, left = "" }, { by: { agent }, id, seq, atMs }, { context }) {
    const finalStatus = refuse || left !== "" ? "in_progress" : "complete";
    const body = { approved: !refuse, finalStatus, pendingWork: left };
    const named = round === undefined ? body : { ...body, requestId: round };
    const decided = decideStop(state.coordination, { answerer: agent, body: named, seq, atMs });
    if (!decided.ok) return decided;
    const { events, notes } = decided.value;
    const answered = events.flatMap((event) => (event.event === "shutdown-answered" ? [event] : []));
    const [first] = answered;
    if (first === undefined) {
      const isOver = passingOf(state.coordination.shutdowns, agent) !== null;
      const none = isOver ? "The day was stopped meanwhile: end your turn." : "Work on: nobody asks you to stop.";
      return notes.some(({ code }) => code === "answer-unchanged")
        ? decided
        : err(notes.map((note) => unanswered(note, none)));
    }
    const head = { phase: 0, task: "", authorRole: "dev", timestamp: null, confidence: "high" };
    const full = derived("shutdown-response", { ...body, requestId: first.requestId });
    const fact = { kind: "shutdown-response", head, body: full } as Fact<"shutdown-response">;
    const word = wordFor(context, state, first.requester, { fact, id });
    const receivers = [...new Set(answered.map(({ requester }) => requester))];
    const delivered = word === null ? null : { message: word.message, receivers };
    return ok({ events, notes, team: teamEventsOf(state, events), delivered });
  },
};

/** Why nothing was answered, for one who ran an operation. */
function unanswered({ code, message }: Note, none: string): Problem {
  const isNone = code === "no-open-request";
  return makeProblem(isNone ? "unknown-request" : "ambiguous-request", argument("round"), message, {
    hint: isNone ? none : "Name the request that is refused.",
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
  asked: StartShutdown,
  { by: principal, id }: Pick<At, "by" | "id">,
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
  const { definition } = state.team;
  const permit = authorise({
    principal: { ...principal, role },
    roster: state.team.roster,
    definition,
    policy: "enforce",
    dialectOf: known,
    // That the owner decided is Baton's own word here, not a claim to be judged.
    reading: { dialect: word.dialect.id, type: word.message.type, message: null, fact },
    to: to.value,
    asker: null,
    repeated: null,
  });
  if (!permit.ok && permit.error.some(({ code }) => code === "sender-not-authorised"))
    return err([mayNotStop(principal.agent)]);
  const receivers = receiversOf(permit, agents !== null);
  return receivers.ok ? ok({ word: { ...word, fact }, receivers: receivers.value }) : receivers;
}

/** Having nobody left to ask is no error if everybody was meant; the person who then reads in their place is not asked. */
function receiversOf(
  permit: Result<Permit, readonly Problem[]>,
  isNamed: boolean,
): Result<readonly string[], readonly Problem[]> {
  if (permit.ok) return ok(permit.value.receivers.filter((agent) => isNamed || agent !== ownerName));
  const isNobodyLeft = !isNamed && permit.error.every(({ code }) => code === "no-receiver");
  return isNobodyLeft ? ok([]) : permit;
}

function addressesOf(agents: readonly string[]) {
  const read = agents.map(readAddress);
  const problems = read.flatMap((each) => (each.ok ? [] : [each.error]));
  return problems.length > 0 ? err(problems) : ok(read.flatMap((each) => (each.ok ? [each.value] : [])));
}

/** What the message's refusal says of its type, for one who ran an operation. */
function mayNotStop(agent: string): Problem {
  return makeProblem("sender-not-authorised", agent, `${agent} may not ask the team to stop.`, {
    expected: "lead | owner",
    hint: "Leave it to the lead, or to the person.",
  });
}

function noWord(agent: string): Problem {
  return makeProblem("unknown-type", agent, "No dialect here has a word for a request to stop.");
}
