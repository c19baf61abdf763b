/**
 * The phase `01-sign-in` as every story shows it: its three departments, UX that goes first, the changes that
 * frontend's review asks for, what a lead reports about its progress.
 */

import type { Stage } from "../../examples/stage.ts";
import { build, type DepartmentOfStory, departmentResult, pass, prepare, review } from "./company-messages.ts";

export const ux: DepartmentOfStory = { department: "uiux", plan: "01-01", file: "design/code-field.md" };
export const front: DepartmentOfStory = { department: "frontend", plan: "01-02", file: "src/page.js" };
export const back: DepartmentOfStory = { department: "backend", plan: "01-03", file: "src/codes.js" };

/** UX goes through its steps, up to its lead's word to the owner. */
export async function finishDesign(stage: Stage): Promise<void> {
  await prepare(stage, ux);
  await build(stage, ux, "# The code field\n");
  await stage.say("uiux-senior", review(ux.plan, 1, "approve"));
  await pass(stage, ux);
  await stage.say("uiux-lead", departmentResult(ux));
}

/** Frontend's developer builds the page, and the first round of its review asks for changes. */
export async function buildWithProblem(stage: Stage): Promise<void> {
  await build(stage, front, "export const page = () => fetch('/codes');\n");
  await stage.say("frontend-senior", {
    type: "code_review_changes",
    plan_id: front.plan,
    cycle: 1,
    changes: [{ f: front.file, ln: 1, issue: "Errors are swallowed", fix: "Throw when the answer is not ok" }],
    must_fix: [`${front.file}:1`],
    rerun_tests: true,
  });
  await stage.say("frontend-senior", review(front.plan, 1, "changes_requested", 1));
}

/** A lead's report about its department: everything is done, and this step is in progress. */
export function progress({ department }: DepartmentOfStory, step: string) {
  return {
    type: "phase_progress",
    department,
    phase: "01",
    step,
    plans_complete: 1,
    plans_total: 1,
    percent_complete: 100,
    blockers: [],
    eta: "",
  };
}
