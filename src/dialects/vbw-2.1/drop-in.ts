/** What the later revision of the vbw scripts asks of a message. Source: docs/protocol/drop-in.md, section 5. */
import { blockerReport, type DropInTable, receivesTable, sharedMessages, shutdownResponse } from "../drop-in-table.ts";

/** The scripts of vbw/2.1: a debugger's own report, `approved`, no flag. */
export const vbw21DropIn: DropInTable = {
  messages: new Map([
    ...sharedMessages,
    blockerReport(["dev", "docs"]),
    [
      "debugger_report",
      {
        required: [
          "hypothesis",
          "evidence_for",
          "evidence_against",
          "confidence",
          "resolution_observation",
          "recommended_fix",
        ],
        senders: ["debugger"],
      },
    ],
    shutdownResponse("approved"),
  ]),
  receives: receivesTable(["debugger_report"]),
  heedsFlag: false,
  isLaterRevision: true,
};
