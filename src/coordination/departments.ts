/**
 * Departments in a phase: the owner's review says who is needed, designs are handed over, endpoints are agreed
 * (`api-contract.ts`), each department reports how it ended, and the owner decides (`signoff.ts`).
 * Source: semantics.md section 3 (Phase).
 */
import { unreachable } from "../base/invariant.ts";
import type { Problem } from "../base/problem.ts";
import { err, type Result } from "../base/result.ts";
import type { WorkDepartment } from "../message/role.ts";
import { type ApiNegotiated, type NegotiateApi, negotiateApi } from "./api-contract.ts";
import type { Decided, Decider } from "./decider.ts";
import {
  type DepartmentResult,
  type Departments,
  type DepartmentsOfPhase,
  type DesignHandoff,
  departmentsOf,
  type OwnerReview,
  type Signoff,
} from "./department-state.ts";
import { ownHand, ownMatter } from "./own-matter.ts";
import { unlessSaidBefore } from "./said-again.ts";
import { missingForSignoff, type Readiness } from "./signoff.ts";

/** Orders about departments. */
export type DepartmentCommand =
  | { readonly command: "review-phase"; readonly phase: string; readonly review: OwnerReview }
  | { readonly command: "hand-over-design"; readonly phase: string; readonly handoff: DesignHandoff }
  | NegotiateApi
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
      readonly readiness: Pick<Readiness, "needed" | "stops" | "disputed">;
      /** Agents that ever registered the name of whoever decides; absent: none did. */
      readonly registrars?: readonly string[];
    };

/** What can happen to departments. */
export type DepartmentEvent =
  | { readonly event: "phase-reviewed"; readonly phase: string; readonly review: OwnerReview }
  | { readonly event: "design-handed-over"; readonly phase: string; readonly handoff: DesignHandoff }
  | ApiNegotiated
  | {
      readonly event: "department-reported";
      readonly phase: string;
      readonly department: WorkDepartment;
      readonly result: DepartmentResult;
    }
  | { readonly event: "phase-signed-off"; readonly phase: string; readonly signoff: Signoff };

type Outcome = Result<Decided<DepartmentEvent>, readonly Problem[]>;

/**
 * Refuses `not-ready` (the owner ships what is not ready; each thing that is missing is a problem of its own) and
 * `own-request` (who reported a department's result ships it).
 */
export const departments: Decider<Departments, DepartmentCommand, DepartmentEvent> = {
  name: "departments",
  initial: () => ({ phases: new Map() }),
  decide(command, state) {
    const { phase } = command;
    const known = departmentsOf(state, phase);
    switch (command.command) {
      case "review-phase":
        return unlessSaidBefore(known.review, command.review, {
          event: "phase-reviewed",
          phase,
          review: command.review,
        });
      case "hand-over-design":
        return unlessSaidBefore(known.handoff, command.handoff, {
          event: "design-handed-over",
          phase,
          handoff: command.handoff,
        });
      case "negotiate-api":
        return negotiateApi(command, known.api);
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
      return { ...known, review: event.review };
    case "design-handed-over":
      return { ...known, handoff: event.handoff };
    case "api-negotiated":
      return { ...known, api: event.contract };
    case "department-reported":
      return { ...known, results: { ...known.results, [event.department]: event.result } };
    case "phase-signed-off":
      return { ...known, signoff: event.signoff };
    default:
      return unreachable(event);
  }
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
  return unlessSaidBefore(known.signoff, signoff, { event: "phase-signed-off", phase, signoff });
}
