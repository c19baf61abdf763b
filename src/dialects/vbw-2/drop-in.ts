/** What the vbw scripts ask of a message: `vbw/2`, and the later revision in use, `vbw/2.1`. Semantics.md section 4. */
import { blockerReport, type DropInTable, receivesTable, sharedMessages, shutdownResponse } from "../drop-in-table.ts";

/** The scripts of vbw/2. */
export const vbw2DropIn: DropInTable = {
  messages: new Map([...sharedMessages, blockerReport(["dev", "debugger", "docs"]), shutdownResponse("approve")]),
  receives: receivesTable([]),
  heedsFlag: true,
  isLaterRevision: false,
};

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
