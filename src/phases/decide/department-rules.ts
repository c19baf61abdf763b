/**
 * Which messages departments and the owner send each other about a phase, and what they bring about.
 * Source: docs/protocol/phases.md, sections 5, 6 and 9.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shortList } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { type Fact, says } from "../../messages/facts.ts";
import type { Note } from "../../messages/message.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import { type Company, type Part, placeOf, type Said } from "../state/phase-state.ts";
import { readinessOf } from "../view/phase-view.ts";
import { type DepartmentCommand, type DepartmentEvent, departments } from "./departments.ts";
import { type PhaseEvent, phases } from "./phase.ts";
import { factsOf, type PhaseSources, type Setting } from "./phase-facts.ts";
import { openDesignSteps, type PhaseAt, resultDifferences, unconfirmedResults } from "./unconfirmed-results.ts";

interface PhaseMessage {
  readonly fact: Fact;
  readonly company: Company;
  readonly setting: Setting;
  readonly atMs: number;
}

type Outcome = Result<Decided<DepartmentEvent | PhaseEvent>, readonly Problem[]>;

/** What such a message brings about; null: the fact is none of them. Refuses `not-ready`. */
export function decideDepartmentFact(state: PhaseSources, message: PhaseMessage, said: Said): Outcome | null {
  const commandFor = commandOf(state, message, said);
  if (commandFor === null) return null;
  const [part] = placeOf(state.phases, message.fact, message.company);
  if (part === undefined)
    return nothing("phase-unknown", "Nobody has said in which phase the team is, so this counts for none.");
  const decided = departments.decide(commandFor(part), state.departments);
  if (!decided.ok) return decided;
  const { fact } = message;
  const notes = unconfirmedNotes(state, message, part);
  const entered = says(fact, "owner-review") ? enteredBy(state, fact.body, part) : [];
  return ok({ events: [...decided.value.events, ...entered], notes: [...decided.value.notes, ...notes] });
}

function commandOf(
  state: PhaseSources,
  { fact, setting }: PhaseMessage,
  said: Said,
): ((part: Part) => DepartmentCommand) | null {
  if (says(fact, "owner-review")) {
    const { departmentsNeeded: needed, dispatchOrder: order, priorities, risks = [] } = fact.body;
    return ({ phase }) => ({ command: "review-phase", phase, review: { ...said, needed, order, priorities, risks } });
  }
  if (says(fact, "design-handoff")) {
    const { status, readyComponents: ready, deferred = [], acceptanceCriteria, artifacts } = fact.body;
    const handoff = { ...said, status, ready, deferred, acceptanceCriteria, artifacts };
    return ({ phase }) => ({ command: "hand-over-design", phase, handoff });
  }
  if (says(fact, "api-contract")) {
    const { body } = fact;
    return ({ phase }) => ({ command: "negotiate-api", phase, body, said });
  }
  if (says(fact, "department-result")) {
    const { department, ...reported } = fact.body;
    const { result, plansCompleted, plansTotal, qaResult, securityResult, tddCoverage } = reported;
    const kept = { ...said, result, plansCompleted, plansTotal, qaResult, securityResult, tddCoverage };
    return ({ phase }) => ({ command: "report-result", phase, department, result: kept });
  }
  if (!says(fact, "owner-signoff")) return null;
  const { decision, departmentsApproved: approved, integrationQa, notes = "" } = fact.body;
  const signoff = { ...said, decision, approved, integrationQa, notes };
  return (part) => ({
    command: "sign-off",
    phase: part.phase,
    name: part.name,
    signoff,
    readiness: readinessOf(state, setting, part),
    registrars: setting.registrars?.get(said.by) ?? [],
  });
}

/** The departments that the owner needs work in that phase from now on. */
function enteredBy(
  state: PhaseSources,
  { departmentsNeeded }: FactBodies["owner-review"],
  part: Part,
): readonly PhaseEvent[] {
  return departmentsNeeded.flatMap((department) => {
    const entered = phases.decide({ command: "enter-phase", part: { ...part, department } }, state.phases);
    return entered.ok ? entered.value.events : [];
  });
}

/**
 * What the message says and the record does not confirm: a design before uiux is done, a result that differs, and at SHIP
 * every such result of a department that the phase needs.
 * Rules: docs/protocol/phases.md, section 11.
 */
function unconfirmedNotes(
  state: PhaseSources,
  { fact, setting, atMs }: PhaseMessage,
  { phase, name }: Part,
): readonly Note[] {
  const at: PhaseAt = { phase: { phase, name }, setting, atMs };
  if (says(fact, "department-result")) {
    const facts = factsOf(state, { phase, name, department: fact.body.department }, setting);
    const differences = resultDifferences(facts, fact.body, atMs);
    if (differences.length === 0) return [];
    return [{ code: "result-differs", path: "$.body.result", message: differences.join("; ") }];
  }
  if (says(fact, "owner-signoff") && fact.body.decision === "SHIP") {
    const { needed } = factsOf(state, { phase, name, department: null }, setting);
    return unconfirmedResults(state, at, needed).map((message) => ({
      code: "result-differs",
      path: "$.body.decision",
      message,
    }));
  }
  const open = says(fact, "design-handoff") ? openDesignSteps(state, at, fact.body) : [];
  if (open.length === 0) return [];
  const message = `uiux has not finished ${shortList(open)} of phase ${name}. The design counts as handed over all the same.`;
  return [{ code: "design-early", path: "$.body.status", message }];
}
