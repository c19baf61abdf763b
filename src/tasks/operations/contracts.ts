/** What the contracts of the team's plans say. Rules: docs/protocol/tasks.md, sections 17 to 20. */
import { z } from "zod";
import { count, hash, operation, shapeOf, shown } from "../../perform/operations/define.ts";
import { seq, texts } from "../../perform/operations/shapes.ts";
import type { ContractView } from "../state/contract-terms.ts";

export const contractShape = shapeOf<ContractView>()(
  z
    .object({
      tokensUsed: z.number().describe("tokens that the plan's reports say were used"),
      plan: z.string(),
      revision: count(),
      hash: hash(),
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
          revision: count(),
          hash: hash(),
          previousHash: hash().nullable(),
          seq,
          issuedBy: z.string(),
          permit: z.string().nullable(),
        }),
      ),
    })
    .meta({ id: "Contract" }),
);

export const listContracts = operation({
  name: "listContracts",
  call: "contracts",
  access: "caller",
  says: "The contract in force of every plan, with its revisions.",
  input: z.strictObject({}),
  answer: shown<readonly ContractView[]>("contracts", "Every contract.", z.array(contractShape)),
  http: { method: "get", path: "/contracts" },
  handWritten: ["contract show"],
});

export const contractOperations = [listContracts] as const;
