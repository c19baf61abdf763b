/** What the operations on handoffs show, and what is found of a handoff's files. */
import { z } from "zod";
import type { JsonObject } from "../base/json.ts";
import type { Handoff } from "../coordination/handoffs/handoff-state.ts";
import { faultyStates, type VerifiedFiles } from "../message/handoff-body.ts";
import { roles } from "../message/role.ts";
import { inForm, moment, shapeOf, word } from "./define.ts";

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

export const handoffShape = shapeOf<Handoff>()(
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
      unfit: z.array(text).describe("what the document says that forbids taking it over"),
      after: text.nullable().describe("id of the handoff that it follows"),
      seq: count,
      issuedAtMs: moment(),
      standing: z.enum(["issued", "accepted", "rejected", "completed"]),
      acceptance: z
        .object({ ...when, files: count, weak: count, task: text.nullable(), token: count.nullable() })
        .nullable(),
      rejection: z.object({ ...when, reasons: z.array(text) }).nullable(),
      completion: z.object(when).nullable(),
    })
    .meta({ id: "Handoff" }),
);

/** Bounded as a report is that Baton makes. */
export const verifiedShape = shapeOf<VerifiedFiles>()(
  z
    .strictObject({
      digest: digest("the document's, as the handoff has it"),
      files: count,
      weak: count,
      failed: z
        .array(z.strictObject({ path: text.max(4096), state: z.enum(faultyStates), reason: text.max(400).nullable() }))
        .max(20),
    })
    .meta({ id: "VerifiedFiles" }),
);

export const movedClaimShape = shapeOf<MovedClaim>()(
  z.object({ task: text, token: count, expiresAt: word(), files: z.array(text) }),
);

export const handoffDetailShape = shapeOf<HandoffDetail>()(
  z.object({ handoff: handoffShape, line: z.array(handoffShape), document: z.looseObject({}), text: z.string() }),
);
