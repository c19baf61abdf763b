/**
 * The messages of vbw/1, each one entry with all its facts. Everything else about them is generated from here.
 * Source: tests/requirements/vbw-1.tsv. Its Map, Execute and
 * Debug Lead are the lead.
 */
import { entry, listOf, oneOf, optional, required, text } from "../../../base/schema/shapes.ts";
import { type DialectEntry, message } from "../define.ts";
import { levelWords } from "../fields/common-fields.ts";
import { debuggerReport, devBlocker, devProgress, qaResult } from "../payloads/flat-payloads.ts";

export const vbw1Messages: DialectEntry = {
  id: "vbw/1",
  family: "vbw",
  form: "structured",
  title: "VBW structured handoffs, first revision",
  authorRoles: [],
  messages: [
    message({
      type: "scout_findings",
      summary: "Brings what a scout found out about one domain of the project.",
      kind: "findings",
      senders: ["scout"],
      receivers: ["lead"],
      aliases: {
        names: {
          document: "documents",
          docs: "documents",
          "documents.file": "documents.name",
          "documents.title": "documents.name",
          "documents.body": "documents.content",
          "documents.text": "documents.content",
          conf: "confidence",
          rationale: "confidence_rationale",
        },
        words: {
          confidence: levelWords,
          domain: { stack: "tech-stack", tech: "tech-stack", "tech stack": "tech-stack" },
        },
      },
      payload: {
        domain: required(
          oneOf(["tech-stack", "architecture", "quality", "concerns"]),
          "The domain that was looked into.",
        ),
        documents: required(
          listOf(entry({ name: text(), content: text() })),
          "What was written down: a file name and its text each.",
        ),
        cross_cutting: optional(
          listOf(entry({ target_domain: text(), finding: text(), relevance: oneOf(["high", "medium", "low"]) })),
          "Findings that matter to another domain.",
        ),
        confidence: required(oneOf(["high", "medium", "low"]), "How sure the scout is of the findings.", {
          neutral: "head.confidence",
        }),
        confidence_rationale: required(text(), "What the confidence rests on.", { assumed: "" }),
      },
      example: {
        payload: {
          domain: "quality",
          documents: [{ name: "QUALITY.md", content: "# Quality\n\nNo test covers signing in." }],
          cross_cutting: [{ target_domain: "architecture", finding: "Sessions live in two places", relevance: "high" }],
          confidence: "high",
          confidence_rationale: "Read every file under src/auth",
        },
      },
    }),
    message({ ...devProgress, senders: ["dev"], receivers: ["lead"] }),
    message({ ...devBlocker, senders: ["dev"], receivers: ["lead"] }),
    message({
      ...qaResult,
      senders: ["qa"],
      receivers: ["lead"],
      aliases: { ...qaResult.aliases, names: { ...qaResult.aliases.names, report: "body" } },
      payload: { ...qaResult.payload, body: required(text(), "The report in words.", { assumed: "" }) },
      example: { payload: { ...qaResult.example.payload, body: "One must-have does not hold." } },
    }),
    message({ ...debuggerReport, senders: ["debugger"], receivers: ["lead"] }),
  ],
};
