/** The receipt of a task. Rules: docs/protocol/verdicts.md, section 13. */
import { z } from "zod";
import { operation, shapeOf, shown } from "../perform/operations/define.ts";
import type { SignedReceipt } from "../perform/workspace/receipt-key.ts";
import { planId, taskId } from "../tasks/operations/claims.ts";

const receiptShape = shapeOf<SignedReceipt>()(
  z
    .object({
      payloadType: z.string().describe("application/vnd.in-toto+json"),
      payload: z.string().describe("the in-toto statement in base64"),
      signatures: z.array(z.object({ keyid: z.string(), sig: z.string().describe("Ed25519, in base64") })),
    })
    .meta({ id: "Receipt" }),
);

export const showReceipt = operation({
  name: "showReceipt",
  call: "receipt",
  access: "caller",
  says: "A signed statement of verified work (an in-toto statement in a DSSE envelope), made with the key of whose hub this is.",
  input: z.strictObject({ task: taskId, plan: planId }),
  answer: shown<SignedReceipt>(null, "The receipt as the record is now.", receiptShape),
  http: { method: "get", path: "/tasks/{task}/receipt" },
  handWritten: ["receipt"],
});

export const receiptOperations = [showReceipt] as const;
