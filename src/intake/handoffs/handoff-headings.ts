/** The headings and labels of handoffs as agents write them, by what of a document they mean. */

/** What a heading can mean: a field of a document, the tasks with their boxes, or labels only. */
export type Field =
  | "primary"
  | "secondary"
  | "constraints"
  | "success_criteria"
  | "story_file"
  | "architecture_context"
  | "prd_context"
  | "additional_context"
  | "key_decisions"
  | "required_files"
  | "generated_files"
  | "external_dependencies"
  | "completed_tasks"
  | "pending_tasks"
  | "tasks"
  | "lessons_learned"
  | "labels";

/** Headings as agents write them, by the field that they mean. */
const headingNames: { readonly [field in Field]: string } = {
  primary: "primary instructions instruction main_task primary_task task goal objective what_to_do mission",
  secondary: "secondary secondary_tasks additional_tasks next_steps also further_tasks",
  constraints: "constraints limitations rules boundaries do_not",
  success_criteria: "success_criteria acceptance_criteria criteria definition_of_done done_when",
  story_file: "story story_file",
  architecture_context: "architecture architecture_context",
  prd_context: "prd prd_context requirements",
  additional_context: "context additional_context background references related_documents documents reading",
  key_decisions: "key_decisions decisions decision",
  required_files: "required_files files inputs input_files dependencies required",
  generated_files: "generated_files outputs output_files deliverables files_to_create files_changed",
  external_dependencies: "external_dependencies packages libraries",
  completed_tasks: "completed_tasks completed done finished what_was_done",
  pending_tasks: "pending_tasks pending pending_work open remaining todo to_do left_to_do",
  tasks: "tasks status progress checklist source_status",
  lessons_learned: "lessons_learned lessons learned notes",
  labels: "metadata handoff about overview validation quality_checks checks quality",
};

/** What a heading means, by its words as a name. */
export const fieldsByName: ReadonlyMap<string, Field> = new Map(
  Object.entries(headingNames).flatMap(([field, names]) => names.split(" ").map((name) => [name, field as Field])),
);

/** Labels (`Target: dev-1`), wherever they are, by the path that they mean. */
export const labels: { readonly [label: string]: string } = {
  target: "target_agent",
  target_agent: "target_agent",
  to: "target_agent",
  workflow: "workflow_id",
  workflow_id: "workflow_id",
  task_id: "task_id",
  handoff_id: "id",
  id: "id",
  status: "overall_status",
  overall_status: "overall_status",
  tests: "tests_passed",
  tests_passed: "tests_passed",
  review: "code_review_status",
  code_review: "code_review_status",
  code_review_status: "code_review_status",
  documentation: "documentation_complete",
  documentation_complete: "documentation_complete",
};
