/**
 * Which messages tell of a phase, whatever they are called, and whose part they are about: what was brought for its
 * first steps, how far a lead says it is, what its reviewers and verifiers judge, and what departments and the owner
 * send each other. Source: docs/protocol/phases.md.
 */
import { isJsonList, isJsonObject, type Json } from "../../base/json.ts";
import { canonicalFile } from "../../base/paths/paths.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortList } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { type Fact, says } from "../../messages/facts.ts";
import type { Note } from "../../messages/message.ts";
import type { Principal } from "../../messages/principal.ts";
import { planKey, planKeyOfReference, planKeyOfTask } from "../../messages/task-ids.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import { findTask, type Task } from "../../tasks/state/task-state.ts";
import {
  aboutEndpoints,
  type Company,
  type Critique,
  departmentsOf,
  endpointsOf,
  namedPart,
  namesPhase,
  neededIn,
  type Part,
  placeOf,
  type Said,
  tellingKinds,
} from "../state/phase-state.ts";
import type { ReviewEvent } from "../state/review-state.ts";
import { stepsOf } from "../view/phase-conditions.ts";
import { blockersOf, progressDifferences, progressOf } from "../view/phase-part-view.ts";
import { readinessOf } from "../view/phase-view.ts";
import { type DepartmentCommand, type DepartmentEvent, departments, foreignPlanNotes } from "./departments.ts";
import { type PhaseEvent, phases } from "./phase.ts";
import { factsOf, type PhaseSources, plansOf, type Setting } from "./phase-facts.ts";
import { ownWorkProblem } from "./phase-judges.ts";
import { type QualityEvent, quality } from "./quality.ts";
import { filesOf, reviews } from "./reviews.ts";
import { openDesignSteps, type PhaseAt, resultDifferences, unconfirmedResults } from "./unconfirmed-results.ts";

/** A message that may tell of a phase, with what its sender cannot choose. */
export interface PhaseFact {
  readonly fact: Fact;
  readonly principal: Principal;
  /** Whom it concerns, where several departments are at work. */
  readonly company: Company;
  readonly receivers: readonly string[];
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
    ofPlan(state, command, said) ??
    ofPart(state, command, said) ??
    decideDepartmentFact(state, command, said) ??
    ok({ events: [], notes: ofOtherDepartment(state, command) })
  );
}

/** A claim or a report on the work of another department. */
function ofOtherDepartment(state: PhaseSources, { fact, principal }: PhaseFact): readonly Note[] {
  if (!says(fact, "claim") && !says(fact, "progress") && !says(fact, "completion")) return [];
  const task = findTask(state.work, fact.body.taskId, fact.body.planId ?? null);
  return task === null ? [] : foreignPlanNotes(state, task, principal);
}

/** Messages about one plan, which names its phase itself. Where others have tasks, an unknown one may be misspelt. */
function ofPlan(state: PhaseSources, command: PhaseFact, said: Said): Outcome | null {
  const { fact } = command;
  const decided = ofKnownPlan(state, command, said);
  const { planId: plan } = fact.body as { readonly planId?: string }; // what is about a plan names it
  const { tasks, plans } = state.work;
  if (decided === null || plan === undefined || tasks.size === 0 || plans.has(planKey(plan))) return decided;
  const message = `There is no plan ${plan} with tasks; what is said of it counts once there is.`;
  return withNotes(decided, [{ code: "unknown-plan", path: "$.body.planId", message }]);
}

function ofKnownPlan(
  { reviews: known, work }: PhaseSources,
  { fact, receivers }: PhaseFact,
  said: Said,
): Outcome | null {
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
  if (says(fact, "review-changes")) {
    const asked = reviews.decide({ command: "request-changes", body: fact.body, said }, known);
    return withNotes(asked, forAuthors(work, fact.body, receivers));
  }
  if (!says(fact, "review-result")) return null;
  const judged = reviews.decide({ command: "judge-code", body: fact.body, said }, known);
  const { planId: plan, result } = fact.body;
  const tasks = [...(work.plans.get(planKey(plan))?.tasks.keys() ?? [])].flatMap((key) => work.tasks.get(key) ?? []);
  if (result !== "approve" || tasks.length === 0 || tasks.some(({ report }) => report !== null)) return judged;
  const message = `No work of plan ${plan} is reported yet; what is reported later needs another approval.`;
  return withNotes(judged, [{ code: "review-early", path: "$.body.result", message }]);
}

/** Whose work a review is about, where it reaches others too: the document has no place for a name. */
function forAuthors(
  { plans, tasks }: PhaseSources["work"],
  body: FactBodies["review-changes"],
  receivers: readonly string[],
): readonly Note[] {
  const files = filesOf(body);
  const reports = [...(plans.get(planKey(body.planId))?.tasks.keys() ?? [])].flatMap(
    (key) => tasks.get(key)?.report ?? [],
  );
  const about = reports.filter((report) => report.files?.some((file) => files.includes(canonicalFile(file))));
  const authors = new Set((about.length === 0 ? reports : about).map(({ reporter }) => reporter));
  const meant = receivers.filter((agent) => authors.has(agent));
  if (meant.length === 0 || meant.length === receivers.length) return [];
  const message = `It is about the work of ${shortList(meant)}; nobody else has anything to change.`;
  return [{ code: "meant-for", path: "$.body.changes", message }];
}

const ofNoPhase = nothing("phase-unknown", "Nobody has said in which phase the team is, so this counts for none.");

/** Whether it is about one of the steps before planning, which may come before the first plan names a phase. */
function isBrought({ kind }: Fact): boolean {
  return [tellingKinds.critique, tellingKinds.research, tellingKinds.architecture].some((kinds) =>
    kinds?.includes(kind),
  );
}

/** Messages about a department's part of a phase; null: it is none of them. */
function ofPart(state: PhaseSources, command: PhaseFact, said: Said): Outcome | null {
  const { fact } = command;
  const decide = partDecision(state, command, said);
  if (decide === null) return null;
  const parts = atWork(state, placeOf(state.phases, fact, command.company), command.setting);
  if (parts.length > 0) return withNotes(together(parts.map(decide)), unnamedNotes(state, fact, parts));
  // What fails must hold something even where it is not known what.
  if (says(fact, "security-audit")) {
    return quality.decide({ command: "record-audit", part: null, audit: auditOf(fact.body, said) }, state.quality);
  }
  if (!isBrought(fact)) return ofNoPhase;
  const { concerned } = command.company;
  const departments = concerned.length === 0 ? [null] : concerned;
  const message = "Nobody has said in which phase the team is, so this counts for the first that is named.";
  const early = together(departments.map((department) => decide({ phase: "", name: "", department })));
  return withNotes(early, [{ code: "phase-unknown", path: "$", message }]);
}

/**
 * Of the parts that a message of nobody's department is about, those that their phase needs, in a phase that is not
 * shipped; where no part is such a one, all.
 */
function atWork({ departments: all }: PhaseSources, parts: readonly Part[], { active }: Setting): readonly Part[] {
  if (parts.length < 2) return parts;
  const needed = parts.filter(
    ({ phase, department }) => department !== null && neededIn(departmentsOf(all, phase), active).includes(department),
  );
  const some = needed.length === 0 ? parts : needed;
  const open = some.filter(({ phase }) => departmentsOf(all, phase).signoff?.decision !== "SHIP");
  return open.length === 0 ? some : open;
}

/** For which phase a message counts that names none, where it could be for several. */
function unnamedNotes({ phases: { names } }: PhaseSources, fact: Fact, parts: readonly Part[]): readonly Note[] {
  const phase = shortList([...new Set(parts.map(({ name }) => name))]);
  if (names.size < 2 || namesPhase(fact)) return [];
  return [{ code: "phase-taken", path: "$", message: `It names no phase, so it counts for phase ${phase}.` }];
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
  const last = (part: Part) => Math.max(0, ...plansOf(state, part, command.setting).map((plan) => plan.lastReport));
  if (says(fact, "verdict")) {
    const { tier, result, checks, failures = [] } = fact.body;
    const task = taskJudged(state, fact);
    const about = task === null ? {} : { task: task.key };
    const verdict = { ...said, ...about, tier, result, ...checks, failures: failures.flatMap(checkName) };
    return entering(state, (part) => {
      const judged = quality.decide({ command: "record-verdict", part, verdict, last: last(part) }, state.quality);
      return withNotes(judged, judgedNotes(state, fact, part));
    });
  }
  if (says(fact, "code-verdict")) {
    const { result, tests, lint, critical } = fact.body;
    const verdict = { ...said, result, ...tests, lintErrors: lint.errors, critical };
    return entering(state, (part) =>
      quality.decide({ command: "record-code-verdict", part, verdict, last: last(part) }, state.quality),
    );
  }
  if (!says(fact, "security-audit")) return null;
  const audit = auditOf(fact.body, said);
  return entering(state, (part) => quality.decide({ command: "record-audit", part, audit }, state.quality));
}

function taskJudged({ work }: PhaseSources, { head: { task } }: Fact): Task | null {
  return task === null ? null : findTask(work, task, null);
}

/** A verdict names a task that nobody knows, or one of another phase. */
function judgedNotes(state: PhaseSources, fact: Fact, { phase, name }: Part): readonly Note[] {
  const { work, phases: known } = state;
  const named = fact.head.task ?? "";
  const task = taskJudged(state, fact);
  const place = known.plans.get(task?.plan ?? planKeyOfReference(named) ?? "");
  const counts = `The verdict counts for phase ${name}`;
  const note = (code: string, message: string) => [{ code, path: "$.task", message }];
  if (task !== null)
    return place?.phase === phase || place === undefined
      ? []
      : note("phase-differs", `${task.task} is of phase ${place.phase}. ${counts}, as it says.`);
  if (work.tasks.size === 0 || planKeyOfTask(named) === null) return [];
  return note("unknown-task", `There is no task "${named}". ${counts} as a whole.`);
}

/** Who first speaks of a phase works in it: from then on it is known, by the name that was written. */
function entering({ phases: { names } }: PhaseSources, decide: PartDecision): PartDecision {
  return (part) =>
    names.has(part.phase)
      ? decide(part)
      : together([ok({ events: [{ event: "phase-entered", ...part }], notes: [] }), decide(part)]);
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
  const message = `A critic cannot write, so the lead commits ${artifact}.`;
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
  const recorded = phases.decide({ command: "tell-progress", part, told: { ...told, differences } }, state.phases);
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

interface PhaseMessage {
  readonly fact: Fact;
  readonly company: Company;
  readonly setting: Setting;
  readonly atMs: number;
}

/** What such a message brings about; null: the fact is none of them. Refuses `not-ready`. */
function decideDepartmentFact(state: PhaseSources, message: PhaseMessage, said: Said): Outcome | null {
  const commandFor = commandOf(state, message, said);
  if (commandFor === null) return null;
  const { fact } = message;
  const [named] = placeOf(state.phases, fact, message.company);
  const part = says(fact, "api-contract") ? partOfEndpoints(state, fact.body, named) : named;
  if (part === undefined) return ofNoPhase;
  const decide: PartDecision = (at) => departments.decide(commandFor(at), state.departments);
  const decided = part.phase === "" ? decide(part) : entering(state, decide)(part);
  if (!decided.ok) return decided;
  const notes = unconfirmedNotes(state, message, part);
  const entered = says(fact, "owner-review") ? enteredBy(state, fact.body, part) : [];
  return ok({ events: [...decided.value.events, ...entered], notes: [...decided.value.notes, ...notes] });
}

/**
 * Where endpoints are negotiated: in the phase of who speaks of them, or where they are open already; no message about
 * them names one. The phase is `""` where nobody has named any.
 */
function partOfEndpoints(
  { phases: known, departments: { phases: all } }: PhaseSources,
  { endpoints, status: word }: FactBodies["api-contract"],
  own: Part | undefined,
): Part {
  const phase = own?.phase ?? "";
  const asked = endpointsOf(endpoints);
  const open = [...all].flatMap(([key, { apis, signoff }]) => {
    const { about } = aboutEndpoints(apis, asked);
    const isOpen = about.some(({ status }) => status !== "implemented" && (word !== "proposed" || status !== "agreed"));
    return isOpen && signoff?.decision !== "SHIP" ? [key] : [];
  });
  return namedPart(known, open.includes(phase) ? phase : (open.at(-1) ?? phase), own?.department ?? null);
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
