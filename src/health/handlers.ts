/**
 * What happened to agents and breakers in the form that the wire has for it, though no message carries it: read from the
 * whole record, in its order. Idle and working are one there; agents in task mode and the owner have none.
 * Last, closing a breaker. Source: tests/requirements/yolo-1.tsv; docs/protocol/asking.md, sections 17 to 19.
 */
import { argument } from "../base/argument.ts";
import { aheadMsOf, timestampOf } from "../base/clock.ts";
import { invariant } from "../base/invariant.ts";
import type { JsonObject } from "../base/json.ts";
import { pageRowsMax } from "../base/limits.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Entry } from "../journal/entry.ts";
import type { Fact } from "../messages/facts.ts";
import type { DialectId } from "../messages/message.ts";
import type { Department } from "../messages/role.ts";
import { effectsOf } from "../perform/content.ts";
import type { Context, TeamContext } from "../perform/context.ts";
import type { CloseBreaker } from "../perform/operations/generated/calls.ts";
import type { Operation } from "../perform/perform.ts";
import { evolve } from "../perform/projection.ts";
import { initialState, type TeamState } from "../perform/state.ts";
import type { Member } from "../team/state/roster.ts";
import { type Breaker, breakers } from "./decide/breakers.ts";
import { isBreakerEvent } from "./state.ts";
import { breakerScopeOf } from "./view/breaker-scope.ts";

/** What there is a form for. */
export type RecordedKind = "health" | "breaker";

/** States of an agent as the wire has them. */
type WireState = "start" | "idle" | "stop" | "disappeared";

/** The dialect that has words for it. */
const dialectWithWords = "yolo/1" as DialectId;

/** A team without departments is, on the wire, of the one that always is. */
const onlyDepartment: Department = "backend";

/** Every message of that kind, oldest first, each as the wire spells it. Costs the whole record. */
export async function healthRecord(
  context: Context,
  kind: RecordedKind,
): Promise<Result<readonly JsonObject[], Problem>> {
  const dialect = context.dialectOf(dialectWithWords);
  invariant(dialect !== null, `${dialectWithWords} is in every build`);
  const facts: Fact[] = [];
  const agents = new Map<string, WireState>();
  const aheadMs = aheadMsOf(context.clock);
  let state = initialState();
  for (let after = 0; ; ) {
    const page = await context.journal.read(context.team, { after, limit: pageRowsMax });
    if (!page.ok) return page;
    for (const entry of page.value.entries) {
      state = evolve(state, entry);
      facts.push(...(kind === "health" ? healthFacts(state, entry, agents) : breakerFacts(state, entry, aheadMs)));
    }
    if (page.value.next === null) break;
    after = page.value.next;
  }
  const given = { authorRole: "lead", timestamp: "" };
  // A dialect writes objects.
  const wires = facts.map((fact, index) => dialect.write(fact, { id: String(index), given }));
  return ok(wires.filter((wire): wire is JsonObject => wire !== null));
}

/** What the entry changed for agents. */
function healthFacts(state: TeamState, entry: Entry, known: Map<string, WireState>): readonly Fact[] {
  const { team, coordination } = state;
  const { team: teamEvents, events = [] } = effectsOf(entry);
  const facts: Fact[] = [];
  const become = (member: Member, next: WireState) => {
    const { agent } = member;
    const previous = known.get(agent) ?? "stop";
    if (next === previous || breakerScopeOf(member, team.roster, team.definition) === null) return;
    known.set(agent, next);
    facts.push(healthFact(member, { next, previous, at: entry.recordedAt }));
  };
  const registered = (teamEvents ?? []).flatMap((event) => (event.event === "agent-registered" ? [event.agent] : []));
  if (teamEvents !== undefined) {
    for (const member of team.roster.values()) {
      const { agent, status } = member;
      // A new session is a new start, whether the one before ended in order or not.
      if (registered.includes(agent) && known.has(agent) && known.get(agent) !== "start") become(member, "stop");
      if (status === "retired") become(member, "stop");
      else if ((known.get(agent) ?? "stop") === "stop") become(member, "start");
    }
  }
  for (const event of events) {
    const member = "agent" in event ? team.roster.get(event.agent) : undefined;
    if (member === undefined) continue;
    if (event.event === "agent-disappeared") become(member, "disappeared");
    if (event.event === "agent-returned") become(member, "idle");
  }
  // Its first own entry shows that an agent is there.
  const own = team.roster.get(entry.principal.agent);
  const vitals = own === undefined ? undefined : coordination.health.agents.get(own.agent);
  if (own?.status === "active" && vitals?.startedSeq === entry.seq) become(own, "idle");
  return facts;
}

function healthFact(
  { agent, department }: Member,
  { next, previous, at }: { readonly next: WireState; readonly previous: WireState; readonly at: string },
): Fact {
  return {
    kind: "health",
    head: { phase: null, task: null, authorRole: null, timestamp: at, confidence: null },
    body: {
      agentId: agent,
      dept: department ?? onlyDepartment,
      state: next,
      prevState: previous,
      timeoutTriggered: next === "disappeared",
    },
  };
}

/** The state of each breaker that the entry changed. */
function breakerFacts({ coordination }: TeamState, entry: Entry, aheadMs: number): readonly Fact[] {
  const { events = [] } = effectsOf(entry);
  const scopes = new Set(events.filter(isBreakerEvent).map(({ scope }) => scope));
  return [...scopes].flatMap((scope) => {
    const breaker = coordination.breakers.get(scope);
    return breaker === undefined ? [] : [breakerFact(breaker, aheadMs)];
  });
}

function breakerFact({ scope, state, failures, openedAtMs, lastProbeAtMs }: Breaker, aheadMs: number): Fact {
  return {
    kind: "breaker",
    head: { phase: null, task: null, authorRole: null, timestamp: null, confidence: null },
    body: {
      dept: scope === "team" ? onlyDepartment : scope,
      state,
      openedAt: openedAtMs === null ? null : timestampOf(openedAtMs + aheadMs),
      failureCount: failures.length,
      lastProbeAt: lastProbeAtMs === null ? null : timestampOf(lastProbeAtMs + aheadMs),
    },
  };
}

/** Closes a circuit breaker, which the owner alone does. Refuses as `breakers.ts` does, and `missing-field`. */
export const closeBreaker: Operation<CloseBreaker, TeamContext> = {
  name: "close-breaker",
  decide(state, { scope = null, reason }, { by, atMs }) {
    if (reason.trim() === "")
      return err([makeProblem("missing-field", argument("reason"), "A circuit breaker is closed with a reason.")]);
    const closing = { command: "close-breaker", scope, by: by.agent, reason, atMs } as const;
    const decided = breakers.decide(closing, state.coordination.breakers);
    if (!decided.ok) return decided;
    const [closed] = decided.value.events;
    return ok(closed === undefined ? decided.value : { ...decided.value, told: { scope: closed.scope } });
  },
};
