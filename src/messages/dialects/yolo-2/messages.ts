/**
 * The messages of yolo/2, each one entry with all its facts. Everything else about them is generated from here.
 * Source: tests/requirements/yolo-2.tsv; docs/protocol/messages.md, section 5. The document's envelope leaves
 * out `debugger_report`; its matrix and its sections have it.
 */
import { flag, name, required } from "../../../base/schema/shapes.ts";
import { type DialectEntry, message } from "../define.ts";
import {
  diagnosisExample,
  diagnosisFields,
  diagnosisNames,
  levelWords,
  recommendedFix,
  recommendedFixExample,
} from "../fields/common-fields.ts";
import {
  approvalRequest,
  approvalResponse,
  blockerReport,
  executionUpdate,
  planContract,
  preExistingIssues,
  preExistingIssuesExample,
  shutdownAliases,
  shutdownRequest,
  shutdownResponse,
  shutdownStatus,
} from "../payloads/typed-payloads.ts";

export const yolo2Messages: DialectEntry = {
  id: "yolo/2",
  family: "yolo",
  form: "typed",
  title: "YOLO typed protocol, second revision",
  authorRoles: ["lead", "dev", "debugger", "architect", "docs"],
  messages: [
    message({ ...planContract, senders: ["lead", "architect"], receivers: ["dev"] }),
    message({
      ...executionUpdate,
      senders: ["dev", "docs"],
      receivers: ["lead"],
      payload: { ...executionUpdate.payload, pre_existing_issues: preExistingIssues },
      example: withIssues(executionUpdate.example),
    }),
    message({
      ...blockerReport,
      senders: ["dev", "docs"],
      receivers: ["lead"],
      payload: { ...blockerReport.payload, pre_existing_issues: preExistingIssues },
      example: withIssues(blockerReport.example),
    }),
    message({
      type: "debugger_report",
      summary: "Brings the diagnosis of one hypothesis: what speaks for it, what against it, and what would fix it.",
      kind: "diagnosis",
      senders: ["debugger"],
      receivers: ["lead"],
      aliases: { names: diagnosisNames, words: { confidence: levelWords } },
      payload: {
        ...diagnosisFields,
        recommended_fix: recommendedFix,
        pre_existing_issues: preExistingIssues,
      },
      example: {
        id: "diagnosis-3",
        task: "hypothesis-1",
        authorRole: "debugger",
        payload: {
          ...diagnosisExample,
          recommended_fix: recommendedFixExample,
          pre_existing_issues: preExistingIssuesExample,
        },
      },
    }),
    message({ ...approvalRequest, senders: ["dev", "lead"], receivers: ["lead", "architect"] }),
    message({ ...approvalResponse, senders: ["lead", "architect"], receivers: ["dev", "lead"] }),
    message({ ...shutdownRequest, senders: ["lead"], receivers: ["dev", "lead", "debugger", "docs"] }),
    message({
      ...shutdownResponse,
      senders: ["dev", "lead", "debugger", "docs"],
      receivers: ["lead"],
      aliases: { ...shutdownAliases, names: { ...shutdownAliases.names, approve: "approved" } },
      payload: {
        request_id: required(name(), "Id of the request that is answered.", { assumed: "unknown" }),
        approved: required(flag(), "Whether the sender stops."),
        ...shutdownStatus,
      },
      example: {
        id: "stop-2-dev-1",
        task: "",
        authorRole: "dev",
        payload: { request_id: "stop-2", approved: true, final_status: "complete", pending_work: "" },
      },
    }),
  ],
};

/** A shared example with the one field that yolo/2 adds. */
function withIssues<Example extends { readonly payload: object }>(example: Example) {
  return { ...example, payload: { ...example.payload, pre_existing_issues: preExistingIssuesExample } };
}
