import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { draftDocument } from "../../messages/handoff-draft.ts";
import { importHandoff as imported } from "./handoff-markdown.ts";

const importHandoff = (text: string, isThere = (path: string) => path.includes("/")) => imported(text, isThere);

const seed = 4_117;

const notes = `# Handoff: sign-in

**Target agent:** dev
Tests: passing
Review: pending
Overall status: in progress
Priority: high

## Goal
Sign users in with a one-time
code.

- Write a test for a code that is used twice

## Key decisions
- Codes live ten minutes. Rationale: mail may be slow. Impact: the store forgets by itself
- Use SMTP

## Constraints
* Leave \`invoices/\` alone
## Acceptance criteria
<!-- What must hold
- at the end -->
1. A used code is refused
### AC-2
It reads at 390 px
## Required files
- [the story](docs/story.md)
- \`docs/mail.md\`: how mail goes
- \`docs/gone.md\`
- Epic 10: sign in (DONE)
\`\`\`
## Constraints
- only shown
\`\`\`
## External dependencies
- \`zod@^4.1\`
- jsonwebtoken 9.0.0 https://example.org/jwt
- Fail-fast on the first error, 1 retry
## Progress
- [x] story-draft
- [ ] review
## Gossip
The mailer is grumpy.

| who | how |
|---|---|
| mailer | grumpy |
`;

test("what plainly is a field becomes one, and everything else is in the context under its name", () => {
  const { draft, unplaced, absent, missing } = importHandoff(notes, (path) => path !== "docs/gone.md");
  assert.deepEqual(draftDocument(draft).handoff, {
    metadata: { target_agent: "dev" },
    context: {
      additional_context: [
        "docs/gone.md",
        "Priority: high",
        "Key decisions: Use SMTP",
        "Required files: `docs/mail.md`: how mail goes\nEpic 10: sign in (DONE)\n## Constraints\n- only shown",
        "External dependencies: Fail-fast on the first error, 1 retry",
        "Gossip: The mailer is grumpy.\n\n| who | how |\n|---|---|\n| mailer | grumpy |",
        "title: Handoff: sign-in",
      ],
      key_decisions: [
        { decision: "Codes live ten minutes.", rationale: "mail may be slow.", impact: "the store forgets by itself" },
      ],
    },
    instructions: {
      primary: "Sign users in with a one-time code.",
      secondary: ["Write a test for a code that is used twice"],
      constraints: ["Leave `invoices/` alone"],
      success_criteria: ["A used code is refused", "AC-2: It reads at 390 px"],
    },
    dependencies: {
      required_files: ["docs/story.md", "docs/mail.md"],
      external_dependencies: [
        { name: "zod", version: "^4.1" },
        { name: "jsonwebtoken", version: "9.0.0", url: "https://example.org/jwt" },
      ],
    },
    validation: {
      source_status: {
        completed_tasks: ["story-draft"],
        pending_tasks: ["review"],
        overall_status: "in-progress",
      },
      quality_checks: { tests_passed: true, code_review_status: "pending" },
    },
  });
  assert.deepEqual(unplaced, [
    "Priority",
    "Key decisions",
    "Required files",
    "External dependencies",
    "Gossip",
    "title",
  ]);
  assert.deepEqual([absent, missing], [["docs/gone.md"], []]);
});

/** Heads, and what they say of the document; what they do not say is in the context. */
const heads: readonly (readonly [head: string, metadata: object, context?: string])[] = [
  ["---\nid: BACK-381\nstatus: To Do\n---\n# Sign in\n", {}, "id: BACK-381"],
  ["# Sign in\n\nHandoff id: h-1\n", { id: "h-1" }],
  ["\ufeff---\nfrom: sm\nto: dev\n---\n# Sign in\n", { source_agent: "sm", target_agent: "dev" }],
  [
    "# Sign in\n\n**From**: Development Agent (@bmad-bmm-dev)\n- **To:** `qa`\n",
    { source_agent: "dev", target_agent: "qa" },
  ],
  ["# Sign in\n\nTo: John (Product Manager)\n", {}, "To: John (Product Manager)"],
  [
    "# Sign in\n\n| Field | Value |\n|---|---|\n| **From** | `sm` |\n| Date | 2026-01-02 |\n",
    { source_agent: "sm", timestamp: "2026-01-02T00:00:00Z" },
  ],
  ["# Sign in\n\nDate: last week\n", {}, "Date: last week"],
  ["# Sign in\n\nStory: 2.1\nEpic: mail\n", { task_id: "2.1", workflow_id: "mail" }],
  ["# Sign in\n\nStatus: done\nDocumentation: complete the README\n", {}, "Documentation: complete the README"],
];

test("a label counts in the head where its value is plain, and the title is without marks that nobody sees", () => {
  for (const [head, metadata, context] of heads) {
    const { draft } = importHandoff(`${head}\n## Gossip\nFrom: nobody\n`);
    assert.deepEqual(draft.metadata, metadata, head);
    assert.equal(draft.instructions?.primary, "Sign in", head);
    assert.ok(
      context === undefined || draft.context?.additional_context?.includes(context),
      JSON.stringify(draft.context),
    );
  }
  const { draft } = importHandoff(
    "## Goal\nSign\u0000 in\u001b[31m \u202eusers\u2069 caf\u00e9 \u{1f468}\u200d\u{1f4bb}\n",
  );
  assert.equal(draft.instructions?.primary, "Sign in[31m users caf\u00e9 \u{1f468}\u200d\u{1f4bb}");
});

test("a comment says nothing, but in a fence, or where it never ends", () => {
  const context = (text: string) => importHandoff(`## Acceptance criteria\n${text}`).draft;
  assert.deepEqual(context("<!-- - a\n```\n-->\n- b\n").instructions?.success_criteria, ["b"]);
  const fenced = context("- b\n```html\n<!-- c -->\n```\n");
  assert.deepEqual(fenced.context?.additional_context, ["Acceptance criteria: <!-- c -->"]);
  assert.deepEqual(context("- b <!-- c\n").instructions?.success_criteria, ["b <!-- c"]);
  importHandoff("<!--x```\n".repeat(100_000));
});

test("what is missing is listed, and nothing is made up for it", () => {
  assert.deepEqual(importHandoff("Just words.").missing, ["metadata.target_agent", "instructions.primary"]);
  assert.deepEqual(importHandoff("# Sign users in\n\nTo: dev").missing, []);
});

test(`every word of an input is in its draft (seed ${seed})`, () => {
  const mark = fc.constantFrom(
    "# ",
    "## ",
    "- ",
    "\n",
    "```\n",
    "Goal",
    "Decisions",
    "[x] ",
    "To: ",
    "`",
    "(",
    "é",
    "| a |",
    "Files changed",
  );
  const word = fc.integer({ min: 0, max: 9_999 }).map((number) => `word${number} `);
  fc.assert(
    fc.property(fc.array(fc.oneof(mark, word, fc.string()), { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const { draft } = importHandoff(text);
      const written = JSON.stringify(draftDocument(draft));
      for (const [said] of text.replaceAll(/<!--.*?-->/gs, "").matchAll(/(?<=[ \n])word\d+(?= )/g))
        assert.ok(written.includes(said) || isHeading(text, said), `${said}: ${written}`);
    }),
    { seed, numRuns: 1_000 },
  );
});

/** The words of headings are not said, and neither is the line of a fence's mark. */
function isHeading(text: string, said: string): boolean {
  return text.split("\n").some((line) => line.includes(said) && /^ {0,3}(?:#{1,6} |`{3})/.test(line));
}
