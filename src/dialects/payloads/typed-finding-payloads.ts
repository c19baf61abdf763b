/**
 * The messages about what was found that both second revisions share: a scout's findings, the verdict on work, failures
 * that were there before. Senders and receivers are said in each dialect's `messages.ts`.
 * Source: docs/protocol/requirements/vbw-2.md; docs/protocol/requirements/yolo-2.md; docs/protocol/messages.md,
 * section 5.
 */
import { entry, listOf, oneOf, optional, required, text } from "../../schema/shapes.ts";
import { levelWords, resultWords, verdictExample, verdictFields, verdictNames } from "../fields/common-fields.ts";

const findingsAliases = {
  names: {
    document: "documents",
    docs: "documents",
    "documents.file": "documents.name",
    "documents.title": "documents.name",
    "documents.body": "documents.content",
    "documents.text": "documents.content",
    rationale: "confidence_rationale",
  },
  words: {
    domain: { stack: "tech-stack", tech: "tech-stack", "tech stack": "tech-stack" },
    "cross_cutting.relevance": levelWords,
  },
} as const;

export const scoutFindings = {
  type: "scout_findings",
  summary: "Brings what a scout found out about one domain of the project.",
  kind: "findings",
  aliases: findingsAliases,
  payload: {
    domain: required(oneOf(["tech-stack", "architecture", "quality", "concerns"]), "The domain that was looked into."),
    documents: required(
      listOf(entry({ name: text(), content: text() })),
      "What was written down: a file name and its text each.",
    ),
    cross_cutting: optional(
      listOf(entry({ target_domain: text(), finding: text(), relevance: oneOf(["high", "medium", "low"]) })),
      "Findings that matter to another domain.",
    ),
    confidence_rationale: optional(text(), "What the confidence rests on."),
  },
  example: {
    id: "findings-quality",
    task: "1-1-T1",
    authorRole: "scout",
    payload: {
      domain: "quality",
      documents: [{ name: "QUALITY.md", content: "# Quality\n\nNo test covers signing in." }],
      cross_cutting: [{ target_domain: "architecture", finding: "Sessions live in two places", relevance: "high" }],
      confidence_rationale: "Read every file under src/auth",
    },
  },
} as const;

export const qaVerdict = {
  type: "qa_verdict",
  summary: "Says whether the work holds, with the counts of the checks and each failure.",
  kind: "verdict",
  rules: ["checks-add-up", "pass-without-failures"],
  aliases: {
    names: { ...verdictNames, report: "body", recommendation: "recommendations", rec: "recommendations" },
    words: { result: resultWords, tier: { fast: "quick", full: "deep", normal: "standard" } },
  },
  payload: {
    ...verdictFields,
    body: optional(text(), "The report in words."),
    recommendations: optional(listOf(text()), "What should be done before going on."),
  },
  example: {
    id: "verdict-2-1",
    task: "2-1-T1",
    authorRole: "qa",
    payload: {
      ...verdictExample,
      body: "One must-have does not hold.",
      recommendations: ["Mark the code as used before answering"],
    },
  },
} as const;

export const preExistingIssues = optional(
  listOf(entry({ test: text(), file: text(), error: text() })),
  "Failures that were there before the work began; left out or empty when there are none.",
);

export const preExistingIssuesExample = [
  { test: "renders the invoice", file: "tests/billing/invoice.test.ts", error: "expected 2 decimals, found 3" },
] as const;
