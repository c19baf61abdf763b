/**
 * The messages of vbw/2, each one entry with all its facts. Everything else about them is generated from here.
 * Source: the seed vbw-2-typed-protocol.md; required fields from semantics.md section 1.6.
 */
import { count, entry, flag, listOf, name, oneOf, optional, required, text } from "../../schema/shapes.ts";
import { type DialectEntry, message } from "../define.ts";
import {
  approvalRequest,
  approvalResponse,
  blockerReport,
  executionUpdate,
  planContract,
  shutdownRequest,
  shutdownResponse,
  shutdownStatus,
} from "../typed-payloads.ts";

export const vbw2Messages: DialectEntry = {
  id: "vbw/2",
  family: "vbw",
  title: "VBW typed protocol, second revision",
  authorRoles: ["lead", "dev", "qa", "scout", "debugger", "architect", "docs"],
  messages: [
    message({
      type: "scout_findings",
      summary: "Brings what a scout found out about one domain of the project.",
      kind: "findings",
      senders: ["scout"],
      receivers: ["lead", "architect"],
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
    }),
    message({ ...planContract, senders: ["lead", "architect"], receivers: ["dev", "qa", "scout"] }),
    message({ ...executionUpdate, senders: ["dev", "docs"], receivers: ["lead"] }),
    message({ ...blockerReport, senders: ["dev", "debugger", "docs"], receivers: ["lead"] }),
    message({
      type: "qa_verdict",
      summary: "Says whether the work holds, with the counts of the checks and each failure.",
      kind: "verdict",
      senders: ["qa"],
      receivers: ["lead"],
      rules: ["checks-add-up", "pass-without-failures"],
      payload: {
        tier: required(oneOf(["quick", "standard", "deep"]), "How thoroughly was checked."),
        result: required(oneOf(["PASS", "FAIL", "PARTIAL"]), "The verdict."),
        checks: required(
          entry({ passed: count(), failed: count(), total: count() }),
          "How many checks passed and failed, and their sum.",
        ),
        failures: optional(
          listOf(entry({ check: text(), expected: text(), actual: text(), evidence: text() })),
          "Each failed check: what was expected, what came, and what shows it.",
        ),
        body: optional(text(), "The report in words."),
        recommendations: optional(listOf(text()), "What should be done before going on."),
      },
      example: {
        id: "verdict-2-1",
        task: "2-1-T1",
        authorRole: "qa",
        payload: {
          tier: "standard",
          result: "PARTIAL",
          checks: { passed: 11, failed: 1, total: 12 },
          failures: [
            { check: "Code is refused twice", expected: "401", actual: "200", evidence: "tests/auth/code.test.ts:31" },
          ],
          body: "One must-have does not hold.",
          recommendations: ["Mark the code as used before answering"],
        },
      },
    }),
    message({ ...approvalRequest, senders: ["dev", "lead"], receivers: ["lead", "architect"] }),
    message({ ...approvalResponse, senders: ["lead", "architect"], receivers: ["dev", "lead"] }),
    message({ ...shutdownRequest, senders: ["lead"], receivers: ["dev", "qa", "scout", "lead", "debugger", "docs"] }),
    message({
      ...shutdownResponse,
      senders: ["dev", "qa", "scout", "lead", "debugger", "docs"],
      receivers: ["lead"],
      payload: {
        request_id: required(name(), "Id of the request that is answered."),
        approve: required(flag(), "Whether the sender stops.", { neutral: "approved" }),
        ...shutdownStatus,
      },
      example: {
        id: "stop-2-dev-1",
        task: "",
        authorRole: "dev",
        payload: { request_id: "stop-2", approve: true, final_status: "complete", pending_work: "" },
      },
    }),
  ],
};
