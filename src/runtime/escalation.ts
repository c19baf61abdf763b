/**
 * Escalations through a door: what waits for whom, and a decision by whoever may take it. The owner decides what has
 * come to the user; an agent what waits at its level or below.
 * Source: semantics.md section 3, Escalations; interfaces.md, `escalation list|resolve`.
 */
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { type Level, levelOf } from "../coordination/chain.ts";
import { decideResolution, type Escalation, escalationOf } from "../coordination/deciders.ts";
import { allEscalations, openEscalations } from "../coordination/queries.ts";
import type { Fact } from "../message/facts.ts";
import type { Message } from "../message/message.ts";
import { ownerName, type Principal } from "../message/principal.ts";
import { act } from "./command.ts";
import type { Actor, Context } from "./context.ts";
import { toldOfDecision } from "./escalation-chain.ts";
import { decisionFact, decisionNotice } from "./escalation-word.ts";
import { wordFor } from "./shutdown-word.ts";
import type { TeamState } from "./state.ts";
import type { Reply } from "./team.ts";

/** A decision. */
export interface Resolve {
  readonly decision: string;
  /** Absent: none is given. */
  readonly rationale?: string;
  readonly actionItems?: readonly string[];
}

/** Escalations that wait for a decision, or all, oldest first. */
export async function escalations(
  context: Context,
  options: { readonly all?: boolean } = {},
): Promise<Result<readonly Escalation[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { coordination } = folded.value.state;
  return ok(structuredClone(options.all === true ? allEscalations(coordination) : openEscalations(coordination)));
}

/**
 * Decides an escalation. Refuses `unknown-request`, `already-answered`, `human-required`, `sender-not-authorised`. Those
 * who are held up, and the levels it had come to below, are told.
 */
export function resolveEscalation(
  context: Context,
  actor: Actor,
  id: string,
  given: Resolve,
  options: { readonly id?: string } = {},
): Promise<Reply> {
  const { decision, rationale = "", actionItems = [] } = given;
  const asked = { escalation: id, decision, rationale, actionItems };
  const command = {
    name: "resolve-escalation",
    asked,
    decide(state: TeamState, moment: { readonly seq: number }, principal: Principal) {
      const escalation = escalationOf(state.coordination.escalations, id);
      if (escalation === null) return err([unknownEscalation(id)]);
      const level = principal.agent === ownerName ? "user" : levelOf(principal.role ?? "orchestrator");
      const said = { originalEscalation: escalation.id, decision, rationale, actionItems, resolvedBy: wordOf(level) };
      const decided = decideResolution(
        state.coordination,
        { principal, seq: moment.seq, atMs: context.clock.now() },
        said,
      );
      if (!decided.ok) return err(decided.error.map((each) => ({ ...each, path: id })));
      // The same decision again changes nothing and is not told twice.
      if (!decided.value.events.some(({ event }) => event === "escalation-resolved") || level === null)
        return ok({ ...decided.value, events: [] });
      const receivers = toldOfDecision(state, escalation, level);
      const message = decisionMessage(context, state, { escalation, said, level, principal });
      return ok({ ...decided.value, delivered: { message, receivers } });
    },
  };
  return act(context, actor, command, options.id);
}

interface Decision {
  readonly escalation: Escalation;
  readonly said: Fact<"resolution">["body"];
  readonly level: Level;
  readonly principal: Principal;
}

/** As the team's dialects say it; a level that they have no word for, and a team without one, gets prose. */
function decisionMessage(context: Context, state: TeamState, decision: Decision): Message {
  const { escalation, said, level, principal } = decision;
  const isPerson = principal.agent === ownerName;
  const fact = decisionFact(escalation, said);
  const [first = ""] = escalation.originators;
  const decidedBy = isPerson ? { decidedBy: ownerName } : {};
  const word =
    level === "senior"
      ? null
      : wordFor(context, state, first, { fact, id: escalation.id, among: "team", ...decidedBy });
  return word?.message ?? decisionNotice(escalation, said, principal.agent);
}

/** The level in the words of the wire, which has none for those below a lead. */
function wordOf(level: Level | null): Fact<"resolution">["body"]["resolvedBy"] {
  return level === "user" || level === "owner" || level === "architect" ? level : "lead";
}

function unknownEscalation(id: string): Problem {
  return problem("unknown-request", id, `There is no escalation "${id}".`, {
    received: id,
    hint: "`baton escalation list` shows what waits, and for whom.",
  });
}
