/** Escalations of a hub's team: the calls, and how their answers must look for the client to take them. */
import { ok } from "../../base/result.ts";
import { levels } from "../../coordination/chain.ts";
import type { Escalation } from "../../coordination/deciders.ts";
import type { EscalationDecision, EscalationStep } from "../../coordination/escalation-state.ts";
import { departments } from "../../message/role.ts";
import type { Team } from "../../runtime/team.ts";
import { count, flag, list, nullable, object, oneOf, optional, type Shape, text } from "./client-shape.ts";
import type { Calls } from "./client-shutdowns.ts";

const level = oneOf(levels);
const phase: Shape<number | string | null> = (value): value is number | string | null =>
  value === null || typeof value === "number" || typeof value === "string";

const escalation = object<Escalation>({
  id: text,
  originators: list(text),
  phase,
  plan: nullable(text),
  task: nullable(text),
  issue: text,
  needs: nullable(text),
  recommendation: nullable(text),
  severity: oneOf(["blocking", "major", "minor"]),
  evidence: list(text),
  options: list(text),
  department: optional(oneOf(departments)),
  chain: list(level),
  level,
  round: count,
  mustDecide: flag,
  steps: list(
    object<EscalationStep>({
      level,
      by: text,
      how: oneOf(["opened", "raised", "silence", "left", "again"]),
      seq: count,
      atMs: count,
    }),
  ),
  openedAtMs: count,
  dueAtMs: nullable(count),
  standing: oneOf(["open", "resolved", "closed"]),
  decision: nullable(
    object<EscalationDecision>({
      decision: text,
      rationale: text,
      actionItems: list(text),
      level,
      decidedBy: text,
      seq: count,
      atMs: count,
    }),
  ),
});

const escalations = object<{ escalations: readonly Escalation[] }>({ escalations: list(escalation) });

/** Reading, raising and deciding escalations, by these calls. */
export function remoteEscalations({ at, act, read }: Calls): Pick<Team, "escalations" | "raise" | "resolve"> {
  return {
    async escalations(options = {}) {
      const query = options.all === true ? { all: true } : {};
      const found = await read({ method: "GET", path: at("escalations"), query, shape: escalations });
      return found.ok ? ok(found.value.escalations) : found;
    },
    raise: (escalation, raised = {}, options = {}) => act(at("escalations", escalation, "raise"), raised, options.id),
    resolve: (escalation, decision, options = {}) => act(at("escalations", escalation), decision, options.id),
  };
}
