/**
 * Which messages tell of a phase, whatever they are called, and whose part they are about: what was brought for its first
 * steps, how far a lead says it is, what its reviewers and verifiers judge.
 * Source: docs/protocol/phases.md.
 */
import { isJsonList, isJsonObject, type Json } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { type Fact, says } from "../../messages/facts.ts";
import type { Note } from "../../messages/message.ts";
import type { Principal } from "../../messages/principal.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import { type Company, type Critique, type Part, placeOf, type Said } from "../state/phase-state.ts";
import type { ReviewEvent } from "../state/review-state.ts";
import { stepsOf } from "../view/phase-conditions.ts";
import { blockersOf } from "../view/phase-part-view.ts";
import { progressDifferences, progressOf } from "../view/phase-progress.ts";
import { decideDepartmentFact } from "./department-rules.ts";
import type { DepartmentEvent } from "./departments.ts";
import { type PhaseEvent, phases } from "./phase.ts";
import { factsOf, type PhaseSources, type Setting } from "./phase-facts.ts";
import { ownWorkProblem } from "./phase-judges.ts";
import { type QualityEvent, quality } from "./quality.ts";
import { reviews } from "./reviews.ts";

/** A message that may tell of a phase, with what its sender cannot choose. */
export interface PhaseFact {
  readonly fact: Fact;
  readonly principal: Principal;
  /** Whom it concerns, where several departments are at work. */
  readonly company: Company;
  /** What the team can say and who is in it. */
  readonly setting: Setting;
  readonly seq: number;
  readonly atMs: number;
}

type Event = PhaseEvent | ReviewEvent | QualityEvent | DepartmentEvent;
type Outcome = Result<Decided<Event>, readonly Problem[]>;

/** What a message brings about for its phase. Refuses what `departments.ts` refuses, and `own-request`. */
export function decidePhaseFact(state: PhaseSources, command: PhaseFact): Outcome {
  const { fact, principal, company, setting } = command;
  const own = ownWorkProblem(state, { fact, agent: principal.agent, company, setting });
  if (own !== null) return err([own]);
  const said: Said = { by: principal.agent, seq: command.seq };
  return (
    ofPlan(state, fact, said) ??
    ofPart(state, command, said) ??
    decideDepartmentFact(state, command, said) ??
    ok({ events: [], notes: [] })
  );
}

/** Messages about one plan, which names its phase itself. */
function ofPlan({ reviews: known }: PhaseSources, fact: Fact, said: Said): Outcome | null {
  if (says(fact, "specification")) {
    const { planId: plan, tasksEnriched, concerns = [] } = fact.body;
    const specification = { ...said, tasksEnriched, concerns };
    return reviews.decide({ command: "record-specification", plan, specification }, known);
  }
  if (says(fact, "test-plan")) {
    const { planId: plan, tasksTested, tasksSkipped, totalTests, allRed, artifact = null } = fact.body;
    const tests = { ...said, tasksTested, tasksSkipped, totalTests, allRed, artifact };
    return reviews.decide({ command: "record-tests", plan, tests }, known);
  }
  if (says(fact, "review-changes")) return reviews.decide({ command: "request-changes", body: fact.body, said }, known);
  if (says(fact, "review-result")) return reviews.decide({ command: "judge-code", body: fact.body, said }, known);
  return null;
}

/** Messages about a department's part of a phase; null: it is none of them. */
function ofPart(state: PhaseSources, command: PhaseFact, said: Said): Outcome | null {
  const { fact } = command;
  const decide = partDecision(state, command, said);
  if (decide === null) return null;
  const parts = placeOf(state.phases, fact, command.company);
  if (parts.length > 0) return together(parts.map(decide));
  // What fails must hold something even where it is not known what.
  if (says(fact, "security-audit")) {
    return quality.decide({ command: "record-audit", part: null, audit: auditOf(fact.body, said) }, state.quality);
  }
  return nothing("phase-unknown", "Nobody has said in which phase the team is, so this counts for none.");
}

type PartDecision = (part: Part) => Outcome;

function partDecision(state: PhaseSources, command: PhaseFact, said: Said): PartDecision | null {
  const { fact } = command;
  if (says(fact, "critique")) {
    const { findings, critical, major, minor, categories, artifact = null, committed: isSaid = true } = fact.body;
    // A critic cannot write, whatever it says.
    const committed = isSaid && command.principal.role !== "critic";
    const critique = { ...said, findings, critical, major, minor, categories, artifact, committed };
    const notes = commitNotes(critique, fact.body.committed === true);
    return (part) => withNotes(phases.decide({ command: "record-critique", part, critique }, state.phases), notes);
  }
  if (says(fact, "research") || says(fact, "findings")) {
    const research = { ...said, ...researchOf(fact.body) };
    return (part) => phases.decide({ command: "record-research", part, research }, state.phases);
  }
  if (says(fact, "design")) {
    const { decisions, risks = [], artifact = null } = fact.body;
    const design = { ...said, decisions: decisions.length, risks: risks.length, artifact };
    return (part) => phases.decide({ command: "record-design", part, design }, state.phases);
  }
  if (says(fact, "phase-progress")) return (part) => tellProgress(state, command, fact.body, part);
  if (says(fact, "verdict")) {
    const { tier, result, checks, failures = [] } = fact.body;
    const verdict = { ...said, tier, result, ...checks, failures: failures.flatMap(checkName) };
    return (part) => quality.decide({ command: "record-verdict", part, verdict }, state.quality);
  }
  if (says(fact, "code-verdict")) {
    const { result, tests, lint, critical } = fact.body;
    const verdict = { ...said, result, ...tests, lintErrors: lint.errors, critical };
    return (part) => quality.decide({ command: "record-code-verdict", part, verdict }, state.quality);
  }
  if (!says(fact, "security-audit")) return null;
  const audit = auditOf(fact.body, said);
  return (part) => quality.decide({ command: "record-audit", part, audit }, state.quality);
}

function auditOf({ result, findings, critical, categories }: FactBodies["security-audit"], said: Said) {
  return { ...said, result, findings, critical, categories };
}

function researchOf(body: { readonly [field: string]: Json }) {
  const { domain, findings, documents, artifact } = body;
  const found = isJsonList(findings) ? findings : isJsonList(documents) ? documents : [];
  return {
    domain: typeof domain === "string" ? domain : "",
    findings: found.length,
    artifact: typeof artifact === "string" ? artifact : null,
  };
}

/** What a failed check is called. */
function checkName(failure: Json): readonly string[] {
  if (typeof failure === "string") return [failure];
  const check = isJsonObject(failure) ? failure.check : null;
  return typeof check === "string" ? [check] : [];
}

/** A critic writes no files: what it brought is the lead's to commit. */
function commitNotes(
  { artifact, committed }: Pick<Critique, "artifact" | "committed">,
  isSaidCommitted: boolean,
): readonly Note[] {
  if (committed || artifact === null) return [];
  if (isSaidCommitted) {
    const message = `A critic cannot write, so ${artifact} does not count as committed by it; the lead commits it.`;
    return [{ code: "critic-cannot-commit", path: "$.body.committed", message }];
  }
  const message = `${artifact} is not committed; a critic cannot write, so the lead commits it.`;
  return [{ code: "lead-commits", path: "$.body.artifact", message }];
}

/** A lead's report, compared with the computed state; at the last step it ends the phase, if nothing is open. */
function tellProgress(
  state: PhaseSources,
  command: PhaseFact,
  body: FactBodies["phase-progress"],
  part: Part,
): Outcome {
  const { setting, principal, seq, atMs } = command;
  const { step, plansComplete, plansTotal, percentComplete, blockers = [], eta = "" } = body;
  const said: Said = { by: principal.agent, seq };
  const told = { ...said, step, plansComplete, plansTotal, percentComplete, blockers, eta };
  const facts = factsOf(state, part, setting);
  const steps = stepsOf(facts, setting);
  const open = steps.filter((each) => each.state === "pending" || each.state === "running");
  const computed = { step: open[0]?.step ?? "signoff", blockers: blockersOf(facts).length };
  const differences = progressDifferences(told, progressOf(facts.plans, atMs), computed);
  const recorded = phases.decide({ command: "tell-progress", part, told }, state.phases);
  const isLast = step === "signoff" && part.department === null;
  const left = open.filter((each) => each.step !== "signoff").map((each) => each.step);
  const ended =
    isLast && left.length === 0
      ? phases.decide({ command: "end-phase", part, ended: said, open: [] }, state.phases)
      : null;
  const notes = [
    ...(differences.length === 0 ? [] : [note("progress-differs", differences.join("; "))]),
    ...(isLast && left.length > 0 ? [note("phase-open", `The phase does not end: ${left.join(", ")} is open.`)] : []),
  ];
  return withNotes(ended === null ? recorded : together([recorded, ended]), notes);
}

function note(code: string, message: string): Note {
  return { code, path: "$.body.step", message };
}

function withNotes(decided: Outcome, notes: readonly Note[]): Outcome {
  return decided.ok ? ok({ events: decided.value.events, notes: [...decided.value.notes, ...notes] }) : decided;
}

/** Several decisions as one; what is noted by each is noted once. */
function together(decisions: readonly Outcome[]): Outcome {
  const events: Event[] = [];
  const notes = new Map<string, Note>();
  for (const decided of decisions) {
    if (!decided.ok) return decided;
    events.push(...decided.value.events);
    for (const each of decided.value.notes) notes.set(`${each.code} ${each.message}`, each);
  }
  return ok({ events, notes: [...notes.values()] });
}
