/**
 * Departments in a phase: the owner's review says who is needed, designs are handed over, frontend and backend agree
 * about endpoints, each department reports how it ended, and the owner decides. Of the endpoints, either lead proposes,
 * the other agrees to the same or proposes others, and backend builds what is agreed; the third counter-proposal goes
 * to the owner. What is out of step is noted with what differs, and changes nothing. Source: docs/protocol/phases.md,
 * section 6.
 */
import { argument } from "../../base/argument.ts";
import { unreachable } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName, type Principal } from "../../messages/principal.ts";
import { type Department, isWorkDepartment, type WorkDepartment, workDepartments } from "../../messages/role.ts";
import { ownHand, ownMatter } from "../../perform/conflict-of-interest.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import {
  type ApiContract,
  type ApiStep,
  aboutEndpoints,
  apiStepsMax,
  type DepartmentResult,
  type Departments,
  type DepartmentsOfPhase,
  type DesignHandoff,
  departmentsOf,
  type Exclusion,
  endpointDifferences,
  endpointsOf,
  exclusionsWithout,
  hashOfEndpoints,
  joinedApi,
  neededIn,
  type OwnerReview,
  type Phases,
  type Said,
  type Signoff,
} from "../state/phase-state.ts";
import { designGate } from "../view/phase-conditions.ts";
import { unlessSaidBefore } from "./phase-facts.ts";

/** Orders about departments. */
export type DepartmentCommand =
  | { readonly command: "review-phase"; readonly phase: string; readonly review: OwnerReview }
  | { readonly command: "hand-over-design"; readonly phase: string; readonly handoff: DesignHandoff }
  | NegotiateApi
  | {
      readonly command: "exclude-department";
      readonly phase: string;
      /** The phase as first written. */
      readonly name: string;
      readonly department: WorkDepartment;
      /** Departments that the phase needs now. */
      readonly needed: readonly WorkDepartment[];
      readonly reason: string;
      readonly said: Said;
    }
  | {
      readonly command: "report-result";
      readonly phase: string;
      readonly department: WorkDepartment;
      readonly result: DepartmentResult;
    }
  | {
      readonly command: "sign-off";
      readonly phase: string;
      /** The phase as first written. */
      readonly name: string;
      readonly signoff: Signoff;
      readonly readiness: Omit<Readiness, "phase" | "results">;
      /** The chain of agents that registered the name of the agent that decides, as in `Judge`; absent: none did. */
      readonly registrars?: readonly string[];
    };

/** What can happen to departments. */
export type DepartmentEvent =
  | { readonly event: "phase-reviewed"; readonly phase: string; readonly review: OwnerReview }
  | { readonly event: "design-handed-over"; readonly phase: string; readonly handoff: DesignHandoff }
  | ApiNegotiated
  | {
      readonly event: "department-excluded";
      readonly phase: string;
      readonly department: WorkDepartment;
      readonly exclusion: Exclusion;
    }
  | {
      readonly event: "department-reported";
      readonly phase: string;
      readonly department: WorkDepartment;
      readonly result: DepartmentResult;
    }
  | { readonly event: "phase-signed-off"; readonly phase: string; readonly signoff: Signoff };

type Outcome = Result<Decided<DepartmentEvent>, readonly Problem[]>;

/**
 * Refuses `human-required` (a review leaves out a department that has reported, or an agent excludes one), `not-ready`
 * (the owner ships what is not ready; each thing that is missing is a separate problem), `own-request` (who reported a
 * department's result ships it) and `wrong-value` (a department is excluded that the phase does not need).
 */
export const departments: Decider<Departments, DepartmentCommand, DepartmentEvent> = {
  name: "departments",
  initial: () => ({ phases: new Map() }),
  decide(command, state) {
    const { phase } = command;
    const known = departmentsOf(state, phase);
    switch (command.command) {
      case "review-phase":
        return reviewPhase(command, known);
      case "exclude-department":
        return exclude(command, known);
      case "hand-over-design":
        return unlessSaidBefore(known.handoff, command.handoff, {
          event: "design-handed-over",
          phase,
          handoff: command.handoff,
        });
      case "negotiate-api":
        return negotiateApi(command, known.apis);
      case "report-result": {
        const { department, result } = command;
        const before = known.results[department] ?? null;
        return unlessSaidBefore(before, result, { event: "department-reported", phase, department, result });
      }
      case "sign-off":
        return signOff(command, known);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    state.phases.set(event.phase, after(departmentsOf(state, event.phase), event));
    return state;
  },
};

function after(known: DepartmentsOfPhase, event: DepartmentEvent): DepartmentsOfPhase {
  switch (event.event) {
    case "phase-reviewed":
      return { ...known, review: event.review, excluded: exclusionsWithout(known.excluded, event.review.needed) };
    case "department-excluded":
      return { ...known, excluded: { ...known.excluded, [event.department]: event.exclusion } };
    case "design-handed-over":
      return { ...known, handoff: event.handoff };
    case "api-negotiated":
      return { ...known, apis: [...aboutEndpoints(known.apis, event.contract.endpoints).others, event.contract] };
    case "department-reported":
      return { ...known, results: { ...known.results, [event.department]: event.result } };
    case "phase-signed-off":
      return { ...known, signoff: event.signoff };
    default:
      return unreachable(event);
  }
}

/** Refuses a review that leaves out who has reported: a phase does not get better by looking away. */
function reviewPhase(
  { phase, review }: Extract<DepartmentCommand, { readonly command: "review-phase" }>,
  known: DepartmentsOfPhase,
): Outcome {
  const reported = workDepartments.filter((each) => known.results[each] !== undefined && !(each in known.excluded));
  const leftOut = reported.filter((each) => !review.needed.includes(each));
  if (leftOut.length === 0) {
    const decided = unlessSaidBefore(known.review, review, { event: "phase-reviewed", phase, review } as const);
    return decided.ok
      ? ok({ ...decided.value, notes: [...decided.value.notes, ...orderNotes(known, review)] })
      : decided;
  }
  return err(
    leftOut.map((department) => {
      const message = `${department} has reported ${known.results[department]?.result}, so it stays in the phase.`;
      return makeProblem("human-required", "$.body.departmentsNeeded", message, {
        expected: [...review.needed, ...leftOut].join(", "),
        received: review.needed.join(", "),
        hint: `The person who owns the team leaves it out: \`baton phase exclude ${department} --reason TEXT\`.`,
      });
    }),
  );
}

/** That departments begin in another order than before, which some may have begun by. */
function orderNotes({ review: before }: DepartmentsOfPhase, { order }: OwnerReview): readonly Note[] {
  if (before === null || before.order.join() === order.join()) return [];
  const message = `The order is ${shortList(order)} now; by entry ${before.seq} it was ${shortList(before.order)}.`;
  return [{ code: "order-changed", path: "$.body.dispatchOrder", message }];
}

function exclude(
  {
    phase,
    name,
    department,
    needed,
    reason,
    said,
  }: Extract<DepartmentCommand, { readonly command: "exclude-department" }>,
  known: DepartmentsOfPhase,
): Outcome {
  if (said.by !== ownerName) {
    const message = "A department is left out of a phase by the person who owns the team, and by nobody else.";
    const hint = `The owner leaves it out with \`baton phase exclude ${department} --reason TEXT\`.`;
    return err([makeProblem("human-required", department, message, { expected: ownerName, received: said.by, hint })]);
  }
  const before = known.excluded[department];
  if (before !== undefined)
    return nothing("already-so", `${department} was left out before, at entry ${before.seq}: ${before.reason}`);
  if (!needed.includes(department)) {
    return err([
      makeProblem("wrong-value", argument("department"), `Phase ${name} does not need ${department}.`, {
        expected: needed.join(" | "),
        received: department,
      }),
    ]);
  }
  const exclusion = { ...said, reason, result: known.results[department]?.result ?? null };
  return ok({ events: [{ event: "department-excluded", phase, department, exclusion }], notes: [] });
}

function signOff(
  { phase, name, signoff, readiness, registrars = [] }: Extract<DepartmentCommand, { readonly command: "sign-off" }>,
  known: DepartmentsOfPhase,
): Outcome {
  const judged = signoff.decision === "HOLD" ? [] : readiness.needed.flatMap((each) => known.results[each]?.by ?? []);
  const judge = { agent: signoff.by, registrars };
  const own = ownHand(judge, judged);
  if (own !== null) return err([ownMatter(judge, own, "$.body.decision", "a department's result")]);
  const missing = missingForSignoff(signoff, { phase: name, results: known.results, ...readiness });
  if (missing.length > 0) return err(missing);
  const decided = unlessSaidBefore(known.signoff, signoff, { event: "phase-signed-off", phase, signoff } as const);
  if (!decided.ok || signoff.decision === "HOLD") return decided;
  return ok({ events: decided.value.events, notes: [...decided.value.notes, ...exclusionNotes(known)] });
}

/** What the phase ships without; it is reported with the decision. */
function exclusionNotes({ excluded }: DepartmentsOfPhase): readonly Note[] {
  return Object.entries(excluded).map(([department, { by, seq, reason, result }]) => {
    const reported = result === null ? "has reported nothing" : `reported ${result}`;
    const message = `${department} ${reported} and was left out by ${by}, at entry ${seq}: ${reason}`;
    return { code: "department-excluded", path: "$.body.decision", message };
  });
}

/*
 * Conditions for shipping a phase: every needed department passed and is approved, their work together passed, no
 * security audit failed, and nothing that was reported is disputed. Each missing condition is named. Holding has none.
 * Source: docs/protocol/phases.md, section 9.
 */

/** What is known when a phase is to ship. */
interface Readiness {
  readonly phase: string;
  readonly needed: readonly WorkDepartment[];
  readonly results: { readonly [department in WorkDepartment]?: DepartmentResult };
  /** Where the team has no word for a department's result: steps that are not over. Absent: departments report. */
  readonly open?: readonly string[];
  /** Failed security audits that nobody has lifted, in words. */
  readonly stops: readonly string[];
  /** Tasks that the repository does not confirm. */
  readonly disputed: readonly string[];
  /** Tasks that were verified, and whose work is not there any more. */
  readonly gone: readonly string[];
  /** Tasks whose completion was taken back by the agent that had reported it. */
  readonly withdrawn: readonly string[];
}

/** Everything that is missing for this decision; empty: it may be taken. */
export function missingForSignoff(
  { decision, approved, integrationQa }: Pick<Signoff, "decision" | "approved" | "integrationQa">,
  { phase, needed, results, open, stops, disputed, gone, withdrawn }: Readiness,
): readonly Problem[] {
  if (decision === "HOLD") return [];
  const missing = (path: string, what: string, expected: string, received: string, hint = hintFor(path)) =>
    makeProblem("not-ready", path, `Phase ${phase} cannot ship: ${what}.`, { expected, received, hint });
  const skip = `\`baton phase\` shows what is missing; \`baton phase skip STEP --phase ${phase} --reason TEXT\` leaves a step out.`;
  return [
    ...(open ?? []).map((step) =>
      missing("$.body.decision", `${step} is open`, "done, or skipped with a reason", "open", skip),
    ),
    ...needed.flatMap((department) => {
      const result = results[department]?.result ?? null;
      if (result === "PASS" || open !== undefined) return [];
      const said = result === null ? `${department} has not reported` : `${department} did not pass`;
      return [missing("$.body.decision", said, `a department_result PASS of ${department}`, result ?? "none")];
    }),
    ...needed
      .filter((department) => results[department]?.securityResult === "FAIL")
      .map((department) =>
        missing("$.body.decision", `${department} reports that its security audit failed`, "PASS or WARN", "FAIL"),
      ),
    ...(needed.length === 0 && open === undefined
      ? [missing("$.body.decision", "no department is known that it needs", "an owner_review", "none")]
      : []),
    ...needed
      .filter((department) => !approved.includes(department))
      .map((department) =>
        missing("$.body.departmentsApproved", `${department} is not approved`, department, shortList(approved)),
      ),
    ...(integrationQa === "PASS"
      ? []
      : [missing("$.body.integrationQa", "the departments' work together did not pass", "PASS", integrationQa)]),
    ...[...new Set(stops)].map((stop) => missing("$.body.decision", stop, "no failed security audit", "FAIL")),
    ...(disputed.length === 0
      ? []
      : [missing("$.body.decision", `${shortList(disputed)} is disputed`, "nothing disputed", shortList(disputed))]),
    ...(gone.length === 0
      ? []
      : [missing("$.body.decision", `${shortList(gone)} is gone`, "nothing gone", shortList(gone))]),
    ...(withdrawn.length === 0
      ? []
      : [
          missing(
            "$.body.decision",
            `the report of ${shortList(withdrawn)} was taken back`,
            "nothing taken back",
            shortList(withdrawn),
          ),
        ]),
  ];
}

function hintFor(path: string): string {
  if (path === "$.body.departmentsApproved") return "Approve every department that the phase needs, or decide HOLD.";
  if (path === "$.body.integrationQa") return "Let the departments' work be verified together first, or decide HOLD.";
  return "`baton phase`, and the phase on the page, show what is missing; HOLD is always possible.";
}

/** Counter-proposals of one negotiation; with the last of them the owner decides. */
export const counterProposalsMax = 3;

/** The contract as it is after a word of one of its sides. */
interface ApiNegotiated {
  readonly event: "api-negotiated";
  readonly phase: string;
  readonly contract: ApiContract;
  /** Whether this word was one counter-proposal too many. */
  readonly isAtLimit: boolean;
}

/** A word about endpoints. */
interface NegotiateApi {
  readonly command: "negotiate-api";
  readonly phase: string;
  readonly body: FactBodies["api-contract"];
  readonly said: Said;
}

type ApiOutcome = Result<Decided<ApiNegotiated>, readonly Problem[]>;

/** What the word makes of the contract that has one of its endpoints, of several together. Never refused. */
function negotiateApi({ phase, body, said }: NegotiateApi, apis: readonly ApiContract[]): ApiOutcome {
  const department: WorkDepartment = body.direction === "frontend_to_backend" ? "frontend" : "backend";
  const endpoints = endpointsOf(body.endpoints);
  const known = joinedApi(aboutEndpoints(apis, endpoints).about);
  const hash = hashOfEndpoints(endpoints);
  const differences = endpointDifferences(known?.endpoints ?? [], endpoints);
  const step = { ...said, department, hash, differences };
  const negotiated = (contract: Omit<ApiContract, "steps">, word: ApiStep["word"], isAtLimit = false): ApiOutcome => {
    const steps = [...(known?.steps ?? []), { ...step, word }].slice(-apiStepsMax);
    const notes = differences.length === 0 || known === null ? [] : [differencesNote(differences)];
    return ok({ events: [{ event: "api-negotiated", phase, contract: { ...contract, steps }, isAtLimit }], notes });
  };
  if (body.status === "proposed") {
    if (known?.hash === hash && known.proposer === department)
      return outOfStep("already-so", "You propose so already.");
    if (known?.hash === hash && known.status !== "implemented") {
      return outOfStep(
        "api-same",
        'These are the endpoints that the other side proposes; agree to them with status "agreed".',
      );
    }
    const isCounter = known !== null && (known.status === "proposed" || known.status === "disputed");
    if (!isCounter)
      return negotiated({ status: "proposed", proposer: department, hash, endpoints, counters: 0 }, "proposed");
    if (known.proposer === department) return negotiated({ ...known, hash, endpoints }, "proposed");
    const counters = known.counters + 1;
    const isAtLimit = counters >= counterProposalsMax;
    const status = isAtLimit ? "disputed" : "proposed";
    return negotiated({ status, proposer: department, hash, endpoints, counters }, "counter-proposed", isAtLimit);
  }
  if (known === null)
    return outOfStep("api-unproposed", 'Nobody has proposed these endpoints; begin with status "proposed".');
  if (differences.length > 0) {
    const message = `These are not the agreed endpoints: ${shortList(differences.map(shown))}`;
    return outOfStep("api-differs", message);
  }
  return body.status === "agreed"
    ? agree(known, { department, by: said.by }, negotiated)
    : implement(known, department, negotiated);
}

type Negotiate = (contract: Omit<ApiContract, "steps">, word: ApiStep["word"]) => ApiOutcome;

function agree(
  known: ApiContract,
  { department, by }: { readonly department: WorkDepartment; readonly by: string },
  negotiated: Negotiate,
): ApiOutcome {
  if (known.status === "agreed" || known.status === "implemented") {
    return outOfStep("already-so", "These endpoints are agreed already.");
  }
  // Who proposed them stays their proposer, whichever department it leads now.
  const proposal = known.steps.findLast(({ word }) => word === "proposed" || word === "counter-proposed");
  if (known.proposer === department || proposal?.by === by) {
    return outOfStep("api-own-proposal", "The other side agrees to a proposal, not the one that made it.");
  }
  return negotiated({ ...known, status: "agreed", counters: 0 }, "agreed");
}

function implement(known: ApiContract, department: WorkDepartment, negotiated: Negotiate): ApiOutcome {
  if (department !== "backend") return outOfStep("api-not-backend", "Backend builds the endpoints and says so.");
  if (known.status === "implemented") return outOfStep("already-so", "These endpoints are built already.");
  if (known.status !== "agreed")
    return outOfStep("api-unagreed", "The other side has not agreed to these endpoints yet.");
  return negotiated({ ...known, status: "implemented" }, "implemented");
}

function outOfStep(code: string, message: string): ApiOutcome {
  return nothing(code, message);
}

function differencesNote(differences: readonly string[]) {
  const message = `Changes the earlier endpoints: ${shortList(differences.map(shown))}`;
  return { code: "api-changes", path: "$.body.endpoints", message };
}

/** Most of one difference that a note repeats. */
const shownCharactersMax = 160;

function shown(difference: string): string {
  return shorten(difference, shownCharactersMax);
}

/** The department that a plan is of; null: of none. */
function departmentOfPlan({ plans }: Phases, plan: string | null): WorkDepartment | null {
  return (plan === null ? undefined : plans.get(plan))?.department ?? null;
}

/** Whether work of a plan is given to who asks for the next: it is their own department's, which waits for no design. */
export function isTurnOf(
  { phases, departments: known }: { readonly phases: Phases; readonly departments: Departments },
  department: Department | undefined,
): (work: { readonly plan: string | null }) => boolean {
  return ({ plan }) => {
    const place = plan === null ? undefined : phases.plans.get(plan);
    if (place === undefined || place.department === null) return true;
    if (department !== undefined && isWorkDepartment(department) && department !== place.department) return false;
    const company = departmentsOf(known, place.phase ?? "");
    const part = { department: place.department };
    return designGate({ part, company, needed: neededIn(company, []) }).every(({ met }) => met);
  };
}

/** A note where an agent works on a plan of another department. */
export function foreignPlanNotes(
  { phases }: { readonly phases: Phases },
  { plan, task }: { readonly plan: string | null; readonly task: string },
  { department }: Pick<Principal, "department">,
): readonly Note[] {
  const whose = departmentOfPlan(phases, plan);
  if (whose === null || department === undefined || !isWorkDepartment(department) || department === whose) return [];
  const message = `${task} is of ${whose}, and you are of ${department}; it counts for ${whose}.`;
  return [{ code: "other-department", path: "$.body.taskId", message }];
}
