/**
 * The messages of vbw/2, each one entry with all its facts. Everything else about them is generated from here.
 * Source: tests/requirements/vbw-2.tsv; docs/protocol/messages.md, section 5.
 */
import { flag, name, required } from "../../../base/schema/shapes.ts";
import { type DialectEntry, message } from "../define.ts";
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

export const vbw2Messages: DialectEntry = {
  id: "vbw/2",
  family: "vbw",
  form: "typed",
  title: "VBW typed protocol, second revision",
  authorRoles: ["lead", "dev", "qa", "scout", "debugger", "architect", "docs"],
  messages: [
    message({ ...scoutFindings, senders: ["scout"], receivers: ["lead", "architect"] }),
    message({ ...planContract, senders: ["lead", "architect"], receivers: ["dev", "qa", "scout"] }),
    message({ ...executionUpdate, senders: ["dev", "docs"], receivers: ["lead"] }),
    message({ ...blockerReport, senders: ["dev", "debugger", "docs"], receivers: ["lead"] }),
    message({ ...qaVerdict, senders: ["qa"], receivers: ["lead"] }),
    message({ ...approvalRequest, senders: ["dev", "lead"], receivers: ["lead", "architect"] }),
    message({ ...approvalResponse, senders: ["lead", "architect"], receivers: ["dev", "lead"] }),
    message({ ...shutdownRequest, senders: ["lead"], receivers: ["dev", "qa", "scout", "lead", "debugger", "docs"] }),
    message({
      ...shutdownResponse,
      senders: ["dev", "qa", "scout", "lead", "debugger", "docs"],
      receivers: ["lead"],
      aliases: { ...shutdownAliases, names: { ...shutdownAliases.names, approved: "approve" } },
      payload: {
        request_id: required(name(), "Id of the request that is answered.", { assumed: "unknown" }),
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
