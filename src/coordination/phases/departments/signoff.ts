/**
 * What must stand before a phase ships: every needed department passed and is approved, their work together passed, no
 * security audit failed, and nothing that was reported is disputed. Each that is missing is named. Holding asks for nothing.
 * Source: docs/protocol/phases.md, section 9.
 */
import { type Problem, problem } from "../../../base/problem.ts";
import type { WorkDepartment } from "../../../message/role.ts";
import { shortList } from "../../short-list.ts";
import type { DepartmentResult, Signoff } from "./department-state.ts";

/** What is known when a phase is to ship. */
export interface Readiness {
  readonly phase: string;
  readonly needed: readonly WorkDepartment[];
  readonly results: { readonly [department in WorkDepartment]?: DepartmentResult };
  /** Failed security audits that nobody has lifted, in words. */
  readonly stops: readonly string[];
  /** Tasks that the repository does not bear out. */
  readonly disputed: readonly string[];
  /** Tasks that were verified, and whose work is not there any more. */
  readonly stale: readonly string[];
  /** Tasks whose completion was taken back by the agent that had reported it. */
  readonly withdrawn: readonly string[];
}

/** Everything that is missing for this decision; empty: it may be taken. */
export function missingForSignoff(
  { decision, approved, integrationQa }: Pick<Signoff, "decision" | "approved" | "integrationQa">,
  { phase, needed, results, stops, disputed, stale, withdrawn }: Readiness,
): readonly Problem[] {
  if (decision === "HOLD") return [];
  const missing = (path: string, what: string, expected: string, received: string) =>
    problem("not-ready", path, `Phase ${phase} cannot ship: ${what}.`, { expected, received, hint: hintFor(path) });
  return [
    ...needed.flatMap((department) => {
      const result = results[department]?.result ?? null;
      if (result === "PASS") return [];
      const said = result === null ? `${department} has not reported` : `${department} did not pass`;
      return [missing("$.body.decision", said, `a department_result PASS of ${department}`, result ?? "none")];
    }),
    ...needed
      .filter((department) => results[department]?.securityResult === "FAIL")
      .map((department) =>
        missing("$.body.decision", `${department} reports that its security audit failed`, "PASS or WARN", "FAIL"),
      ),
    ...(needed.length === 0
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
    ...(stale.length === 0
      ? []
      : [missing("$.body.decision", `${shortList(stale)} is stale`, "nothing stale", shortList(stale))]),
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
  return "`baton phase` shows what is missing; HOLD is always possible.";
}
