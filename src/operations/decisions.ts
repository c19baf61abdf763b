/** Several decisions of the person at once, each with its own entry. Rules: docs/protocol/approvals.md, section 7. */
import { z } from "zod";
import type { Problem } from "../base/problem.ts";
import type { Receipt } from "../journal/entry.ts";
import { operation, shapeOf, shown } from "./define.ts";
import { ifSeq, problemShape, receiptShape, texts } from "./shapes.ts";

/** Most decisions of one request. */
export const decisionsMax = 100;

/** What became of one decision. */
export interface DecisionResult {
  readonly outcome: "accepted" | "refused" | "failed";
  /** Null: nothing was recorded. */
  readonly receipt: Receipt | null;
  readonly problems: readonly Problem[];
}

const id = z
  .string()
  .optional()
  .describe("the id of this decision, for retries; absent: one is made of that of the request");
const reason = z.string();

const answered = {
  request: z.string(),
  reason,
  conditions: texts.optional(),
  modifications: texts.optional(),
  ifSeq,
  id,
};
const escalation = z.string();

const decision = z.discriminatedUnion("decide", [
  z.strictObject({ decide: z.literal("approve"), ...answered }),
  z.strictObject({ decide: z.literal("deny"), ...answered }),
  z.strictObject({
    decide: z.literal("resolve"),
    escalation,
    decision: z.string().min(1).optional(),
    option: z.int().min(1).optional(),
    rationale: z.string().optional(),
    actionItems: texts.optional(),
    ifSeq,
    id,
  }),
  z.strictObject({
    decide: z.literal("raise"),
    escalation,
    evidence: texts.optional(),
    options: texts.optional(),
    recommendation: z.string().optional(),
    ifSeq,
    id,
  }),
  z.strictObject({ decide: z.literal("lift"), stop: z.string(), reason, ifSeq, id }),
]);

const resultShape = shapeOf<DecisionResult>()(
  z.object({
    outcome: z.enum(["accepted", "refused", "failed"]),
    receipt: receiptShape.nullable(),
    problems: z.array(problemShape),
  }),
);

export const decideSeveral = operation({
  name: "decideSeveral",
  call: "decideSeveral",
  byHand: "It takes several operations, each with its own id, and answers each.",
  access: "caller",
  says: "Decides several matters, one after the other, each as its own operation would. What becomes of one does not touch the others.",
  input: z.strictObject({ decisions: z.array(decision).min(1).max(decisionsMax) }),
  answer: shown<readonly DecisionResult[]>("results", "What became of each, in order.", z.array(resultShape)),
  http: { method: "post", path: "/decisions" },
});

export const decisionOperations = [decideSeveral] as const;
