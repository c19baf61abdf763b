/** What the scripts of vbw/2 ask of a message. Source: docs/protocol/drop-in.md. */
import { blockerReport, type DropInTable, receivesTable, sharedMessages, shutdownResponse } from "../drop-in-table.ts";

/** The scripts of vbw/2. */
export const vbw2DropIn: DropInTable = {
  messages: new Map([...sharedMessages, blockerReport(["dev", "debugger", "docs"]), shutdownResponse("approve")]),
  receives: receivesTable([]),
  heedsFlag: true,
  isLaterRevision: false,
};
