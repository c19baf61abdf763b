/**
 * Operations on handoffs, with what they show and what is found of a handoff's files. A handoff is issued by sending
 * its document. Their commands and their tool look at files where they run, so they are written by hand. Rules:
 * docs/protocol/phases.md, sections 12 to 14.
 */
import { z } from "zod";
import type { JsonObject } from "../base/json.ts";
import { blockingStates, type VerifiedFiles } from "../messages/handoff-body.ts";
import { roles } from "../messages/role.ts";
import { inForm, moment, operation, shapeOf, shown, word } from "../perform/operations/define.ts";
import { texts } from "../perform/operations/shapes.ts";
import type { Handoff } from "./state.ts";

/** One handoff with its document. */
export interface HandoffDetail {
  readonly handoff: Handoff;
  /** It and those that it follows, the first of all first. */
  readonly line: readonly Handoff[];
  /** The document as an object, with everything under `handoff`. */
  readonly document: JsonObject;
  /** The document as it was issued, comments and all. */
  readonly text: string;
}

/** The claim that came with a handoff. */
export interface MovedClaim {
  readonly task: string;
  /** The fencing token. */
  readonly token: number;
  /** Until when the claim lasts without another heartbeat, RFC 3339. */
  readonly expiresAt: string;
  readonly files: readonly string[];
}

const text = z.string();
const count = z.int().min(0);
const digest = (says: string) =>
  inForm(
    "hash",
    z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe(says),
  );
const when = { by: text, seq: count, atMs: moment() };

const handoffShape = shapeOf<Handoff>()(
  z
    .object({
      id: text,
      issuer: text,
      issuerRole: z.enum(roles).nullable(),
      source: text.describe("who hands over, as the document says"),
      target: text,
      receivers: z.array(text).describe("agents that may accept or reject it"),
      workflow: text.nullable(),
      task: text.nullable(),
      summary: text.describe("the main instruction, shortened"),
      timestamp: text,
      digest: digest("SHA-256 that tells the document from others"),
      files: count.describe("files that are verified before it is accepted"),
      generated: count.describe("files that are looked for when it is completed"),
      unfit: z.array(text).describe("what the document itself says that is to be repaired"),
      after: text.nullable().describe("id of the handoff that it follows"),
      seq: count,
      issuedAtMs: moment(),
      status: z.enum(["issued", "accepted", "rejected", "completed"]),
      acceptance: z
        .object({ ...when, files: count, weak: count, task: text.nullable(), token: count.nullable() })
        .nullable(),
      rejection: z.object({ ...when, reasons: z.array(text) }).nullable(),
      completion: z.object(when).nullable(),
    })
    .meta({ id: "Handoff" }),
);

/** Bounded as a report is that Baton makes. */
const verifiedShape = shapeOf<VerifiedFiles>()(
  z
    .strictObject({
      digest: digest("the document's, as the handoff has it"),
      files: count,
      weak: count,
      failed: z
        .array(
          z.strictObject({ path: text.max(4096), state: z.enum(blockingStates), reason: text.max(400).nullable() }),
        )
        .max(20),
    })
    .meta({ id: "VerifiedFiles" }),
);

const movedClaimShape = shapeOf<MovedClaim>()(
  z.object({ task: text, token: count, expiresAt: word(), files: z.array(text) }),
);

const handoffDetailShape = shapeOf<HandoffDetail>()(
  z.object({ handoff: handoffShape, line: z.array(handoffShape), document: z.looseObject({}), text: z.string() }),
);

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
  mcp: { tool: "handoff", action: "list", arguments: {} },
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
  handWritten: ["handoff list"],
  mcp: { tool: "handoff", action: "show", arguments: { handoff: {} } },
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
  mcp: { tool: "handoff", action: "accept", arguments: { handoff: {} } },
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
  mcp: { tool: "handoff", action: "reject", arguments: { handoff: {}, reasons: {} } },
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
  mcp: { tool: "handoff", action: "complete", arguments: { handoff: {} } },
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
