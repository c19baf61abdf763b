/** The shapes of approvals, contracts and tokens. */
import { z } from "zod";
import type { ApprovalState } from "../../coordination/approvals.ts";
import type { ContractView } from "../../coordination/contracts.ts";
import { roles } from "../../message/role.ts";
import { shapeOf } from "../../operations/shape-of.ts";
import { seq, texts } from "../../operations/shapes.ts";
import type { Credential } from "../../team/credentials.ts";

export const approvalShape = shapeOf<ApprovalState>()(
  z
    .object({
      requestId: z.string(),
      requester: z.string(),
      requesterRole: z.enum(roles).nullable(),
      subject: z.string(),
      requestType: z.enum(["scope_change", "plan_approval", "gate_override"]),
      evidence: z.string(),
      options: texts,
      phase: z.union([z.number(), z.string()]).nullable(),
      task: z.string().nullable(),
      plan: z.string().nullable(),
      addressees: texts,
      seq,
      openedAtMs: z.number(),
      deadlineMs: z.number().nullable(),
      standing: z.enum(["open", "approved", "denied", "expired"]),
      answer: z
        .object({
          approved: z.boolean(),
          decidedBy: z.string(),
          role: z.enum(roles).nullable(),
          reason: z.string(),
          conditions: texts,
          modifications: z.array(z.unknown()),
          seq,
          atMs: z.number(),
        })
        .nullable(),
      expiredAtMs: z.number().nullable(),
    })
    .meta({ id: "Approval" }),
);

export const contractShape = shapeOf<ContractView>()(
  z
    .object({
      tokensUsed: z.number().describe("tokens that the plan's reports say were used"),
      plan: z.string(),
      revision: z.int(),
      hash: z.string(),
      terms: z.object({
        planId: z.string(),
        phaseId: z.string(),
        objective: z.string(),
        tasks: texts,
        allowedPaths: texts,
        forbiddenPaths: texts,
        mustHaves: texts,
        dependsOn: texts,
        verificationChecks: texts,
        tokenBudget: z.number().nullable(),
      }),
      revisions: z.array(
        z.object({
          revision: z.int(),
          hash: z.string(),
          previousHash: z.string().nullable(),
          seq,
          issuedBy: z.string(),
          permit: z.string().nullable(),
        }),
      ),
    })
    .meta({ id: "Contract" }),
);

export const tokenShape = shapeOf<Credential>()(
  z
    .object({
      tokenId: z.string(),
      agent: z.string(),
      hash: z.string().describe("SHA-256 of the token"),
      session: z.int(),
      status: z.enum(["valid", "revoked"]),
    })
    .meta({ id: "Token" }),
);
