/**
 * Phases as they are kept: for each department's part what was brought for its first steps, which steps are skipped,
 * what its lead last told; for each plan whose it is and when it began and ended; and what departments say to each
 * other and to the owner: whom the owner needs and in which order, designs, endpoints, how each department ended, the
 * owner's decision. Records are replaced, never changed; the maps around them are changed in place.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import type { Fact, FactKind } from "../../messages/facts.ts";
import { type WorkDepartment, workDepartments } from "../../messages/role.ts";
import { phaseKey, phaseNameOf, phaseOfFolder, phaseOfPlanId, planKey } from "../../messages/task-ids.ts";

/** Who said something, and in which entry. */
export interface Said {
  readonly by: string;
  readonly seq: number;
}

/** What a critic found. */
export interface Critique extends Said {
  readonly findings: number;
  readonly critical: number;
  readonly major: number;
  readonly minor: number;
  readonly categories: readonly string[];
  /** The file with the whole; null: none was named. */
  readonly artifact: string | null;
  /** Whether it was committed already. A critic cannot: then it is the lead's to commit. */
  readonly committed: boolean;
}

/** One answer of a scout. */
export interface Research extends Said {
  readonly domain: string;
  /** How many questions it answers. */
  readonly findings: number;
  readonly artifact: string | null;
}

/** What an architect decided. */
export interface Design extends Said {
  readonly decisions: number;
  readonly risks: number;
  readonly artifact: string | null;
}

/** What a lead says of its phase. */
export interface ReportedProgress extends Said {
  readonly step: string;
  readonly plansComplete: number;
  readonly plansTotal: number;
  readonly percentComplete: number;
  readonly blockers: readonly string[];
  readonly eta: string;
  /** Where it differed from what was computed when it was told. Absent: told before that was kept. */
  readonly differences?: readonly string[];
}

/** Why a step is left out. */
export interface Skip extends Said {
  readonly reason: string;
}

/** What is known of one department's part of a phase. */
export interface PhasePart extends Part {
  readonly critique: Critique | null;
  /** The last answers, oldest first; at most `researchMax`. */
  readonly research: readonly Research[];
  readonly design: Design | null;
  readonly told: ReportedProgress | null;
  readonly skips: { readonly [step in PhaseStep]?: Skip };
  /** Who ended it; null: it goes on. */
  readonly ended: Said | null;
}

/** Most answers of scouts that are kept of one part. */
export const researchMax = 50;

/** Whose a plan is, and when it was worked on. */
export interface PlanPlace {
  readonly plan: string;
  readonly phase: string | null;
  /** Null: nobody of a department has worked on it. */
  readonly department: WorkDepartment | null;
  /** Every name under which its tasks were reported on, in the order they came. */
  readonly workers: readonly string[];
  readonly startedAtMs: number | null;
  /** When its last summary was recorded; null: it never was. */
  readonly finishedAtMs: number | null;
}

export interface Phases {
  /** By `partKey`, in the order they came. */
  readonly parts: Map<string, PhasePart>;
  /** By plan key. */
  readonly plans: Map<string, PlanPlace>;
  /** Keys of the plans of a phase. */
  readonly plansIn: Map<string, Map<string, true>>;
  /** The phase that a department works in; `""`: the team. */
  readonly current: Map<string, string>;
  /** The phase in which work of a department was reported last; `""`: of anybody. */
  readonly reported: Map<string, string>;
  /** Phases by key as first written. */
  readonly names: Map<string, string>;
}

/** No phase yet. */
export function noPhases(): Phases {
  return {
    parts: new Map(),
    plans: new Map(),
    plansIn: new Map(),
    current: new Map(),
    reported: new Map(),
    names: new Map(),
  };
}

/** What is known of a part; what nothing was said of is empty. */
export function partOf(state: Phases, part: Part): PhasePart {
  const known = state.parts.get(partKey(part));
  if (known !== undefined) return known;
  return { ...part, critique: null, research: [], design: null, told: null, skips: {}, ended: null };
}

/** Stores a part's current state, and that its department works there, where the phase is known. In place. */
export function keepPart(state: Phases, part: PhasePart): Phases {
  state.parts.set(partKey(part), part);
  if (part.phase !== "") enterPhase(state, part);
  return state;
}

/** Notes what a phase is called; the first one has what was brought before any was named. In place. */
export function namePhase(state: Phases, { phase, name }: Part): Phases {
  if (phase === "" || state.names.has(phase)) return state;
  const early = state.names.size === 0 ? [...state.parts] : [];
  for (const [key, part] of early) {
    state.parts.delete(key);
    state.parts.set(partKey({ ...part, phase }), { ...part, phase, name });
  }
  state.names.set(phase, name);
  return state;
}

/** Notes that a department works in a phase now, unless it ended there. In place. */
export function enterPhase(state: Phases, part: Part): void {
  namePhase(state, part);
  const { phase, department } = part;
  if (department !== null) enterPart(state, phase, department);
  enterPart(state, phase, null);
}

/** Notes that work is planned in a phase: who has an open plan in another works there. In place. */
export function planPhase(state: Phases, part: Part): void {
  namePhase(state, part);
  const { phase, department } = part;
  for (const each of new Set([department, null])) {
    const current = state.current.get(each ?? "");
    const plans = [...(state.plansIn.get(current ?? "")?.keys() ?? [])];
    const isOpen = plans.some((key) => state.plans.get(key)?.finishedAtMs === null);
    if (current === undefined || !isOpen) enterPart(state, phase, each);
  }
}

function enterPart(state: Phases, phase: string, department: WorkDepartment | null): void {
  const part = state.parts.get(partKey({ phase, department }));
  if ((part?.ended ?? null) === null) state.current.set(department ?? "", phase);
}

/** A part of the phase that a department works in, else of the one that the team works in; null: it is not known. */
export function currentPart(state: Phases, department: WorkDepartment | null): Part | null {
  const phase = state.current.get(department ?? "") ?? state.current.get("");
  return phase === undefined ? null : namedPart(state, phase, department);
}

/** A part of a phase under the name by which the phase was first called. */
export function namedPart(state: Phases, phase: string, department: WorkDepartment | null): Part {
  return { phase, name: state.names.get(phase) ?? phase, department };
}

/*
 * Phases and the parts of them that departments have. A phase is compared by its number (`01`, `1`, `phase-1`) and kept
 * as first written; a phase that has no number, as written. Without departments the team is the only part.
 * Source: docs/protocol/messages.md, section 3; docs/protocol/phases.md.
 */

/** One department's part of a phase; `department` null: the whole team's. */
export interface Part {
  readonly phase: string;
  /** The phase as first written. */
  readonly name: string;
  readonly department: WorkDepartment | null;
}

/** The key under which what happened in a part is kept. */
export function partKey({ phase, department }: Pick<Part, "phase" | "department">): string {
  return `${department ?? ""}/${phase}`;
}

/*
 * The steps of a phase in their order, and the kinds of message by which each can be reported. A step without a message
 * in the team's dialects is skipped automatically: nobody could ever report it as done. Source:
 * docs/protocol/phases.md.
 */
export const phaseSteps = [
  "critique",
  "research",
  "architecture",
  "planning",
  "design_review",
  "test_authoring",
  "implementation",
  "code_review",
  "qa",
  "security",
  "signoff",
] as const;
export type PhaseStep = (typeof phaseSteps)[number];

/** Whether `word` names a step. */
export function isPhaseStep(word: string): word is PhaseStep {
  return (phaseSteps as readonly string[]).includes(word);
}

/** Kinds of message about a step; null: the work itself, or a command, reports it. */
export const tellingKinds: { readonly [step in PhaseStep]: readonly FactKind[] | null } = {
  critique: ["critique"],
  research: ["research", "findings"],
  architecture: ["design"],
  planning: null,
  design_review: ["specification"],
  test_authoring: ["test-plan"],
  implementation: null,
  code_review: ["review-result"],
  qa: ["verdict"],
  security: ["security-audit"],
  signoff: null,
};

/*
 * Which phase a message is about, and whose part of it: the phase that it names, else that of its plan, else that of its
 * artifact's folder, else the one its department works in, or for what judges work the one in which work was reported
 * last; its sender's department, else those of its receivers, else the whole team's.
 * Source: docs/protocol/authority.md, section 6; docs/protocol/phases.md.
 */

/** Whom a message concerns, where several departments are at work. */
export interface Company {
  /** Departments with agents at work; empty where there is only one. */
  readonly active: readonly WorkDepartment[];
  /** The sender's department, else those of the receivers. */
  readonly concerned: readonly WorkDepartment[];
}

/** A team without departments. */
export const oneTeam: Company = { active: [], concerned: [] };

/** The parts of a phase that a message is about; none: nobody has said in which phase the team is. */
export function placeOf(state: Phases, fact: Fact, { concerned }: Company): readonly Part[] {
  const departments: readonly (WorkDepartment | null)[] = concerned.length === 0 ? [null] : concerned;
  return departments.flatMap((department) => partNamed(state, fact, department) ?? []);
}

/** Whether a message says itself to which phase it belongs: by its phase, its plan or its artifact's folder. */
export function namesPhase(fact: Fact): boolean {
  return partNamed(noPhases(), fact, null) !== null;
}

/** What judges the work that was reported. */
const judging: readonly FactKind[] = ["verdict", "code-verdict", "security-audit"];

function partNamed(state: Phases, { kind, head, body }: Fact, department: WorkDepartment | null): Part | null {
  const { planId, artifact }: { readonly [field: string]: unknown } = body;
  const plan = typeof planId === "string" ? planId : null;
  const ofPlan = plan === null ? null : (state.plans.get(planKey(plan))?.phase ?? phaseOfPlanId(plan, null));
  const folder = typeof artifact === "string" ? phaseOfFolder(artifact) : null;
  const phase = phaseKey(head.phase) ?? ofPlan ?? phaseKey(folder);
  if (phase === null) {
    const judged = judging.includes(kind) ? state.reported.get(department ?? "") : undefined;
    return judged === undefined ? currentPart(state, department) : namedPart(state, judged, department);
  }
  const written = head.phase ?? (plan === null ? folder : phaseNameOf(plan)) ?? phase;
  return { phase, name: state.names.get(phase) ?? String(written), department };
}

/* What can happen to phases, as facts of the journal. Each names the part of the phase that it is about. */

/** Whom the owner needs. */
export interface OwnerReview extends Said {
  readonly needed: readonly WorkDepartment[];
  readonly order: readonly WorkDepartment[];
  readonly priorities: readonly string[];
  readonly risks: readonly string[];
}

/** A design as it was handed over. */
export interface DesignHandoff extends Said {
  readonly status: "complete" | "partial" | "failed";
  readonly ready: readonly string[];
  readonly deferred: readonly string[];
  readonly acceptanceCriteria: readonly string[];
  /** The files that hold it, by what they are. */
  readonly artifacts: { readonly [name: string]: string };
}

/** How endpoints are negotiated. `disputed`: the owner decides. */
export type ApiStatus = "proposed" | "agreed" | "implemented" | "disputed";

/** One proposal, or the word that it is agreed or built. */
export interface ApiStep extends Said {
  readonly department: WorkDepartment;
  readonly word: "proposed" | "counter-proposed" | "agreed" | "implemented";
  readonly hash: string;
  /** What it changes of the proposal before it, a line each. */
  readonly differences: readonly string[];
}

/** The contract about endpoints. */
export interface ApiContract {
  readonly status: ApiStatus;
  /** Who made the current proposal. */
  readonly proposer: WorkDepartment;
  readonly hash: string;
  readonly endpoints: readonly Endpoint[];
  /** Proposals by the other side since the first; agreement starts again. */
  readonly counters: number;
  /** Oldest first; at most `apiStepsMax`. */
  readonly steps: readonly ApiStep[];
}

/** Most steps of a negotiation that are kept. */
export const apiStepsMax = 20;

/** How a department ended its part, by its lead's word. */
export interface DepartmentResult extends Said {
  readonly result: "PASS" | "PARTIAL" | "FAIL";
  readonly plansCompleted: number;
  readonly plansTotal: number;
  readonly qaResult: "PASS" | "FAIL" | "PARTIAL";
  readonly securityResult: "PASS" | "FAIL" | "WARN" | "NOT_RUN";
  readonly tddCoverage: string;
}

/** The owner's decision. */
export interface Signoff extends Said {
  readonly decision: "SHIP" | "HOLD";
  readonly approved: readonly WorkDepartment[];
  readonly integrationQa: "PASS" | "FAIL" | "PARTIAL" | "NOT_RUN";
  readonly notes: string;
}

/** A department that the person left out of a phase. */
export interface Exclusion extends Said {
  readonly reason: string;
  /** What it had reported; null: nothing. */
  readonly result: DepartmentResult["result"] | null;
}

/** What is known of one phase. */
export interface DepartmentsOfPhase {
  readonly review: OwnerReview | null;
  readonly handoff: DesignHandoff | null;
  /** Contracts about endpoints, which no two share; that of the newest word last. */
  readonly apis: readonly ApiContract[];
  readonly results: { readonly [department in WorkDepartment]?: DepartmentResult };
  readonly signoff: Signoff | null;
  /** Departments that the person left out; an owner's review that names one takes it in again. */
  readonly excluded: { readonly [department in WorkDepartment]?: Exclusion };
}

/** By phase key. */
export interface Departments {
  readonly phases: Map<string, DepartmentsOfPhase>;
}

/** What is known of a phase; what nothing was said of is empty. */
export function departmentsOf(state: Departments, phase: string): DepartmentsOfPhase {
  return state.phases.get(phase) ?? { review: null, handoff: null, apis: [], results: {}, signoff: null, excluded: {} };
}

/**
 * Departments that a phase needs: those that the owner named, else those at work; and every one that has reported, which
 * only the person leaves out.
 * Source: docs/protocol/phases.md, section 5.
 */
export function neededIn(
  { review, results, excluded }: DepartmentsOfPhase,
  active: readonly WorkDepartment[],
): readonly WorkDepartment[] {
  const reported = workDepartments.filter((department) => results[department] !== undefined);
  return [...new Set([...(review?.needed ?? active), ...reported])].filter((each) => excluded[each] === undefined);
}

/*
 * Endpoints as departments agree on them: compared by their method and path, hashed without regard to their order, and what
 * one list changes of another in words.
 * Source: docs/protocol/phases.md, section 6.
 */

/** One endpoint, its request and response as canonical JSON. */
interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly request: string;
  readonly response: string;
}

/** The endpoints of a message, sorted by path and method; the last one counts if an endpoint appears twice. */
export function endpointsOf(written: readonly Json[]): readonly Endpoint[] {
  const endpoints = new Map<string, Endpoint>();
  for (const each of written) {
    if (!isJsonObject(each)) continue;
    const method = textOf(each.method).toUpperCase();
    const path = textOf(each.path);
    endpoints.set(`${path} ${method}`, {
      method,
      path,
      request: canonical(each.request ?? {}),
      response: canonical(each.response ?? {}),
    });
  }
  return [...endpoints].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => endpoint);
}

/** SHA-256 over the canonical JSON of the sorted endpoints. */
export function hashOfEndpoints(endpoints: readonly Endpoint[]): string {
  return sha256(canonical(endpoints.map(({ method, path, request, response }) => [method, path, request, response])));
}

/** What `after` changes of `before`, a line each: `+ POST /a`, `- GET /b`, `~ POST /c response {…} -> {…}`. */
export function endpointDifferences(before: readonly Endpoint[], after: readonly Endpoint[]): readonly string[] {
  const known = new Map(before.map((each) => [nameOf(each), each]));
  const kept = new Set(after.map(nameOf));
  const changed = after.flatMap((each) => {
    const other = known.get(nameOf(each));
    if (other === undefined) return [`+ ${nameOf(each)} ${each.request} -> ${each.response}`];
    return (["request", "response"] as const).flatMap((part) =>
      other[part] === each[part] ? [] : [`~ ${nameOf(each)} ${part} ${other[part]} -> ${each[part]}`],
    );
  });
  return [...changed, ...before.filter((each) => !kept.has(nameOf(each))).map((each) => `- ${nameOf(each)}`)];
}

/** Contracts with one of these endpoints; the others of a phase are about other endpoints. */
export function aboutEndpoints(
  apis: readonly ApiContract[],
  endpoints: readonly Endpoint[],
): { readonly about: readonly ApiContract[]; readonly others: readonly ApiContract[] } {
  const names = new Set(endpoints.map(nameOf));
  const isAbout = (api: ApiContract) => api.endpoints.some((each) => names.has(nameOf(each)));
  return { about: apis.filter(isAbout), others: apis.filter((each) => !isAbout(each)) };
}

/** One contract of several, as far as the least settled of them; null: there is none. */
export function joinedApi(apis: readonly ApiContract[]): ApiContract | null {
  const settled: readonly ApiStatus[] = ["disputed", "proposed", "agreed", "implemented"];
  const [first, ...others] = apis.toSorted((a, b) => settled.indexOf(a.status) - settled.indexOf(b.status));
  if (first === undefined || others.length === 0) return first ?? null;
  const byName = (a: Endpoint, b: Endpoint) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1);
  const endpoints = apis.flatMap((each) => each.endpoints).toSorted(byName);
  const steps = apis.flatMap((each) => each.steps).toSorted((a, b) => a.seq - b.seq);
  const counters = Math.max(...apis.map((each) => each.counters));
  return { ...first, endpoints, hash: hashOfEndpoints(endpoints), steps, counters };
}

/** What a limit of this contract is about. */
export function nameOfApi(phase: string, { endpoints: [first] }: ApiContract): string {
  return first === undefined ? phase : `${phase} ${nameOf(first)}`;
}

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The departments that are left out, but for those that are needed now. */
export function exclusionsWithout(
  excluded: DepartmentsOfPhase["excluded"],
  needed: readonly WorkDepartment[],
): DepartmentsOfPhase["excluded"] {
  return Object.fromEntries(
    Object.entries(excluded).filter(([department]) => !needed.some((each) => each === department)),
  );
}
