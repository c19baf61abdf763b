/**
 * What departments say to each other and to the owner in a phase: whom the owner needs and in which order, the design that
 * was handed over, the contract about endpoints, how each department ended, and the owner's decision.
 * Records are replaced, never changed; the map around them is changed in place.
 */

import { canonical, sha256 } from "../../base/canonical.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { type WorkDepartment, workDepartments } from "../../messages/role.ts";
import type { Said } from "./phase-state.ts";

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
  readonly standing: ApiStatus;
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
  readonly securityResult: "PASS" | "FAIL" | "WARN";
  readonly tddCoverage: string;
}

/** The owner's decision. */
export interface Signoff extends Said {
  readonly decision: "SHIP" | "HOLD";
  readonly approved: readonly WorkDepartment[];
  readonly integrationQa: "PASS" | "FAIL" | "PARTIAL";
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
  readonly api: ApiContract | null;
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
  return (
    state.phases.get(phase) ?? { review: null, handoff: null, api: null, results: {}, signoff: null, excluded: {} }
  );
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
