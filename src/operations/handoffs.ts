/**
 * Operations on handoffs; one is issued by sending its document. Their commands and their tool look at files where the work
 * goes on, so they are written by hand. Rules: docs/protocol/handoffs.md.
 */
import { z } from "zod";
import type { Handoff } from "../coordination/handoffs/handoff-state.ts";
import { operation, shown } from "./define.ts";
import {
  type HandoffDetail,
  handoffDetailShape,
  handoffShape,
  movedClaimShape,
  verifiedShape,
} from "./handoff-shapes.ts";
import { texts } from "./shapes.ts";

const handoff = z.string().describe("the handoff's id");
const handoffs = z.array(handoffShape);

export const listHandoffs = operation({
  name: "listHandoffs",
  call: "handoffs",
  access: "caller",
  says: "Handoffs that wait for an answer or are worked on, or all.",
  input: z.strictObject({ all: z.boolean().optional().describe("also those that were rejected or are completed") }),
  answer: shown<readonly Handoff[]>("handoffs", "In the order they came.", handoffs),
  http: { method: "get", path: "/handoffs" },
  handWritten: ["handoff list"],
});

export const listEarlierHandoffs = operation({
  name: "listEarlierHandoffs",
  call: "handoffsBefore",
  access: "caller",
  says: "Those that a handoff of this workflow or task would follow if the caller issued it now.",
  input: z.strictObject({ workflow: z.string().optional(), task: z.string().optional() }),
  answer: shown<readonly Handoff[]>("handoffs", "The first of all first.", handoffs),
  http: { method: "get", path: "/handoff-lines" },
});

export const showHandoff = operation({
  name: "showHandoff",
  call: "handoff",
  access: "caller",
  says: "One handoff with its document and those that it follows.",
  input: z.strictObject({ handoff }),
  answer: shown<HandoffDetail>(null, "The document as an object, and as it was issued.", handoffDetailShape),
  http: { method: "get", path: "/handoffs/{handoff}" },
  handWritten: ["handoff show"],
});

export const acceptHandoff = operation({
  name: "acceptHandoff",
  call: "acceptHandoff",
  access: "caller",
  says: "Takes a handoff over; the claim on its task moves to the caller, with a new token.",
  input: z.strictObject({
    handoff,
    verified: verifiedShape.optional().describe("what was found of its files; needed where it names some"),
  }),
  answer: { kind: "reply", says: "Recorded, durable.", more: z.object({ claim: movedClaimShape.nullable() }) },
  http: { method: "post", path: "/handoffs/{handoff}/accept" },
  handWritten: ["handoff accept"],
  record: { act: "accept-handoff", line: "accepted the handoff {handoff}", touches: ["handoffs", "tasks"] },
});

export const rejectHandoff = operation({
  name: "rejectHandoff",
  call: "rejectHandoff",
  access: "caller",
  says: "Gives a handoff back, with reasons.",
  input: z.strictObject({ handoff, reasons: texts }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/handoffs/{handoff}/reject" },
  handWritten: ["handoff reject"],
  record: { act: "reject-handoff", touches: ["handoffs"] },
});

export const completeHandoff = operation({
  name: "completeHandoff",
  call: "completeHandoff",
  access: "caller",
  says: "Reports that the handed-over work is done. For the agent that accepted or issued it.",
  input: z.strictObject({
    handoff,
    verified: verifiedShape.optional().describe("what was found of the generated files; needed where it names some"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/handoffs/{handoff}/complete" },
  handWritten: ["handoff complete"],
  record: { act: "complete-handoff", line: "completed the handoff {handoff}", touches: ["handoffs", "tasks"] },
});

/** In the order of the document. */
export const handoffOperations = [
  listHandoffs,
  listEarlierHandoffs,
  showHandoff,
  acceptHandoff,
  rejectHandoff,
  completeHandoff,
] as const;
