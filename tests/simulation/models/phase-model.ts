/**
 * Phases by the entries alone: who may bring what, which departments a phase needs, what is required before it ships or
 * ends, and that what ended stays ended. Written from docs/protocol/phases.md and
 * docs/protocol/verdicts.md.
 */
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import type { PhaseView } from "../../../src/phases/view/phase-view.ts";
import type { RosterModel } from "./roster-model.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";
import type { KnownTask } from "./work-model.ts";

/** How a department ended its part, by its lead's word. */
interface KnownResult {
  readonly result: string;
  readonly security: string;
  readonly by: string;
}

/** A phase as the entries say it is. */
export interface KnownPhase {
  /** Departments that the owner named; null: the owner has not said. */
  needed: readonly string[] | null;
  readonly results: Map<string, KnownResult>;
  readonly excluded: Set<string>;
  shipped: "SHIP" | "HOLD" | null;
  /** Parts that were ended, by department; `""`: the whole. */
  readonly ended: Set<string>;
  /** Steps that somebody left out or that were brought, with their department. */
  readonly skipped: Set<string>;
  readonly brought: Set<string>;
}

export interface PhaseModel {
  readonly phases: ReadonlyMap<string, KnownPhase>;
  /** Failed audits that nobody has lifted, with the phase and department that they hold; null: all. */
  readonly stops: ReadonlyMap<string, { readonly phase: string | null; readonly department: string | null }>;
  take(event: CoordinationEvent, seen: Seen): void;
  /** Holds phases as the core shows them against the entries. */
  checkViews(views: readonly PhaseView[]): void;
}

/** What phases ask of others. */
export interface AroundPhases {
  readonly roster: RosterModel;
  tasks(): Iterable<KnownTask>;
  /** Who reported on any plan, by the plan. */
  workersOf(plan: string): ReadonlySet<string>;
  dialects(): readonly string[];
}

/** Roles that can tell of a step, by dialect; every other dialect has no words for them. */
const tellers: { readonly [step: string]: { readonly [dialect: string]: string } } = {
  critique: { "yolo/1": "critic" },
  research: { "yolo/1": "scout", "vbw/1": "scout", "vbw/2": "scout" },
  architecture: { "yolo/1": "architect" },
  design_review: { "yolo/1": "senior" },
  test_authoring: { "yolo/1": "tester" },
  code_review: { "yolo/1": "senior" },
  qa: { "yolo/1": "qa-lead", "vbw/1": "qa", "vbw/2": "qa" },
  security: { "yolo/1": "security" },
};

const judging = ["code_review", "qa", "security"];

interface Book {
  readonly wrong: Wrong;
  readonly around: AroundPhases;
  readonly phases: Map<string, KnownPhase>;
  readonly stops: Map<string, { readonly phase: string | null; readonly department: string | null }>;
}

/** No phases. */
export function newPhaseModel(wrong: Wrong, around: AroundPhases): PhaseModel {
  const book: Book = { wrong, around, phases: new Map(), stops: new Map() };
  return {
    phases: book.phases,
    stops: book.stops,
    take: (event, seen) => take(book, event, seen),
    checkViews: (views) => checkViews(book, views),
  };
}

function phaseAt({ phases }: Book, phase: string): KnownPhase {
  const known = phases.get(phase);
  if (known !== undefined) return known;
  const sets = { ended: new Set<string>(), skipped: new Set<string>(), brought: new Set<string>() };
  const begun: KnownPhase = { needed: null, results: new Map(), excluded: new Set(), shipped: null, ...sets };
  phases.set(phase, begun);
  return begun;
}

const steps: { readonly [event: string]: string } = {
  "critique-recorded": "critique",
  "research-recorded": "research",
  "design-recorded": "architecture",
};

function take(book: Book, event: CoordinationEvent, seen: Seen) {
  const { wrong, stops } = book;
  const { agent, role } = seen.entry.principal;
  if (event.event === "critique-recorded" || event.event === "research-recorded" || event.event === "design-recorded") {
    const known = phaseAt(book, event.phase);
    const department = event.department ?? "";
    if (known.ended.has(department)) wrong(`${event.event} in phase ${event.phase}, which was ended`);
    known.brought.add(`${steps[event.event]} ${department}`);
  }
  if (event.event === "step-skipped") skipped(book, event, seen);
  if (event.event === "phase-ended") ended(book, event, seen);
  if (event.event === "phase-reviewed") reviewed(book, event, seen);
  if (event.event === "department-reported") {
    const { result, securityResult: security } = event.result;
    const own = book.around.roster.agents.get(agent)?.department;
    if (role !== "lead" || own !== event.department) wrong(`${agent} (${role} of ${own}) reports ${event.department}`);
    phaseAt(book, event.phase).results.set(event.department, { result, security, by: agent });
  }
  if (event.event === "department-excluded") {
    if (agent !== "owner") wrong(`${agent} leaves ${event.department} out of phase ${event.phase}`);
    phaseAt(book, event.phase).excluded.add(event.department);
  }
  if (event.event === "phase-signed-off") signedOff(book, event, seen);
  if (event.event === "security-stopped") {
    const { stop, part } = event.stop;
    if (seen.said("result") !== "FAIL") wrong(`${agent} stops ${part?.phase} by an audit that did not fail`);
    stops.set(stop, { phase: part?.phase ?? null, department: part?.department ?? null });
  }
  if (event.event === "stop-lifted") {
    if (agent !== "owner") wrong(`${agent} lifts the failed audit ${event.stop}`);
    if (!stops.delete(event.stop)) wrong(`${agent} lifts ${event.stop}, which does not exist`);
  }
  if (event.event === "security-audited" && event.audit.result === "FAIL") {
    const isStopped = seen.content.events?.some((each) => each.event === "security-stopped") === true;
    if (!isStopped) wrong(`the audit of entry ${event.audit.seq} failed and stops nothing`);
  }
}

function reviewed(book: Book, { phase, review }: EventOf<"phase-reviewed">, { entry }: Seen) {
  const { agent, role } = entry.principal;
  const known = phaseAt(book, phase);
  if (role !== "owner") book.wrong(`${agent} (${role}) reviews phase ${phase}`);
  for (const [department, { result }] of known.results) {
    const isLeftOut = !review.needed.some((each) => each === department) && !known.excluded.has(department);
    if (isLeftOut) book.wrong(`${agent} leaves out ${department}, which reported ${result}`);
  }
  known.needed = review.needed;
  for (const department of review.needed) known.excluded.delete(department);
}

/** Whether an agent, or one that registered its name, worked on plans of the phase. */
function isOwnWork({ around }: Book, agent: string): boolean {
  if (agent === "owner") return false;
  const names = [agent, ...around.roster.registrarsOf(agent)];
  const plans = new Set([...around.tasks()].flatMap(({ plan }) => plan ?? []));
  return [...plans].some((plan) => names.some((name) => around.workersOf(plan).has(name)));
}

function skipped(book: Book, { phase, department, step, skip }: EventOf<"step-skipped">, { entry }: Seen) {
  const { wrong, around, stops } = book;
  const { agent, role } = entry.principal;
  const known = phaseAt(book, phase);
  const isLead = role === "lead" && (department === null || around.roster.agents.get(agent)?.department === department);
  if (!isLead && role !== "owner" && role !== "architect")
    wrong(`${agent} (${role}) leaves out ${step} of ${department}`);
  if (skip.reason.trim() === "") wrong(`${agent} leaves out ${step} and does not say why`);
  // All simulated work is of one phase, so an agent without a department worked on it.
  if (department === null && judging.includes(step) && isOwnWork(book, agent))
    wrong(`${agent} leaves out ${step}, by which others judge its work`);
  const isStopped = [...stops.values()].some(
    (stop) => (stop.phase ?? phase) === phase && stop.department === department,
  );
  if (step === "security" && isStopped) wrong(`${agent} leaves out security, which a failed audit holds`);
  if (known.ended.has(department ?? "")) wrong(`${step} is left out of phase ${phase}, which was ended`);
  known.skipped.add(`${step} ${department ?? ""}`);
}

function ended(book: Book, { phase, department }: EventOf<"phase-ended">, { entry }: Seen) {
  const { wrong, around, stops } = book;
  const { agent, role } = entry.principal;
  const known = phaseAt(book, phase);
  if (department !== null) wrong(`${agent} ends the part of ${department}, which the owner ships`);
  if (!["lead", "owner", "architect"].includes(role ?? "")) wrong(`${agent} (${role}) ends phase ${phase}`);
  if (known.ended.has("")) wrong(`phase ${phase} ends twice`);
  for (const step of ["critique", "research", "architecture"])
    if (!known.brought.has(`${step} `) && !known.skipped.has(`${step} `) && isTellable(book, step))
      wrong(`phase ${phase} ends before ${step} is done or left out`);
  const held = [...stops.values()].some((stop) => (stop.phase ?? phase) === phase);
  if (held) wrong(`phase ${phase} ends while a failed audit is open`);
  const open = [...around.tasks()].filter(({ plan, doneBy }) => plan !== null && doneBy === null);
  if (open.length > 0 && !known.skipped.has("implementation "))
    wrong(`phase ${phase} ends before ${open[0]?.task} is done`);
  known.ended.add("");
}

/** Whether somebody who is or was in the team has a role that can tell of a step in one of its dialects. */
function isTellable({ around }: Book, step: string): boolean {
  const roles = around.dialects().flatMap((dialect) => tellers[step]?.[dialect] ?? []);
  return [...around.roster.agents.values()].some(({ role }) => roles.includes(role));
}

function neededIn({ around: { roster } }: Book, { needed, results, excluded }: KnownPhase): readonly string[] {
  const atWork = roster.hasDepartments() ? roster.departmentsAtWork() : [];
  return [...new Set([...(needed ?? atWork), ...results.keys()])].filter((each) => !excluded.has(each));
}

function signedOff(book: Book, { phase, signoff }: EventOf<"phase-signed-off">, { entry }: Seen) {
  const { wrong, around, stops } = book;
  const { agent, role } = entry.principal;
  const known = phaseAt(book, phase);
  if (role !== "owner") wrong(`${agent} (${role}) signs phase ${phase} off`);
  known.shipped = signoff.decision;
  if (signoff.decision === "HOLD") return;
  const needed = neededIn(book, known);
  if (needed.length === 0) wrong(`phase ${phase} ships and needs nobody`);
  for (const department of needed) {
    const { result, security, by } = known.results.get(department) ?? { result: "nothing", security: "", by: "" };
    if (result !== "PASS") wrong(`phase ${phase} ships, and ${department} reported ${result}`);
    if (security === "FAIL") wrong(`phase ${phase} ships, and the security of ${department} failed`);
    if (!signoff.approved.some((each) => each === department))
      wrong(`phase ${phase} ships, and ${department} is not approved`);
    const names = [agent, ...around.roster.registrarsOf(agent)];
    if (agent !== "owner" && names.includes(by)) wrong(`${agent} ships ${department}, whose result is its own word`);
  }
  if (signoff.integrationQa !== "PASS") wrong(`phase ${phase} ships, and together it is ${signoff.integrationQa}`);
  const stop = [...stops].find(([, each]) => (each.phase ?? phase) === phase);
  if (stop !== undefined) wrong(`phase ${phase} ships, and the audit ${stop[0]} is open`);
  const disputed = [...around.tasks()].find(
    ({ plan, verdict }) => plan !== null && (verdict === "disputed" || verdict === "gone"),
  );
  if (disputed !== undefined) wrong(`phase ${phase} ships, and ${disputed.task} is ${disputed.verdict}`);
}

function checkViews(book: Book, views: readonly PhaseView[]) {
  const { wrong, phases } = book;
  for (const { phase: name, departments, signoff, excluded } of views) {
    const known = phases.get(String(Number(name.replace(/\D/g, "")))) ?? null;
    if ((signoff?.decision ?? null) !== (known?.shipped ?? null))
      wrong(`phase ${name} is shown as ${signoff?.decision}`);
    if (excluded.length !== (known?.excluded.size ?? 0))
      wrong(`phase ${name} is shown without ${excluded.length} departments`);
    for (const { department, steps: shown, result, status } of departments) {
      const reported = known?.results.get(department ?? "")?.result;
      if (result?.result !== reported) wrong(`${department} is shown as ${result?.result}, and reported ${reported}`);
      const isOver = status === "ended" || status.startsWith("shipped");
      // A department that was left out ships nothing.
      const isLeftOut = department !== null && known?.excluded.has(department) === true;
      const isEnded = (known?.shipped === "SHIP" && !isLeftOut) || known?.ended.has("") === true;
      if (isOver !== isEnded) wrong(`the part of ${department} in phase ${name} is shown as ${status}`);
      for (const { step, state, skippedBy } of shown) {
        const isLeftOut = [department ?? "", ""].some((each) => known?.skipped.has(`${step} ${each}`));
        const isBrought = [department ?? "", ""].some((each) => known?.brought.has(`${step} ${each}`));
        const isByItself = state === "skipped" && skippedBy === null;
        if (isByItself && (tellers[step] === undefined || isTellable(book, step)))
          wrong(`${step} of phase ${name} skips itself, and somebody can do it`);
        if (state === "skipped" && !isByItself && !isLeftOut) wrong(`${step} of phase ${name} is skipped by nobody`);
        if (!Object.values(steps).includes(step)) continue;
        const can = isTellable(book, step);
        const expected = isBrought ? "complete" : isLeftOut || !can ? "skipped" : "open";
        const is = state === "pending" || state === "running" ? "open" : state;
        if (is !== expected) wrong(`${step} of phase ${name} is shown as ${state}, expected ${expected}`);
      }
    }
  }
}
