/**
 * Escalations through a door: what waits for whom, and a decision by an agent that may make it. The owner decides what
 * has come to the user; an agent what waits at its level or below. Source: docs/protocol/asking.md, sections 5 to 10.
 */

import { argument } from "../base/argument.ts";
import { aheadMsOf } from "../base/clock.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { chainLevelOf, type Level } from "../messages/authority/chain-of-command.ts";
import type { Fact } from "../messages/facts.ts";
import type { Message } from "../messages/message.ts";
import { deciderName, ownerName, type Principal } from "../messages/principal.ts";
import { changedMeanwhile, changesOfEscalation } from "../needs/view/changed-meanwhile.ts";
import type { Context, TeamContext } from "../perform/context.ts";
import { allEscalations, openEscalations } from "../perform/coordination-state.ts";
import { decideHandUp, decideResolution, type Escalation, escalationOf } from "../perform/deciders.ts";
import type { ListEscalations, RaiseEscalation, ResolveEscalation } from "../perform/operations/generated/calls.ts";
import type { Operation } from "../perform/perform.ts";
import type { TeamState } from "../perform/state.ts";
import { wordFor } from "../shutdown/services/shutdown-notification.ts";
import { registrarsIn } from "../team/state/roster.ts";
import { unknownEscalation } from "./decide/escalation-raising.ts";
import { decisionFact, decisionNotice, raisedNotice } from "./services.ts";
import { escalationKey } from "./state.ts";
import { agentsAt, receiversOfDecision } from "./view.ts";

/** Escalations that wait for a decision, or all, oldest first. */
export async function escalations(
  context: TeamContext,
  { all = false, escalation }: ListEscalations = {},
): Promise<Result<readonly Escalation[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { coordination } = folded.value.state;
  const known = all || escalation !== undefined ? allEscalations(coordination) : openEscalations(coordination);
  const key = escalation === undefined ? null : escalationKey(escalation);
  const found = key === null ? known : known.filter(({ id }) => escalationKey(id) === key);
  const aheadMs = aheadMsOf(context.clock);
  return ok(structuredClone(aheadMs === 0 ? found : found.map((each) => byTheWall(each, aheadMs))));
}

/** Its times by the clock that people look at. */
function byTheWall(escalation: Escalation, aheadMs: number): Escalation {
  const { openedAtMs, dueAtMs, steps, decision } = escalation;
  const later = <Timed extends { readonly atMs: number }>(timed: Timed) => ({ ...timed, atMs: timed.atMs + aheadMs });
  return {
    ...escalation,
    openedAtMs: openedAtMs + aheadMs,
    dueAtMs: dueAtMs === null ? null : dueAtMs + aheadMs,
    steps: steps.map(later),
    decision: decision === null ? null : later(decision),
  };
}

/**
 * Decides an escalation. Refuses `unknown-request`, what `decisionWords` refuses, `already-answered`, `human-required`,
 * `sender-not-authorised`. Those who are held up, and the levels it had come to below, are reported. An option is
 * looked up where the operation is decided, and its entry has the words too.
 */
export const resolveEscalation: Operation<ResolveEscalation> = {
  name: "resolve-escalation",
  recorded: ({ rationale = "", actionItems = [], ...given }) => ({ ...given, rationale, actionItems }),
  decide(state, given, { by: principal, seq, atMs }, { context }) {
    const { escalation: id, rationale = "", actionItems = [], ifSeq } = given;
    const escalation = escalationOf(state.coordination.escalations, id);
    if (escalation === null) return err([unknownEscalation(state.coordination.escalations, id)]);
    const words = decisionWords(escalation, given);
    if (!words.ok) return err([words.error]);
    const level = principal.agent === ownerName ? "user" : chainLevelOf(principal.role ?? "orchestrator");
    const told = { decision: words.value };
    const resolvedBy = wordOf(level);
    const said = { originalEscalation: escalation.id, decision: words.value, rationale, actionItems, resolvedBy };
    const resolver = { principal, ...registrarsIn(state.team.roster, principal.agent), seq, atMs };
    const decided = decideResolution(state.coordination, resolver, said);
    if (!decided.ok) return err(decided.error.map((each) => ({ ...each, path: id })));
    const changed = changedMeanwhile(changesOfEscalation(state.coordination, escalation), ifSeq, id);
    if (changed !== null && decided.value.events.length > 0) return err([changed]);
    // The same decision again changes nothing, and nobody is notified twice.
    if (!decided.value.events.some(({ event }) => event === "escalation-resolved") || level === null)
      return ok({ ...decided.value, told, events: [] });
    // An agent that decides what held it up too is not notified of its decision.
    const receivers = receiversOfDecision(state, escalation, level).filter((agent) => agent !== principal.agent);
    const message = decisionMessage(context, state, { escalation, said, level, principal });
    return ok({ ...decided.value, told, delivered: { message, receivers } });
  },
};

/**
 * Escalates from the level where it waits to the next, also above the architect, where no dialect has a word for it.
 * That level is notified. Refuses `unknown-request`, `already-answered`, `sender-not-authorised` (it waits at another
 * level), `must-decide`, `wrong-value` (nobody is above).
 */
export const raiseEscalation: Operation<RaiseEscalation> = {
  name: "raise-escalation",
  recorded: ({ evidence = [], options = [], recommendation = null, ...given }) => ({
    ...given,
    evidence,
    options,
    recommendation,
  }),
  decide(state, given, { by: principal, seq, atMs, rules }, { context }) {
    const { escalation: id, evidence = [], options: choices = [], recommendation = null, ifSeq } = given;
    const { levelSilentMs } = rules;
    const said = { principal, seq, atMs, levelSilentMs };
    const decided = decideHandUp(state.coordination, said, { id, evidence, options: choices, recommendation });
    if (!decided.ok) return err(decided.error.map((each) => ({ ...each, path: id })));
    const [raised] = decided.value.events;
    const known = escalationOf(state.coordination.escalations, id);
    if (raised?.event !== "escalation-raised" || known === null) return decided;
    const changed = changedMeanwhile(changesOfEscalation(state.coordination, known), ifSeq, id);
    if (changed !== null) return err([changed]);
    const { level } = raised.step;
    const told = {
      ...known,
      evidence: [...new Set([...known.evidence, ...evidence])],
      options: [...new Set([...known.options, ...choices])],
      recommendation: recommendation ?? known.recommendation,
    };
    const receivers = agentsAt(state, level, known.originators[0] ?? "");
    const why = `${principal.agent} (${known.level}) hands it up.`;
    const message = raisedNotice(context, state, told, { level, why, receivers });
    return ok({ ...decided.value, delivered: { message, receivers } });
  },
};

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
  const decidedBy = isPerson ? { decidedBy: deciderName(principal) } : {};
  const word =
    level === "senior"
      ? null
      : wordFor(context, state, first, { fact, id: escalation.id, among: "team", ...decidedBy });
  return word?.message ?? decisionNotice(escalation, said, deciderName(principal));
}

/** The level in the words of the wire, which has none for those below a lead. */
function wordOf(level: Level | null): Fact<"resolution">["body"]["resolvedBy"] {
  return level === "user" || level === "owner" || level === "architect" ? level : "lead";
}

/* A decision: free words, or one of the escalation's options by its number. Every door gives either. */

/** The two ways to say what is decided, of which one is given. */
export interface DecisionGiven {
  /** In words. */
  readonly decision?: string;
  /** One of the options by its number, from 1. */
  readonly option?: number;
}

/**
 * The words of the decision. What is decided has its options still, so that the same decision can be given again.
 * Refuses `missing-field` (neither way), `wrong-value` (both, or words that say nothing), `not-found` (no such option).
 */
function decisionWords(
  { options }: Pick<Escalation, "options">,
  { decision, option }: DecisionGiven,
): Result<string, Problem> {
  if (option === undefined) {
    if (decision === undefined)
      return err(makeProblem("missing-field", path, "Nothing is decided.", { expected: either }));
    return decision.trim() === "" ? err(noWords) : ok(decision);
  }
  if (decision !== undefined) return err(bothWays);
  const chosen = options[option - 1];
  if (chosen !== undefined) return ok(chosen);
  return err(
    makeProblem("not-found", argument("option"), `The escalation has no option ${option}.`, {
      received: String(option),
      hint: "`baton needs --escalations` shows them; `arguments.decision` takes other words.",
    }),
  );
}

const path = argument("decision");
const either = "decision, or option with the number of one";

const noWords = makeProblem(
  "wrong-value",
  path,
  "A decision must say something: it is final, and goes to the agents that wait.",
  { expected: "the decision in words", received: "" },
);

const bothWays = makeProblem(
  "wrong-value",
  argument("option"),
  "A decision is given in words or as an option, not both.",
  {
    expected: either,
  },
);
