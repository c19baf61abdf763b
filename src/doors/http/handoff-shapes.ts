/** The shapes of handoffs on the hub's routes: what is answered about them, and what was found of their files. */
import { z } from "zod";
import type { Handoff } from "../../coordination/handoff-state.ts";
import { faultyStates, type VerifiedFiles } from "../../message/handoff-files.ts";
import { roles } from "../../message/role.ts";
import { shapeOf } from "../../operations/shape-of.ts";
import { acceptedShape } from "../../operations/shapes.ts";
import type { MovedClaim } from "../../runtime/handoff-work.ts";

const text = z.string();
const count = z.int().min(0);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const when = { by: text, seq: count, atMs: z.number() };

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
      digest: digest.describe("SHA-256 that tells the document from others"),
      files: count.describe("files that are verified before it is accepted"),
      generated: count.describe("files that are looked for when it is completed"),
      unfit: z.array(text).describe("what the document says that forbids taking it over"),
      after: text.nullable().describe("id of the handoff that it follows"),
      seq: count,
      issuedAtMs: z.number(),
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
      digest: digest.describe("the document's, as the handoff has it"),
      files: count,
      weak: count,
      failed: z
        .array(z.strictObject({ path: text.max(4096), state: z.enum(faultyStates), reason: text.max(400).nullable() }))
        .max(20),
    })
    .meta({ id: "VerifiedFiles" }),
);

const claimShape = shapeOf<MovedClaim>()(z.object({ task: text, token: count, expiresAt: text, files: z.array(text) }));

/** An acceptance: its receipt, and the claim that came with it. */
export const acceptedHandoffShape = acceptedShape.extend({ claim: claimShape.nullable() });
