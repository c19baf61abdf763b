/**
 * The messages of vbw/2.1, the later revision of vbw/2 that its scripts have today: a debugger's own report, `approved`
 * for `approve`, and verdicts that list each check, among them warnings. All else is as in vbw/2.
 * Source: docs/protocol/messages.md, section 20.
 */
import { entry, flag, listOrNull, name, oneOf, optional, required, text } from "../../../base/schema/shapes.ts";
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
  qaVerdict,
  scoutFindings,
  shutdownAliases,
  shutdownRequest,
  shutdownResponse,
  shutdownStatus,
} from "../payloads/typed-payloads.ts";

export const vbw21Messages: DialectEntry = {
  id: "vbw/2.1",
  family: "vbw",
  form: "typed",
  title: "VBW typed protocol, later second revision",
  authorRoles: ["lead", "dev", "qa", "scout", "debugger", "architect", "docs"],
  messages: [
    message({ ...scoutFindings, senders: ["scout"], receivers: ["lead", "architect"] }),
    message({ ...planContract, senders: ["lead", "architect"], receivers: ["dev", "qa", "scout"] }),
    message({ ...executionUpdate, senders: ["dev", "docs"], receivers: ["lead"] }),
    message({ ...blockerReport, senders: ["dev", "docs"], receivers: ["lead"] }),
    message({
      type: "debugger_report",
      summary: "Brings the diagnosis of one hypothesis, what was seen of it being resolved, and what would fix it.",
      kind: "diagnosis",
      senders: ["debugger"],
      receivers: ["lead"],
      aliases: {
        names: { ...diagnosisNames, observation: "resolution_observation", resolution: "resolution_observation" },
        words: { confidence: levelWords },
      },
      payload: {
        ...diagnosisFields,
        resolution_observation: required(text(), "What was seen of the error being there, or gone already.", {
          assumed: "",
        }),
        recommended_fix: recommendedFix,
      },
      example: {
        id: "diagnosis-3",
        task: "hypothesis-1",
        authorRole: "debugger",
        payload: {
          ...diagnosisExample,
          resolution_observation: "The fault is still there on the newest commit",
          recommended_fix: recommendedFixExample,
        },
      },
    }),
    message({
      ...qaVerdict,
      senders: ["qa"],
      receivers: ["lead"],
      rules: ["checks-within-total", "checks-match-detail", "pass-without-failures"],
      payload: {
        ...qaVerdict.payload,
        checks_detail: optional(
          listOrNull(entry({ id: name(), status: oneOf(["PASS", "FAIL", "WARN"]) })),
          "Each check by its id, with its own verdict; null or empty where they are not listed.",
        ),
      },
      example: {
        ...qaVerdict.example,
        payload: {
          ...qaVerdict.example.payload,
          checks: { passed: 1, failed: 1, total: 3 },
          checks_detail: [
            { id: "MH-01", status: "FAIL" },
            { id: "MH-02", status: "PASS" },
            { id: "LINK-01", status: "WARN" },
          ],
        },
      },
    }),
    message({ ...approvalRequest, senders: ["dev", "lead"], receivers: ["lead", "architect"] }),
    message({ ...approvalResponse, senders: ["lead", "architect"], receivers: ["dev", "lead"] }),
    message({
      ...shutdownRequest,
      senders: ["lead"],
      receivers: ["dev", "qa", "scout", "lead", "debugger", "docs"],
    }),
    message({
      ...shutdownResponse,
      senders: ["dev", "qa", "scout", "lead", "debugger", "docs"],
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
