/**
 * What the yolo scripts ask of a message. They still know a scout and a qa, whom the document has dropped.
 * Source: docs/protocol/drop-in.md, section 4.
 */
import { blockerReport, type DropInTable, receivesTable, sharedMessages, shutdownResponse } from "../drop-in-table.ts";

/** The scripts of yolo/2. */
export const yolo2DropIn: DropInTable = {
  messages: new Map([
    ...sharedMessages,
    blockerReport(["dev", "docs"]),
    [
      "debugger_report",
      {
        required: ["hypothesis", "evidence_for", "evidence_against", "confidence", "recommended_fix"],
        senders: ["debugger"],
      },
    ],
    shutdownResponse("approved"),
  ]),
  receives: receivesTable(["debugger_report"]),
  heedsFlag: true,
  isLaterRevision: false,
};
