/**
 * The handoff document of bmad/1: one entry with all its facts. Any agent may hand over to any other; who did is in
 * the metadata. Source: tests/requirements/bmad-1.tsv.
 */

import {
  dateTime,
  flag,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  optional,
  required,
  text,
} from "../../../base/schema/shapes.ts";
import { type Role, roles } from "../../role.ts";
import { type DialectEntry, message } from "../define.ts";
import { texts } from "../fields/common-fields.ts";

/** Every role that an agent may have. */
const agents: readonly Role[] = roles.filter((role) => role !== "user" && role !== "guest");

const metadata = objectOf({
  id: required(text(), "The document's own id."),
  source_agent: required(text(), "Who hands over."),
  target_agent: required(text(), "Who takes over."),
  timestamp: required(dateTime(), "When it was issued."),
  workflow_id: optional(text(), "The workflow it belongs to."),
  task_id: optional(text(), "The task it belongs to."),
});

const context = objectOf({
  story_file: optional(text(), "The story, where there is one."),
  architecture_context: optional(text(), "The part of the architecture that matters."),
  prd_context: optional(text(), "The part of the requirements that matters."),
  additional_context: optional(texts(), "Other documents that matter."),
  key_decisions: optional(
    listOf(
      objectOf({
        decision: required(text(), "What was decided."),
        rationale: required(text(), "Why."),
        impact: required(text(), "What follows for the work."),
      }),
    ),
    "Decisions of the one who hands over.",
  ),
});

const instructions = objectOf({
  primary: required(text(), "The main task."),
  secondary: optional(texts(), "What else must be done or considered."),
  constraints: optional(texts(), "What the work is bound to."),
  success_criteria: optional(texts(), "What can be measured at the end."),
});

const dependencies = objectOf({
  required_files: optional(texts(), "Files that must be there."),
  generated_files: optional(texts(), "Files that the work makes."),
  external_dependencies: optional(
    listOf(
      objectOf({
        name: required(text(), "Its name."),
        version: optional(text(), "Its version."),
        url: optional(text(), "Where it is."),
      }),
    ),
    "What is needed from outside.",
  ),
});

const validation = objectOf({
  file_checksums: optional(mapOf(text()), "Checksums by file."),
  source_status: optional(
    objectOf({
      completed_tasks: optional(texts(), "Tasks that are done."),
      pending_tasks: optional(texts(), "Tasks that are not."),
      overall_status: optional(oneOf(["completed", "in-progress", "failed"]), "The state of the work."),
    }),
    "The state of the issuer's work.",
  ),
  quality_checks: optional(
    objectOf({
      tests_passed: optional(flag(), "Whether the tests pass."),
      code_review_status: optional(oneOf(["passed", "failed", "pending"]), "The state of the review."),
      documentation_complete: optional(flag(), "Whether everything is documented."),
    }),
    "What was checked.",
  ),
});

const history = objectOf({
  previous_handoffs: optional(
    listOf(
      objectOf({
        source_agent: required(text(), "Who handed over."),
        target_agent: required(text(), "Who took over."),
        timestamp: required(dateTime(), "When."),
        summary: required(text(), "What it was about."),
      }),
    ),
    "Handoffs before this one.",
  ),
  lessons_learned: optional(texts(), "What was learned."),
});

export const bmad1Messages: DialectEntry = {
  id: "bmad/1",
  family: "bmad",
  form: "document",
  title: "BMAD handoff document, first revision",
  authorRoles: [],
  messages: [
    message({
      type: "handoff",
      summary: "Hands work over: its context, the task, its dependencies, its state.",
      kind: "handoff",
      senders: agents,
      receivers: agents,
      routing: { addressedBy: "metadata.target_agent" },
      aliases: {
        names: {
          "metadata.from": "metadata.source_agent",
          "metadata.to": "metadata.target_agent",
          "metadata.handoff_id": "metadata.id",
          "metadata.date": "metadata.timestamp",
          "context.key_decisions.reason": "context.key_decisions.rationale",
          "instructions.criteria": "instructions.success_criteria",
          "instructions.main": "instructions.primary",
          "instructions.task": "instructions.primary",
          "dependencies.files": "dependencies.required_files",
          "dependencies.external": "dependencies.external_dependencies",
          "validation.checksums": "validation.file_checksums",
          "validation.source_status.status": "validation.source_status.overall_status",
          "validation.quality_checks.review": "validation.quality_checks.code_review_status",
        },
        words: {
          "validation.source_status.overall_status": {
            complete: "completed",
            done: "completed",
            in_progress: "in-progress",
            partial: "in-progress",
          },
          "validation.quality_checks.code_review_status": { pass: "passed", approved: "passed", fail: "failed" },
        },
      },
      payload: {
        metadata: required(metadata, "Which handoff it is."),
        context: required(context, "What the work rests on."),
        instructions: required(instructions, "What must be done."),
        dependencies: required(dependencies, "What it needs and what it makes."),
        validation: optional(validation, "How the work was checked."),
        history: optional(history, "What came before."),
      },
      example: {
        payload: {
          metadata: {
            id: "handoff-sign-in-1",
            source_agent: "sm",
            target_agent: "dev",
            timestamp: "2026-03-04T10:00:00Z",
            workflow_id: "sign-in",
            task_id: "story-2.1",
          },
          context: {
            story_file: "docs/stories/2-1-one-time-code.md",
            architecture_context: "docs/architecture/auth.md",
            prd_context: "docs/requirements.md",
            additional_context: ["docs/architecture/mail.md"],
            key_decisions: [
              {
                decision: "Codes live ten minutes",
                rationale: "Mail may be slow",
                impact: "The store forgets codes by itself",
              },
            ],
          },
          instructions: {
            primary: "Sign users in with a one-time code",
            secondary: ["Write a test for a code that is used twice"],
            constraints: ["Leave the invoice templates alone"],
            success_criteria: ["A used code is refused"],
          },
          dependencies: {
            required_files: ["docs/stories/2-1-one-time-code.md"],
            generated_files: ["src/auth/code.ts"],
            external_dependencies: [{ name: "mailer", version: "^3.1.0", url: "https://example.com/mailer" }],
          },
          validation: {
            file_checksums: {
              "docs/stories/2-1-one-time-code.md":
                "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            },
            source_status: {
              completed_tasks: ["story-draft"],
              pending_tasks: [],
              overall_status: "completed",
            },
            quality_checks: { tests_passed: true, code_review_status: "pending", documentation_complete: true },
          },
          history: {
            previous_handoffs: [
              {
                source_agent: "pm",
                target_agent: "sm",
                timestamp: "2026-03-03T16:00:00Z",
                summary: "Requirements and architecture are agreed",
              },
            ],
            lessons_learned: ["Ask for the mail gateway's sandbox early"],
          },
        },
      },
    }),
  ],
};
