import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { draftDocument } from "../../messages/handoff-draft.ts";
import { must } from "../../testing/journal-subject.ts";
import { type ImportFacts, importHandoff as imported } from "./handoff-markdown.ts";

const seed = 4_117;

const importHandoff = (text: string, facts?: ImportFacts) => must(imported(text, facts));

const notes = `# Handoff: sign-in

**Target agent:** dev
Tests: passing
Review: pending
Overall status: in progress

## Goal
Sign users in with a one-time
code.

- Write a test for a code that is used twice

## Key decisions
- Codes live ten minutes because mail may be slow; so: the store forgets by itself
- Use SMTP

## Constraints
* Leave \`invoices/\` alone
## Acceptance criteria
1. A used code is refused
## Files
- [the story](docs/story.md)
- \`docs/mail.md\`: how mail goes
\`\`\`
## Constraints
- only shown
\`\`\`
## Progress
- [x] story-draft
- [ ] review
## Gossip
The mailer is grumpy.
`;

test("headings name fields, labels single values, boxes the state of tasks", () => {
  const { draft, unplaced } = importHandoff(notes);
  assert.deepEqual(draftDocument(draft).handoff, {
    metadata: { target_agent: "dev" },
    context: {
      key_decisions: [
        {
          decision: "Codes live ten minutes",
          rationale: "mail may be slow",
          impact: "the store forgets by itself",
        },
        { decision: "Use SMTP", rationale: "not said", impact: "not said" },
      ],
    },
    instructions: {
      primary: "Sign users in with a one-time code.",
      secondary: ["Write a test for a code that is used twice"],
      constraints: ["Leave `invoices/` alone"],
      success_criteria: ["A used code is refused"],
    },
    dependencies: { required_files: ["docs/story.md", "docs/mail.md"] },
    validation: {
      source_status: {
        completed_tasks: ["story-draft"],
        pending_tasks: ["review"],
        overall_status: "in-progress",
      },
      quality_checks: { tests_passed: true, code_review_status: "pending" },
    },
  });
  assert.deepEqual(unplaced, ["Gossip"]);
});

test("an id is taken from the head alone, and no character that nobody sees from anywhere", () => {
  const idIn = (text: string) => importHandoff(text).draft.metadata?.id;
  assert.equal(idIn("# Sign in\n\nid: h-1\nTo: dev\n\n## Goal\nWork\n"), "h-1");
  assert.equal(idIn("---\nid: h-1\n---\n# Sign in\n"), "h-1");
  for (const text of ["# Sign in\nA row of the table:\nid: 7\n", "# Sign in\n## Goal\n- id: 7\n", "Words.\n\nid: 7\n"])
    assert.equal(idIn(text), undefined, text);
  const { draft } = importHandoff(
    "## Goal\nSign\u0000 in\u001b[31m \u202eusers\u2069 caf\u00e9 \u{1f468}\u200d\u{1f4bb}\n",
  );
  assert.equal(draft.instructions?.primary, "Sign in[31m users caf\u00e9 \u{1f468}\u200d\u{1f4bb}");
});

test("what is missing is listed, and nothing is made up for it", () => {
  assert.deepEqual(importHandoff(notes).missing, [
    "context.key_decisions[1].rationale",
    "context.key_decisions[1].impact",
  ]);
  assert.deepEqual(importHandoff("Just words.").missing, ["metadata.target_agent", "instructions.primary"]);
  assert.deepEqual(importHandoff("# Sign users in\n\nTo: dev").missing, []);
});

test(`every input has a draft (seed ${seed})`, () => {
  const piece = fc.constantFrom(
    "# ",
    "- ",
    "\n",
    "```\n",
    "Goal",
    "Decisions",
    "because",
    "so:",
    "[x] ",
    "To: ",
    "`",
    "(",
    "é",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
      draftDocument(importHandoff(pieces.join("")).draft);
    }),
    { seed, numRuns: 300 },
  );
});
