/**
 * The headings, labels and roles of handoffs as agents write them, by what of a document they mean.
 * Source: docs/protocol/phases.md, section 15.
 */
import { asName } from "../../messages/intake/markdown.ts";

/** What a heading can mean: a field of a document, what is divided among several, the tasks with their boxes, or labels. */
export type Field =
  | "primary"
  | "summary"
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
  | "dependencies"
  | "external_dependencies"
  | "completed_tasks"
  | "pending_tasks"
  | "tasks"
  | "lessons_learned"
  | "labels";

/** The first pattern that fits decides, so patterns of two words come before those of one of them. */
const headingPatterns: readonly (readonly [Field, RegExp])[] = [
  ["constraints", /constraint|do_not|don_t|must_not|limitation|boundar|guardrail|out_of_scope|not_allowed|^rules$/],
  ["success_criteria", /acceptance|success|definition_of_done|done_when|criteria/],
  ["key_decisions", /decision/],
  ["lessons_learned", /lessons|^learned$|^notes$/],
  ["external_dependencies", /external_dependenc|^packages|librar|third_party/],
  ["dependencies", /dependenc|prerequisite/],
  ["generated_files", /deliverable|artifact|(?:changed|modified|created|generated|output|new)_files|^outputs?$/],
  ["generated_files", /files?_(?:to_)?(?:changed?|modif|created?|touched|added)/],
  [
    "required_files",
    /required_(?:files|reading)|input_files|^inputs?$|^files$|^required$|files_(?:to_read|needed|required)/,
  ],
  ["completed_tasks", /completed|what_was_done|^done$|finished|work_done|accomplish/],
  ["pending_tasks", /pending|remaining|^open$|left_to_do|^to_?do$|open_(?:tasks|items|work)/],
  [
    "secondary",
    /next_(?:steps?|agent|actions?)|implementation_tasks|secondary|(?:additional|further)_tasks|^also$|follow_up/,
  ],
  ["labels", /metadata|^handoff$|^about$|^overview$|validation$|^quality|^checks$|handoff_(?:information|details)/],
  ["tasks", /^tasks$|progress|^status$|workflow_status|source_status|checklist/],
  ["story_file", /^(?:user_)?story(?:_file)?$/],
  ["architecture_context", /^architecture(?:_context)?$/],
  ["prd_context", /^prd(?:_context)?$|^requirements$/],
  ["additional_context", /context|reference|related|background|documents|^reading$|architecture|prd|story/],
  ["primary", /primary|instruction|task|objective|mission|goal|what_to_do|purpose/],
  ["summary", /summary/],
];

/** What a heading means, by its words; numbers before them, emoji and emphasis do not count. Null: none of these. */
export function fieldOf(heading: string): Field | null {
  const name = asName(heading).replace(/^(?:\d+_)+/, "");
  // What the next agent ticks off is for that agent to do.
  if (name.includes("checklist") && /review|test|qa|verification/.test(name)) return "secondary";
  return headingPatterns.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/** A label in the head of a handoff (`**To:** dev`), by what it says. */
export type Label =
  | "id"
  | "source_agent"
  | "target_agent"
  | "timestamp"
  | "workflow_id"
  | "task_id"
  | "story_file"
  | "context_file"
  | "status"
  | "overall_status"
  | "tests_passed"
  | "code_review_status"
  | "documentation_complete";

const labelNames: { readonly [label in Label]: string } = {
  id: "id handoff_id",
  source_agent: "from from_agent source source_agent agent handed_off_by author",
  target_agent: "to to_agent target target_agent next next_agent assigned_to recipient",
  timestamp: "date timestamp created",
  workflow_id: "epic epic_id workflow workflow_id",
  task_id: "story story_id task task_id",
  story_file: "story_file",
  context_file: "context_xml context_file story_context",
  status: "status",
  overall_status: "overall_status",
  tests_passed: "tests tests_passed",
  code_review_status: "review code_review code_review_status",
  documentation_complete: "documentation documentation_complete",
};

const labelsByName: ReadonlyMap<string, Label> = new Map(
  Object.entries(labelNames).flatMap(([label, names]) => names.split(" ").map((name) => [name, label as Label])),
);

/** What a label says; null: nothing that a document has a place for. */
export function labelOf(words: string): Label | null {
  return labelsByName.get(asName(words)) ?? null;
}

/** What documents call the agents of a method, by the name that a team of kind `bmad` gives them. */
const roleNames: readonly (readonly [string, RegExp])[] = [
  ["tea", /(?:^|_)tea(?:_|$)|test_architect/],
  ["bmad-master", /bmad_master|orchestrator/],
  ["sm", /(?:^|_)sm(?:_|$)|scrum_master/],
  ["pm", /(?:^|_)pm(?:_|$)|product_manager/],
  ["po", /(?:^|_)po(?:_|$)|product_owner/],
  ["analyst", /analyst/],
  ["ux-expert", /(?:^|_)ux(?:_|$)/],
  ["architect", /architect/],
  ["code-reviewer", /code_review/],
  ["qa", /(?:^|_)qa(?:_|$)|quality/],
  ["tech-writer", /tech(?:nical)?_writer/],
  ["dev", /(?:^|_)dev(?:_|$)|developer|development/],
];

/** The agent that words name by its role (`Development Agent`); null: none. */
export function roleNamed(words: string): string | null {
  const name = asName(words);
  return roleNames.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}
